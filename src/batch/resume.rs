//! An output that was cut short, taken up again: every complete line of it is kept, what follows the last of them is not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Deserialize;

use super::input::{Line, Lines};
use super::marker::{CSV_MARK, Head, Tail};
use super::output::{Format, WriteError, Writer, csv_columns, first_lines};
use crate::engine::Engine;

/// The most bytes a line of an output may have. None comes near; other files may.
const LONGEST_ANSWER: u64 = 1 << 26;

/// Why an output can not be taken up again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// It can not be read or cut.
    #[error("the output can not be read")]
    Read(#[source] io::Error),
    /// The input can not be read.
    #[error("the input can not be read")]
    Input(#[source] io::Error),
    /// It is not an output of the same batch.
    #[error("line {line}: {problem}: this is not an output of the same batch")]
    Other {
        /// The line of the output, counted from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// The format can not be taken up again.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// An output that has been read up to where it was cut.
pub struct Resumed {
    /// Answers that are there.
    pub answers: u64,
    /// Of these, positions of which all is exact.
    pub exact: u64,
    /// Of these, lines that are not positions.
    pub bad: u64,
    /// All is done: the part has its last line.
    pub finished: bool,
    format: Format,
    head: Option<Head>,
    bytes: u64,
    sum: crc32fast::Hasher,
}

/// What an answer in an output says.
struct Written {
    position: Option<String>,
    bad: Option<(u64, usize, String)>,
    exact: bool,
}

impl Resumed {
    /// Reads an output from its beginning, and as many lines of the input as it answers.
    ///
    /// # Errors
    /// Where one of them can not be read, or the output answers anything else.
    pub fn read<R: BufRead>(
        output: &mut File,
        format: Format,
        head: Option<Head>,
        engine: &Engine,
        lines: &mut Lines<R>,
    ) -> Result<Self, ResumeError> {
        if format == Format::Parquet {
            return Err(WriteError::NoParts.into());
        }
        let begins = first_lines(engine.profile(), format, head.as_ref());
        let sum = crc32fast::Hasher::new();
        let mut resumed = Self { answers: 0, exact: 0, bad: 0, finished: false, format, head, bytes: 0, sum };
        output.seek(SeekFrom::Start(0)).map_err(ResumeError::Read)?;
        let mut output = BufReader::with_capacity(1 << 16, output);
        let (mut number, mut text) = (0, Vec::new());
        loop {
            text.clear();
            let mut limited = (&mut output).take(LONGEST_ANSWER);
            limited.read_until(b'\n', &mut text).map_err(ResumeError::Read)?;
            number += 1;
            let other = |problem: &str| ResumeError::Other { line: number, problem: problem.to_owned() };
            let whole = text.ends_with(b"\n");
            if (resumed.bytes as usize) < begins.len() {
                let expected = &begins[resumed.bytes as usize..];
                if !expected.starts_with(&text) {
                    return Err(other("another beginning than this batch has"));
                }
            } else if resumed.finished {
                if !text.is_empty() {
                    return Err(other("more after the last line"));
                }
            } else if whole {
                resumed.take(&text, engine, lines, &other)?;
            } else if !resumed.begins_an_answer(&text) {
                // Another file must not be cut.
                return Err(other("not an answer"));
            }
            if !whole {
                return Ok(resumed);
            }
            resumed.bytes += text.len() as u64;
            resumed.sum.update(&text);
        }
    }

    /// Whether a line without an end can be what is left of an answer or of a last line.
    fn begins_an_answer(&self, text: &[u8]) -> bool {
        let either = |whole: &[u8]| text.starts_with(whole) || whole.starts_with(text);
        match self.format {
            Format::Csv => text.iter().all(|&byte| byte != 0),
            Format::Jsonl | Format::Parquet => {
                [&br#"{"profile":"#[..], br#"{"line":"#, br#"{"part":"#].into_iter().any(either)
            }
        }
    }

    fn take<R: BufRead>(
        &mut self,
        text: &[u8],
        engine: &Engine,
        lines: &mut Lines<R>,
        other: &dyn Fn(&str) -> ResumeError,
    ) -> Result<(), ResumeError> {
        let text = std::str::from_utf8(text).map_err(|_| other("not UTF-8 text"))?;
        if let Some(tail) = tail(text, self.format).filter(|_| self.head.is_some()) {
            while lines.next_line().map_err(ResumeError::Input)?.is_some() {}
            let sum = format!("{:08x}", self.sum.clone().finalize());
            let input = format!("{:08x}", lines.checksum());
            if (tail.answers, &tail.sum) != (self.answers, &sum) {
                return Err(other("the answers before it are not those it was written for"));
            }
            if (tail.questions, &tail.input) != (lines.questions(), &input) {
                return Err(other("the input is another"));
            }
            self.finished = true;
            return Ok(());
        }
        let written = match self.format {
            Format::Csv => csv_answer(text, engine),
            Format::Jsonl | Format::Parquet => json_answer(text, engine),
        };
        let written = written.ok_or_else(|| other("not an answer for these rules"))?;
        let asked = lines.next_line().map_err(ResumeError::Input)?;
        let asked = asked.ok_or_else(|| other("more answers than the input has lines"))?;
        if !written.answers(&asked, engine) {
            return Err(other(&format!("not an answer to line {} of the input", asked.number())));
        }
        self.answers += 1;
        self.exact += u64::from(written.exact);
        self.bad += u64::from(written.bad.is_some());
        Ok(())
    }

    /// Cuts the output after its last complete line, and goes on there.
    ///
    /// # Errors
    /// Where the output can not be cut or written.
    pub fn go_on<W: Write + Send>(
        self,
        engine: &Engine,
        mut file: File,
        out: impl FnOnce(File) -> W,
    ) -> Result<Writer<W>, WriteError> {
        let begins = first_lines(engine.profile(), self.format, self.head.as_ref());
        // Within the lines that every output begins with: from the very beginning.
        let begun = self.bytes as usize >= begins.len();
        let bytes = if begun { self.bytes } else { 0 };
        file.set_len(bytes)?;
        file.seek(SeekFrom::Start(bytes))?;
        if begun {
            Writer::resumed(engine.profile(), self.format, self.head, out(file), self.sum, self.answers)
        } else {
            Writer::new(engine.profile(), self.format, self.head, out(file))
        }
    }
}

impl Written {
    fn answers(&self, asked: &Line, engine: &Engine) -> bool {
        match (asked.position(engine), &self.position, &self.bad) {
            (Ok(asked), Some(position), None) => asked.to_string() == *position,
            (Err(asked), None, Some((line, column, error))) => {
                (asked.line, asked.column, &asked.error) == (*line, *column, error)
            }
            _ => false,
        }
    }
}

/// The last line of a part.
pub(super) fn tail(text: &str, format: Format) -> Option<Tail> {
    let json = if format == Format::Csv { text.strip_prefix(CSV_MARK)? } else { text };
    serde_json::from_str(json).ok()
}

fn json_answer(text: &str, engine: &Engine) -> Option<Written> {
    #[derive(Deserialize)]
    struct Json {
        profile: Option<String>,
        rules: Option<String>,
        position: Option<String>,
        line: serde_json::Value,
        column: Option<usize>,
        error: Option<String>,
        exact: Option<bool>,
        #[serde(default)]
        moves: Vec<Move>,
        forced: Option<[i32; 2]>,
        forced_bounds: Option<[[i32; 2]; 2]>,
    }
    #[derive(Deserialize)]
    struct Move {
        exact: bool,
        forced: Option<[i32; 2]>,
        forced_bounds: Option<[[i32; 2]; 2]>,
    }
    let json: Json = serde_json::from_str(text).ok()?;
    if let (Some(line), Some(column), Some(error)) = (json.line.as_u64(), json.column, json.error) {
        return Some(Written { position: None, bad: Some((line, column, error)), exact: false });
    }
    let profile = engine.profile();
    let ours =
        json.profile? == profile.to_string() && json.rules? == format!("{:08x}", profile.fingerprint());
    let forced = |bounds: Option<_>, forced: Option<_>| bounds.is_none() || forced.is_some();
    let exact = json.exact? && forced(json.forced_bounds, json.forced);
    let exact = exact && json.moves.iter().all(|m| m.exact && forced(m.forced_bounds, m.forced));
    ours.then_some(Written { position: Some(json.position?), bad: None, exact })
}

fn csv_answer(text: &str, engine: &Engine) -> Option<Written> {
    let names = csv_columns(engine.profile());
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    if !reader.read_record(&mut record).ok()? || record.len() != names.len() {
        return None;
    }
    let cell = |name: &str| record.get(names.iter().position(|n| n == name)?).map(str::to_owned);
    let profile = engine.profile();
    if cell("profile")? != profile.to_string() || cell("rules")? != format!("{:08x}", profile.fingerprint()) {
        return None;
    }
    let error = cell("error")?;
    if !error.is_empty() {
        let bad = (cell("number")?.parse().ok()?, cell("column")?.parse().ok()?, error);
        return Some(Written { position: None, bad: Some(bad), exact: false });
    }
    // All moves of an exact answer have one number.
    let exact = !cell("value")?.is_empty() && !record.iter().any(|cell| cell.contains(".."));
    Some(Written { position: Some(cell("position")?), bad: None, exact })
}

/// Opens a file to be taken up again, `None` where there is none.
///
/// # Errors
/// Where it is there and can not be opened.
pub fn open(path: &Path) -> io::Result<Option<File>> {
    match File::options().read(true).write(true).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
