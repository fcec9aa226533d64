//! Table files that are not what was written, and good ones that must not change an answer.

#[cfg(feature = "explore")]
mod explore_server;
mod random;

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use oju::build::BuildOptions;
use oju::{
    Analysis, Engine, Limits, MemoryTiers, Position, Profile, Settings, Side, Tables, index, notation,
};
use random::Random;
use tempfile::TempDir;

fn build(profile: &str, seeds: u32, forced: bool, dir: &Path) {
    let options = BuildOptions {
        dir: dir.to_path_buf(),
        seeds,
        forced,
        memory: u64::MAX,
        disk: u64::MAX,
        save_every: Duration::MAX,
    };
    oju::build::build(&profile.parse().unwrap(), &options, &mut (), &AtomicBool::new(false)).unwrap();
}

fn oju(arguments: &[&str], tables: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
    command.args(arguments).arg("--tables").arg(tables).stdin(Stdio::null()).env_remove("OJU_TABLES");
    command.output().unwrap()
}

/// What a command says: of lines of JSON all but the time it took.
fn told(output: &Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let untimed = |line: &str| match serde_json::from_str(line) {
        Ok(mut json @ serde_json::Value::Object(_)) => {
            json["time_ms"] = 0.into();
            json.to_string()
        }
        _ => line.to_owned(),
    };
    text.lines().map(|line| untimed(line) + "\n").collect()
}

/// A copy of the tables of a directory, of no more than `seeds` seeds.
fn copy(from: &Path, seeds: u32) -> TempDir {
    let to = TempDir::new().unwrap();
    for (tier, path) in tables(from) {
        if tier <= seeds {
            fs::copy(&path, to.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    to
}

/// The tables of a directory that holds those of one profile, by seeds.
fn tables(dir: &Path) -> Vec<(u32, PathBuf)> {
    let paths = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let tables = paths.filter_map(|path| {
        let seeds = path.file_name()?.to_str()?.strip_suffix(".oju")?.rsplit_once('-')?.1;
        Some((seeds.parse().unwrap(), path))
    });
    let mut tables: Vec<_> = tables.collect();
    tables.sort();
    tables
}

/// What is put in the place of a good file.
struct Bad {
    what: String,
    bytes: Vec<u8>,
    /// It is noticed when the file is opened, so no command that uses tables can miss it.
    opened: bool,
    /// A word of the reason.
    word: &'static str,
}

impl Bad {
    /// A word of what is said of it.
    fn reason(&self) -> &'static str {
        if self.opened { self.word } else { "damaged" }
    }
}

/// All that this test does to a good file. `foreign`: the same tier of another profile; `other`: another tier of this one.
fn damages(good: &[u8], foreign: &[u8], other: &[u8]) -> Vec<Bad> {
    let mut all = Vec::new();
    let mut add = |what: &str, opened, word, bytes| all.push(Bad { what: what.into(), bytes, opened, word });
    add("zero bytes", true, "empty", Vec::new());
    for share in [1, 50, 99] {
        add("cut", true, "damaged", good[..(good.len() * share / 100).max(1)].to_vec());
    }
    add("appended", true, "too long", [good, &[0; 16]].concat());
    let mut version = good.to_vec();
    version[8] += 1;
    add("version", true, "format version 2, this program reads 1", version);
    add("a PNG", true, "not a table", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06".to_vec());
    add("another profile", true, "move it away", foreign.to_vec());
    add("another tier", true, "give it its name back", other.to_vec());
    // Header; the page index of the first plane, 12 bytes a page, begins where the header ends; pages.
    let header = u32::from_le_bytes(good[10..14].try_into().unwrap()) as usize;
    let mut flip = |at: usize, opened| {
        let mut bytes = good.to_vec();
        bytes[at] ^= 1 << (at % 8);
        add(&format!("byte {at} of {} flipped", good.len()), opened, "damaged", bytes);
    };
    for share in [5, 30, 60, 95, 100] {
        flip(14 + (header - 15) * share / 100, true);
    }
    for at in [0, 9] {
        flip(header + at, true);
    }
    // Two indexes of at least a page each.
    let pages = header + 24;
    for share in [5, 30, 60, 95, 100] {
        let at = pages + (good.len() - 1 - pages) * share / 100;
        flip(at, false);
    }
    all
}

/// Everything that reads tables, asked of one directory after the other.
struct Asked<'a> {
    profile: &'a str,
    seeds: u32,
    positions: &'a [&'a str],
    /// Tables as they should be.
    good: &'a Path,
    /// What each command says of them.
    right: HashMap<Vec<&'a str>, Output>,
}

/// A table in the place of which something else is put.
struct Damaged<'a> {
    seeds: u32,
    path: &'a Path,
    bad: &'a Bad,
}

