//! The binary as people meet it: the README's blocks, exit codes, and bad input.

use std::process::{Command, Output, Stdio};

fn oju(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_oju")).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn readme_blocks_do_what_they_show() {
    trycmd::TestCases::new().case("README.md");
}

/// One line on stderr that holds `reason`, exit code 2, nothing on stdout.
fn refused(arguments: &[&str], reason: &str) {
    let output = oju(arguments);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert_eq!(stdout(&output), "", "{arguments:?}");
    assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
    assert!(said.contains(reason), "{arguments:?}: {said}");
}

#[test]
fn bad_positions_are_refused_with_their_place() {
    let best = |position: &str, reason: &str| {
        refused(&["best", "ayoayo", position], reason);
        refused(&["best", "ayoayo", position, "--json"], reason);
        refused(&["perft", "ayoayo", position], reason);
    };
    best("4-4-4", "column 6: 3 counts");
    best("4-4-4-4-4-4-4-4-4-4-4-4-4", "13 counts");
    best("4-4-4-4-4-4-4-4-4-4-4-5", "49 seeds on the board: ayoayo has 48");
    best("4-4-4-4-4-4-4-4-4-4-4-4-1-0-S", "49 seeds with the stores: ayoayo has 48");
    best("4-4-4-4-4-4-4-4-4-4-4-0-0-0-S", "44 seeds with the stores: ayoayo has 48");
    best("-4-4-4-4-4-4-4-4-4-4-4-4", "negative");
    best("4-4--4-4-4-4-4-4-4-4-4-4", "column 5");
    best("+4-4-4-4-4-4-4-4-4-4-4-4", "'+4' is not a count");
    best("0x4-4-4-4-4-4-4-4-4-4-4-4", "'0x4' is not a count");
    best("4294967300-4-4-4-4-4-4-4-4-4-4-4", "'4294967300' seeds in a pit");
    best("٤-4-4-4-4-4-4-4-4-4-4-4", "'٤' is not a count");
    best("4-4-4-4-4-4-4-4-4-4-4-4-0-0-X", "column 29: 'X'");
    best("", "no position");
    refused(&["best", "hoyito", "4-4-4-4-4-4-4-4-4-4-4-1"], "Hoyito takes seeds by fours");
    refused(&["best", "hoyito12", "4-4-4"], "24 pits");
    refused(&["best", "chess"], "unknown profile 'chess'");
    refused(&["best", "4-4-4-4-4-4-4-4-4-4-4-4"], "a profile comes before the position");
    refused(&["rules", "ayoayo@2x13x4"], "2 to 12");
    refused(&["best", "hoyito", "--pits", "3", "--seeds-per-pit", "1"], "6 seeds on the board");
    refused(&["best", "ayoayo", "--pits", "12", "--seeds-per-pit", "5"], "1 to 4 are possible");
}

#[test]
fn bad_moves_are_refused_with_their_place() {
    let moves = |position: &str, moves: &str, reason: &str| {
        refused(&["best", "ayoayo", position, "--moves", moves], reason);
    };
    moves("start", "CX", "column 2: move 2: 'X': North is to move, with the pits a to f");
    moves("start", "c", "column 1: move 1: 'c': South is to move, with the pits A to F");
    moves("start", "A B", "column 3: move 2: 'B': North is to move");
    moves("start", "-", "move 1: '-': a pass is forced or illegal, and South can play ABCDEF");
    moves("0-4-4-4-4-4-4-4-4-4-4-4", "A", "'A' is empty");
    moves("3-1-0-1-0-1-0-1-0-1-0-1", "A", "'A' never ends");
    moves("1-0-0-0-0-3-0-0-0-0-0-0", "A", "must be fed");
    moves("0-0-0-0-0-0-0-0-0-0-0-0", "A", "the game is over");
    moves("start", "é", "'é': South is to move");
}

