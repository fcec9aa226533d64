//! A whole tier as arrays, as `oju export` writes it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ::oju::build::bytes;
use ::oju::export::{self, Export, ExportError};
use ::oju::{Profile, machine};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::arguments::whole;
use crate::errors::{self, TableError, input, line};
use crate::waiting;

/// All positions of a tier with their numbers, read from its table. Row r is the position of rank r.
#[pyclass(module = "oju", frozen)]
pub(crate) struct Tier(Arc<Table>);

/// An open table, and on how many threads it is read.
struct Table {
    export: Export,
    pits: usize,
    threads: usize,
}

/// Some positions that follow one another in rank, and their numbers, from the view of the side to move.
#[pyclass(module = "oju", frozen, get_all)]
pub(crate) struct Rows {
    /// uint8 of shape (n, pits): the counts, the row of the side to move first.
    boards: Py<PyArray2<u8>>,
    /// int16: the value.
    value: Py<PyArray1<i16>>,
    /// uint16: sowings until the value is converted, NEVER where it never is.
    distance: Py<PyArray1<u16>>,
    /// int16: the low end of the forced interval, None where the table was built without.
    low: Option<Py<PyArray1<i16>>>,
    /// int16: the high end of the forced interval, None where the table was built without.
    high: Option<Py<PyArray1<i16>>>,
}

/// The parts of a tier, in order.
#[pyclass(module = "oju", frozen)]
pub(crate) struct Chunks {
    table: Arc<Table>,
    rows: u64,
    next: AtomicU64,
}

impl Tier {
    pub(crate) fn open(
        py: Python<'_>,
        profile: Profile,
        dir: &Path,
        seeds: u32,
        threads: usize,
    ) -> PyResult<Self> {
        let open = |stop: &_| {
            waiting::on_threads(threads, || Export::open(&profile, dir, seeds, stop, &|_, _, _| {}))
        };
        let export = waiting::interruptible(py, open)??.map_err(|error| match error {
            ExportError::Table(error) => errors::table(&error),
            error => TableError::new_err(line(&error)),
        })?;
        Ok(Self(Arc::new(Table { export, pits: 2 * profile.row(), threads })))
    }
}

impl Table {
    /// The rows of these ranks.
    fn read(&self, py: Python<'_>, ranks: Range<u64>) -> PyResult<Rows> {
        let count = (ranks.end - ranks.start) as usize;
        // The numbers are held twice while they become arrays.
        let needed = count as u64 * (self.pits as u64 + 14);
        if let Some(free) = machine::available_memory()
            && needed > free
        {
            let [needed, free] = [needed, free].map(bytes);
            return Err(input(format!(
                "{count} rows take {needed} of memory, {free} are free: chunks() takes less"
            )));
        }
        let read = |stop: &_| waiting::on_threads(self.threads, || self.export.read(ranks, stop));
        let rows = waiting::interruptible(py, read)??.map_err(|error| errors::table(&error))?;
        let export::Rows { pits, boards, values, distances, interval } = rows;
        let numbers =
            |numbers: Vec<i8>| PyArray1::from_vec(py, numbers.into_iter().map(i16::from).collect()).unbind();
        let (low, high) = interval
            .map(|ends| ends.map(numbers).into())
            .map_or((None, None), |(low, high)| (Some(low), Some(high)));
        Ok(Rows {
            boards: PyArray1::from_vec(py, boards).reshape([count, pits])?.unbind(),
            value: numbers(values),
            distance: PyArray1::from_vec(py, distances).unbind(),
            low,
            high,
        })
    }
}

#[pymethods]
impl Tier {
    /// Positions.
    fn __len__(&self) -> usize {
        self.0.export.rows() as usize
    }

    /// The rows of ranks start to stop, stop not included: to the end if not given.
    #[pyo3(signature = (start=None, stop=None))]
    fn read(
        &self,
        py: Python<'_>,
        start: Option<&Bound<'_, PyAny>>,
        stop: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Rows> {
        let rows = self.0.export.rows();
        let start = start.map_or(Ok(0), |start| whole("start", start, 0..=rows))?;
        let stop = stop.map_or(Ok(rows), |stop| whole("stop", stop, start..=rows))?;
        self.0.read(py, start..stop)
    }

    /// All rows in parts of so many, about a million if not given: one part at a time is in memory.
    #[pyo3(signature = (rows=None))]
    fn chunks(&self, rows: Option<&Bound<'_, PyAny>>) -> PyResult<Chunks> {
        let rows = rows.map_or(Ok(1 << 20), |rows| whole("rows", rows, 1..=u64::MAX))?;
        Ok(Chunks { table: Arc::clone(&self.0), rows, next: AtomicU64::new(0) })
    }
}

#[pymethods]
impl Chunks {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Rows>> {
        let all = self.table.export.rows();
        let end = |start: u64| start.saturating_add(self.rows).min(all);
        match self.next.fetch_update(Relaxed, Relaxed, |start| (start < all).then(|| end(start))) {
            Ok(start) => self.table.read(py, start..end(start)).map(Some),
            Err(_) => Ok(None),
        }
    }
}

#[pymethods]
impl Rows {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.value.bind(py).len()
    }
}
