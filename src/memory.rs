//! The search's tables, which grow with the search.
//!
//! The system hands out memory a page at a time: with tables of 64 MiB from the start, touching fresh pages took two threads longer than all
//! else in the suite of Hoyito II, 0.87 times as fast as one. So a search begins with a table that fits into a processor's
//! cache, and where that becomes too small goes on with one eight times as large that takes over what was known.
//!
//! For the same reason no table is given back while its engine lives: what is forgotten is cleared where it is wanted again. On one thread a
//! quarter of the time of the suite of Ayoayo went into taking tables from the system, a search's after another's.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::tt::TranspositionTable;

/// Bytes of the first tables.
const FIRST_BYTES: usize = 4 << 20;

/// Nodes after which the first tables give way to the next ones.
const FIRST_NODES: u64 = 1 << 16;

/// How many times larger and longer in use each tables are than the ones before.
const GROWTH: usize = 8;

/// Tables from small to large, each made when the ones before have become too small.
pub(crate) struct GrowingMemory {
    pits: usize,
    seeds: u32,
    stages: Vec<Stage>,
}

/// Tables of one size.
struct Stage {
    bytes: usize,
    /// Nodes after which the next ones serve.
    nodes: u64,
    /// Nodes of all searches with these.
    searched: AtomicU64,
    table: OnceLock<TranspositionTable>,
    /// What the table was before it was forgotten, to be cleared.
    forgotten: Mutex<Option<TranspositionTable>>,
}

impl Stage {
    fn new(bytes: usize, nodes: u64) -> Self {
        Self {
            bytes,
            nodes,
            searched: AtomicU64::new(0),
            table: OnceLock::new(),
            forgotten: Mutex::new(None),
        }
    }

    fn forget(&mut self) {
        self.searched = AtomicU64::new(0);
        if let Some(table) = self.table.take() {
            self.forgotten = Mutex::new(Some(table));
        }
    }

    /// An empty table.
    fn make(&self, pits: usize, seeds: u32) -> TranspositionTable {
        let forgotten = self.forgotten.lock().unwrap_or_else(PoisonError::into_inner).take();
        match forgotten {
            Some(mut table) => {
                table.clear();
                table
            }
            None => TranspositionTable::new(self.bytes, pits, seeds),
        }
    }
}

impl GrowingMemory {
    /// Tables of at most `bytes` bytes, all sizes together.
    pub(crate) fn new(pits: usize, seeds: u32, bytes: usize) -> Self {
        let mut stages = Vec::new();
        let (mut next, mut nodes, mut left) = (FIRST_BYTES, FIRST_NODES, bytes);
        while next <= left / GROWTH {
            stages.push(Stage::new(next, nodes));
            left -= next;
            next *= GROWTH;
            nodes *= GROWTH as u64;
        }
        stages.push(Stage::new(left, u64::MAX));
        Self { pits, seeds, stages }
    }

    fn made(&self, at: usize) -> &TranspositionTable {
        let stage = &self.stages[at];
        stage.table.get_or_init(|| {
            let table = stage.make(self.pits, self.seeds);
            if let Some(smaller) = at.checked_sub(1).and_then(|before| self.stages[before].table.get()) {
                table.add_all(smaller);
            }
            table
        })
    }

    /// The largest tables there are so far.
    pub(crate) fn largest(&self) -> &TranspositionTable {
        let made = |stage: &Stage| stage.table.get().is_some();
        self.made(self.stages.iter().rposition(made).unwrap_or(0))
    }

    /// The nodes a search may take before this table gives way to a larger one.
    pub(crate) fn nodes(&self, table: &TranspositionTable) -> u64 {
        let left = |stage: &Stage| stage.nodes.saturating_sub(stage.searched.load(Relaxed));
        self.stage(table).map_or(u64::MAX, |at| left(&self.stages[at]))
    }

    /// Counts nodes of a search with this table.
    pub(crate) fn count(&self, table: &TranspositionTable, nodes: u64) {
        if let Some(at) = self.stage(table) {
            self.stages[at].searched.fetch_add(nodes, Relaxed);
        }
    }

    /// The table that serves after this one. `None`: there is none.
    pub(crate) fn larger(&self, table: &TranspositionTable) -> Option<&TranspositionTable> {
        let next = self.stage(table)? + 1;
        (next < self.stages.len()).then(|| self.made(next))
    }

    fn stage(&self, table: &TranspositionTable) -> Option<usize> {
        let has = |stage: &Stage| stage.table.get().is_some_and(|made| std::ptr::eq(made, table));
        self.stages.iter().position(has)
    }

    /// Begins anew with empty tables of the first size. Their memory is kept.
    pub(crate) fn forget(&mut self) {
        self.stages.iter_mut().for_each(Stage::forget);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sizes_together_are_what_is_allowed() {
        for bytes in [0, 1, 1 << 20, 4 << 20, 36 << 20, 37 << 20, 512 << 20, 3 << 30] {
            let memory = GrowingMemory::new(12, 48, bytes);
            assert_eq!(memory.stages.iter().map(|stage| stage.bytes).sum::<usize>(), bytes);
            assert!(memory.stages.is_sorted_by_key(|stage| (stage.bytes, stage.nodes)));
        }
        assert_eq!(GrowingMemory::new(12, 48, 32 << 20).stages.len(), 2);
    }

    #[test]
    fn larger_tables_know_what_smaller_ones_knew() {
        use crate::proof_numbers::Slot;
        use crate::tt::Entry;
        let mut memory = GrowingMemory::new(12, 48, 36 << 20);
        let slot = Slot::new(77, 3);
        let entry = Entry { lower: 1, upper: 2, pit: Some(3), work: 4 };
        let first = memory.largest();
        first.put(77, entry);
        first.put_numbers(slot, (5, 6));
        assert_eq!(memory.nodes(first), FIRST_NODES);
        memory.count(first, 100);
        assert_eq!(memory.nodes(first), FIRST_NODES - 100);
        let second = memory.larger(first).expect("there are two sizes");
        assert_eq!((second.get(77), second.read(slot).numbers(slot)), (Some(entry), Some((5, 6))));
        assert!(memory.larger(second).is_none());
        assert!(std::ptr::eq(memory.largest(), second));
        assert!(memory.nodes(memory.largest()) == u64::MAX);
        memory.forget();
        let first = memory.largest();
        assert_eq!((first.get(77), first.read(slot).numbers(slot)), (None, None));
        assert_eq!(memory.nodes(first), FIRST_NODES);
        let second = memory.larger(first).expect("there are two sizes");
        assert_eq!((second.get(77), second.read(slot).numbers(slot)), (None, None));
    }
}
