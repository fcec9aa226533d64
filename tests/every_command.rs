//! Every command in places it does not like: a reader that leaves, a full disk, no stdin, another language, no terminal.

use std::fs;
use std::io::Read as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A board small enough for everything.
const SMALL: &str = "ayoayo@2x3x2";

/// A directory with tables, an input for batches, and parts of one.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(TempDir::new().unwrap());
        let begin = |arguments: &[&str]| {
            let output = place.oju(arguments).output().unwrap();
            assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        };
        fs::write(place.0.path().join("in.txt"), "start\n1-1-1-1-1-1-3-3-N\n".repeat(50)).unwrap();
        begin(&["build", SMALL, "--seeds", "8", "--forced"]);
        for part in ["1", "2"] {
            begin(&["batch", SMALL, "in.txt", "--shard", &format!("{part}/2"), "-o", part, "--no-times"]);
        }
        place
    }

    fn oju(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
        command.args(arguments);
        self.within(command)
    }

    /// A command that is run in this directory.
    fn within(&self, mut command: Command) -> Command {
        command.current_dir(self.0.path()).env_remove("OJU_TABLES").stdin(Stdio::null());
        command
    }
}

/// All commands that print their answer and end, whatever they print being the same each time but for the times.
const COMMANDS: [&[&str]; 28] = [
    &[],
    &["--help"],
    &["--version"],
    &["best", "--help"],
    &["best", SMALL],
    &["best", SMALL, "--json"],
    &["best", SMALL, "--forced"],
    &["best", SMALL, "--line-only"],
    &["openings", SMALL, "--plies", "4", "--inner"],
    &["batch", SMALL, "in.txt", "--no-times"],
    &["batch", SMALL, "in.txt", "--no-times", "--format", "csv"],
    &["merge", "1", "2"],
    &["play", SMALL, "--south", "engine", "--north", "engine"],
    &["build", SMALL, "--seeds", "8", "--forced"],
    &["build", SMALL, "--seeds", "0"],
    &["info"],
    &["info", SMALL],
    &["info", "--json"],
    &["verify", SMALL],
    &["verify", SMALL, "--deep", "--sample", "3"],
    &["export", SMALL, "--seeds", "8"],
    &["rules"],
    &["rules", "hoyito12"],
    &["perft", SMALL, "--depth", "5"],
    &["perft", SMALL, "--depth", "5", "--divide"],
    &["completions", "bash"],
    &["man"],
    &["man", "best"],
];

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What was printed, but for the time that it took.
fn timeless(text: &str) -> String {
    if let Ok(mut json @ Value::Object(_)) = serde_json::from_str(text) {
        json["time_ms"] = 0.into();
        return json.to_string();
    }
    let taken = |line: &&str| !line.contains(" nodes, ");
    text.lines().filter(taken).map(|line| format!("{line}\n")).collect()
}

