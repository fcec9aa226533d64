//! The parts of a batch put together: the same bytes as if it had been answered at once.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::marker::{CSV_MARK, Head, Tail};
use super::output::Format;
use super::resume::tail;

/// Why parts can not be put together. None of it is written then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// A part can not be read.
    #[error("{}: can not be read", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Something else.
    #[error("{}: not a part of a batch: `oju batch --shard` makes them", .0.display())]
    NoPart(PathBuf),
    /// A part was cut short.
    #[error("{}: part {part} of {of} is not complete: the same `oju batch` with --resume goes on with it", .path.display())]
    Unfinished {
        /// Which.
        path: PathBuf,
        /// Its number, from 1.
        part: u32,
        /// How many parts there are.
        of: u32,
    },
    /// A part is not as it was written.
    #[error("{}: damaged: its last line says {expected}, and it has {found}", .path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What the last line says.
        expected: String,
        /// What was found.
        found: String,
    },
    /// Parts of two batches.
    #[error("{} is of {other}, and {} of {first}: parts of one batch are needed", .path.display(), .first_path.display())]
    Mixed {
        /// A part.
        path: PathBuf,
        /// What it is of.
        other: String,
        /// The first part.
        first_path: PathBuf,
        /// What that is of.
        first: String,
    },
    /// A part is there more than once.
    #[error("{} and {} are both part {part} of {of}", .paths[0].display(), .paths[1].display())]
    Twice {
        /// The two.
        paths: [PathBuf; 2],
        /// Their number, from 1.
        part: u32,
        /// How many parts there are.
        of: u32,
    },
    /// Parts are not there.
    #[error("of {of} parts {missing} {verb} missing", verb = if missing.contains(',') { "are" } else { "is" })]
    Missing {
        /// Their numbers, from 1.
        missing: String,
        /// How many parts there are.
        of: u32,
    },
    /// The answers can not be written.
    #[error("the answers can not be written")]
    Write(#[source] io::Error),
}

/// A part that has been looked through and is complete.
struct Part {
    path: PathBuf,
    format: Format,
    tail: Tail,
}

/// All parts of a batch.
pub struct Parts {
    /// In order, the first part first.
    parts: Vec<Part>,
}

impl Parts {
    /// Looks through parts, given in any order.
    ///
    /// # Errors
    /// Where they are not all parts of one batch, each once, complete and undamaged.
    pub fn open(paths: &[PathBuf]) -> Result<Self, MergeError> {
        let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
        let mut first: Option<(PathBuf, Head, Format)> = None;
        for path in paths {
            let (head, format) = begin(path)?;
            match &first {
                Some((first_path, first, as_)) if !first.matches(&head) || *as_ != format => {
                    return Err(MergeError::Mixed {
                        path: path.clone(),
                        other: described(&head, format),
                        first_path: first_path.clone(),
                        first: described(first, *as_),
                    });
                }
                Some(_) => {}
                None => first = Some((path.clone(), head.clone(), format)),
            }
            if let Some(there) = parts.get(&head.part) {
                let paths = [there.path.clone(), path.clone()];
                return Err(MergeError::Twice { paths, part: head.part, of: head.of });
            }
            parts.insert(head.part, look_through(path, head, format)?);
        }
        let of = first.map_or(0, |(_, head, _)| head.of);
        let missing: Vec<u32> = (1..=of).filter(|part| !parts.contains_key(part)).collect();
        if !missing.is_empty() {
            // There could be any number of them.
            let shown: Vec<String> = missing.iter().take(10).map(u32::to_string).collect();
            let more = if missing.len() > 10 { ", …" } else { "" };
            return Err(MergeError::Missing { missing: shown.join(", ") + more, of });
        }
        let parts: Vec<Part> = parts.into_values().collect();
        for part in &parts {
            let (ours, firsts) = (&part.tail, &parts[0].tail);
            if (ours.questions, &ours.input) != (firsts.questions, &firsts.input) {
                let input =
                    |tail: &Tail| format!("an input of {} lines, checksum {}", tail.questions, tail.input);
                return Err(MergeError::Mixed {
                    path: part.path.clone(),
                    other: input(ours),
                    first_path: parts[0].path.clone(),
                    first: input(firsts),
                });
            }
        }
        Ok(Self { parts })
    }

    /// Answers in all of them.
    pub fn answers(&self) -> u64 {
        self.parts.iter().map(|part| part.tail.answers).sum()
    }

