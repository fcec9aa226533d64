//! The lines of a batch: read as a stream, each one position in text, JSON or CSV.

use std::borrow::Cow;
use std::io::{self, BufRead};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::Engine;
use crate::notation::{self, NotationError};
use crate::position::Position;

/// The most bytes a line may have: what is longer is not kept in memory.
pub const LONGEST_LINE: usize = 1 << 16;

/// Every `of`-th line, beginning with the `part`-th: one machine's share of a batch. Lines that ask nothing are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub part: u32,
    /// How many parts there are.
    pub of: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let says = || "a part such as 2/4 is expected: part 2 of 4".to_owned();
        let (part, of) = text.split_once('/').ok_or_else(says)?;
        let number = |text: &str| {
            // The standard parser would also take a sign.
            text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten().ok_or_else(says)
        };
        let (part, of) = (number(part)?, number(of)?);
        if (1..=of).contains(&part) {
            Ok(Self { part, of })
        } else {
            Err(format!("of {of} parts there are the parts 1 to {of}, and 1 part at least"))
        }
    }
}

/// Why a line is not a position. In JSON `{"line": 7, "column": 3, "error": "…"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BadLine {
    /// The line, counted from 1, empty ones too.
    pub line: u64,
    /// The character the problem begins at, counted from 1.
    pub column: usize,
    /// What is wrong and what would be right.
    pub error: String,
}

/// A line that asks for a position.
#[derive(Clone, Debug)]
pub struct Line {
    number: u64,
    end: u64,
    text: Text,
    /// The column the positions are in, where a header said so.
    column: Option<usize>,
}

#[derive(Clone, Debug)]
enum Text {
    Whole(Vec<u8>),
    TooLong,
}

/// Reads lines. Empty lines and a CSV header are passed over but counted; a byte-order mark and carriage returns are no part of
/// a line.
pub struct Lines<R> {
    input: R,
    shard: Shard,
    number: u64,
    bytes: u64,
    questions: u64,
    column: Option<usize>,
    sum: crc32fast::Hasher,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `input` that belong to a part of it.
    pub fn new(input: R, shard: Option<Shard>) -> Self {
        let shard = shard.unwrap_or(Shard { part: 1, of: 1 });
        Self { input, shard, number: 0, bytes: 0, questions: 0, column: None, sum: crc32fast::Hasher::new() }
    }

    /// The next line that asks something, `None` at the end.
    ///
    /// # Errors
    /// Where the input can not be read.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        while let Some(text) = self.read()? {
            self.number += 1;
            if let Text::Whole(bytes) = &text {
                if bytes.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                if self.questions == 0 && self.column.is_none() {
                    self.column = header(bytes);
                    if self.column.is_some() {
                        continue;
                    }
                }
            }
            self.questions += 1;
            if (self.questions - 1) % u64::from(self.shard.of) == u64::from(self.shard.part - 1) {
                return Ok(Some(Line { number: self.number, end: self.bytes, text, column: self.column }));
            }
        }
        Ok(None)
    }

    /// Lines so far that ask something, those of other parts too.
    pub fn questions(&self) -> u64 {
        self.questions
    }

    /// Bytes of the input so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A checksum of all that has been read so far.
    pub fn checksum(&self) -> u32 {
        self.sum.clone().finalize()
    }

    /// A line without its end.
    fn read(&mut self) -> io::Result<Option<Text>> {
        let mut bytes = Vec::new();
        let (mut length, mut any) = (0, false);
        loop {
            let read = match self.input.fill_buf() {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if read.is_empty() {
                break;
            }
            any = true;
            let end = read.iter().position(|&byte| byte == b'\n');
            let piece = &read[..end.unwrap_or(read.len())];
            length += piece.len();
            let room = (LONGEST_LINE + 1).saturating_sub(bytes.len());
            bytes.extend_from_slice(&piece[..piece.len().min(room)]);
            let taken = piece.len() + usize::from(end.is_some());
            self.sum.update(&read[..taken]);
            self.bytes += taken as u64;
            self.input.consume(taken);
            if end.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        if self.number == 0 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        if bytes.last() == Some(&b'\r') && length <= LONGEST_LINE + 1 {
            bytes.pop();
        }
        Ok(Some(if bytes.len() > LONGEST_LINE { Text::TooLong } else { Text::Whole(bytes) }))
    }
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The column of positions, if the line is the header of a CSV file.
fn header(line: &[u8]) -> Option<usize> {
    let line = std::str::from_utf8(line).ok()?;
    if line.trim_start().starts_with('{') {
        return None;
    }
    (0..).map_while(|column| field(line, column)).position(|(_, name)| name.trim() == "position")
}

impl Line {
    /// Which line of the input it is, counted from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes of the input up to the end of the line.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The position the line asks for, its moves played.
    ///
    /// # Errors
    /// Where it does not ask for a position of the engine's profile.
    pub fn position(&self, engine: &Engine) -> Result<Position, BadLine> {
        let bad = |column, error: String| BadLine { line: self.number, column, error };
        let Text::Whole(bytes) = &self.text else {
            let says = format!("a line of more than {LONGEST_LINE} bytes: a position is shorter");
            return Err(bad(LONGEST_LINE + 1, says));
        };
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            bad(valid.chars().count() + 1, "not UTF-8 text".to_owned())
        })?;
        if let Some(at) = text.chars().position(|c| c.is_control() && c != '\t') {
            let code = text.chars().nth(at).map_or(0, u32::from);
            return Err(bad(at + 1, format!("U+{code:04X}, a control character: plain text is expected")));
        }
        // Pieces know the byte they begin at; people count characters.
        let at = |offset: usize, error: NotationError| {
            bad(text[..offset].chars().count() + error.column, error.problem)
        };
        if text.trim_start().starts_with('{') {
            let asked = Asked::parse(text, engine).map_err(|(column, says)| bad(column, says))?;
            let position = notation::parse_position(engine.profile(), &asked.position)
                .map_err(|error| at(offset(text, &asked.position), error))?;
            return match &asked.moves {
                Some(Value::String(moves)) => engine
                    .play_text(&position, moves)
                    .map_err(|error| at(text.find(moves.as_str()).unwrap_or(0), error)),
                // An answer has a list of moves, and is a question too.
                None | Some(Value::Null | Value::Array(_)) => Ok(position),
                Some(_) => Err(bad(1, "\"moves\": a text of moves such as \"CdF\" is expected".to_owned())),
            };
        }
        let (start, text) = match self.column {
            Some(column) => field(text, column).ok_or_else(|| {
                let says = format!("no column {}, where the header has the positions", column + 1);
                bad(text.chars().count() + 1, says)
            })?,
            None => position_field(text, 2 * engine.profile().row()),
        };
        let (position, moves) = text.split_at(end_of_position(&text));
        let played =
            notation::parse_position(engine.profile(), position).map_err(|error| at(start, error))?;
        engine.play_text(&played, moves).map_err(|error| at(start + position.len(), error))
    }
}

