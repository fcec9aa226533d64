//! Tables as other programs read them: a row a position, in the order of ranks.
//!
//! Row r is the position of rank r: lexicographic order of the counts, the side to move first, so row 0 has all seeds in the last
//! pit. The columns are the pits as the side to move sees them, its own `A`, `B`, … and then the other side's `a`, `b`, …;
//! `value`; `distance`; and `low` and `high` where the table holds forced intervals. Numbers are the true ones, not those
//! that are stored, so the smaller tables are needed too, a byte of memory for each of their positions. Rows are written
//! as they are made.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use crate::build::tiers_of;
use crate::edges::{Edges, Run};
use crate::engine;
use crate::index;
use crate::lower::{Lower, stored};
use crate::position::Side;
use crate::profile::Profile;
use crate::retrograde::{NEVER, Task, best_exits};
use crate::table::{Identity, Plane, TableDir, TableError, TableFile};
use crate::verify::TierProgress;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text: a line of names, then a line a row; a distance of "never" is empty.
    Csv,
    /// For `numpy.load`: one structured array, format version 1.0; a distance of "never" is 65535.
    Npy,
    /// Apache Parquet; a distance of "never" is null. Needs the cargo feature `parquet`.
    Parquet,
}

/// Why a table was not exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A table can not be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There is a file of that name.
    #[error("{}: is there already: another name or --force is needed", .0.display())]
    Exists(PathBuf),
    /// The rows can not be written.
    #[error("{what}: can not be written")]
    Write {
        /// Where to.
        what: String,
        /// The reason.
        source: io::Error,
    },
    /// Built without what writes this format.
    #[error(
        "parquet: this program was built without it: build it with `cargo build --release --features parquet`"
    )]
    NoParquet,
    /// The writer of Parquet files failed.
    #[error("{what}: can not be written")]
    Parquet {
        /// Where to.
        what: String,
        /// The reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl ExportError {
    /// Whether this only says that the work was stopped, as was asked.
    pub fn is_stopped(&self) -> bool {
        matches!(self, Self::Table(TableError::Stopped { .. }))
    }
}

/// Rows made by one job.
const RUN: u64 = 1 << 14;
/// Jobs whose rows wait to be written: some ten megabytes of text.
const JOBS: u64 = 16;

/// A table to be exported, and the numbers of the tables below it.
pub struct Export {
    profile: Profile,
    file: TableFile,
    edges: Box<dyn Edges>,
    lower: Lower,
}

impl Export {
    /// Opens the table of `seeds` seeds and reads those below it, on rayon's threads.
    ///
    /// # Errors
    /// Where one of them is missing or can not be read, or `stop` was raised.
    pub fn open(
        profile: &Profile,
        dir: &Path,
        seeds: u32,
        stop: &AtomicBool,
        progress: TierProgress<'_>,
    ) -> Result<Self, ExportError> {
        let dir = TableDir::open(dir)?;
        let open = |seeds| dir.table(&Identity::of(profile, seeds));
        let file = open(seeds)?;
        let mut lower = Lower::new(file.has(Plane::Low));
        for below in tiers_of(profile, seeds).filter(|&below| below < seeds) {
            while lower.next() < below {
                lower.push_empty();
            }
            let (file, edges) = (open(below)?, engine::edges(profile, below));
            progress(below, 0, file.positions());
            let read = |plane| lower.read(&file, plane, &*edges, profile.unit(), stop);
            let values = read(Plane::Values)?;
            let interval =
                if lower.intervals() { Some([read(Plane::Low)?, read(Plane::High)?]) } else { None };
            lower.push(values, interval);
        }
        while lower.next() < seeds {
            lower.push_empty();
        }
        Ok(Self { profile: *profile, file, edges: engine::edges(profile, seeds), lower })
    }

    /// Rows.
    pub fn rows(&self) -> u64 {
        self.file.positions()
    }

    /// The names of the columns.
    pub fn columns(&self) -> Vec<String> {
        let pits = [Side::South, Side::North]
            .into_iter()
            .flat_map(|side| (0..self.profile.row()).map(move |pit| side.letter(pit).to_string()));
        let numbers = ["value", "distance", "low", "high"].map(String::from);
        pits.chain(numbers.into_iter().take(if self.lower.intervals() { 4 } else { 2 })).collect()
    }

