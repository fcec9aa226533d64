//! One position, one answer: from the library, `oju best`, `oju batch` and the server of `oju explore`, for a thousand positions.
#![cfg(feature = "explore")]

mod explore_server;
mod random;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use explore_server::{Server, best, build, encoded};
use oju::{Engine, Limits, Position, Profile, Settings, Tables, notation};
use random::Random;
use serde_json::Value;
use tempfile::TempDir;

/// Profiles, the seeds up to which there are tables, and how many positions are asked.
const PROFILES: [(&str, u32, usize); 5] = [
    ("ayoayo", 9, 240),
    ("ayoayo-holder", 8, 160),
    ("ayoayo-pratt", 8, 160),
    ("hoyito", 8, 240),
    ("hoyito-opponent", 8, 160),
];

/// Boards without tables, some small enough for their starts to be solved in memory, and one that is searched.
const WITHOUT_TABLES: [(&str, usize); 6] = [
    ("ayoayo@2x3x2", 8),
    ("ayoayo-pratt@2x2x3", 8),
    ("hoyito@2x3x2", 8),
    ("hoyito-opponent@2x4x1", 8),
    ("ayoayo-holder@2x12x1", 2),
    ("hoyito12", 6),
];

static TABLES: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = TempDir::new().unwrap();
    PROFILES.iter().for_each(|(profile, seeds, _)| build(profile, *seeds, dir.path()));
    dir
});

/// What is asked of each profile: the empty board, the start where that is quick, and random positions.
fn questions() -> Vec<(Profile, Vec<Position>)> {
    let mut random = Random::new(11);
    let all = PROFILES.map(|(name, seeds, count)| (name, seeds, count)).into_iter();
    let others = WITHOUT_TABLES.map(|(name, count)| (name, if name == "hoyito12" { 4 } else { 12 }, count));
    all.chain(others)
        .map(|(name, most, count)| {
            let profile: Profile = name.parse().unwrap();
            let (pits, unit, most) = (2 * profile.row(), profile.unit(), most.min(profile.seeds()));
            let mut list: Vec<Position> = (0..count - 1)
                .map(|_| {
                    let mut counts = vec![0u32; pits];
                    let seeds = unit * random.below(u64::from(most / unit) + 1) as u32;
                    (0..seeds).for_each(|_| counts[random.index(pits)] += 1);
                    let counts: Vec<String> = counts.iter().map(u32::to_string).collect();
                    let south = random.below(u64::from(profile.seeds() - seeds) + 1) as u32;
                    let north = profile.seeds() - seeds - south;
                    let side = ["S", "N"][random.index(2)];
                    let text = format!("{}-{south}-{north}-{side}", counts.join("-"));
                    notation::parse_position(&profile, &text).unwrap()
                })
                .collect();
            let empty = format!("{}{}-0-N", "0-".repeat(pits), profile.seeds());
            list.push(notation::parse_position(&profile, &empty).unwrap());
            if profile.seeds() <= most {
                list[0] = Position::start(&profile);
            }
            (profile, list)
        })
        .collect()
}

/// What does not depend on the clock, or on what was asked before.
fn timeless(mut analysis: Value) -> Value {
    analysis["time_ms"] = 0.into();
    analysis["nodes"] = 0.into();
    analysis
}

/// The answers of a batch.
fn batch(profile: &Profile, positions: &[Position], threads: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
    command.args(["batch", &profile.to_string(), "--no-times", "--tt", "1M", "--threads", threads]);
    command.arg("--tables").arg(TABLES.path()).env_remove("OJU_TABLES");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let input: String = positions.iter().map(|position| format!("{position}\n")).collect();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let bad = answers.lines().find(|line| !line.contains("\"exact\":true"));
    assert_eq!((output.status.code(), bad), (Some(0), None), "{profile}");
    answers
}

#[test]
fn the_library_the_commands_and_the_server_agree() {
    let server = Server::start(TABLES.path(), &[]);
    let questions = questions();
    assert_eq!(questions.iter().map(|(_, list)| list.len()).sum::<usize>(), 1_000);
    let stop = AtomicBool::new(false);
    for (profile, positions) in &questions {
        let settings =
            Settings { tables: Tables::In(TABLES.path().into()), threads: 1, ..Settings::default() };
        let engine = Engine::new(*profile, &settings).unwrap();
        let batch = batch(profile, positions, "2");
        let known: Vec<Value> = positions
            .iter()
            .zip(batch.lines())
            .map(|(position, line)| {
                let analysis = engine.analyse(position, &Limits::none(&stop), &()).unwrap();
                let known = timeless(serde_json::to_value(&analysis).unwrap());
                assert_eq!(known["exact"], true, "{profile} {position}");
                assert_eq!(
                    timeless(serde_json::from_str(line).unwrap()),
                    known,
                    "{profile} {position}: batch"
                );
                known
            })
            .collect();
        assert_eq!(known.len(), positions.len());
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while let Some((position, known)) =
                        positions.iter().zip(&known).nth(next.fetch_add(1, Relaxed))
                    {
                        let (name, text) = (profile.to_string(), position.to_string());
                        let found = best(TABLES.path(), &[&name, &text, "--threads", "1", "--tt", "1M"]);
                        assert_eq!(timeless(found), *known, "{name} {text}: best");
                        let target =
                            format!("/api/analyse?profile={}&position={text}&time=60", encoded(&name));
                        let reply = server.get(&target);
                        assert_eq!(reply.status, 200, "{target}: {}", reply.body);
                        assert_eq!(timeless(reply.json()), *known, "{target}");
                    }
                });
            }
        });
    }
}

#[test]
fn many_threads_share_tables_that_are_opened_when_they_are_needed() {
    let (profile, positions) = questions().swap_remove(0);
    let started = Instant::now();
    let [few, many] = ["2", "64"].map(|threads| batch(&profile, &positions[..200], threads));
    assert!(few == many && few.lines().count() == 200);
    // Hundredths of a second where nobody waits for anybody.
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn what_no_table_covers_is_told_and_not_guessed() {
    let profile: Profile = "ayoayo".parse().unwrap();
    let probe = |tables: Tables, text: &str| {
        let engine = Engine::new(profile, &Settings { tables, threads: 1, ..Settings::default() }).unwrap();
        engine.probe(&notation::parse_position(&profile, text).unwrap()).unwrap()
    };
    let tables = || Tables::In(TABLES.path().into());
    // RULES.md: F is the only move; seeds that can not be fed go to the side not on turn.
    assert_eq!(probe(tables(), "2-1-0-0-0-0-0-0-0-0-0-0-S"), Some(-3));
    assert_eq!(probe(tables(), "0-0-0-0-0-0-0-0-0-0-0-0-S"), Some(0));
    for beyond in ["10-0-0-0-0-0-0-0-0-0-0-0", "start", "0-0-0-0-0-0-0-0-0-0-0-48"] {
        assert_eq!(probe(tables(), beyond), None, "{beyond}");
    }
    assert_eq!(probe(Tables::None, "2-1-0-0-0-0-0-0-0-0-0-0-S"), None);
    let nothing = TempDir::new().unwrap();
    assert_eq!(probe(Tables::In(nothing.path().into()), "0-0-0-0-0-0-0-0-0-0-0-0"), None);
    assert!(!Path::new(nothing.path()).join(".lock").exists(), "a reader leaves nothing");
}