impl<'a> Asked<'a> {
    /// The commands that answer from tables, of positions or of whole tables. Where opening the damaged table must fail, one position is
    /// as good as another.
    fn commands(&self, damaged: &Damaged<'_>) -> Vec<Vec<&'a str>> {
        let positions = &self.positions[..if damaged.bad.opened { 1 } else { self.positions.len() }];
        let of_positions = positions.iter().flat_map(|position| {
            [
                vec!["best", self.profile, position, "--json"],
                vec!["play", self.profile, position, "--south", "engine", "--north", "engine"],
                vec!["openings", self.profile, "--position", position, "--plies", "1"],
            ]
        });
        let number = NUMBERS[damaged.seeds as usize];
        of_positions.chain([vec!["export", self.profile, "--seeds", number]]).collect()
    }

    fn right(&mut self, command: Vec<&'a str>) {
        let output = oju(&command, self.good);
        assert!(output.status.success(), "{command:?}");
        self.right.insert(command, output);
    }

    /// All of it.
    fn ask(&self, dir: &Path, damaged: &Damaged<'_>) {
        let context = |what: &str| {
            format!("{}, {}: {what}", damaged.path.file_name().unwrap().display(), damaged.bad.what)
        };
        for command in self.commands(damaged) {
            let output = oju(&command, dir);
            error_or_right(&output, &self.right[&command], damaged, &context(&command.join(" ")));
        }
        let mut batch = Command::new(env!("CARGO_BIN_EXE_oju"));
        batch.args(["batch", self.profile, "--no-times", "--threads", "2", "--tables"]).arg(dir);
        let input = self.positions.join("\n");
        let output = with_input(batch, &input);
        error_or_right(&output, &self.right[&vec!["batch"]], damaged, &context("batch"));

        // What only tells what is there sees what opening sees.
        let info = oju(&["info", self.profile, "--json"], dir);
        if damaged.bad.opened {
            named_error(&info, damaged, &context("info"));
        } else {
            assert_eq!(info.status.code(), Some(0), "{}", context("info"));
        }
        for deep in [&[][..], &["--deep"]] {
            let output = oju(&[&["verify", self.profile], deep].concat(), dir);
            let said = String::from_utf8([&output.stdout[..], &output.stderr].concat()).unwrap();
            let context = context("verify");
            assert!([Some(1), Some(2)].contains(&output.status.code()), "{context}: {said}");
            assert!(said.contains(&*damaged.path.to_string_lossy()), "{context}: {said}");
            assert!(said.contains(damaged.bad.reason()) && !said.contains("panicked"), "{context}: {said}");
        }
    }

    /// A build that is to stand on the damaged table, in a directory without those above it.
    fn build_on(&self, damaged: &Damaged<'_>) {
        let dir = copy(self.good, damaged.seeds);
        let damaged = Damaged { path: &dir.path().join(damaged.path.file_name().unwrap()), ..*damaged };
        fs::write(damaged.path, &damaged.bad.bytes).unwrap();
        let command = ["build", self.profile, "--seeds", NUMBERS[self.seeds as usize]];
        let output = oju(&command, dir.path());
        let context = format!("{}, {}: build", damaged.path.display(), damaged.bad.what);
        let nothing = Output { stdout: output.stdout.clone(), ..self.right[&vec!["batch"]].clone() };
        error_or_right(&output, &nothing, &damaged, &context);
        for (_, path) in tables(dir.path()).iter().filter(|(seeds, _)| *seeds > damaged.seeds) {
            let right = fs::read(self.good.join(path.file_name().unwrap())).unwrap();
            assert!(fs::read(path).unwrap() == right, "{context}: {}", path.display());
        }
    }

    /// A server that is running.
    #[cfg(feature = "explore")]
    fn ask_server(&self, server: &explore_server::Server, damaged: &Damaged<'_>) {
        for position in &self.positions[..if damaged.bad.opened { 1 } else { self.positions.len() }] {
            let target = format!("/api/analyse?profile={}&position={position}&time=60", self.profile);
            let reply = server.get(&target);
            let context = format!("{}, {}: {target}", damaged.path.display(), damaged.bad.what);
            if reply.status == 200 && !damaged.bad.opened {
                let right = &self.right[&vec!["best", self.profile, position, "--json"]];
                let mut answer = reply.json();
                answer["time_ms"] = 0.into();
                assert_eq!(answer.to_string() + "\n", told(right), "{context}");
                continue;
            }
            assert_eq!(reply.status, 503, "{context}: {}", reply.body);
            let error = reply.json()["error"].as_str().unwrap().to_owned();
            let name = damaged.path.file_name().unwrap().to_str().unwrap();
            assert!(error.contains(name) && error.contains(damaged.bad.reason()), "{context}: {error}");
        }
        // Engines are kept for the last few profiles: the next one is to begin with the tables as they are then.
        for other in ["ayoayo@2x2x1", "ayoayo@2x2x2", "ayoayo@2x2x3"] {
            assert_eq!(server.get(&format!("/api/legal?profile={other}")).status, 200);
        }
    }
}

const NUMBERS: [&str; 9] = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];