    /// Writes all rows. `what`: where to, for errors.
    ///
    /// # Errors
    /// Where the table can not be read or the rows can not be written, or `stop` was raised.
    pub fn write(
        &self,
        format: Format,
        out: &mut (dyn Write + Send),
        what: &str,
        stop: &AtomicBool,
        progress: TierProgress<'_>,
    ) -> Result<(), ExportError> {
        let failed = |source| ExportError::Write { what: what.to_string(), source };
        let encode: fn(&Rows, &mut Vec<u8>) = match format {
            Format::Csv => {
                out.write_all((self.columns().join(",") + "\n").as_bytes()).map_err(failed)?;
                Rows::csv
            }
            Format::Npy => {
                out.write_all(&self.npy_header()).map_err(failed)?;
                Rows::npy
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => return self.parquet(out, what, stop, progress),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(ExportError::NoParquet),
        };
        for ranks in slabs(self.rows(), JOBS * RUN) {
            let end = ranks.end;
            let parts = self.each(ranks, stop, |rows| {
                let mut bytes = Vec::new();
                encode(rows, &mut bytes);
                bytes
            })?;
            for bytes in parts {
                out.write_all(&bytes).map_err(failed)?;
            }
            progress(self.file.identity().seeds.into(), end, self.rows());
        }
        out.flush().map_err(failed)
    }

    /// Writes all rows to a file, which appears under its name when it is complete. What is not a regular file, such as a device
    /// or a pipe, is written as it is.
    ///
    /// # Errors
    /// Where there is such a file and `force` is not set, and as [`Self::write`].
    pub fn write_file(
        &self,
        format: Format,
        path: &Path,
        force: bool,
        stop: &AtomicBool,
        progress: TierProgress<'_>,
    ) -> Result<(), ExportError> {
        let what = path.display().to_string();
        let failed = |source| ExportError::Write { what: what.clone(), source };
        let refuse = || match fs::symlink_metadata(path) {
            Ok(_) if !force => Err(ExportError::Exists(path.to_path_buf())),
            _ => Ok(()),
        };
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(failed(io::ErrorKind::IsADirectory.into())),
            Ok(metadata) if !metadata.is_file() => {
                let mut out = BufWriter::new(File::options().write(true).open(path).map_err(failed)?);
                self.write(format, &mut out, &what, stop, progress)?;
                // What is still in the buffer would else be lost without a word.
                return out.flush().map_err(failed);
            }
            _ => refuse()?,
        }
        // Where a link leads, not the link, is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let Some(name) = target.file_name() else {
            return Err(failed(io::ErrorKind::InvalidFilename.into()));
        };
        let unfinished =
            target.with_file_name(format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id()));
        let done = (|| {
            let file = File::options().write(true).create_new(true).open(&unfinished).map_err(failed)?;
            let mut out = BufWriter::new(file);
            self.write(format, &mut out, &what, stop, progress)?;
            let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
            file.sync_all().map_err(failed)?;
            // It may have come meanwhile.
            refuse()?;
            fs::rename(&unfinished, &target).map_err(failed)
        })();
        if done.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        done
    }

    /// The rows of a range in jobs, in order, each turned into something else.
    fn each<T: Send>(
        &self,
        ranks: Range<u64>,
        stop: &AtomicBool,
        turn: impl Fn(&Rows) -> T + Sync,
    ) -> Result<Vec<T>, TableError> {
        let jobs: Vec<Range<u64>> = slabs(ranks.end - ranks.start, RUN)
            .map(|job| ranks.start + job.start..ranks.start + job.end)
            .collect();
        jobs.into_par_iter()
            .map(|ranks| {
                if stop.load(Relaxed) {
                    return Err(TableError::Stopped { path: self.file.path().to_path_buf() });
                }
                Ok(turn(&self.job(ranks)?))
            })
            .collect()
    }

    /// The rows of a range of ranks, made on rayon's threads.
    ///
    /// # Errors
    /// Where the table can not be read, or `stop` was raised.
    ///
    /// # Panics
    /// Where the range reaches beyond [`rows`](Self::rows).
    pub fn read(&self, ranks: Range<u64>, stop: &AtomicBool) -> Result<Rows, TableError> {
        assert!(ranks.end <= self.rows(), "ranks {ranks:?} of a table of {} rows", self.rows());
        let (pits, rows) = (2 * self.profile.row(), ranks.end.saturating_sub(ranks.start) as usize);
        let end = || Vec::with_capacity(rows);
        let mut all = Rows {
            pits,
            boards: Vec::with_capacity(pits * rows),
            values: end(),
            distances: Vec::with_capacity(rows),
            interval: self.lower.intervals().then(|| [end(), end()]),
        };
        // A part of the jobs at a time: else all rows would be held twice.
        for slab in slabs(rows as u64, JOBS * RUN) {
            for rows in self.each(ranks.start + slab.start..ranks.start + slab.end, stop, Rows::clone)? {
                all.boards.extend(rows.boards);
                all.values.extend(rows.values);
                all.distances.extend(rows.distances);
                for (all, end) in all.interval.iter_mut().flatten().zip(rows.interval.into_iter().flatten()) {
                    all.extend(end);
                }
            }
        }
        Ok(all)
    }

    /// The true numbers of a range of ranks.
    fn job(&self, ranks: Range<u64>) -> Result<Rows, TableError> {
        let (mut run, mut exits) = (Run::default(), Vec::new());
        self.edges.forward(ranks.clone(), false, &mut run);
        let mut numbers = |task, plane| {
            self.lower.with(task, |below| {
                let [mine, others] =
                    if plane == Plane::High { [below.high, below.low] } else { [below.low, below.high] };
                best_exits(&run, mine, others, &mut exits);
            });
            let stored = stored(&self.file, plane, ranks.clone())?;
            Ok::<_, TableError>(
                stored.iter().zip(&exits).map(|(&stored, &exit)| (stored as i8).max(exit)).collect(),
            )
        };
        let values = numbers(Task::Values, Plane::Values)?;
        let interval = if self.lower.intervals() {
            Some([numbers(Task::Forced, Plane::Low)?, numbers(Task::Forced, Plane::High)?])
        } else {
            None
        };
        let distances = stored(&self.file, Plane::Distances, ranks.clone())?;
        let distances = distances.into_iter().map(|distance| distance as u16).collect();
        let mut counts = vec![0; 2 * self.profile.row()];
        let pits = counts.len();
        let mut boards = Vec::with_capacity(pits * run.degrees.len());
        index::unrank_counts(self.file.identity().seeds.into(), ranks.start, &mut counts);
        for _ in ranks {
            boards.extend_from_slice(&counts);
            index::next_counts(&mut counts);
        }
        Ok(Rows { pits, boards, values, distances, interval })
    }

    fn npy_header(&self) -> Vec<u8> {
        let columns: Vec<String> = self
            .columns()
            .iter()
            .map(|name| {
                let kind = match name.as_str() {
                    "value" | "low" | "high" => "|i1",
                    "distance" => "<u2",
                    _ => "|u1",
                };
                format!("('{name}', '{kind}')")
            })
            .collect();
        let mut text = format!(
            "{{'descr': [{}], 'fortran_order': False, 'shape': ({},), }}",
            columns.join(", "),
            self.rows()
        );
        // Magic, version and length take ten bytes; the rows begin at a multiple of 64.
        let padding = 63 - (10 + text.len()) % 64;
        text.extend(std::iter::repeat_n(' ', padding));
        text.push('\n');
        let length = u16::try_from(text.len()).expect("28 columns take less than 1 KB");
        [b"\x93NUMPY\x01\x00", &length.to_le_bytes()[..], text.as_bytes()].concat()
    }

    #[cfg(feature = "parquet")]
    fn parquet(
        &self,
        out: &mut (dyn Write + Send),
        what: &str,
        stop: &AtomicBool,
        progress: TierProgress<'_>,
    ) -> Result<(), ExportError> {
        use parquet::data_type::Int32Type;
        use parquet::errors::ParquetError;
        use parquet::file::writer::SerializedFileWriter;

        /// Rows of a row group.
        const GROUP: u64 = 1 << 20;
        let failed = |error: ParquetError| {
            let what = what.to_string();
            match error {
                ParquetError::External(source) => match source.downcast() {
                    Ok(source) => ExportError::Write { what, source: *source },
                    Err(source) => ExportError::Parquet { what, source },
                },
                error => ExportError::Parquet { what, source: error.into() },
            }
        };
        let columns = self.columns();
        let fields = columns.iter().map(|name| match name.as_str() {
            "value" | "low" | "high" => format!("required int32 {name} (integer(8,true));"),
            "distance" => format!("optional int32 {name} (integer(16,false));"),
            _ => format!("required int32 {name} (integer(8,false));"),
        });
        let schema = format!("message tier {{ {} }}", fields.collect::<String>());
        let schema = parquet::schema::parser::parse_message_type(&schema).map_err(failed)?;
        let mut writer = SerializedFileWriter::new(out, schema.into(), Default::default()).map_err(failed)?;
        for ranks in slabs(self.rows(), GROUP) {
            let end = ranks.end;
            let parts = self.each(ranks, stop, Rows::clone)?;
            let mut group = writer.next_row_group().map_err(failed)?;
            for (at, name) in columns.iter().enumerate() {
                let Some(mut column) = group.next_column().map_err(failed)? else { break };
                let (mut numbers, mut there) = (Vec::new(), Vec::new());
                for rows in &parts {
                    rows.column(name, at, &mut numbers, &mut there);
                }
                let levels = (name == "distance").then_some(&there[..]);
                column.typed::<Int32Type>().write_batch(&numbers, levels, None).map_err(failed)?;
                column.close().map_err(failed)?;
            }
            group.close().map_err(failed)?;
            progress(self.file.identity().seeds.into(), end, self.rows());
        }
        writer.close().map_err(failed)?;
        Ok(())
    }
}

