//! Openings against the literal interpreter: which positions, how many ways, what they are worth.

mod literal;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use literal::{State, Turn, Values, Variant};
use oju::openings::{Memo, Opening, Openings, OpeningsError, Options, Progress};
use oju::{Engine, MemoryTiers, Position, Profile, Settings, notation};

static NEVER: AtomicBool = AtomicBool::new(false);
static STOPPED: AtomicBool = AtomicBool::new(true);

fn engine(profile: &Profile, tiers: MemoryTiers) -> Engine {
    let settings = Settings { threads: 2, table_bytes: 1 << 20, tiers, ..Settings::default() };
    Engine::new(*profile, &settings).unwrap()
}

fn options(plies: u32) -> Options<'static> {
    Options {
        plies,
        within: None,
        forced: false,
        time: None,
        nodes: None,
        solve: None,
        memory: 1 << 30,
        table_bytes: 1 << 16,
        threads: 2,
        stop: &NEVER,
    }
}

fn find(engine: &Engine, options: &Options<'_>) -> Openings {
    let root = Position::start(engine.profile());
    Openings::find(engine, &root, options, &Memo::new(options.forced), &()).unwrap()
}

fn csv(openings: &Openings, inner: bool) -> String {
    let mut text = Vec::new();
    openings.write_csv(inner, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The moves of a turn: letter, position after, captured, whether the mover is on turn again.
fn moves(variant: Variant, state: &State) -> Vec<(char, State, i32, bool)> {
    let first = if state.side == 0 { b'A' } else { b'a' + 6 };
    match literal::turn(variant, state) {
        Turn::Over { .. } => Vec::new(),
        Turn::Pass(after) => vec![('-', after, 0, false)],
        Turn::Moves(moves) => {
            let row = state.pits.len() / 2;
            let letter =
                |pit: usize| char::from(if state.side == 0 { first } else { b'a' } + (pit % row) as u8);
            moves
                .into_iter()
                .map(|(pit, after, taken, _, again)| (letter(pit), after, taken as i32, again))
                .collect()
        }
    }
}

/// Positions after so many plies, and in how many ways.
fn layer(variant: Variant, start: &State, plies: u32) -> BTreeMap<String, u128> {
    let mut layer = BTreeMap::from([(start.text(), 1u128)]);
    for _ in 0..plies {
        let mut next = BTreeMap::new();
        for (text, ways) in layer {
            for (_, after, ..) in moves(variant, &State::parse(&text)) {
                *next.entry(after.text()).or_default() += ways;
            }
        }
        layer = next;
    }
    layer
}

fn start(profile: &Profile) -> State {
    State::parse(&Position::start(profile).to_string())
}

fn variant(profile: &Profile) -> Variant {
    Variant::of_profile(profile.to_string().split('@').next().unwrap())
}

#[test]
fn positions_and_ways_are_those_of_the_rules() {
    for (profile, plies) in
        [("ayoayo", 4), ("ayoayo-pratt", 4), ("hoyito", 4), ("hoyito12", 2), ("hoyito@2x3x2", 9)]
    {
        let profile: Profile = profile.parse().unwrap();
        let variant = variant(&profile);
        // No value is asked for: the searches are stopped before they begin.
        let engine = engine(&profile, MemoryTiers::None);
        let found = find(&engine, &Options { stop: &STOPPED, ..options(plies) });
        for ply in 0..=plies {
            let expected = layer(variant, &start(&profile), ply);
            let here = found.list().iter().filter(|opening| opening.plies == ply);
            let here: BTreeMap<String, u128> = here.map(|o| (o.position.to_string(), o.ways)).collect();
            assert_eq!(here, expected, "{profile}, {ply} plies");
            let sequences = literal::perft(variant, &start(&profile), ply);
            assert_eq!(here.values().sum::<u128>(), u128::from(sequences), "{profile}, {ply} plies");
        }
        for opening in found.list() {
            let over = moves(variant, &State::parse(&opening.position.to_string())).is_empty();
            assert_eq!(opening.over, over, "{}", opening.position);
        }
        let leaves: Vec<&Opening> = found.leaves().collect();
        assert!(leaves.iter().all(|leaf| leaf.over || leaf.plies == plies));
        let over = leaves.iter().any(|leaf| leaf.plies < plies);
        assert_eq!(
            over,
            profile.is_custom(),
            "{profile}: only the small board has games that are over so soon"
        );
    }
}

#[test]
fn six_plies_of_ayoayo_are_13060_sequences() {
    let profile: Profile = "ayoayo".parse().unwrap();
    assert_eq!(literal::perft(Variant::Ayoayo, &start(&profile), 6), 13_060);
    let engine = engine(&profile, MemoryTiers::None);
    let found = find(&engine, &Options { stop: &STOPPED, ..options(6) });
    assert_eq!(found.leaves().filter(|leaf| leaf.plies == 6).map(|leaf| leaf.ways).sum::<u128>(), 13_060);
}

/// What a move is worth by value iteration.
fn worth(values: &Values, (_, after, taken, again): &(char, State, i32, bool)) -> i32 {
    let rest = values.get(&literal::from_mover_view(after));
    taken + if *again { rest } else { -rest }
}

const SMALL: [(&str, u32); 6] = [
    ("ayoayo@2x3x2", 7),
    ("ayoayo-holder@2x3x2", 7),
    ("ayoayo-pratt@2x2x4", 8),
    ("hoyito@2x3x2", 7),
    ("hoyito@2x2x4", 10),
    ("hoyito-opponent@2x3x2", 7),
];

#[test]
fn values_of_small_boards_are_those_of_value_iteration() {
    for (profile, plies) in SMALL {
        let profile: Profile = profile.parse().unwrap();
        let variant = variant(&profile);
        let values = Values::solve(variant, profile.row(), profile.seeds());
        for tiers in [MemoryTiers::Small, MemoryTiers::None] {
            let found = find(&engine(&profile, tiers), &options(plies));
            for opening in found.list() {
                let state = State::parse(&opening.position.to_string());
                let value = values.get(&literal::from_mover_view(&state));
                assert_eq!(opening.bounds, [value; 2], "{profile} {}", opening.position);
                let expected: Vec<(char, [i32; 2])> =
                    moves(variant, &state).iter().map(|m| (m.0, [worth(&values, m); 2])).collect();
                assert_eq!(opening.moves, expected, "{profile} {}", opening.position);
                let best = expected.iter().filter(|m| m.1 == [value; 2]).map(|m| m.0).collect::<Vec<_>>();
                assert!(opening.best.map_or(opening.over, |m| best.contains(&m)), "{}", opening.position);
                assert_eq!(opening.line.chars().next(), opening.best, "{}", opening.position);
                assert!(opening.exact());
                assert_eq!(opening.inner, opening.plies < plies && !opening.over);
            }
        }
    }
}

/// Notes the tiers that are solved in memory.
#[derive(Default)]
struct Tiers(Mutex<Vec<u32>>);

impl Progress for Tiers {
    fn tier(&self, seeds: u32) {
        self.0.lock().unwrap().push(seeds);
    }

    fn all(&self, _positions: usize) {}

    fn answered(&self, _exact: bool) {}
}

#[test]
fn tiers_are_solved_first_where_that_is_worth_it_and_change_nothing() {
    let profile: Profile = "ayoayo@2x4x3".parse().unwrap();
    // Boards of 8 pits with up to n seeds: C(n + 8, 8).
    let boards = |seeds: u64| (1..=8).fold(1, |product, k| product * (seeds + k) / k);
    let found = |options: &Options<'_>| {
        let (engine, told) = (engine(&profile, MemoryTiers::None), Tiers::default());
        let root = Position::start(&profile);
        let found = Openings::find(&engine, &root, options, &Memo::new(false), &told).unwrap();
        (csv(&found, true), told.0.into_inner().unwrap())
    };
    let (plain, none) = found(&Options { memory: 0, ..options(2) });
    assert!(none.is_empty(), "no memory for them");
    let positions = plain.lines().skip(1).count() as u64;
    let worth = (0..24).take_while(|&seeds| boards(seeds.into()) <= 100_000 * positions);
    assert!((10..24).contains(&worth.clone().count()), "some tiers, and not all");
    assert_eq!(found(&options(2)), (plain.clone(), worth.collect()));
    assert_eq!(found(&Options { solve: Some(5), ..options(2) }), (plain.clone(), (0..=5).collect()));
    assert_eq!(found(&Options { solve: Some(96), ..options(2) }), (plain, (0..=24).collect()));
    let nodes = Options { nodes: Some(1 << 20), ..options(2) };
    assert!(found(&nodes).1.is_empty(), "what is found in so many nodes must not depend on memory");
    assert_eq!(found(&Options { solve: Some(5), ..nodes }).1, (0..=5).collect::<Vec<_>>());
}

#[test]
fn what_a_search_leaves_open_is_closed_by_the_positions_after_it() {
    let mut closed = 0;
    for (profile, plies) in SMALL {
        let profile: Profile = profile.parse().unwrap();
        let values = Values::solve(variant(&profile), profile.row(), profile.seeds());
        // Only what lies in the tiers is known, and no search helps.
        let engine = engine(&profile, MemoryTiers::UpTo(profile.seeds() - 4));
        let limits = Options { nodes: Some(1), ..options(0) };
        let found = find(&engine, &Options { plies, ..limits });
        for opening in found.list() {
            let value = values.get(&literal::from_mover_view(&State::parse(&opening.position.to_string())));
            let [lower, upper] = opening.bounds;
            assert!(lower <= value && value <= upper, "{profile} {}: {:?}", opening.position, opening.bounds);
            if lower < upper || !opening.inner || opening.plies > 4 {
                continue;
            }
            let alone = Openings::find(&engine, &opening.position, &limits, &Memo::new(false), &()).unwrap();
            if alone.list()[0].bounds[0] < alone.list()[0].bounds[1] {
                closed += 1;
                assert_eq!(opening.line.chars().next(), opening.best, "{profile} {}", opening.position);
                let state = State::parse(&opening.position.to_string());
                let played = moves(variant(&profile), &state).into_iter().find(|m| Some(m.0) == opening.best);
                assert_eq!(worth(&values, &played.unwrap()), value, "{profile} {}", opening.position);
            }
        }
    }
    assert!(closed > 20, "{closed} positions");
}

/// Positions after so many plies in lines in which neither side gives up more than `most`.
fn within(
    variant: Variant,
    values: &Values,
    state: &State,
    given: [i32; 2],
    plies: u32,
    most: i32,
) -> HashMap<String, u128> {
    if plies == 0 {
        return HashMap::from([(state.text(), 1)]);
    }
    let mut all = HashMap::new();
    for m in moves(variant, state) {
        let mut given = given;
        given[state.side] += values.get(&literal::from_mover_view(state)) - worth(values, &m);
        if given[state.side] <= most {
            for (text, ways) in within(variant, values, &m.1, given, plies - 1, most) {
                *all.entry(text).or_default() += ways;
            }
        }
    }
    all
}

#[test]
fn within_keeps_the_lines_in_which_nobody_gives_up_more() {
    let mut narrower = 0;
    for (profile, plies) in SMALL {
        let profile: Profile = profile.parse().unwrap();
        let variant = variant(&profile);
        let values = Values::solve(variant, profile.row(), profile.seeds());
        let engine = engine(&profile, MemoryTiers::Small);
        let mut sizes = Vec::new();
        for most in [0, 2, 4, profile.seeds()] {
            let found = find(&engine, &Options { within: Some(most), ..options(plies) });
            let leaves = found.list().iter().filter(|opening| opening.plies == plies);
            let leaves: HashMap<String, u128> = leaves.map(|o| (o.position.to_string(), o.ways)).collect();
            assert_eq!(
                leaves,
                within(variant, &values, &start(&profile), [0, 0], plies, most as i32),
                "{profile}"
            );
            sizes.push(leaves.len());
        }
        narrower += usize::from(sizes[0] < *sizes.last().unwrap());
    }
    assert!(narrower > 3, "{narrower} profiles");
}

#[test]
fn threads_and_what_was_known_before_change_nothing() {
    for (profile, plies) in SMALL {
        let profile: Profile = profile.parse().unwrap();
        let engine = engine(&profile, MemoryTiers::None);
        let whole = csv(&find(&engine, &options(plies)), true);
        for threads in [1, 5] {
            assert_eq!(csv(&find(&engine, &Options { threads, ..options(plies) }), true), whole, "{profile}");
        }
        let root = Position::start(&profile);
        let first_line = whole.find('\n').unwrap() + 1;
        for cut in (first_line..whole.len()).step_by(whole.len() / 5 + 1).chain([1, whole.len()]) {
            let memo = Memo::new(false);
            memo.add_csv(&profile, &whole.as_bytes()[..cut]).unwrap();
            let found = Openings::find(&engine, &root, &options(plies), &memo, &()).unwrap();
            assert_eq!(csv(&found, true), whole, "{profile}, cut at {cut}");
        }
    }
}

#[test]
fn proofs_that_contradict_each_other_are_not_passed_over() {
    let profile: Profile = "ayoayo@2x3x2".parse().unwrap();
    let engine = engine(&profile, MemoryTiers::Small);
    let text = csv(&find(&engine, &options(1)), true);
    let root = Position::start(&profile);
    // A position after one ply whose value is given out as another.
    let row = text.lines().find(|line| line.split(',').nth(3) == Some("1")).unwrap();
    let mut cells: Vec<String> = row.split(',').map(str::to_owned).collect();
    let wrong = (cells[5].parse::<i32>().unwrap() + 1).to_string();
    cells[5..8].fill(wrong);
    let memo = Memo::new(false);
    let head = text.lines().next().unwrap();
    memo.add_csv(&profile, format!("{head}\n{}\n", cells.join(",")).as_bytes()).unwrap();
    let found = Openings::find(&engine, &root, &options(1), &memo, &());
    assert!(matches!(found, Err(OpeningsError::Contradiction { .. })));
}

#[test]
fn stand_offs_are_told_where_they_are_asked_for() {
    let profile: Profile = "hoyito@2x3x2".parse().unwrap();
    let forced = literal::solve_forced(Variant::Hoyito, 3, 12);
    let engine = engine(&profile, MemoryTiers::None);
    let found = find(&engine, &Options { forced: true, ..options(5) });
    for opening in found.list() {
        let (low, high) = forced.get(&literal::from_mover_view(&State::parse(&opening.position.to_string())));
        assert_eq!(opening.standoff, Some(low < high), "{}", opening.position);
    }
}

fn oju(arguments: &[&str], dir: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_oju"))
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_command_writes_what_the_library_finds() {
    let dir = tempfile::tempdir().unwrap();
    let profile: Profile = "ayoayo@2x3x2".parse().unwrap();
    let found = find(&engine(&profile, MemoryTiers::Small), &options(4));
    let output = oju(&["openings", "ayoayo@2x3x2", "--plies", "4"], dir.path());
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), csv(&found, false)));
    let said = text(&output.stderr);
    let sequences = literal::perft(Variant::Ayoayo, &start(&profile), 4);
    assert!(
        said.contains(&format!("oju: {sequences} sequences of 4 plies")) && said.contains("all exact"),
        "{said}"
    );
    assert!(!said.contains('\r') && !said.contains('\u{1b}'), "{said}");
    let file = ["openings", "ayoayo@2x3x2", "--plies", "4", "--inner", "-o", "o.csv"];
    assert_eq!(oju(&file, dir.path()).status.code(), Some(0));
    let written = || std::fs::read_to_string(dir.path().join("o.csv")).unwrap();
    assert_eq!(written(), csv(&found, true));
    let again = oju(&file, dir.path());
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("o.csv: is there already"), "{}", text(&again.stderr));
    assert_eq!(oju(&[&file[..], &["--resume"]].concat(), dir.path()).status.code(), Some(0));
    assert_eq!(written(), csv(&found, true));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no file is left unfinished");
    // Another position, by --position and by --moves.
    let from = |arguments: &[&str]| {
        text(&oju(&[&["openings", "ayoayo@2x3x2", "--plies", "2"], arguments].concat(), dir.path()).stdout)
    };
    let start = notation::parse_position(&profile, "start").unwrap();
    let after = engine(&profile, MemoryTiers::Small).play_text(&start, "A").unwrap().to_string();
    assert_eq!(from(&["--position", &after]), from(&["--moves", "A"]));
    // What is not exact is exit code 1, with bounds.
    let cut = oju(&["openings", "hoyito12", "--plies", "1", "--nodes", "1", "--tt", "1M"], dir.path());
    assert_eq!(cut.status.code(), Some(1));
    assert!(
        text(&cut.stdout).lines().count() == 13 && text(&cut.stdout).contains(".."),
        "{}",
        text(&cut.stdout)
    );
}

