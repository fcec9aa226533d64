//! The answers of a batch as JSON lines, CSV or Parquet.

use std::io::{self, Write};

use super::input::BadLine;
use super::marker::{CSV_MARK, Head, Tail};
#[cfg(feature = "parquet")]
use super::parquet::Groups;
use super::run::Answer;
use crate::columns::{self, Cells};
use crate::profile::Profile;

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A JSON object a line: an analysis, or `{"line": 7, "column": 3, "error": "…"}`.
    Jsonl,
    /// A line of names, then a line an answer.
    Csv,
    /// Apache Parquet. Needs the cargo feature `parquet`.
    Parquet,
}

/// Why answers can not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The output does not take them.
    #[error("the answers can not be written")]
    Io(#[from] io::Error),
    /// Built without what writes this format.
    #[error(
        "parquet: this program was built without it: build it with `cargo build --release --features parquet`"
    )]
    NoParquet,
    /// Parquet has no lines that could be added to or put together.
    #[error("parquet: can not be resumed or merged: write JSON lines or CSV")]
    NoParts,
    /// The writer of Parquet files failed.
    #[error("the answers can not be written as Parquet")]
    Parquet(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// The names of the CSV columns.
pub(super) fn csv_columns(profile: &Profile) -> Vec<String> {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    [
        names(&["number", "profile", "rules", "position"]),
        names(&columns::ANSWER),
        columns::pits(profile),
        names(&["nodes", "time_ms", "column", "error"]),
    ]
    .concat()
}

/// A line of CSV.
pub(super) fn csv_line(cells: &[String]) -> Vec<u8> {
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    writer.write_record(cells).expect("memory takes what is written");
    writer.into_inner().expect("memory takes what is written")
}

/// Writes the answers of a batch, or of a part of it.
pub struct Writer<W: Write + Send> {
    profile: Profile,
    head: Option<Head>,
    out: Out<W>,
    sum: crc32fast::Hasher,
    answers: u64,
}

enum Out<W: Write + Send> {
    Jsonl(W),
    Csv(W),
    #[cfg(feature = "parquet")]
    Parquet(Box<Groups<W>>),
}

impl<W: Write + Send> Writer<W> {
    /// Begins an output. `head`: of which part, if it is one.
    ///
    /// # Errors
    /// Where `out` can not be written, or the format can not be had.
    pub fn new(profile: &Profile, format: Format, head: Option<Head>, out: W) -> Result<Self, WriteError> {
        let begins = first_lines(profile, format, head.as_ref());
        let mut writer = Self::resumed(profile, format, head, out, crc32fast::Hasher::new(), 0)?;
        writer.write_bytes(&begins)?;
        Ok(writer)
    }

    /// Goes on with an output that has some answers.
    pub(super) fn resumed(
        profile: &Profile,
        format: Format,
        head: Option<Head>,
        out: W,
        sum: crc32fast::Hasher,
        answers: u64,
    ) -> Result<Self, WriteError> {
        let out = match format {
            Format::Jsonl => Out::Jsonl(out),
            Format::Csv => Out::Csv(out),
            Format::Parquet if head.is_some() || answers > 0 => return Err(WriteError::NoParts),
            #[cfg(feature = "parquet")]
            Format::Parquet => Out::Parquet(Box::new(Groups::new(profile, out)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(WriteError::NoParquet),
        };
        Ok(Self { profile: *profile, head, out, sum, answers })
    }

    /// Writes an answer. It may be kept back until [`flush`](Self::flush), or, in Parquet, until there are more.
    ///
    /// # Errors
    /// Where the output can not be written.
    pub fn write(&mut self, answer: &Answer) -> Result<(), WriteError> {
        self.answers += 1;
        let bytes = match &mut self.out {
            Out::Jsonl(_) => {
                let text = match &answer.found {
                    Ok(analysis) => serde_json::to_vec(analysis),
                    Err(bad) => serde_json::to_vec(bad),
                };
                let mut text = text.expect("an answer is plain data");
                text.push(b'\n');
                text
            }
            Out::Csv(_) => csv_line(&csv_cells(&self.profile, answer)),
            #[cfg(feature = "parquet")]
            Out::Parquet(groups) => return groups.add(answer),
        };
        self.write_bytes(&bytes)
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        match &mut self.out {
            Out::Jsonl(out) | Out::Csv(out) => {
                self.sum.update(bytes);
                Ok(out.write_all(bytes)?)
            }
            #[cfg(feature = "parquet")]
            Out::Parquet(_) => Ok(()),
        }
    }

    /// Hands on what has been kept back.
    ///
    /// # Errors
    /// Where the output can not be written.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        match &mut self.out {
            Out::Jsonl(out) | Out::Csv(out) => Ok(out.flush()?),
            #[cfg(feature = "parquet")]
            Out::Parquet(_) => Ok(()),
        }
    }

    /// Ends the output. `input`: how many lines of the whole input ask something, and its checksum; `None` where not all have been
    /// answered.
    ///
    /// # Errors
    /// Where the output can not be written.
    pub fn finish(mut self, input: Option<(u64, u32)>) -> Result<(), WriteError> {
        if let (Some(head), Some((questions, input))) = (&self.head, input) {
            let tail = Tail {
                part: head.part,
                of: head.of,
                answers: self.answers,
                questions,
                input: format!("{input:08x}"),
                sum: format!("{:08x}", self.sum.clone().finalize()),
            };
            let line = marker(self.format(), &tail);
            self.write_bytes(&line)?;
        }
        match self.out {
            Out::Jsonl(mut out) | Out::Csv(mut out) => Ok(out.flush()?),
            #[cfg(feature = "parquet")]
            Out::Parquet(groups) => groups.finish(),
        }
    }

    fn format(&self) -> Format {
        match &self.out {
            Out::Jsonl(_) => Format::Jsonl,
            Out::Csv(_) => Format::Csv,
            #[cfg(feature = "parquet")]
            Out::Parquet(_) => Format::Parquet,
        }
    }
}

/// A marker as a line of the format.
fn marker(format: Format, marker: &impl serde::Serialize) -> Vec<u8> {
    let text = serde_json::to_string(marker).expect("a marker is plain data");
    match format {
        Format::Csv => format!("{CSV_MARK}{text}\n").into_bytes(),
        Format::Jsonl | Format::Parquet => format!("{text}\n").into_bytes(),
    }
}

/// What an output begins with, before any answer.
pub(super) fn first_lines(profile: &Profile, format: Format, head: Option<&Head>) -> Vec<u8> {
    let mut lines = head.map(|head| marker(format, head)).unwrap_or_default();
    if format == Format::Csv {
        lines.extend(csv_line(&csv_columns(profile)));
    }
    lines
}

fn csv_cells(profile: &Profile, answer: &Answer) -> Vec<String> {
    let begin =
        [answer.line.to_string(), profile.to_string(), format!("{:08x}", profile.fingerprint())].to_vec();
    match &answer.found {
        Ok(analysis) => {
            let numbers =
                [analysis.nodes.to_string(), analysis.time_ms.to_string(), String::new(), String::new()];
            [begin, vec![analysis.position.to_string()], Cells::new(analysis).text(), numbers.to_vec()]
                .concat()
        }
        Err(BadLine { column, error, .. }) => {
            let empty = 1 + columns::ANSWER.len() + profile.row() + 2;
            [begin, vec![String::new(); empty], vec![column.to_string(), error.clone()]].concat()
        }
    }
}