/// Parts of `0..length`, in order.
fn slabs(length: u64, size: u64) -> impl Iterator<Item = Range<u64>> {
    (0..length.div_ceil(size)).map(move |slab| slab * size..length.min((slab + 1) * size))
}

/// Some positions that follow one another in rank, and their numbers, all as the side to move sees them.
#[derive(Clone)]
pub struct Rows {
    /// Pits in both rows.
    pub pits: usize,
    /// The counts of all pits, position after position.
    pub boards: Vec<u8>,
    /// The value of each position.
    pub values: Vec<i8>,
    /// Sowings until the value is converted, or [`NEVER`].
    pub distances: Vec<u16>,
    /// Low and high ends of the forced intervals, where the table holds them.
    pub interval: Option<[Vec<i8>; 2]>,
}

impl Rows {
    fn csv(&self, out: &mut Vec<u8>) {
        for (row, counts) in self.boards.chunks(self.pits).enumerate() {
            for &count in counts {
                push(out, count.into());
                out.push(b',');
            }
            push(out, self.values[row].into());
            out.push(b',');
            if self.distances[row] != NEVER {
                push(out, self.distances[row].into());
            }
            for end in self.interval.iter().flatten() {
                out.push(b',');
                push(out, end[row].into());
            }
            out.push(b'\n');
        }
    }

