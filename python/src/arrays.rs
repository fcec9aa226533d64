//! Arrays of whole numbers as callers give them: any integer type, any layout, also lists.

use ::oju::board::{MAX_PITS, MAX_SEEDS};
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;

use crate::errors::input;

/// The array that numpy makes of what was given, if it is one of whole numbers with so many dimensions. `like`: what is expected.
fn whole_numbers<'py>(
    name: &str,
    given: &Bound<'py, PyAny>,
    dimensions: usize,
    like: &str,
) -> PyResult<(Bound<'py, PyAny>, Vec<usize>)> {
    let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let kind = array.getattr("dtype")?;
    if shape.len() != dimensions || !matches!(kind.getattr("kind")?.extract()?, 'i' | 'u') {
        let shape = array.getattr("shape")?;
        return Err(input(format!("{name}: {like} is expected, not {kind} of shape {shape}")));
    }
    Ok((array, shape))
}

/// All numbers of an array as `kind`, in the order of rows, if none is negative or larger than `most`.
fn numbers<T: numpy::Element + Copy>(
    name: &str,
    array: &Bound<'_, PyAny>,
    kind: &str,
    most: u64,
) -> PyResult<Vec<T>> {
    if array.getattr("size")?.is_truthy()? {
        for extreme in ["min", "max"] {
            let number = array.call_method0(extreme)?;
            if number.lt(0)? || number.gt(most)? {
                return Err(input(format!("{name}: {number}: 0 to {most} are possible")));
            }
        }
    }
    let array = array.call_method1("astype", (kind,))?;
    let array = array.cast::<PyArrayDyn<T>>()?.readonly();
    Ok(array.as_array().iter().copied().collect())
}

/// Boards: the counts of all rows, and of how many pits each is. `pits`: how many there must be.
pub(crate) fn boards(given: &Bound<'_, PyAny>, pits: Option<usize>) -> PyResult<(Vec<u8>, usize)> {
    let shape = pits.map_or_else(|| "(n, pits)".to_string(), |pits| format!("(n, {pits})"));
    let like = format!("an array of whole numbers of shape {shape}");
    let (array, shape) = whole_numbers("boards", given, 2, &like)?;
    let found = shape[1];
    if pits.is_some_and(|pits| pits != found) || !(1..=MAX_PITS).contains(&found) {
        return Err(input(format!("boards: {like} is expected, not one of {found} pits")));
    }
    Ok((numbers("boards", &array, "uint8", MAX_SEEDS.into())?, found))
}

/// Ranks below `size`.
pub(crate) fn ranks(given: &Bound<'_, PyAny>, size: u64) -> PyResult<Vec<u64>> {
    let (array, _) = whole_numbers("ranks", given, 1, "an array of whole numbers of shape (n,)")?;
    numbers("ranks", &array, "uint64", size - 1)
}