#[test]
fn every_command_is_here() {
    let place = Place::new();
    let help = stdout(&place.oju(&["--help"]).output().unwrap());
    let commands =
        help.split("Commands:").nth(1).unwrap().lines().skip(1).take_while(|line| !line.is_empty());
    // Longer descriptions go on in lines that are indented more.
    let names = commands.filter(|line| !line.starts_with("   "));
    for command in names.filter_map(|line| line.split_whitespace().next()) {
        // A server has no end, and the bench takes seconds: each is asked for its own below.
        let apart = ["explore", "bench", "help"].contains(&command);
        assert!(apart || COMMANDS.iter().any(|c| c.first() == Some(&command)), "{command}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let place = Place::new();
    for command in COMMANDS {
        // Before anything comes, and after the first byte: of `oju | head -1` either may be met.
        for bytes in [0, 1] {
            let mut child = place.oju(command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut reader = child.stdout.take().unwrap();
            reader.read_exact(&mut vec![0; bytes]).unwrap();
            drop(reader);
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{command:?}: {}", stderr(&output));
            assert!(!stderr(&output).contains("panicked"), "{command:?}: {}", stderr(&output));
            assert!(!stderr(&output).contains("oju: can"), "{command:?}: {}", stderr(&output));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_can_not_be_written_is_told() {
    let place = Place::new();
    let explore = ["explore", SMALL, "--port", "0"];
    let bench = ["build", SMALL, "--seeds", "8", "--dry-run"];
    let mut all = COMMANDS.to_vec();
    all.extend([&bench[..], if cfg!(feature = "explore") { &explore } else { &bench }]);
    for command in all {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.oju(command).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("oju: ") && last.contains("No space left on device"), "{command:?}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn closed_files_are_as_good_as_empty_ones() {
    let place = Place::new();
    for command in COMMANDS {
        let expected = place.oju(command).output().unwrap();
        // Without a stdin, without a stderr, and without any.
        for closed in ["<&-", "2>&-", "<&- >&- 2>&-"] {
            let mut shell = Command::new("sh");
            shell
                .args(["-c", &format!("exec \"$@\" {closed}"), "sh", env!("CARGO_BIN_EXE_oju")])
                .args(command);
            let output = place.within(shell).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{command:?} {closed}: {}", stderr(&output));
            if !closed.contains(" >") {
                assert_eq!(timeless(&stdout(&output)), timeless(&stdout(&expected)), "{command:?} {closed}");
            }
        }
    }
    // A person who is not there: the game is left.
    for person in [&["play", SMALL][..], &["play", SMALL, "--north", "human"]] {
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$@\" <&-", "sh", env!("CARGO_BIN_EXE_oju")]).args(person);
        let output = place.within(shell).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).ends_with("South> \n"), "{}", stdout(&output));
    }
}

#[test]
fn surroundings_change_no_byte() {
    let place = Place::new();
    let settings: [&[(&str, &str)]; 4] = [
        &[],
        &[
            ("LC_ALL", "de_DE.UTF-8"),
            ("LANG", "de_DE.UTF-8"),
            ("LC_NUMERIC", "de_DE.UTF-8"),
            ("TZ", "Asia/Tokyo"),
        ],
        &[
            ("RUST_LOG", "trace"),
            ("RUST_BACKTRACE", "full"),
            ("CLICOLOR_FORCE", "1"),
            ("TERM", "xterm-256color"),
        ],
        &[("CI", "true"), ("NO_COLOR", "1"), ("TERM", "dumb"), ("RAYON_NUM_THREADS", "3")],
    ];
    for command in COMMANDS {
        let mut first = None;
        for variables in settings {
            let output = place.oju(command).envs(variables.iter().copied()).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{command:?}: {}", stderr(&output));
            for text in [stdout(&output), stderr(&output)] {
                // No bar, no colour: there is no terminal.
                assert!(!text.contains(['\r', '\u{1b}']), "{command:?} {variables:?}: {text:?}");
            }
            let printed = timeless(&stdout(&output));
            assert_eq!(printed, *first.get_or_insert(printed.clone()), "{command:?} {variables:?}");
        }
    }
}

#[test]
fn json_is_one_document_and_nothing_else() {
    let place = Place::new();
    let loud = [("RUST_LOG", "trace"), ("RUST_BACKTRACE", "1"), ("CLICOLOR_FORCE", "1")];
    let position = "0-0-0-0-0-0-0-0-0-0-0-0-20-28-N";
    for (command, codes) in [
        (&["best", SMALL, "--json"][..], &[0][..]),
        (&["best", SMALL, "--json", "--forced"], &[0]),
        (&["best", "hoyito12", "--json", "--time", "20ms", "--tt", "1M"], &[1]),
        (&["best", "hoyito12", "--json", "--nodes", "1", "--tt", "1M"], &[1]),
        (&["best", "ayoayo", position, "--json"], &[0]),
        (&["best", "hoyito", "0-0-0-0-0-0-0-0-0-4-0-4", "--json"], &[0]),
        (&["info", "--json"], &[0]),
        (&["info", SMALL, "--seeds", "5", "--json"], &[0]),
    ] {
        let output = place.oju(command).envs(loud).output().unwrap();
        assert!(codes.contains(&output.status.code().unwrap()), "{command:?}: {}", stderr(&output));
        let text = stdout(&output);
        assert!(serde_json::from_str::<Value>(&text).unwrap().is_object(), "{command:?}: {text}");
        assert!(text.ends_with("}\n") && text.lines().count() == 1, "{command:?}: {text}");
    }
    // Each line of a batch is one.
    let output = place.oju(&["batch", SMALL, "in.txt"]).envs(loud).output().unwrap();
    assert!(stdout(&output).lines().all(|line| serde_json::from_str::<Value>(line).unwrap().is_object()));
    // Where there is no answer there is no half of one.
    for command in [
        &["best", "chess", "--json"][..],
        &["best", "--json", "--tables", "nowhere"],
        &["best", "ayoayo", "4-4", "--json"],
        &["info", "hoyito", "--json"],
        &["info", "--json", "--tables", "nowhere"],
    ] {
        let output = place.oju(command).envs(loud).output().unwrap();
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), String::new()), "{command:?}");
        assert_eq!(stderr(&output).lines().count(), 1, "{command:?}: {}", stderr(&output));
    }
}