/// Runs a command that reads this.
fn with_input(mut command: Command, input: &str) -> Output {
    let mut child = command
        .env_remove("OJU_TABLES")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// One line that names the file and the reason, exit code 2.
fn named_error(output: &Output, damaged: &Damaged<'_>, context: &str) {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(2), "{context}: {said}");
    let about: Vec<&str> = said.lines().filter(|line| line.starts_with("oju: ")).collect();
    assert_eq!(about.len(), 1, "{context}: {said}");
    assert!(about[0].contains(&*damaged.path.to_string_lossy()), "{context}: {said}");
    assert!(about[0].contains(damaged.bad.reason()), "{context}: {said}");
    assert!(!said.contains("panicked"), "{context}: {said}");
}

/// A named error and no answer, or the right answer to the last byte.
fn error_or_right(output: &Output, right: &Output, damaged: &Damaged<'_>, context: &str) {
    let (answer, right_answer) = (told(output), told(right));
    if !damaged.bad.opened && output.status.code() == Some(0) {
        assert_eq!(answer, right_answer, "{context}: a damaged table changed the answer");
        return;
    }
    named_error(output, damaged, context);
    // A game that has begun has shown its boards and moves, all of them right, and lines before have been answered; nothing else is said.
    assert!(
        answer.is_empty() || (!damaged.bad.opened && right_answer.starts_with(&answer)),
        "{context}: {answer}"
    );
}

/// Does all the damage there is to each file of a profile, and asks everything that reads tables.
fn every_damage(profile: &str, foreign: &str, seeds: u32, positions: &[&str]) {
    let [good, other] = [(); 2].map(|()| TempDir::new().unwrap());
    build(profile, seeds, false, good.path());
    build(foreign, seeds, false, other.path());
    let files = tables(good.path());
    let mut jobs: Vec<(u32, &Path, Bad)> = Vec::new();
    for (at, (tier, file)) in files.iter().enumerate() {
        let foreign = &tables(other.path())[at].1;
        let [good, foreign, other] =
            [file, foreign, &files[(at + 1) % files.len()].1].map(|path| fs::read(path).unwrap());
        let name = Path::new(file.file_name().unwrap());
        jobs.extend(damages(&good, &foreign, &other).into_iter().map(|bad| (*tier, name, bad)));
    }
    let mut asked = Asked { profile, seeds, positions, good: good.path(), right: HashMap::new() };
    for (tier, _, bad) in &jobs {
        for command in asked.commands(&Damaged { seeds: *tier, path: Path::new(""), bad }) {
            if !asked.right.contains_key(&command) {
                asked.right(command);
            }
        }
    }
    let mut batch = Command::new(env!("CARGO_BIN_EXE_oju"));
    batch.args(["batch", profile, "--no-times", "--tables"]).arg(good.path());
    let answers = with_input(batch, &positions.join("\n"));
    assert_eq!(String::from_utf8_lossy(&answers.stdout).lines().count(), positions.len());
    asked.right.insert(vec!["batch"], answers);

    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let dir = copy(good.path(), seeds);
                #[cfg(feature = "explore")]
                let server = explore_server::Server::start(dir.path(), &["--threads", "1"]);
                while let Some((tier, name, bad)) = jobs.get(next.fetch_add(1, Relaxed)) {
                    let path = dir.path().join(name);
                    let good = fs::read(&path).unwrap();
                    fs::write(&path, &bad.bytes).unwrap();
                    let damaged = Damaged { seeds: *tier, path: &path, bad };
                    asked.ask(dir.path(), &damaged);
                    asked.build_on(&damaged);
                    #[cfg(feature = "explore")]
                    asked.ask_server(&server, &damaged);
                    fs::write(&path, good).unwrap();
                }
            });
        }
    });
}