#[test]
fn what_can_not_be_asked_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("other.csv"), "a,b\n1,2\n").unwrap();
    let rules = "profile,rules,position,plies,ways,value,lower,upper,standoff,best,line,A,B,C\n\
                 hoyito@2x3x2,00000000,2-2-2-2-2-2-0-0-S,0,1,0,0,0,,A,A,0,,\n";
    std::fs::write(dir.path().join("rules.csv"), rules).unwrap();
    let two = ["openings", "ayoayo@2x3x2", "--plies", "2"];
    for (arguments, reason) in [
        (&["openings", "ayoayo"][..], "--plies"),
        (&["openings", "ayoayo", "--plies", "33"], "0 to 32 plies"),
        (&["openings", "ayoayo", "--plies", "-1"], "--plies"),
        (&["openings", "chess", "--plies", "1"], "unknown profile"),
        (&["openings", "ayoayo", "--plies", "1", "--position", "4-4-4"], "--position, column 6: 3 counts"),
        (&["openings", "ayoayo", "--plies", "1", "--moves", "X"], "--moves, column 1"),
        (&["openings", "ayoayo", "--plies", "1", "--within", "97"], "--within"),
        (&["openings", "ayoayo", "--plies", "1", "--resume"], "--resume: only a file"),
        (&[&two[..], &["-o", "other.csv", "--resume"]].concat(), "other.csv: line 1: not the columns"),
        (&[&two[..], &["-o", "rules.csv", "--resume"]].concat(), "other rules"),
        (&[&two[..], &["-o", "nowhere/o.csv"]].concat(), "nowhere/o.csv: can not be written"),
    ] {
        let output = oju(arguments, dir.path());
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()), "{arguments:?}");
        assert!(said.contains(reason) && said.lines().count() == 1, "{arguments:?}: {said}");
    }
    assert_eq!(std::fs::read_to_string(dir.path().join("rules.csv")).unwrap(), rules);
}