/// A line of JSON.
#[derive(Deserialize)]
struct Asked<'a> {
    #[serde(borrow)]
    position: Cow<'a, str>,
    moves: Option<Value>,
    profile: Option<String>,
    rules: Option<String>,
}

impl<'a> Asked<'a> {
    fn parse(text: &'a str, engine: &Engine) -> Result<Self, (usize, String)> {
        let asked: Self = serde_json::from_str(text).map_err(|error| {
            let says = error.to_string();
            // The column is told apart.
            let says = says.split(" at line ").next().unwrap_or_default();
            // The parser counts bytes.
            let column = text.char_indices().filter(|(at, _)| *at < error.column()).count();
            (column.max(1), format!("{says}: {{\"position\": \"…\", \"moves\": \"…\"}} is expected"))
        })?;
        let profile = engine.profile();
        let (name, rules) = (profile.to_string(), format!("{:08x}", profile.fingerprint()));
        for (given, wanted) in [(&asked.profile, &name), (&asked.rules, &rules)] {
            if let Some(given) = given.as_ref().filter(|given| *given != wanted) {
                let says =
                    format!("of '{}': this is a batch of {name}, rules {rules}", notation::quoted(given, 40));
                return Err((text[..offset(text, given)].chars().count() + 1, says));
            }
        }
        Ok(asked)
    }
}

/// The byte of `text` that a piece of it begins at; of an equal text that is not a piece of it, where that first is.
fn offset(text: &str, piece: &str) -> usize {
    let at = (piece.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    if text.get(at..).is_some_and(|rest| rest.starts_with(piece)) {
        at
    } else {
        text.find(piece).unwrap_or(0)
    }
}

/// A field of a line of CSV, and the byte it begins at.
fn field(line: &str, column: usize) -> Option<(usize, Cow<'_, str>)> {
    if !line.contains('"') {
        let field = line.split(',').nth(column)?;
        return Some((offset(line, field), Cow::Borrowed(field)));
    }
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let mut record = csv::StringRecord::new();
    // What can not be read has no fields.
    reader.read_record(&mut record).ok().filter(|&any| any)?;
    let field = record.get(column)?;
    Some((offset(line, field), Cow::Owned(field.to_owned())))
}

/// The part of a line that holds a position: its first CSV column, or all of it where commas part the counts.
fn position_field(line: &str, pits: usize) -> (usize, Cow<'_, str>) {
    let whole = (0, Cow::Borrowed(line));
    if !line.contains(',') {
        return if line.trim_start().starts_with('"') { field(line, 0).unwrap_or(whole) } else { whole };
    }
    let Some((start, first)) = field(line, 0) else { return whole };
    let counts = first.split(|c: char| c.is_whitespace() || matches!(c, '-' | '/'));
    let alone = counts.filter(|count| !count.is_empty()).count() >= pits
        || first.trim_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("start"))
        || line.trim_start().starts_with('"');
    if alone { (start, first) } else { whole }
}

/// The byte after the position in a text of a position and moves: after its side or the word `start`, or where a letter begins a word.
fn end_of_position(text: &str) -> usize {
    let mut words = text.split_whitespace().map(|word| (offset(text, word), word)).peekable();
    while let Some((start, word)) = words.next() {
        let side = word.ends_with(['S', 's', 'N', 'n'])
            && word.chars().rev().nth(1).is_none_or(|c| matches!(c, '-' | ',' | '/') || c.is_ascii_digit());
        if side || word.eq_ignore_ascii_case("start") {
            return start + word.len();
        }
        if words.peek().is_some_and(|(_, next)| {
            next.starts_with(|c: char| c.is_alphabetic()) && !matches!(*next, "S" | "s" | "N" | "n")
        }) {
            return start + word.len();
        }
    }
    text.len()
}