#[test]
fn no_damage_to_tables_of_ayoayo_is_taken_for_an_answer() {
    // 4, 6 and 8 seeds: of a middle tier, of a larger one, and of the largest.
    every_damage(
        "ayoayo",
        "ayoayo-pratt",
        8,
        &["1-0-0-0-0-3-0-0-0-0-0-0", "0-1-0-2-0-0-1-0-0-1-0-1", "1-1-0-1-0-1-0-1-0-2-0-1"],
    );
}

#[test]
fn no_damage_to_tables_of_hoyito_is_taken_for_an_answer() {
    // A stand-off, and a game to the end.
    every_damage("hoyito", "hoyito-opponent", 8, &["0-2-0-1-0-1-0-1-1-1-0-1", "1-0-2-0-0-1-0-2-0-1-0-1"]);
}

#[test]
fn a_named_directory_must_be_there_and_the_usual_one_need_not() {
    let place = TempDir::new().unwrap();
    let position = "1-0-0-0-0-3-0-0-0-0-0-0";
    for command in [&["best", "ayoayo", position][..], &["play", "ayoayo", position]] {
        let missing = place.path().join("missing");
        let output = oju(command, &missing);
        let said = String::from_utf8(output.stderr.clone()).unwrap();
        assert_eq!((output.status.code(), told(&output).as_str()), (Some(2), ""), "{said}");
        assert!(said.lines().count() == 1 && said.contains(&*missing.to_string_lossy()), "{said}");
        let mut here = Command::new(env!("CARGO_BIN_EXE_oju"));
        here.args(command).current_dir(place.path()).env_remove("OJU_TABLES").stdin(Stdio::null());
        assert_eq!(here.output().unwrap().status.code(), Some(0));
        // The name in the environment counts as named.
        let output = here.env("OJU_TABLES", &missing).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
    }
    let file = place.path().join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(oju(&["best", "ayoayo", position], &file).status.code(), Some(2));
}

fn random_position(random: &mut Random, profile: &Profile, most: u32) -> Position {
    let unit = u64::from(profile.unit());
    let seeds = random.below(u64::from(most) / unit + 1) * unit;
    let mut counts = vec![0u32; 2 * profile.row()];
    for _ in 0..seeds {
        counts[random.below(2 * profile.row() as u64) as usize] += 1;
    }
    let counts: Vec<String> = counts.iter().map(u32::to_string).collect();
    let side = ["S", "N"][random.below(2) as usize];
    notation::parse_position(profile, &format!("{}-{}-0-{side}", counts.join("-"), 48 - seeds)).unwrap()
}

fn engine(profile: Profile, tiers: MemoryTiers, tables: Tables, block_bytes: usize) -> Engine {
    let settings = Settings { table_bytes: 32 << 20, threads: 2, tiers, tables, block_bytes };
    Engine::new(profile, &settings).unwrap()
}

fn analyse(engine: &Engine, position: &Position) -> Analysis {
    let stop = AtomicBool::new(false);
    engine.analyse(position, &Limits::none(&stop), &()).unwrap()
}

/// Value and moves with theirs, by letter.
fn values(analysis: &Analysis) -> (Option<i32>, Vec<(char, Option<i32>)>) {
    let mut moves: Vec<_> = analysis.moves.iter().map(|m| (m.letter, m.value)).collect();
    moves.sort_unstable();
    (analysis.value, moves)
}

