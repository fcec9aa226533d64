//! The search's tables, which grow with the search.
//!
//! The system hands out memory a page at a time: with tables of 64 MiB from the start, touching fresh pages took two threads longer than all
//! else in the suite of Hoyito II, 0.87 times as fast as one. So a search begins with a table that fits into a processor's
//! cache, and where that becomes too small goes on with one eight times as large that takes over what was known.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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
}

impl Stage {
    fn new(bytes: usize, nodes: u64) -> Self {
        Self { bytes, nodes, searched: AtomicU64::new(0), table: OnceLock::new() }
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
        let Stage { bytes, table, .. } = &self.stages[at];
        table.get_or_init(|| {
            let table = TranspositionTable::new(*bytes, self.pits, self.seeds);
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

    /// Gives back all tables.
    pub(crate) fn forget(&mut self) {
        self.stages.iter_mut().for_each(|stage| *stage = Stage::new(stage.bytes, stage.nodes));
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
        assert_eq!(memory.largest().get(77), None);
    }
}
