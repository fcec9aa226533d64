//! `oju batch` and `oju merge`: what goes in, what comes out, and that nothing but the line decides what its answer is.

mod literal;
mod random;

use std::fs::{self, File};
use std::io::{BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::AtomicBool;

use literal::{State, Values, Variant};
use oju::batch::resume::Resumed;
use oju::batch::{Format, Head, LONGEST_LINE, Lines, Options, Shard, Writer, answer_all};
use oju::{Engine, MemoryTiers, Profile, Settings};
use random::Random;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A board small enough for value iteration.
const SMALL: &str = "ayoayo@2x3x2";

/// Runs `oju` in a directory.
fn oju(dir: &TempDir, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
    command.args(arguments).current_dir(dir.path()).env_remove("OJU_TABLES");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A command that refuses reads nothing.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn new() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The answers to an input, and the exit code.
fn answers(profile: &str, input: impl AsRef<[u8]>) -> (Vec<Value>, i32) {
    let output = oju(&new(), &["batch", profile, "--no-times"], input.as_ref());
    let lines = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (lines, output.status.code().unwrap())
}

/// The positions answered, whatever is found of them.
fn positions(profile: &str, input: impl AsRef<[u8]>) -> Vec<String> {
    let output = oju(&new(), &["batch", profile, "--nodes", "1"], input.as_ref());
    let answers = text(&output.stdout);
    let position =
        |line| serde_json::from_str::<Value>(line).unwrap()["position"].as_str().map(str::to_owned);
    answers.lines().map(|line| position(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

#[test]
fn values_and_order_are_right() {
    let values = Values::solve(Variant::Ayoayo, 3, 8);
    let mut boards: Vec<(String, i32)> = (0..=8)
        .flat_map(|seeds| {
            values
                .tier(seeds)
                .map(|(pits, value)| (pits.iter().map(u32::to_string).collect::<Vec<_>>().join("-"), value))
                .collect::<Vec<_>>()
        })
        .collect();
    // Easy and hard ones in any order, so that threads overtake one another.
    let mut random = Random::new(1);
    for at in (1..boards.len()).rev() {
        boards.swap(at, random.index(at + 1));
    }
    let input: String = boards.iter().map(|(board, _)| format!("{board}\n")).collect();
    for threads in ["1", "4"] {
        let output = oju(&new(), &["batch", SMALL, "--threads", threads], input.as_bytes());
        assert_eq!(output.status.code(), Some(0));
        let lines = text(&output.stdout);
        assert_eq!(lines.lines().count(), boards.len());
        for (line, (board, value)) in lines.lines().zip(&boards) {
            let answer: Value = serde_json::from_str(line).unwrap();
            assert_eq!(answer["position"], format!("{board}-S"));
            assert_eq!(answer["value"], *value, "{board}");
        }
    }
}

#[test]
fn an_answer_is_what_best_says() {
    let dir = new();
    let position = "2-1-0-1-0-0-0-1-0-1-0-0-20-22-S";
    for extra in [&[][..], &["--forced"]] {
        let best =
            oju(&dir, &[&["best", "ayoayo", position, "--json", "--threads", "1"], extra].concat(), b"");
        let batch = oju(&dir, &[&["batch", "ayoayo"], extra].concat(), position.as_bytes());
        let untimed = |bytes: &[u8]| {
            let mut answer: Value = serde_json::from_slice(bytes).unwrap();
            assert!(answer["time_ms"].take().is_f64());
            answer
        };
        assert_eq!(untimed(&batch.stdout), untimed(&best.stdout));
        // Names come in the same order too.
        let names = |bytes: &[u8]| text(bytes).split("\"time_ms\"").next().unwrap().to_owned();
        assert_eq!(names(&batch.stdout), names(&best.stdout));
    }
}

#[test]
fn a_position_may_be_written_in_many_ways() {
    // RULES.md: D leaves this.
    let after = "1-6-6-2-7-0-0-1-6-6-6-0-7-0-N";
    for line in [
        "start D",
        "start\tD",
        "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S D",
        "4 4 4 4 4 4 4 4 4 4 4 4 D",
        "4 4 4 4 4 4 4 4 4 4 4 4 0 0 S D",
        "4,4,4,4,4,4/4,4,4,4,4,4/0,0/S D",
        after,
        "1, 6, 6, 2, 7, 0 / 0, 1, 6, 6, 6, 0 / 7, 0 / n",
        r#"{"position": "start", "moves": "D"}"#,
        r#"{"moves":"D","position":"\u0073tart","profile":"ayoayo","rules":"e5db7b0e","more":[1,{}]}"#,
        r#"{"position":"1-6-6-2-7-0-0-1-6-6-6-0-7-0-N","moves":[{"move":"A"}]}"#,
        "1-6-6-2-7-0-0-1-6-6-6-0-7-0-N,41,13",
        r#""1-6-6-2-7-0-0-1-6-6-6-0-7-0-N",41"#,
        r#""1,6,6,2,7,0,0,1,6,6,6,0,7,0,N",41"#,
        "start D,whatever",
    ] {
        assert_eq!(positions("ayoayo", line), [after], "{line}");
    }
    // A header tells which column has the positions, and is no line to be answered.
    assert_eq!(positions("ayoayo", format!("position,seeds\n{after},41\n")), [after]);
    assert_eq!(positions("ayoayo", format!("\n\"n\",position\n7,{after}\n\n8,start D\n")), [after, after]);
    // A pass must be written: RULES.md, Hoyito pass on the extra turn.
    let passed = "0-0-0-0-0-0-0-0-0-4-0-4-N";
    assert_eq!(positions("hoyito", "0-0-0-0-0-1-3-0-0-4-0-4-S F-"), [passed]);
    assert_eq!(positions("hoyito", "0-0-0-0-0-1-3-0-0-4-0-4-S F -"), [passed]);
}

#[test]
fn bad_lines_are_answered_with_their_place_and_the_rest_goes_on() {
    let long = "1".repeat(LONGEST_LINE + 1);
    let header = "7,nothing";
    let cases: [(&[u8], usize, &str); 20] = [
        (b"4-4-4", 6, "3 counts: ayoayo has 12 pits"),
        (b"hello", 1, "'hello' is not a count"),
        (b"  4-4-x-4-4-4-4-4-4-4-4-4", 7, "'x' is not a count"),
        (b"4-4-4-4-4-4-4-4-4-4-4-5", 1, "49 seeds on the board"),
        (b"4-4-4-4-4-4-4-4-4-4-4-4-1-0-S", 1, "49 seeds with the stores"),
        (b"start CX", 8, "move 2: 'X'"),
        (b"start  - ", 8, "move 1: '-': a pass is forced or illegal"),
        (b"{\"position\": 3}", 14, "invalid type"),
        ("{\"é\": 3, \"position\": 3}".as_bytes(), 22, "invalid type"),
        (b"{\"position\": \"start\"", 20, "EOF while parsing"),
        (b"{}", 2, "missing field `position`"),
        (b"{\"position\": \"4-4-4\"}", 20, "3 counts"),
        (b"{\"position\": \"start\", \"moves\": \"CX\"}", 34, "move 2: 'X'"),
        (b"{\"position\": \"start\", \"moves\": 1}", 1, "a text of moves"),
        (b"{\"position\": \"start\", \"profile\": \"hoyito\"}", 35, "of 'hoyito': this is a batch of ayoayo"),
        (b"4-4-\x00-4", 5, "U+0000, a control character"),
        (b"\x1b[31mstart", 1, "U+001B, a control character"),
        (b"\xc3\xa9\xff\xfe", 2, "not UTF-8 text"),
        (long.as_bytes(), LONGEST_LINE + 1, "more than 65536 bytes"),
        (header.as_bytes(), 3, "'nothing' is not a count"),
    ];
    for (line, column, error) in cases {
        let input = [b"1-0-0-0-0-3-0-0-0-0-0-0\n", line, b"\n\n2-0-0-0-0-3-0-0-0-0-0-0"].concat();
        let (answers, code) = answers("ayoayo", input);
        assert_eq!((answers.len(), code), (3, 1), "{answers:?}");
        let bad = &answers[1];
        let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
        assert_eq!((&bad["line"], &bad["column"]), (&json!(2), &json!(column)), "{shown}: {bad}");
        assert!(bad["error"].as_str().unwrap().contains(error), "{shown}: {bad}");
        assert_eq!(bad.as_object().unwrap().len(), 3);
        assert_eq!(answers[0]["position"], "1-0-0-0-0-3-0-0-0-0-0-0-S");
        assert_eq!(answers[2]["position"], "2-0-0-0-0-3-0-0-0-0-0-0-S");
    }
    let (answers, _) = answers("ayoayo", "seeds,position\n48\n");
    assert_eq!(
        answers,
        [json!({"line": 2, "column": 3, "error": "no column 2, where the header has the positions"})]
    );
}

#[test]
fn marks_line_ends_and_empty_lines_change_nothing_but_the_numbers() {
    let plain = "2-0-0-1-1-1\nbad\n0-0-2-1-1-1 C\n2-0-0-1-1-1\n";
    let (expected, code) = answers(SMALL, plain);
    // The duplicate is answered again.
    assert_eq!((expected.len(), &expected[0], code), (4, &expected[3], 1));
    assert_eq!(answers(SMALL, format!("\u{feff}{}", plain.replace('\n', "\r\n"))).0, expected);
    assert_eq!(answers(SMALL, plain.trim_end()).0, expected);
    let (spaced, _) = answers(SMALL, format!("\r\n \t\n{}", plain.replace('\n', "\n\n")));
    assert_eq!(spaced[1]["line"], 5);
    assert_eq!([&spaced[0], &spaced[2], &spaced[3]], [&expected[0], &expected[2], &expected[3]]);
    for nothing in ["", "\n", "\u{feff}", "\u{feff}\r\n\r\n", "position,value\n"] {
        assert_eq!(answers(SMALL, nothing), (vec![], 0), "{nothing:?}");
        let csv = oju(&new(), &["batch", SMALL, "--format", "csv"], nothing.as_bytes());
        assert_eq!((csv.status.code(), text(&csv.stdout).lines().count()), (Some(0), 1), "{nothing:?}");
    }
}

#[test]
fn any_bytes_are_answered_line_by_line() {
    let mut random = Random::new(5);
    let kinds = b"0123456789--- ,/\"{}:SNstarABCabc\xff\x00\t\r\\";
    let mut input = Vec::new();
    for _ in 0..3000 {
        let line: Vec<u8> = (0..random.index(40)).map(|_| kinds[random.index(kinds.len())]).collect();
        input.extend(line);
        input.push(b'\n');
    }
    let asked = input.split(|&b| b == b'\n').filter(|line| !line.iter().all(u8::is_ascii_whitespace)).count();
    assert_eq!(answers(SMALL, &input).0.len(), asked);
}

/// Lines of every kind: exact and open answers, bad and empty lines.
const MIXED: &str = "\u{feff}2-0-0-1-1-1\r\n\r\nstart\nbad line\n0-0-2-1-1-1 C\n{\"position\":\"start\",\"moves\":\"A\"}\n\
                     0-0-0-0-0-0-6-6-S,x\n1-1-1-1-1-1-3-3-N\n\n5-1-0-0-1-1";

const LIMITED: [&str; 6] = ["batch", SMALL, "--no-times", "--time", "none", "--nodes"];

#[test]
fn threads_change_no_byte() {
    let dir = new();
    for format in ["jsonl", "csv"] {
        let run = |threads: &str| {
            let limits = ["20", "--format", format, "--threads", threads];
            oju(&dir, &[&LIMITED[..], &limits].concat(), MIXED.repeat(9).as_bytes()).stdout
        };
        let one = run("1");
        assert!(one.len() > 1000);
        for threads in ["2", "7"] {
            assert_eq!(text(&run(threads)), text(&one));
        }
    }
    // Searches that are cut, with tables that fill: the start of a large board, before and after others.
    let run = |input: &str, threads: &str| {
        let arguments = [
            "batch",
            "hoyito",
            "--no-times",
            "--time",
            "none",
            "--nodes",
            "3000",
            "--tt",
            "64K",
            "--threads",
            threads,
        ];
        text(&oju(&dir, &arguments, input.as_bytes()).stdout)
    };
    let alone = run("start", "1");
    assert_eq!(serde_json::from_str::<Value>(&alone).unwrap()["exact"], false);
    let among = run("start A\nstart\nstart B\nstart", "2");
    let lines: Vec<&str> = among.lines().collect();
    assert_eq!([lines[1], lines[3]], [alone.trim_end(); 2]);
}

#[test]
fn parts_merged_are_the_whole() {
    for (format, more) in [("jsonl", 1), ("csv", 3)] {
        let dir = new();
        let input = MIXED.repeat(more);
        fs::write(dir.path().join("in.txt"), &input).unwrap();
        let batch = |extra: &[&str]| {
            let arguments =
                [&LIMITED[..5], &["in.txt"], extra, &["--format", format, "--nodes", "20"]].concat();
            let arguments: Vec<&str> = arguments.into_iter().collect();
            oju(&dir, &arguments, b"")
        };
        let whole = batch(&["--threads", "2"]);
        assert_eq!(whole.status.code(), Some(1));
        for of in [1, 2, 3, 20] {
            let mut parts: Vec<String> = Vec::new();
            for part in 1..=of {
                let name = format!("{part}-{of}");
                batch(&["--shard", &format!("{part}/{of}"), "-o", &name]);
                parts.push(name);
            }
            parts.reverse();
            let mut arguments = vec!["merge"];
            arguments.extend(parts.iter().map(String::as_str));
            let merged = oju(&dir, &arguments, b"");
            assert_eq!(merged.status.code(), Some(0), "{}", text(&merged.stderr));
            assert_eq!(text(&merged.stdout), text(&whole.stdout), "{of} parts");
            arguments.extend(["-o", "all", "--force"]);
            assert_eq!(oju(&dir, &arguments, b"").status.code(), Some(0));
            assert_eq!(fs::read(dir.path().join("all")).unwrap(), whole.stdout);
        }
    }
}

#[test]
fn parts_that_do_not_make_a_whole_are_refused() {
    let dir = new();
    let path = |name: &str| dir.path().join(name);
    let part = |profile: &str, input: &str, extra: &[&str], name: &str| {
        let arguments = [&["batch", profile, "--no-times", "-o", name][..], extra].concat();
        let output = oju(&dir, &arguments, input.as_bytes());
        assert!(path(name).exists(), "{}", text(&output.stderr));
    };
    let input = "1-0-0-0-0-3\n2-0-0-0-0-3\n3-0-0-0-0-3\n";
    for (name, shard) in [("1", "1/3"), ("2", "2/3"), ("3", "3/3"), ("two", "2/2")] {
        part(SMALL, input, &["--shard", shard], name);
    }
    part("ayoayo-holder@2x3x2", input, &["--shard", "2/3"], "rules");
    part(SMALL, input, &["--shard", "2/3", "--forced"], "forced");
    part(SMALL, input, &["--shard", "2/3", "--format", "csv"], "csv");
    part(SMALL, &input.replace("3-0-0", "4-0-0"), &["--shard", "2/3"], "input");
    part(SMALL, &(input.to_owned() + "5-0-0-0-0-3\n"), &["--shard", "2/3"], "longer");
    part(SMALL, input, &[], "whole");
    let whole = fs::read_to_string(path("2")).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    fs::write(path("unfinished"), format!("{}\n{}\n", lines[0], lines[1])).unwrap();
    fs::write(path("cut"), &whole[..whole.len() - 1]).unwrap();
    fs::write(path("changed"), whole.replace("\"exact\":true", "\"exact\":tru3")).unwrap();
    fs::write(path("fewer"), format!("{}\n{}\n", lines[0], lines[2])).unwrap();
    fs::write(path("empty"), "").unwrap();
    fs::write(path("png"), b"\x89PNG\r\n\x1a\n\x00\x00").unwrap();
    for (parts, reason) in [
        (&["1", "3"][..], "of 3 parts 2 is missing"),
        (&["1"], "of 3 parts 2, 3 are missing"),
        (&["1", "2", "3", "2"], "2 and 2 are both part 2 of 3"),
        (&["1", "two", "3"], "two is of"),
        (&["1", "rules", "3"], "rules is of ayoayo-holder@2x3x2"),
        (&["1", "forced", "3"], "with forced intervals"),
        (&["1", "csv", "3"], "CSV"),
        (&["1", "input", "3"], "input is of an input of 3 lines"),
        (&["1", "longer", "3"], "longer is of an input of 4 lines"),
        (&["1", "unfinished", "3"], "unfinished: part 2 of 3 is not complete"),
        (&["1", "cut", "3"], "cut: part 2 of 3 is not complete"),
        (&["1", "changed", "3"], "changed: damaged"),
        (&["1", "fewer", "3"], "fewer: damaged"),
        (&["whole"], "whole: not a part of a batch"),
        (&["empty"], "empty: not a part of a batch"),
        (&["png"], "png: not a part of a batch"),
        (&["nowhere"], "nowhere: can not be read"),
        (&["."], "can not be read"),
        (&[], "PART"),
    ] {
        for output in [&[][..], &["-o", "merged"]] {
            let refused = oju(&dir, &[&["merge"], parts, output].concat(), b"");
            let said = text(&refused.stderr);
            assert_eq!((refused.status.code(), text(&refused.stdout)), (Some(2), String::new()), "{parts:?}");
            assert!(said.contains(reason) && said.lines().count() == 1, "{parts:?}: {said}");
            assert!(!path("merged").exists(), "{parts:?}");
        }
    }
    assert_eq!(oju(&dir, &["merge", "1", "2", "3", "-o", "merged"], b"").status.code(), Some(0));
    let again = oju(&dir, &["merge", "1", "2", "3", "-o", "merged"], b"");
    assert!(text(&again.stderr).contains("merged: is there already"), "{}", text(&again.stderr));
}

static NEVER: AtomicBool = AtomicBool::new(false);

/// Few lines, of every kind.
const FEW: &str = "\u{feff}2-0-0-1-1-1\r\n\r\nbad line\nstart\n0-0-0-0-0-0-6-6-S,x\n\n5-1-0-0-1-1";

/// A run of the library, from the beginning or going on with what the file has; `None` where it was refused.
fn run(engine: &Engine, format: Format, shard: Option<Shard>, path: &Path, resume: bool) -> Option<Vec<u8>> {
    let mut lines = Lines::new(BufReader::new(FEW.as_bytes()), shard);
    let head = shard.map(|shard| Head::new(shard, engine.profile(), false));
    let mut file = File::options().read(true).write(true).create(true).truncate(!resume).open(path).unwrap();
    let mut writer = if resume {
        let resumed = Resumed::read(&mut file, format, head, engine, &mut lines).ok()?;
        if resumed.finished {
            return Some(fs::read(path).unwrap());
        }
        resumed.go_on(engine, file, |file| file).unwrap()
    } else {
        Writer::new(engine.profile(), format, head, file).unwrap()
    };
    let options = Options {
        threads: 2,
        table_bytes: 1 << 12,
        time: None,
        nodes: Some(20),
        forced: false,
        stop: &NEVER,
    };
    answer_all(engine, &mut lines, &options, |answer| match answer {
        Some(mut answer) => {
            if let Ok(analysis) = &mut answer.found {
                analysis.time_ms = 0.0;
            }
            writer.write(&answer)
        }
        None => writer.flush(),
    })
    .unwrap();
    writer.finish(Some((lines.questions(), lines.checksum()))).unwrap();
    Some(fs::read(path).unwrap())
}

#[test]
fn what_was_cut_anywhere_is_taken_up_to_the_same_bytes() {
    let dir = new();
    let path = dir.path().join("out");
    let profile: Profile = SMALL.parse().unwrap();
    let engine =
        Engine::new(profile, &Settings { threads: 1, tiers: MemoryTiers::None, ..Settings::default() })
            .unwrap();
    for format in [Format::Jsonl, Format::Csv] {
        for shard in [None, Some(Shard { part: 2, of: 2 })] {
            let whole = run(&engine, format, shard, &path, false).unwrap();
            assert!(whole.ends_with(b"\n") && whole.len() > 200);
            for cut in 0..=whole.len() {
                fs::write(&path, &whole[..cut]).unwrap();
                let resumed = run(&engine, format, shard, &path, true);
                assert_eq!(text(&resumed.unwrap()), text(&whole), "{format:?} {shard:?} cut at {cut}");
            }
            // Nothing that is not the beginning of this output is touched.
            let first = whole.iter().position(|&b| b == b'\n').unwrap() + 1;
            let twice = [&whole[..first], &whole[..]].concat();
            let more = [&whole[..], &whole[first..]].concat();
            let others: [&[u8]; 7] =
                [b"Dear diary", b"12345", b"\n", b"{\"a\":1}\n", b"\x00\x00\x00\x00", &twice, &more];
            for other in others {
                fs::write(&path, other).unwrap();
                assert_eq!(run(&engine, format, shard, &path, true), None, "{format:?} {shard:?}");
                assert_eq!(fs::read(&path).unwrap(), other);
            }
        }
    }
}

#[test]
fn the_command_goes_on_with_its_own_output_only() {
    let dir = new();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("in.txt"), MIXED).unwrap();
    fs::write(path("other.txt"), MIXED.replace("0-0-2-1-1-1", "0-0-3-1-1-1")).unwrap();
    let batch = |profile: &str, extra: &[&str]| oju(&dir, &[&["batch", profile], extra].concat(), b"");
    let out = ["in.txt", "--no-times", "-o", "out"];
    assert_eq!(batch(SMALL, &out).status.code(), Some(1));
    let whole = fs::read(path("out")).unwrap();
    let refused = |profile: &str, extra: &[&str], reason: &str| {
        let output = batch(profile, extra);
        let said = text(&output.stderr);
        assert_eq!(
            (output.status.code(), text(&output.stdout)),
            (Some(2), String::new()),
            "{extra:?}: {said}"
        );
        assert!(said.contains(reason) && said.lines().count() == 1, "{extra:?}: {said}");
        assert_eq!(fs::read(path("out")).unwrap(), whole, "{extra:?}");
    };
    refused(SMALL, &out, "out: is there already: another name, --resume");
    let resume = |input: &'static str| [input, "-o", "out", "--resume"];
    refused("ayoayo-holder@2x3x2", &resume("in.txt"), "line 1: not an answer for these rules");
    refused(SMALL, &resume("other.txt"), "line 4: not an answer to line 5 of the input");
    refused(SMALL, &[&resume("in.txt")[..], &["--shard", "1/2"]].concat(), "line 1: another beginning");
    refused(SMALL, &[&resume("in.txt")[..], &["--format", "csv"]].concat(), "line 1: another beginning");
    refused(SMALL, &["in.txt", "--resume"], "--resume: only a file");
    refused(SMALL, &["in.txt", "-o", ".", "--resume"], "--resume: only a file");
    refused(SMALL, &["in.txt", "-o", "x", "--resume", "--force"], "--force");
    refused(SMALL, &["nowhere.txt"], "nowhere.txt: the input can not be read");
    refused(SMALL, &["."], ".: the input can not be read");
    refused(SMALL, &["in.txt", "-o", "no/where"], "no/where: can not be written");
    refused("in.txt", &[], "a profile comes before the file");
    for shard in ["0/2", "3/2", "1/0", "+1/2", "1", "a/b", "1/99999999999"] {
        refused(SMALL, &["in.txt", "--shard", shard], "--shard");
    }
    refused(SMALL, &["in.txt", "--threads", "0"], "--threads");
    refused(SMALL, &["in.txt", "--threads", "1024", "--tt", "1G"], "--tt: 1024 threads take 1024 MiB each");
    refused(SMALL, &["in.txt", "--format", "parquet"], "parquet can not be written to stdout");
    if cfg!(feature = "parquet") {
        refused(SMALL, &["in.txt", "-o", "x.parquet", "--resume"], "parquet: can not be resumed or merged");
        refused(
            SMALL,
            &["in.txt", "-o", "x.parquet", "--shard", "1/2"],
            "parquet: can not be resumed or merged",
        );
    } else {
        refused(SMALL, &["in.txt", "-o", "x.parquet"], "--features parquet");
    }
    // All is there: nothing is done, and said again how it ended.
    let done = batch(SMALL, &["in.txt", "--no-times", "-o", "out", "--resume"]);
    assert_eq!((done.status.code(), fs::read(path("out")).unwrap()), (Some(1), whole.clone()));
    fs::write(path("out"), &whole[..whole.len() / 2]).unwrap();
    let done = batch(SMALL, &["in.txt", "--no-times", "-o", "out", "--resume"]);
    assert_eq!((done.status.code(), fs::read(path("out")).unwrap()), (Some(1), whole.clone()));
    assert!(text(&done.stderr).contains("oju: 8 lines: 7 exact, 0 open, 1 bad"), "{}", text(&done.stderr));
    // Nothing of a terminal where there is none.
    assert!(!text(&done.stderr).contains(['\r', '\u{1b}']));
    assert_eq!(batch(SMALL, &[&out[..], &["--force"]].concat()).status.code(), Some(1));
    assert_eq!(fs::read(path("out")).unwrap(), whole);
}

#[test]
fn csv_rows_say_what_the_json_says() {
    let dir = new();
    let run = |format: &str| {
        let limits = ["20", "--format", format];
        text(&oju(&dir, &[&LIMITED[..], &limits].concat(), MIXED.as_bytes()).stdout)
    };
    let (json, csv) = (run("jsonl"), run("csv"));
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    let names = rows.headers().unwrap().clone();
    assert_eq!(
        names.iter().collect::<Vec<_>>().join(","),
        "number,profile,rules,position,value,lower,upper,standoff,best,line,A,B,C,nodes,time_ms,column,error"
    );
    let numbers = [1, 3, 4, 5, 6, 7, 8, 10];
    let mut rows = rows.records();
    for (line, number) in json.lines().zip(numbers) {
        let (row, json): (_, Value) = (rows.next().unwrap().unwrap(), serde_json::from_str(line).unwrap());
        let cell = |name: &str| row[names.iter().position(|n| n == name).unwrap()].to_owned();
        let plain = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        assert_eq!(
            (cell("number"), cell("profile"), cell("rules").len()),
            (number.to_string(), SMALL.to_owned(), 8)
        );
        for name in ["position", "value", "standoff", "nodes", "column", "error"] {
            assert_eq!(cell(name), plain(&json[name]), "{line}");
        }
        if json["error"].is_string() {
            assert_eq!((cell("line"), cell("A")), Default::default());
            continue;
        }
        assert_eq!(cell("line"), plain(&json["line"]));
        assert_eq!([cell("lower"), cell("upper")], [0, 1].map(|end| plain(&json["bounds"][end])));
        assert_eq!(cell("best"), plain(&json["moves"][0]["move"]));
        for pit in ["A", "B", "C"] {
            let m = json["moves"]
                .as_array()
                .unwrap()
                .iter()
                .find(|m| m["move"].as_str().unwrap().eq_ignore_ascii_case(pit));
            let expected = m.map_or_else(String::new, |m| match &m["value"] {
                Value::Null => format!("{}..{}", m["bounds"][0], m["bounds"][1]),
                value => value.to_string(),
            });
            assert_eq!(cell(pit), expected, "{line}");
        }
    }
    assert!(rows.next().is_none());
    // What a batch writes can be asked again, in either form.
    let whole_games = "start\nstart A\n1-1-1-1-1-1-3-3-N\n";
    let dir = new();
    for format in ["jsonl", "csv"] {
        let written = oju(&dir, &["batch", SMALL, "--format", format], whole_games.as_bytes()).stdout;
        assert_eq!(positions(SMALL, written), positions(SMALL, whole_games), "{format}");
    }
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::io::{BufRead as _, Read as _};
    use std::time::{Duration, Instant};

    #[test]
    fn a_full_disk_is_an_error_and_a_closed_pipe_is_none() {
        let dir = new();
        fs::write(dir.path().join("in.txt"), "1-0-0-0-0-3\n".repeat(20_000)).unwrap();
        if Path::new("/dev/full").exists() {
            for format in ["jsonl", "csv"] {
                let full = ["batch", SMALL, "in.txt", "-o", "/dev/full", "--format", format];
                let full = oju(&dir, &full, b"");
                assert_eq!(full.status.code(), Some(2));
                assert!(text(&full.stderr).contains("oju: /dev/full: can not be written: No space left"));
                assert_eq!(text(&full.stderr).lines().count(), 1);
            }
            fs::write(dir.path().join("short.txt"), "1-0-0-0-0-3\n").unwrap();
            assert_eq!(
                oju(&dir, &["batch", SMALL, "short.txt", "--shard", "1/1", "-o", "1"], b"").status.code(),
                Some(0)
            );
            for arguments in [&["batch", SMALL, "short.txt"][..], &["merge", "1"]] {
                let full = File::options().write(true).open("/dev/full").unwrap();
                let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
                let status = command
                    .args(arguments)
                    .current_dir(dir.path())
                    .stdout(full)
                    .stderr(Stdio::null())
                    .status();
                assert_eq!(status.unwrap().code(), Some(2), "{arguments:?}");
            }
            let full = oju(&dir, &["merge", "1", "-o", "/dev/full"], b"");
            assert_eq!(full.status.code(), Some(2), "{}", text(&full.stderr));
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
        command.args(["batch", SMALL, "in.txt"]).current_dir(dir.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    }

    #[test]
    fn answers_do_not_wait_for_the_next_line_and_ctrl_c_ends_the_wait() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
        command.args(["batch", SMALL]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        for line in ["start\n", "start A\n"] {
            stdin.write_all(line.as_bytes()).unwrap();
            let mut answer = String::new();
            stdout.read_line(&mut answer).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&answer).unwrap()["exact"], true);
        }
        interrupt(&child);
        let told = Instant::now();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(told.elapsed() < Duration::from_secs(2), "{:?}", told.elapsed());
    }

    fn interrupt(child: &std::process::Child) {
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    #[test]
    fn ctrl_c_leaves_an_output_that_can_be_gone_on_with() {
        let dir = new();
        let out = dir.path().join("out");
        // The first lines take no time, the other half takes for ever.
        let (easy, hard) =
            ("1-0-0-0-0-3-0-0-0-0-0-0\n".repeat(5), "start\n1-0-0-0-0-3-0-0-0-0-0-0\n".repeat(5));
        fs::write(dir.path().join("in.txt"), easy.clone() + &hard).unwrap();
        for shard in [&[][..], &["--shard", "1/1"]] {
            let arguments =
                ["batch", "hoyito-opponent", "in.txt", "-o", "out", "--threads", "2", "--no-times"];
            let arguments = [&arguments[..], shard].concat();
            let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
            command.args(&arguments).args(["--time", "none"]).current_dir(dir.path());
            let child = command.stderr(Stdio::piped()).spawn().unwrap();
            let begun = Instant::now();
            let lines = || fs::read_to_string(&out).unwrap_or_default().lines().count();
            while lines() < 5 + shard.len() / 2 {
                assert!(begun.elapsed() < Duration::from_secs(60));
                std::thread::sleep(Duration::from_millis(10));
            }
            interrupt(&child);
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(130));
            assert!(text(&output.stderr).contains("the same command with --resume goes on"));
            let part = fs::read_to_string(&out).unwrap();
            assert!(
                part.ends_with('\n') && part.lines().all(|line| serde_json::from_str::<Value>(line).is_ok())
            );
            let done = oju(&dir, &[&arguments[..], &["--resume", "--time", "1ms"]].concat(), b"");
            assert_eq!(done.status.code(), Some(1), "{}", text(&done.stderr));
            let whole = fs::read_to_string(&out).unwrap();
            assert!(whole.starts_with(&part));
            assert_eq!(whole.lines().count(), 15 + shard.len());
            fs::remove_file(&out).unwrap();
        }
    }

    #[test]
    fn a_stream_without_an_end_is_answered() {
        // 100 MB of such would be too: tests/working_memory.rs.
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!(
            "yes start | {} batch {SMALL} --threads 2 | head -n 300",
            env!("CARGO_BIN_EXE_oju")
        ));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut all = String::new();
        child.stdout.take().unwrap().read_to_string(&mut all).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((all.lines().count(), text(&output.stderr).as_str()), (300, ""));
        let first = all.lines().next().unwrap().split("\"time_ms\"").next().unwrap();
        assert!(all.lines().all(|line| line.starts_with(first)));
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_files_hold_the_rows_of_the_text() {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    let dir = new();
    let run = |extra: &[&str]| {
        let output = oju(&dir, &[&LIMITED[..], &["20"], extra].concat(), MIXED.as_bytes());
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let csv = run(&["--format", "csv"]);
    run(&["-o", "t.parquet"]);
    let reader = SerializedFileReader::new(File::open(dir.path().join("t.parquet")).unwrap()).unwrap();
    let mut rows = reader.get_row_iter(None).unwrap();
    let mut lines = csv::Reader::from_reader(csv.as_bytes());
    let names = lines.headers().unwrap().clone();
    for record in lines.records() {
        let (record, row) = (record.unwrap(), rows.next().unwrap().unwrap());
        let mut cells = row
            .get_column_iter()
            .map(|(name, cell)| (name.clone(), cell.to_string().trim_matches('"').to_owned()));
        for (name, text) in names.iter().zip(&record) {
            let null = |text: &str| if text.is_empty() { "null".to_owned() } else { text.to_owned() };
            if name.len() == 1 {
                let (lower, upper) = text.split_once("..").unwrap_or((text, text));
                for (end, text) in [("lower", lower), ("upper", upper)] {
                    assert_eq!(cells.next().unwrap(), (format!("{name}_{end}"), null(text)));
                }
            } else {
                let (found_name, cell) = cells.next().unwrap();
                assert_eq!(found_name, name);
                // An empty line of play is a text.
                let over = name == "line" && cell.is_empty() && text.is_empty();
                assert!(over || name == "time_ms" || cell == null(text), "{name}: {cell} {text}");
            }
        }
    }
    assert!(rows.next().is_none());
    if Path::new("/dev/full").exists() {
        let full = oju(&dir, &["batch", SMALL, "-o", "/dev/full", "--format", "parquet"], b"start");
        assert_eq!(full.status.code(), Some(2));
        assert!(text(&full.stderr).contains("/dev/full: can not be written: No space left"));
    }
}

#[test]
fn states_are_written_as_this_program_writes_them() {
    // The expected positions above are texts: the literal interpreter reads and writes the same.
    let text = "1-6-6-2-7-0-0-1-6-6-6-0-7-0-N";
    assert_eq!(State::parse(text).text(), text);
}

#[test]
fn a_damaged_table_ends_the_work_by_name() {
    let dir = new();
    fs::create_dir(dir.path().join("tables")).unwrap();
    fs::write(dir.path().join("tables/ayoayo-00.oju"), "no table").unwrap();
    for command in [&["batch", "ayoayo"][..], &["openings", "ayoayo", "--plies", "1"]] {
        let output = oju(&dir, command, b"start\n");
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()), "{command:?}");
        let said = text(&output.stderr);
        assert!(said.contains("ayoayo-00.oju") && said.lines().count() == 1, "{command:?}: {said}");
    }
}
