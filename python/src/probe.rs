//! What tables say of positions, one or many.

use ::oju::engine::Entry;
use numpy::PyArray1;
use pyo3::prelude::*;

/// A number that tables do not tell: far from all that can be.
pub(crate) const UNKNOWN: i16 = i16::MIN;

/// What tables say of a position, from the view of its side to move.
#[pyclass(module = "oju", frozen, eq, get_all)]
#[derive(PartialEq)]
pub(crate) struct Probe {
    /// Seeds it will win minus seeds it will lose, stores excluded.
    value: i32,
    /// Sowings until the value is converted, None where it never is.
    distance: Option<u16>,
    /// Low and high end of the forced interval, None where the tables were built without.
    forced: Option<(i32, i32)>,
}

impl From<Entry> for Probe {
    fn from(Entry { value, distance, forced }: Entry) -> Self {
        Self { value, distance, forced: forced.map(Into::into) }
    }
}

#[pymethods]
impl Probe {
    fn __repr__(&self) -> String {
        let Self { value, distance, forced } = self;
        let distance = distance.map_or_else(|| "None".to_string(), |distance| distance.to_string());
        let forced = forced.map_or_else(|| "None".to_string(), |forced| format!("{forced:?}"));
        format!("Probe(value={value}, distance={distance}, forced={forced})")
    }
}

/// What tables say of many positions: arrays of one number a position, from the view of its side to move.
#[pyclass(module = "oju", frozen, get_all)]
pub(crate) struct Probes {
    /// bool: whether there is a table of the position.
    known: Py<PyArray1<bool>>,
    /// int16: the value, UNKNOWN where there is no table.
    value: Py<PyArray1<i16>>,
    /// uint16: sowings until the value is converted, NEVER where it never is or there is no table.
    distance: Py<PyArray1<u16>>,
    /// int16: the low end of the forced interval, UNKNOWN where there is no table of it.
    low: Py<PyArray1<i16>>,
    /// int16: the high end of the forced interval, UNKNOWN where there is no table of it.
    high: Py<PyArray1<i16>>,
}

impl Probes {
    pub(crate) fn new(py: Python<'_>, entries: &[Option<Entry>]) -> Self {
        fn column<T: numpy::Element>(
            py: Python<'_>,
            entries: &[Option<Entry>],
            of: impl Fn(Option<&Entry>) -> T,
        ) -> Py<PyArray1<T>> {
            PyArray1::from_vec(py, entries.iter().map(|entry| of(entry.as_ref())).collect()).unbind()
        }
        // 96 seeds at most.
        let number = |number: Option<i32>| number.map_or(UNKNOWN, |number| number as i16);
        let end = |entry: Option<&Entry>, end: usize| number(entry.and_then(|e| e.forced).map(|f| f[end]));
        Self {
            known: column(py, entries, |entry| entry.is_some()),
            value: column(py, entries, |entry| number(entry.map(|e| e.value))),
            distance: column(py, entries, |entry| entry.and_then(|e| e.distance).unwrap_or(::oju::NEVER)),
            low: column(py, entries, |entry| end(entry, 0)),
            high: column(py, entries, |entry| end(entry, 1)),
        }
    }
}

#[pymethods]
impl Probes {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.known.bind(py).len()
    }
}