    fn npy(&self, out: &mut Vec<u8>) {
        for (row, counts) in self.boards.chunks(self.pits).enumerate() {
            out.extend_from_slice(counts);
            out.extend(self.values[row].to_le_bytes());
            out.extend(self.distances[row].to_le_bytes());
            for end in self.interval.iter().flatten() {
                out.extend(end[row].to_le_bytes());
            }
        }
    }

    /// Appends a column: the numbers there are, and of each row whether it has one.
    #[cfg(feature = "parquet")]
    fn column(&self, name: &str, at: usize, numbers: &mut Vec<i32>, there: &mut Vec<i16>) {
        let end = |end: usize| {
            self.interval.iter().flat_map(move |ends| &ends[end]).map(|&number| i32::from(number))
        };
        match name {
            "value" => numbers.extend(self.values.iter().map(|&value| i32::from(value))),
            "distance" => {
                there.extend(self.distances.iter().map(|&distance| i16::from(distance != NEVER)));
                let distances = self.distances.iter().filter(|&&distance| distance != NEVER);
                numbers.extend(distances.map(|&distance| i32::from(distance)));
            }
            "low" => numbers.extend(end(0)),
            "high" => numbers.extend(end(1)),
            _ => numbers.extend(self.boards.chunks(self.pits).map(|counts| i32::from(counts[at]))),
        }
    }
}

/// Appends a number in digits.
fn push(out: &mut Vec<u8>, number: i32) {
    // Most numbers have one digit, and formatting costs more than all the rest.
    match u8::try_from(number) {
        Ok(digit @ 0..=9) => out.push(b'0' + digit),
        _ => write!(out, "{number}").expect("memory takes what is written"),
    }
}