#[cfg(unix)]
#[test]
fn a_full_disk_a_closed_pipe_and_ctrl_c() {
    let dir = tempfile::tempdir().unwrap();
    if Path::new("/dev/full").exists() {
        let full = oju(&["openings", "ayoayo@2x3x2", "--plies", "2", "-o", "/dev/full"], dir.path());
        assert_eq!(full.status.code(), Some(2));
        assert!(text(&full.stderr).contains("/dev/full: can not be written"), "{}", text(&full.stderr));
    }
    let spawn = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
        command.args(arguments).current_dir(dir.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut child = spawn(&["openings", "ayoayo@2x3x2", "--plies", "7", "--inner"]);
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));

    // Minutes of work, of which some is done in a second.
    let long =
        ["openings", "hoyito-opponent", "--plies", "3", "--time", "none", "--threads", "2", "-o", "o.csv"];
    let child = spawn(&long);
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("--resume goes on"), "{}", text(&output.stderr));
    let written = std::fs::read(dir.path().join("o.csv")).unwrap();
    // The start, 6 + 32 + 169 sequences after it: all positions there are, known or not.
    assert!(written.ends_with(b"\n") && written.iter().filter(|&&b| b == b'\n').count() > 100);
    Memo::new(false).add_csv(&"hoyito-opponent".parse().unwrap(), &written).unwrap();
}