#[test]
fn bad_options_are_refused_by_name() {
    for (option, values) in [
        ("--threads", &["0", "-1", "100000", "two", "4294967300"][..]),
        ("--tt", &["0", "0M", "-1", "lots", "999999G"]),
        ("--time", &["0", "0s", "-1s", "soon"]),
        ("--nodes", &["0", "-1", "1.5", "many"]),
        // 97 is more than any board has, 49 more than this one; tiers up to 48 seeds take 4.5 TB.
        ("--solve", &["-1", "97", "49", "48", "few"]),
        ("--pits", &["0", "1", "13", "-6"]),
        ("--seeds-per-pit", &["0", "25", "-4"]),
    ] {
        for value in values {
            refused(&["best", option, value], option);
            refused(&["best", &format!("{option}={value}")], option);
        }
    }
    refused(&["perft", "--depth", "-1"], "--depth");
    refused(&["perft", "--expect", "many"], "--expect");
    refused(&["best", "--nonsense"], "--nonsense");
    refused(&["solve"], "solve");
}

#[test]
fn tiers_solved_first_answer_as_a_search_does() {
    let position = "0-2-0-1-0-1-0-1-1-1-0-1";
    let answer = |more: &[&str]| {
        let output = oju(&[&["best", "hoyito", position, "--json", "--forced"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let mut json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (json["nodes"].take(), json["value"].take(), json["forced"].take(), json["source"].take())
    };
    // 8 seeds: in a tier that is solved first nothing is left to search.
    let (nodes, value, forced, source) = answer(&["--solve", "8", "--time", "1ms"]);
    assert_eq!((nodes, source), (0.into(), "table".into()));
    // The cycle of RULES.md: a draw by infinite play.
    assert_eq!(value, 0);
    assert_eq!(answer(&["--tables", "tests/golden"]).2, forced);
}

#[test]
fn errors_say_what_is_wrong_and_what_would_be_right() {
    let directory = tempfile::TempDir::new().unwrap();
    let file = directory.path().join("positions.txt");
    std::fs::write(&file, "1-0-0-0-0-3-0-0-0-0-0-0\n").unwrap();
    let (file, dir) = (file.to_str().unwrap(), directory.path().to_str().unwrap());
    let nowhere = format!("{dir}/nowhere/answers.csv");
    for (arguments, reason) in [
        (&["best", "4-4"][..], "oju: '4-4' is no profile: a profile comes before the position"),
        (
            &["batch", file],
            "is no profile: a profile comes before the file, as in 'oju batch ayoayo positions.txt'",
        ),
        (&["rules", "chess"], "oju: unknown profile 'chess': one of ayoayo, "),
        (
            &["rules", "ayoayo@2x6x9"],
            "oju: custom board: '9' seeds a pit: 1 to 8 are possible with 6 pits a row",
        ),
        (&["best", "--tim", "3"], "found; tip: a similar argument exists: '--time' (see oju best --help)"),
        (&["solve"], "oju: unrecognized subcommand 'solve' (see oju --help)"),
        (&["build"], "not provided: --seeds <N> (see oju build --help)"),
        (&["play", "--south", "cat"], "'cat' for '--south <SOUTH>' [possible values: human, engine] (see"),
        // What can not be written is told before the work is done that would be written.
        (&["openings", "hoyito12", "--plies", "9", "-o", &nowhere], "nowhere is no directory"),
        (
            &["openings", "hoyito12", "--plies", "9", "-o", dir],
            "it is a directory, and the name of a file is needed",
        ),
        (
            &["openings", "hoyito12", "--plies", "9", "-o", file],
            "another name, --resume to go on with it, or --force",
        ),
        (&["export", "hoyito", "--seeds", "8", "-o", &nowhere], "nowhere is no directory"),
        (
            &["batch", "ayoayo", file, "-o", file, "--force"],
            "positions.txt: is the input too: another name is needed",
        ),
        (&["build", "--seeds", "4", "--tables", file], "is no directory, and --tables names one"),
        (&["man", "chess"], "'chess' is no command: oju --help names them"),
        (&["completions", "csh"], "[possible values: bash, elvish, fish, powershell, zsh]"),
    ] {
        refused(arguments, reason);
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), "1-0-0-0-0-3-0-0-0-0-0-0\n");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    let wrong = std::ffi::OsStr::from_bytes(b"\xff");
    for arguments in [&[wrong][..], &["best".as_ref(), wrong], &["best".as_ref(), "--time".as_ref(), wrong]] {
        let output = Command::new(env!("CARGO_BIN_EXE_oju")).args(arguments).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn the_line_alone_is_the_line_of_the_answer() {
    for position in ["2-1-0-1-0-0-0-1-0-1-0-0", "0-2-0-1-0-1-0-1-1-1-0-1"] {
        let profile = if position.starts_with('0') { "hoyito" } else { "ayoayo" };
        let alone = oju(&["best", profile, position, "--line-only"]);
        let json: serde_json::Value =
            serde_json::from_slice(&oju(&["best", profile, position, "--json"]).stdout).unwrap();
        let line = json["line"].as_str().unwrap();
        assert!(!line.is_empty());
        assert_eq!(stdout(&alone), format!("{line}\n"));
        // The second is the cycle of RULES.md.
        assert_eq!(line.ends_with('…'), profile == "hoyito", "{line}");
    }
}

#[test]
fn a_finished_game_is_answered() {
    let output = oju(&["best", "ayoayo", "0-0-0-0-0-0-0-0-0-0-0-0-28-20-S"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("The game is over. South wins 28–20."), "{}", stdout(&output));
    // Ayoayo 7: what is left goes to the side not on turn; a holder keeps it in ayoayo-holder.
    let end = "0-0-0-0-1-0-0-0-0-0-0-0-27-20-S";
    let json = |profile: &str| -> serde_json::Value {
        let output = oju(&["best", profile, end, "--json"]);
        assert_eq!(output.status.code(), Some(0));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let (mover, holder) = (json("ayoayo"), json("ayoayo-holder"));
    assert_eq!((&mover["over"], &mover["value"]), (&true.into(), &(-1).into()));
    assert_eq!(mover["result"], serde_json::json!({"south": 27, "north": 21}));
    assert_eq!(holder["result"], serde_json::json!({"south": 28, "north": 20}));
    assert_eq!(mover["moves"], serde_json::json!([]));
}

#[test]
fn json_is_one_document_with_every_field() {
    let output = oju(&["best", "hoyito", "0-0-0-0-0-1-3-0-0-4-0-4", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert_eq!(text.lines().count(), 1);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    for field in [
        "profile",
        "rules",
        "position",
        "turn",
        "seeds",
        "value",
        "result",
        "bounds",
        "exact",
        "forced",
        "forced_bounds",
        "standoff",
        "distance",
        "source",
        "over",
        "endless",
        "moves",
        "line",
        "nodes",
        "time_ms",
        "version",
    ] {
        assert!(json.get(field).is_some(), "{field}");
    }
    // RULES.md: F takes 4, South has no seeds and passes, North moves.
    assert_eq!(json["moves"][0]["move"], "F");
    assert_eq!(json["moves"][0]["captured"], 4);
    assert_eq!(json["moves"][0]["again"], true);
    assert_eq!(json["moves"][0]["position"], "0-0-0-0-0-0-0-0-0-4-0-4-S");
    assert_eq!(json["line"].as_str().unwrap()[..2], *"F-");
    let endless = oju(&["best", "ayoayo", "3-1-0-1-0-1-0-1-0-1-0-1", "--json"]);
    let endless: serde_json::Value = serde_json::from_slice(&endless.stdout).unwrap();
    assert_eq!(endless["endless"][0], "A");
}

#[test]
fn what_is_not_exact_in_time_is_exit_code_1() {
    let output = oju(&["best", "hoyito12", "--time", "50ms", "--tt", "16M", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["exact"], &json["value"]), (&false.into(), &serde_json::Value::Null));
    assert_eq!(oju(&["perft", "--depth", "2", "--expect", "28"]).status.code(), Some(0));
    let wrong = oju(&["perft", "--depth", "2", "--expect", "29"]);
    assert_eq!((wrong.status.code(), stdout(&wrong).as_str()), (Some(1), "28\n"));
}

#[test]
fn help_names_every_command_and_shows_examples() {
    assert_eq!(oju(&[]).status.code(), Some(0));
    assert_eq!(stdout(&oju(&[])).matches("  oju ").count(), 5, "five commands to try");
    let help = stdout(&oju(&["--help"]));
    for command in [
        "best",
        "openings",
        "batch",
        "merge",
        "play",
        "build",
        "verify",
        "info",
        "export",
        "rules",
        "perft",
        "bench",
        "completions",
        "man",
    ] {
        assert!(help.contains(command));
        let help = stdout(&oju(&[command, "--help"]));
        assert!(help.contains("Example"), "{command}");
    }
}

#[test]
fn every_profile_has_its_rules_in_words() {
    let rules = |profile: &str| stdout(&oju(&["rules", profile]));
    let texts: std::collections::HashSet<String> =
        ["ayoayo", "ayoayo-holder", "ayoayo-pratt", "hoyito", "hoyito12", "hoyito-opponent"]
            .map(rules)
            .into();
    assert_eq!(texts.len(), 6);
    for text in &texts {
        assert!(text.contains("fingerprint "), "{text}");
    }
    assert!(rules("ayoayo-pratt").contains("the capturing seed stays on the board"));
    assert!(rules("ayoayo-holder").contains("the player in whose row it lies"));
    assert!(rules("hoyito12").contains("A lap of 24 seeds or\n    more also drops into its origin"));
}

#[test]
fn a_game_can_be_played_and_left() {
    use std::io::Write as _;
    let play = |arguments: &[&str], input: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_oju"))
            .arg("play")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    // RULES.md: D leaves 1-6-6-2-7-0-0-1-6-6-6-0-7-0-N, in five laps.
    let both = ["--south", "human", "--north", "human"];
    let game = play(&both, "d\nundo\nX\nD\nquit\n");
    assert_eq!(game.status.code(), Some(0));
    let text = stdout(&game);
    assert!(text.contains("lap   5: ") && !text.contains("lap   6: "), "{text}");
    assert!(text.contains("South takes 7."), "{text}");
    assert!(text.ends_with("North> "), "{text}");
    assert!(stderr(&game).contains("'X': South is to move"));
    // Nobody at the keyboard: the game ends at once.
    assert_eq!(play(&both, "").status.code(), Some(0));
    // The engine plays both sides of a won ending to the end.
    let ending = ["ayoayo", "0-0-0-0-0-1-0-1-1-1-2-0-21-21-N", "--south", "engine", "--north", "engine"];
    let game = play(&ending, "");
    assert_eq!(game.status.code(), Some(0));
    assert!(stdout(&game).contains("The game is over."), "{}", stdout(&game));
    // The cycle of RULES.md, South `B` then North `c`, played on: a third occurrence is drawn up.
    let cycle = ["hoyito", "0-2-0-1-0-1-0-1-1-1-0-1-20-20-S", both[0], both[1], both[2], both[3]];
    let game = play(&cycle, "B\nc\nB\nc\n");
    assert!(stdout(&game).contains("third time: what is left is split. A draw, 24–24."), "{}", stdout(&game));
}

#[test]
fn a_closed_pipe_is_no_error_and_a_full_disk_is_one() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_oju"))
        .args(["perft", "--depth", "4", "--divide"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    if let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") {
        let status = Command::new(env!("CARGO_BIN_EXE_oju"))
            .args(["rules"])
            .stdout(full)
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(2));
    }
}
