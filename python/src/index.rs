//! Rank and unrank of many boards at once.

use ::oju::board::{MAX_PITS, MAX_SEEDS};
use ::oju::index;
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::arguments::whole;
use crate::arrays;
use crate::errors::input;

/// The number of positions with so many seeds in so many pits, both rows together: 12 if not given.
#[pyfunction]
#[pyo3(signature = (seeds, pits=None))]
pub(crate) fn tier_size(seeds: &Bound<'_, PyAny>, pits: Option<&Bound<'_, PyAny>>) -> PyResult<u128> {
    let (seeds, pits) = tier(seeds, pits)?;
    Ok(index::tier_size(pits, seeds))
}

/// The rank of each board within its tier, as uint64. boards: shape (n, pits). Ranks are in lexicographic order of the counts: rank 0
/// has all seeds in the last pit.
#[pyfunction]
pub(crate) fn rank<'py>(boards: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let py = boards.py();
    let (counts, pits) = arrays::boards(boards, None)?;
    let rank = |(row, counts): (usize, &[u8])| {
        let seeds: u32 = counts.iter().map(|&count| u32::from(count)).sum();
        if seeds > MAX_SEEDS {
            return Err(format!("boards, row {row}: {seeds} seeds: {MAX_SEEDS} are possible"));
        }
        let rank = index::rank_counts(counts);
        rank.ok_or_else(|| {
            format!("boards, row {row}: {seeds} seeds in {pits} pits: a rank of more than 64 bits")
        })
    };
    let ranks = py.detach(|| counts.chunks(pits).enumerate().map(rank).collect::<Result<_, _>>());
    Ok(PyArray1::from_vec(py, ranks.map_err(input)?))
}

/// The boards with these ranks in the tier of so many seeds, as uint8 of shape (n, pits), 12 pits if not given: the inverse
/// of rank.
#[pyfunction]
#[pyo3(signature = (ranks, seeds, pits=None))]
pub(crate) fn unrank<'py>(
    ranks: &Bound<'py, PyAny>,
    seeds: &Bound<'py, PyAny>,
    pits: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let py = ranks.py();
    let (seeds, pits) = tier(seeds, pits)?;
    let Ok(size) = u64::try_from(index::tier_size(pits, seeds)) else {
        return Err(input(format!("seeds: {seeds} seeds in {pits} pits: ranks of more than 64 bits")));
    };
    let ranks = arrays::ranks(ranks, size)?;
    let boards = py.detach(|| {
        let mut boards = Array2::zeros((ranks.len(), pits));
        for (&rank, mut row) in ranks.iter().zip(boards.rows_mut()) {
            let counts = row.as_slice_mut().expect("rows of a new array have no gaps");
            index::unrank_counts(seeds, rank, counts);
        }
        boards
    });
    Ok(PyArray2::from_owned_array(py, boards))
}

/// A tier by its seeds and pits: 12 where none are given.
fn tier(seeds: &Bound<'_, PyAny>, pits: Option<&Bound<'_, PyAny>>) -> PyResult<(u32, usize)> {
    let pits = pits.map_or(Ok(12), |pits| whole("pits", pits, 1..=MAX_PITS))?;
    Ok((whole("seeds", seeds, 0..=MAX_SEEDS)?, pits))
}
