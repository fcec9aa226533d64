//! The numbers of all tiers below one, in memory: what its captures lead to.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::edges::{Edges, Run};
use crate::packed::Packed;
use crate::retrograde::{self, Below, Task};
use crate::table::{Plane, TableError, TableFile};

/// True values, and true forced intervals where they are wanted, of the tiers from 0 seeds up. A number of seeds that no
/// position has takes an empty place.
pub(crate) struct Lower {
    intervals: bool,
    values: Vec<Packed>,
    low: Vec<Packed>,
    high: Vec<Packed>,
}

impl Lower {
    /// No tier yet.
    pub(crate) fn new(intervals: bool) -> Self {
        Self { intervals, values: Vec::new(), low: Vec::new(), high: Vec::new() }
    }

    /// Whether forced intervals are held too.
    pub(crate) fn intervals(&self) -> bool {
        self.intervals
    }

    /// The number of seeds whose tier comes next.
    pub(crate) fn next(&self) -> u32 {
        self.values.len() as u32
    }

    /// Adds the next tier: values, and the interval's ends where they are held.
    pub(crate) fn push(&mut self, values: Packed, interval: Option<[Packed; 2]>) {
        self.values.push(values);
        if let Some([low, high]) = interval.filter(|_| self.intervals) {
            self.low.push(low);
            self.high.push(high);
        }
    }

    /// Adds the next tier, which no position has.
    pub(crate) fn push_empty(&mut self) {
        self.push(Packed::default(), Some([Packed::default(), Packed::default()]));
    }

    /// Calls `then` with what a solver of this task needs.
    pub(crate) fn with<T>(&self, task: Task, then: impl FnOnce(Below<'_>) -> T) -> T {
        let (low, high) = match task {
            Task::Values => (&self.values, &self.values),
            Task::Forced => (&self.low, &self.high),
        };
        let [low, high]: [Vec<&Packed>; 2] = [low, high].map(|tiers| tiers.iter().collect());
        then(Below { low: &low, high: &high })
    }

    /// The true numbers of a plane of the next tier's file: the larger of what is stored and of the best exit, which takes
    /// one look at every position's moves.
    ///
    /// # Errors
    /// Where the file can not be read, or `stop` was raised.
    pub(crate) fn read(
        &self,
        file: &TableFile,
        plane: Plane,
        edges: &dyn Edges,
        unit: u32,
        stop: &AtomicBool,
    ) -> Result<Packed, TableError> {
        let task = if plane == Plane::Values { Task::Values } else { Task::Forced };
        self.with(task, |below| {
            Packed::try_build(file.positions(), unit, edges.seeds(), |first, out| {
                if stop.load(Relaxed) {
                    return Err(TableError::Stopped { path: file.path().to_path_buf() });
                }
                let ranks = first..first + out.len() as u64;
                let (mut run, mut exits) = (Run::default(), Vec::new());
                edges.forward(ranks.clone(), false, &mut run);
                let (mine, others) =
                    if plane == Plane::High { (below.high, below.low) } else { (below.low, below.high) };
                retrograde::best_exits(&run, mine, others, &mut exits);
                for (out, (stored, exit)) in
                    out.iter_mut().zip(stored(file, plane, ranks)?.into_iter().zip(exits))
                {
                    *out = (stored as i8).max(exit);
                }
                Ok(())
            })
        })
    }
}

/// The numbers that a file has stored for a range of ranks.
pub(crate) fn stored(file: &TableFile, plane: Plane, ranks: Range<u64>) -> Result<Vec<i32>, TableError> {
    let mut numbers = Vec::with_capacity((ranks.end - ranks.start) as usize);
    let mut next = ranks.start;
    while next < ranks.end {
        let page = file.page_of(next);
        let of_page = file.page_ranks(page);
        let end = of_page.end.min(ranks.end);
        let part = (next - of_page.start) as usize..(end - of_page.start) as usize;
        numbers.extend_from_slice(&file.stored_run(plane, page)?[part]);
        next = end;
    }
    Ok(numbers)
}