#[test]
fn a_build_without_a_terminal_tells_of_each_tier_and_of_the_end() {
    let place = Place(TempDir::new().unwrap());
    let output = place.oju(&["build", SMALL, "--seeds", "5"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let said = stderr(&output);
    let tiers: Vec<&str> = said.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(tiers, ["0", "1", "2", "3", "4", "5"], "{said}");
    assert_eq!(stdout(&output), "tables: 6 tables up to 5 seeds, 6 built, 0 there before\n");
    // Nothing to do is done.
    let again = place.oju(&["build", SMALL, "--seeds", "0"]).output().unwrap();
    assert_eq!((again.status.code(), stderr(&again).as_str()), (Some(0), ""));
    assert_eq!(stdout(&again), "tables: 1 table up to 0 seeds, 0 built, 1 there before\n");
}

/// On how many threads a build that is not told would be.
fn default_threads(place: &Place, mut command: Command) -> String {
    command.args(["build", SMALL, "--seeds", "3", "--dry-run", "--tables", "none"]);
    let output = place.within(command).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output).trim_end().rsplit_once("--threads ").unwrap().1.to_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn as_many_threads_as_this_process_may_use() {
    let place = Place::new();
    let program = env!("CARGO_BIN_EXE_oju");
    let mut plain = Command::new(program);
    plain.env_remove("RAYON_NUM_THREADS");
    assert_eq!(default_threads(&place, plain), std::thread::available_parallelism().unwrap().to_string());
    let mut three = Command::new(program);
    three.env("RAYON_NUM_THREADS", "3");
    assert_eq!(default_threads(&place, three), "3");
    // The first processor that this process may run on; elsewhere its number may not be 0.
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    let first = allowed.split([',', '-']).next().unwrap();
    let mut pinned = Command::new("taskset");
    pinned.args(["-c", first, program]).env_remove("RAYON_NUM_THREADS");
    if Command::new("taskset").arg("--version").output().is_err() {
        eprintln!("skipped: there is no taskset here");
        return;
    }
    assert_eq!(default_threads(&place, pinned), "1");
}

#[test]
fn no_command_takes_an_impossible_number_of_threads() {
    let place = Place::new();
    for command in [
        &["best"][..],
        &["openings", "--plies", "1"],
        &["batch"],
        &["play"],
        &["build", "--seeds", "1"],
        &["verify"],
        &["export", "--seeds", "1"],
        &["explore", "--port", "0"],
    ] {
        if command[0] == "explore" && cfg!(not(feature = "explore")) {
            continue;
        }
        for number in ["0", "-1", "100000", "1.5", "", "99999999999999999999"] {
            let output = place.oju(command).args(["--threads", number]).output().unwrap();
            let said = stderr(&output);
            assert_eq!(
                (output.status.code(), stdout(&output)),
                (Some(2), String::new()),
                "{command:?} {number}"
            );
            assert!(said.lines().count() == 1 && said.contains("1 to 1024 threads are possible"), "{said}");
        }
    }
}

#[test]
fn bounds_are_never_called_exact() {
    let place = Place::new();
    // A start that no computer solves in a millisecond, with all its seeds and with some in the stores.
    let text = stdout(&place.oju(&["best", "hoyito12", "--nodes", "1", "--tt", "1M"]).output().unwrap());
    assert!(text.contains("Proven so far: value -96 to +96 for South. The winner is open."), "{text}");
    assert!(
        !text.contains("Exact") && !text.contains("best play.") && text.contains("Best so far"),
        "{text}"
    );
    let exact = stdout(&place.oju(&["best", SMALL]).output().unwrap());
    assert!(exact.contains("with best play. Exact.") && !exact.contains("so far"), "{exact}");
}

#[test]
fn the_winner_has_more_seeds() {
    let place = Place::new();
    let verdict = |position: &str| {
        let text = stdout(&place.oju(&["best", "ayoayo-holder", position]).output().unwrap());
        let line = text.lines().last().unwrap().to_owned();
        assert!(line.starts_with("The game is over. "), "{text}");
        line["The game is over. ".len()..].to_owned()
    };
    let nothing = "0-0-0-0-0-0-0-0-0-0-0-0";
    for side in ["S", "N"] {
        assert_eq!(verdict(&format!("{nothing}-24-24-{side}")), "A draw, 24–24.");
        assert_eq!(verdict(&format!("{nothing}-25-23-{side}")), "South wins 25–23.");
        assert_eq!(verdict(&format!("{nothing}-23-25-{side}")), "North wins 25–23.");
    }
    // What is left goes to the player in whose row it lies: it may turn the game.
    assert_eq!(verdict("0-0-0-0-0-0-0-0-0-0-0-3-23-22-S"), "North wins 25–23.");
    assert_eq!(verdict("0-0-0-0-0-0-0-0-0-0-0-3-26-19-S"), "South wins 26–22.");
    assert_eq!(verdict("0-0-3-0-0-0-0-0-0-0-0-0-22-23-N"), "South wins 25–23.");
    assert_eq!(verdict("0-0-3-0-0-0-0-0-0-0-0-0-19-26-N"), "North wins 26–22.");
    assert_eq!(verdict("0-0-3-0-0-0-0-0-0-0-0-0-21-24-N"), "A draw, 24–24.");
}
