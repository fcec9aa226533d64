//! The answers of a batch as Parquet: typed columns, a null where CSV has an empty cell. A pit has two columns, the proven bounds
//! of its move.

use std::io::{self, Write};

use parquet::basic::Type as Physical;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};

use super::output::WriteError;
use super::run::Answer;
use crate::columns::{self, Cells};
use crate::profile::Profile;

/// Rows of a row group: some tens of megabytes of answers in memory.
const GROUP: usize = 1 << 14;

impl From<ParquetError> for WriteError {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(source) => match source.downcast::<io::Error>() {
                Ok(source) => Self::Io(*source),
                Err(source) => Self::Parquet(source),
            },
            error => Self::Parquet(error.into()),
        }
    }
}

/// A cell; each column has one kind of them, or nothing.
enum Cell {
    Nothing,
    Number(i64),
    Real(f64),
    Flag(bool),
    Text(String),
}

fn text(text: impl ToString) -> Cell {
    Cell::Text(text.to_string())
}

fn number(number: impl Into<i64>) -> Cell {
    Cell::Number(number.into())
}

/// Collects answers, and writes a row group at a time.
pub(super) struct Groups<W: Write + Send> {
    profile: Profile,
    writer: SerializedFileWriter<W>,
    waiting: Vec<Vec<Cell>>,
}

impl<W: Write + Send> Groups<W> {
    pub(super) fn new(profile: &Profile, out: W) -> Result<Self, WriteError> {
        let pits = columns::pits(profile);
        let pits =
            pits.iter().flat_map(|pit| ["lower", "upper"].map(|end| format!("optional int32 {pit}_{end};")));
        let schema = format!(
            "message batch {{ required int64 number; required binary profile (string); \
             required binary rules (string); optional binary position (string); optional int32 value; \
             optional int32 lower; optional int32 upper; optional boolean standoff; \
             optional binary best (string); optional binary line (string); {} optional int64 nodes; \
             optional double time_ms; optional int32 column; optional binary error (string); }}",
            pits.collect::<String>()
        );
        let schema = parquet::schema::parser::parse_message_type(&schema)?;
        let writer = SerializedFileWriter::new(out, schema.into(), Default::default())?;
        Ok(Self { profile: *profile, writer, waiting: Vec::new() })
    }

    pub(super) fn add(&mut self, answer: &Answer) -> Result<(), WriteError> {
        self.waiting.push(cells(&self.profile, answer));
        if self.waiting.len() == GROUP { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), WriteError> {
        let rows = std::mem::take(&mut self.waiting);
        let mut group = self.writer.next_row_group()?;
        for at in 0..rows.first().map_or(0, Vec::len) {
            column(&mut group, rows.iter().map(|row| &row[at]))?;
        }
        group.close()?;
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), WriteError> {
        if !self.waiting.is_empty() {
            self.write()?;
        }
        self.writer.close()?;
        Ok(())
    }
}

fn cells(profile: &Profile, answer: &Answer) -> Vec<Cell> {
    let mut row =
        vec![number(answer.line as i64), text(profile), text(format_args!("{:08x}", profile.fingerprint()))];
    match &answer.found {
        Ok(analysis) => {
            let cells = Cells::new(analysis);
            row.push(text(analysis.position));
            row.push(cells.value().map_or(Cell::Nothing, number));
            row.extend(cells.bounds.map(number));
            row.push(cells.standoff.map_or(Cell::Nothing, Cell::Flag));
            row.push(cells.best.map_or(Cell::Nothing, text));
            row.push(text(cells.line));
            for pit in cells.pits {
                row.extend(pit.map_or([Cell::Nothing, Cell::Nothing], |bounds| bounds.map(number)));
            }
            row.extend([number(analysis.nodes as i64), Cell::Real(analysis.time_ms)]);
            row.extend([Cell::Nothing, Cell::Nothing]);
        }
        Err(bad) => {
            let empty = 1 + columns::ANSWER.len() + 2 * profile.row() + 2;
            row.extend((0..empty).map(|_| Cell::Nothing));
            row.extend([number(bad.column as i64), text(&bad.error)]);
        }
    }
    row
}

/// Writes the next column of a row group.
fn column<'a, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    cells: impl Iterator<Item = &'a Cell> + Clone,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    let there: Vec<i16> = cells.clone().map(|cell| i16::from(!matches!(cell, Cell::Nothing))).collect();
    let numbers =
        || cells.clone().filter_map(|cell| if let Cell::Number(n) = cell { Some(*n) } else { None });
    let descriptor = match column.untyped() {
        parquet::column::writer::ColumnWriter::Int32ColumnWriter(_) => Physical::INT32,
        parquet::column::writer::ColumnWriter::Int64ColumnWriter(_) => Physical::INT64,
        parquet::column::writer::ColumnWriter::BoolColumnWriter(_) => Physical::BOOLEAN,
        parquet::column::writer::ColumnWriter::DoubleColumnWriter(_) => Physical::DOUBLE,
        _ => Physical::BYTE_ARRAY,
    };
    // A required column pays no heed to what is there: all is.
    let levels = Some(&there[..]);
    match descriptor {
        Physical::INT32 => {
            let values: Vec<i32> = numbers().map(|n| n as i32).collect();
            column.typed::<Int32Type>().write_batch(&values, levels, None)?;
        }
        Physical::INT64 => {
            let values: Vec<i64> = numbers().collect();
            column.typed::<Int64Type>().write_batch(&values, levels, None)?;
        }
        Physical::BOOLEAN => {
            let flags = cells.filter_map(|cell| if let Cell::Flag(flag) = cell { Some(*flag) } else { None });
            column.typed::<BoolType>().write_batch(&flags.collect::<Vec<_>>(), levels, None)?;
        }
        Physical::DOUBLE => {
            let reals = cells.filter_map(|cell| if let Cell::Real(real) = cell { Some(*real) } else { None });
            column.typed::<DoubleType>().write_batch(&reals.collect::<Vec<_>>(), levels, None)?;
        }
        _ => {
            let texts = cells.filter_map(|cell| {
                if let Cell::Text(text) = cell { Some(ByteArray::from(text.as_str())) } else { None }
            });
            column.typed::<ByteArrayType>().write_batch(&texts.collect::<Vec<_>>(), levels, None)?;
        }
    }
    column.close()
}
