//! Passes over all pages of a tier, slab by slab, the pages of a slab in parallel.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::Progress;
use super::error::Fault;
use super::page::Grid;

/// Pages encoded before they are written: at about 10 KB a page, a few megabytes.
pub(super) const SLAB: usize = 256;

/// The pages of a slab, in parallel.
pub(super) fn each(slab: Range<u64>) -> impl IndexedParallelIterator<Item = u64> {
    let count = (slab.end - slab.start) as usize;
    (0..count).into_par_iter().map(move |i| slab.start + i as u64)
}

/// Counts what was done, of all passes.
pub(super) struct Passes<'a> {
    pub(super) stop: &'a AtomicBool,
    pub(super) progress: Progress<'a>,
    pub(super) done: u64,
    pub(super) todo: u64,
}

impl Passes<'_> {
    /// One pass over all positions, which counts as `weight` passes: `work` does the pages of a slab.
    pub(super) fn run(
        &mut self,
        grid: Grid,
        weight: u64,
        mut work: impl FnMut(Range<u64>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let before = self.done;
        for first in (0..grid.pages()).step_by(SLAB) {
            let slab = first..grid.pages().min(first + SLAB as u64);
            let end = grid.page_ranks(slab.end - 1).end;
            work(slab)?;
            self.done = before.saturating_add(end.saturating_mul(weight));
            (self.progress)(self.done, self.todo);
        }
        Ok(())
    }
}
