//! A batch: the first line names a profile, the rest is the input.

use std::convert::Infallible;
use std::sync::atomic::AtomicBool;

use oju::Profile;
use oju::batch::{Answer, Format, LONGEST_LINE, Lines, Options, Writer, answer_all};

/// Nodes of each line: what is fuzzed is not the search.
const NODES: u64 = 20;

pub fn run(data: &[u8]) {
    let (name, input) = super::first_line(data);
    let Ok(profile) = name.parse::<Profile>() else { return };
    let (answers, questions) = answers(profile, input, 1);

    let unmarked = input.strip_prefix("\u{feff}".as_bytes()).unwrap_or(input);
    let mut lines: Vec<&[u8]> = unmarked.split(|&byte| byte == b'\n').collect();
    lines.retain(|line| !line.iter().all(u8::is_ascii_whitespace));
    assert_eq!(answers.len() as u64, questions);
    // The first may be a header.
    let headers = lines.len() - answers.len();
    let header = |line: &[u8]| String::from_utf8_lossy(line).contains("position");
    assert!(headers == 0 || headers == 1 && header(lines[0]), "every line is answered");

    let mut last = 0;
    for (answer, line) in answers.iter().zip(&lines[headers..]) {
        assert!(answer.line > last, "in order");
        assert!(answer.end <= data.len() as u64);
        last = answer.line;
        match &answer.found {
            Ok(analysis) => {
                let [lower, upper] = analysis.bounds;
                assert!(lower <= upper && analysis.exact == (lower == upper));
                assert_eq!(analysis.value, analysis.exact.then_some(lower));
                assert!(upper.unsigned_abs().max(lower.unsigned_abs()) <= analysis.seeds);
            }
            Err(bad) => {
                super::plain(&bad.error);
                assert_eq!(bad.line, answer.line);
                let most = String::from_utf8_lossy(line).chars().count().min(LONGEST_LINE) + 1;
                assert!((1..=most).contains(&bad.column), "{bad:?} of {most}");
            }
        }
    }

    let written = written(&profile, Format::Jsonl, &answers);
    let texts = written.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let texts: Vec<serde_json::Value> =
        texts.map(|line| serde_json::from_slice(line).expect("an answer is JSON")).collect();
    assert_eq!(texts.len(), answers.len(), "one answer a line");
    for (text, answer) in texts.iter().zip(&answers) {
        assert_eq!(text.get("error").is_some(), answer.found.is_err());
    }
    self::written(&profile, Format::Csv, &answers);
    if (2..6).contains(&answers.len()) {
        let (threads, _) = self::answers(profile, input, 2);
        let timeless = |answers: Vec<Answer>| {
            answers.into_iter().map(|Answer { line, found, .. }| {
                let found = found.map(|mut analysis| {
                    analysis.time_ms = 0.0;
                    analysis
                });
                (line, found)
            })
        };
        let [one, two] = [answers, threads].map(|answers| timeless(answers).collect::<Vec<_>>());
        assert_eq!(one, two, "the same on two threads");
    }
}

fn answers(profile: Profile, input: &[u8], threads: usize) -> (Vec<Answer>, u64) {
    let engine = super::engine(profile);
    let mut lines = Lines::new(input, None);
    let stop = AtomicBool::new(false);
    let options =
        Options { threads, table_bytes: 1 << 14, time: None, nodes: Some(NODES), forced: false, stop: &stop };
    let mut answers = Vec::new();
    let take = |answer| {
        answers.extend(answer);
        Ok::<_, Infallible>(())
    };
    answer_all(&engine, &mut lines, &options, take).expect("bytes can be read");
    (answers, lines.questions())
}

fn written(profile: &Profile, format: Format, answers: &[Answer]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(profile, format, None, &mut bytes).expect("memory takes all");
    answers.iter().for_each(|answer| writer.write(answer).expect("memory takes all"));
    writer.finish(None).expect("memory takes all");
    bytes
}