    /// Writes all answers, in the order of the lines they answer.
    ///
    /// # Errors
    /// Where a part can not be read any more or `out` can not be written.
    pub fn write(&self, out: &mut dyn Write) -> Result<(), MergeError> {
        let mut readers = Vec::new();
        let mut line = Vec::new();
        for part in &self.parts {
            let mut reader = Reader::open(&part.path)?;
            reader.next(&mut line)?;
            if part.format == Format::Csv {
                reader.next(&mut line)?;
                if readers.is_empty() {
                    out.write_all(&line).map_err(MergeError::Write)?;
                }
            }
            readers.push(reader);
        }
        for answer in 0..self.answers() {
            let part = (answer % readers.len() as u64) as usize;
            readers[part].next(&mut line)?;
            out.write_all(&line).map_err(MergeError::Write)?;
        }
        out.flush().map_err(MergeError::Write)
    }
}

/// What a part is of, for errors.
fn described(head: &Head, format: Format) -> String {
    let Head { of, profile, rules, forced, .. } = head;
    let format = if format == Format::Csv { "CSV" } else { "JSON lines" };
    let forced = if *forced { " with forced intervals" } else { "" };
    format!("{profile}, rules {rules}, {of} parts, {format}{forced}")
}

/// Lines of a part.
struct Reader<'a> {
    path: &'a Path,
    file: BufReader<File>,
}

impl<'a> Reader<'a> {
    fn open(path: &'a Path) -> Result<Self, MergeError> {
        let file =
            File::open(path).map_err(|source| MergeError::Read { path: path.to_path_buf(), source })?;
        Ok(Self { path, file: BufReader::with_capacity(1 << 16, file) })
    }

    /// Reads the next line, its end included; nothing at the end.
    fn next(&mut self, line: &mut Vec<u8>) -> Result<(), MergeError> {
        line.clear();
        let read = self.file.read_until(b'\n', line);
        read.map(|_| ()).map_err(|source| MergeError::Read { path: self.path.to_path_buf(), source })
    }
}

/// The first line of a part.
fn begin(path: &Path) -> Result<(Head, Format), MergeError> {
    let no_part = || MergeError::NoPart(path.to_path_buf());
    let read = |source| MergeError::Read { path: path.to_path_buf(), source };
    let mut line = Vec::new();
    let mut reader = Reader::open(path)?;
    // Enough for any first line; other files may be anything.
    io::Read::take(&mut reader.file, 1 << 12).read_until(b'\n', &mut line).map_err(read)?;
    let text = std::str::from_utf8(&line).map_err(|_| no_part())?;
    let (json, format) = match text.strip_prefix(CSV_MARK) {
        Some(json) => (json, Format::Csv),
        None => (text, Format::Jsonl),
    };
    let head: Head = serde_json::from_str(json).map_err(|_| no_part())?;
    if head.part == 0 || head.part > head.of { Err(no_part()) } else { Ok((head, format)) }
}

/// Reads a part to its end.
fn look_through(path: &Path, head: Head, format: Format) -> Result<Part, MergeError> {
    let mut reader = Reader::open(path)?;
    let (mut line, mut last) = (Vec::new(), Vec::new());
    let mut sum = crc32fast::Hasher::new();
    let mut lines = 0u64;
    loop {
        reader.next(&mut line)?;
        if line.is_empty() {
            break;
        }
        sum.update(&last);
        std::mem::swap(&mut line, &mut last);
        lines += 1;
    }
    let told = std::str::from_utf8(&last).ok().filter(|last| last.ends_with('\n'));
    let told = told.and_then(|last| tail(last, format));
    let Some(tail) = told.filter(|tail| (tail.part, tail.of) == (head.part, head.of)) else {
        return Err(MergeError::Unfinished { path: path.to_path_buf(), part: head.part, of: head.of });
    };
    let markers = if format == Format::Csv { 3 } else { 2 };
    let (answers, sum) = (lines - lines.min(markers), format!("{:08x}", sum.finalize()));
    if (answers, &sum) != (tail.answers, &tail.sum) || answers != tail.share() {
        let expected = format!("{} of {} answers, checksum {}", tail.answers, tail.questions, tail.sum);
        let found = format!("{answers}, checksum {sum}");
        return Err(MergeError::Damaged { path: path.to_path_buf(), expected, found });
    }
    Ok(Part { path: path.to_path_buf(), format, tail })
}