#[test]
fn answers_are_the_same_with_tables_and_without() {
    for (number, name) in
        ["ayoayo", "ayoayo-holder", "ayoayo-pratt", "hoyito", "hoyito-opponent"].into_iter().enumerate()
    {
        let profile: Profile = name.parse().unwrap();
        let [plain, forced] = [(); 2].map(|()| TempDir::new().unwrap());
        build(name, 8, false, plain.path());
        build(name, 8, true, forced.path());
        let [plain, forced] = [&plain, &forced].map(|dir| Tables::In(dir.path().to_path_buf()));
        let memory = engine(profile, MemoryTiers::Small, Tables::None, 0);
        let cached = engine(profile, MemoryTiers::Small, plain.clone(), 64 << 20);
        let uncached = engine(profile, MemoryTiers::Small, plain.clone(), 0);
        // What lies above the tables is searched.
        let intervals = engine(profile, MemoryTiers::None, forced, 64 << 20);
        let mut random = Random::new(number as u64);
        let positions: Vec<Position> = (0..300).map(|_| random_position(&mut random, &profile, 9)).collect();
        let right: Vec<Analysis> = positions.iter().map(|position| analyse(&memory, position)).collect();
        for (position, right) in positions.iter().zip(&right) {
            assert!(right.complete(), "{name} {position}");
            for other in [&cached, &uncached].map(|engine| analyse(engine, position)) {
                assert_eq!(values(&other), values(right), "{name} {position}");
                assert_eq!((other.distance, &other.line), (right.distance, &right.line), "{name} {position}");
            }
            let known = analyse(&intervals, position);
            assert_eq!(values(&known), values(right), "{name} {position}");
            if position.seeds() > 8 || known.over {
                continue;
            }
            let ([low, high], value) = (
                known.forced.and_then(|forced| forced.interval()).expect("forced tables tell"),
                known.value.unwrap(),
            );
            assert!(low <= value && value <= high, "{name} {position}: {low} {value} {high}");
            assert_eq!(known.forced.unwrap().standoff(), Some(low != high), "{name} {position}");
            assert!(low == high || name != "ayoayo", "Ayoayo has no stand-offs up to 8 seeds: {position}");
            let json = serde_json::to_value(&known).unwrap();
            assert_eq!(json["forced"], serde_json::json!([low, high]));
        }
        // All at once, each from another place on, by more threads than the engine has.
        let fresh = engine(profile, MemoryTiers::Small, plain.clone(), 1 << 16);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (fresh, positions, right) = (&fresh, &positions, &right);
                scope.spawn(move || {
                    for i in (0..positions.len()).map(|i| (i + 37 * thread) % positions.len()) {
                        let analysis = analyse(fresh, &positions[i]);
                        assert_eq!(values(&analysis), values(&right[i]), "{name} {}", positions[i]);
                        assert_eq!(analysis.distance, right[i].distance, "{name} {}", positions[i]);
                    }
                });
            }
        });
    }
}

#[test]
fn every_position_of_up_to_8_seeds_is_probed() {
    for (name, opponent) in [
        ("ayoayo", false),
        ("ayoayo-holder", false),
        ("ayoayo-pratt", false),
        ("hoyito", false),
        ("hoyito-opponent", true),
    ] {
        let profile: Profile = name.parse().unwrap();
        let dir = TempDir::new().unwrap();
        build(name, 8, false, dir.path());
        let tables = engine(profile, MemoryTiers::None, Tables::In(dir.path().to_path_buf()), 1 << 20);
        let memory = engine(profile, MemoryTiers::UpTo(8), Tables::None, 0);
        // A search that has nothing but the rules; stand-offs take it long, and nearly all of `hoyito-opponent` are some.
        let search = engine(profile, MemoryTiers::None, Tables::None, 0);
        let mut positions = 0u32;
        for seeds in (0..=8).step_by(profile.unit() as usize) {
            for rank in 0..index::tier_size(12, seeds) as u64 {
                let board = index::unrank::<12>(seeds, rank);
                let side = [Side::South, Side::North][rank as usize % 2];
                let position = Position::from_board(&board, [0, (48 - seeds) as u8], side);
                let found = tables.probe(&position).unwrap();
                if rank % 16 == 0 {
                    assert_eq!(found, analyse(&memory, &position).value, "{name} {position}");
                }
                if !opponent && rank % 64 == 0 {
                    assert_eq!(found, analyse(&search, &position).value, "{name} {position}");
                }
                assert!(found.is_some_and(|value| value.unsigned_abs() <= seeds), "{name} {position}");
                positions += 1;
            }
        }
        let all = if profile.unit() == 1 { 125_970 } else { 1 + 1_365 + 75_582 };
        assert_eq!(positions, all, "{name}");
    }
}

