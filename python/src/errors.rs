//! The exceptions, each with the library's one line.

use std::error::Error;

use ::oju::EngineError;
use pyo3::exceptions::{PyException, PyOSError, PyValueError};
use pyo3::{PyErr, create_exception};

create_exception!(
    oju,
    InputError,
    PyValueError,
    "What was given can not be: what, where, and what would be right."
);
create_exception!(
    oju,
    TableError,
    PyException,
    "A table is missing, damaged, of other rules, or can not be read or written."
);
create_exception!(
    oju,
    BuildError,
    PyException,
    "Tables that memory or disk have no room for, or that can not be built."
);

/// Bad input.
pub(crate) fn input(text: impl ToString) -> PyErr {
    InputError::new_err(text.to_string())
}

/// An error and its reasons on one line.
pub(crate) fn line(error: &dyn Error) -> String {
    let reasons = std::iter::successors(error.source(), |&reason| reason.source());
    reasons.fold(error.to_string(), |line, reason| format!("{line}: {reason}"))
}

/// An error of an engine.
pub(crate) fn engine(error: &EngineError) -> PyErr {
    match error {
        EngineError::Table(error) => table(error),
        error => PyOSError::new_err(line(error)),
    }
}

/// An error of a table.
pub(crate) fn table(error: &::oju::TableError) -> PyErr {
    TableError::new_err(line(error))
}