#[test]
fn numbers_too_large_to_be_marked_are_right() {
    // 64 seeds: as far as a byte has room for a mark, and one further.
    let profile: Profile = "ayoayo@2x2x16".parse().unwrap();
    let dir = TempDir::new().unwrap();
    build("ayoayo@2x2x16", 64, false, dir.path());
    let memory = engine(profile, MemoryTiers::UpTo(64), Tables::None, 0);
    let tables = engine(profile, MemoryTiers::None, Tables::In(dir.path().to_path_buf()), 64 << 20);
    for seeds in 62..=64 {
        let ranks = (0..index::tier_size(4, seeds) as u64).step_by(101);
        for position in ranks.map(|rank| {
            Position::from_board(&index::unrank::<4>(seeds, rank), [0, (64 - seeds) as u8], Side::South)
        }) {
            let value = analyse(&memory, &position).value;
            for _ in 0..2 {
                assert_eq!(tables.probe(&position).unwrap(), value, "{position}");
            }
        }
    }
}

/// Damages all pages of a table: it can be opened, and no number in it can be read.
fn damage_pages(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let header = u32::from_le_bytes(bytes[10..14].try_into().unwrap()) as usize;
    // Two page indexes of one page each.
    bytes[header + 24..].iter_mut().for_each(|byte| *byte ^= 0x55);
    fs::write(path, bytes).unwrap();
}

#[test]
fn sixty_four_threads_that_meet_a_damaged_table_at_once_all_say_so() {
    let profile: Profile = "ayoayo".parse().unwrap();
    let dir = TempDir::new().unwrap();
    build("ayoayo", 5, false, dir.path());
    let position = notation::parse_position(&profile, "1-1-0-1-0-0-0-1-0-1-0-0").unwrap();
    let tables = || Tables::In(dir.path().to_path_buf());
    let right = engine(profile, MemoryTiers::None, tables(), 0).probe(&position).unwrap();
    assert!(right.is_some());
    let file = dir.path().join("ayoayo-05.oju");
    damage_pages(&file);
    for block_bytes in [0, 64 << 20] {
        let engine = engine(profile, MemoryTiers::None, tables(), block_bytes);
        let together = std::sync::Barrier::new(64);
        std::thread::scope(|scope| {
            for thread in 0..64 {
                let (engine, together, file, position) = (&engine, &together, &file, &position);
                scope.spawn(move || {
                    together.wait();
                    let error = if thread % 2 == 0 {
                        engine.probe(position).unwrap_err()
                    } else {
                        let stop = AtomicBool::new(false);
                        engine.analyse(position, &Limits::none(&stop), &()).unwrap_err()
                    };
                    let said = error.to_string();
                    assert!(said.contains(&*file.to_string_lossy()) && said.contains("damaged"), "{said}");
                });
            }
        });
    }
    // Where it is gone, nobody knows its positions, and nobody minds.
    fs::remove_file(&file).unwrap();
    let engine = engine(profile, MemoryTiers::None, tables(), 0);
    std::thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| assert_eq!(engine.probe(&position).unwrap(), None));
        }
    });
}

#[test]
fn a_thousand_engines_one_after_the_other_leave_nothing_open() {
    let profile: Profile = "ayoayo@2x3x2".parse().unwrap();
    let [good, bad] = [(); 2].map(|()| TempDir::new().unwrap());
    build("ayoayo@2x3x2", 4, false, good.path());
    build("ayoayo@2x3x2", 4, false, bad.path());
    damage_pages(&bad.path().join("ayoayo_2x3x2-04.oju"));
    let position = notation::parse_position(&profile, "1-1-0-1-0-1").unwrap();
    let mut values = Vec::new();
    for number in 0..1_000 {
        let dir = if number % 3 == 0 { &bad } else { &good };
        let engine = engine(profile, MemoryTiers::None, Tables::In(dir.path().to_path_buf()), 1 << 16);
        match engine.probe(&position) {
            Ok(value) => values.push(value.unwrap()),
            Err(error) => assert!(number % 3 == 0 && error.to_string().contains("damaged"), "{error}"),
        }
    }
    assert!(values.len() == 666 && values.iter().all(|value| *value == values[0]), "{values:?}");
    // What this process has open of these files.
    if let Ok(list) = fs::read_dir("/proc/self/fd") {
        let open = list.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
        let left = open.filter(|path| path.starts_with(good.path()) || path.starts_with(bad.path())).count();
        assert_eq!(left, 0, "files left open");
    }
}
