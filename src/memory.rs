//! The search's tables, which grow with the search.
//!
//! The system hands out memory a page at a time, and a page touched for the first time costs more than a thousand nodes' look-ups of it
//! later; several threads that touch fresh pages wait for each other besides. So a search begins with tables that fit into a processor's
//! cache, and where these become too small goes on with eight times larger ones that take over what was known.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::proof_numbers::ProofNumbers;
use crate::tt::TranspositionTable;

/// Bytes of the first tables.
const FIRST_BYTES: usize = 4 << 20;

/// Nodes after which the first tables give way to the next ones.
const FIRST_NODES: u64 = 1 << 16;

/// How many times larger and longer in use each tables are than the ones before.
const GROWTH: usize = 8;

/// The tables of a search: proven bounds, and the numbers of open questions.
pub(crate) struct Memory {
    pub(crate) bounds: TranspositionTable,
    pub(crate) numbers: ProofNumbers,
}

impl Memory {
    /// Tables of `bytes` bytes together for boards of `pits` pits and at most `seeds` seeds.
    pub(crate) fn new(pits: usize, seeds: u32, bytes: usize) -> Self {
        Self {
            bounds: TranspositionTable::new(bytes / 2, pits, seeds),
            numbers: ProofNumbers::new(bytes / 2),
        }
    }
}

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
    memory: OnceLock<Memory>,
}

impl Stage {
    fn new(bytes: usize, nodes: u64) -> Self {
        Self { bytes, nodes, searched: AtomicU64::new(0), memory: OnceLock::new() }
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

    fn made(&self, at: usize) -> &Memory {
        let Stage { bytes, memory, .. } = &self.stages[at];
        memory.get_or_init(|| {
            let memory = Memory::new(self.pits, self.seeds, *bytes);
            if let Some(smaller) = at.checked_sub(1).and_then(|before| self.stages[before].memory.get()) {
                memory.bounds.add_all(&smaller.bounds);
                memory.numbers.add_all(&smaller.numbers);
            }
            memory
        })
    }

    /// The largest tables there are so far.
    pub(crate) fn largest(&self) -> &Memory {
        let made = |stage: &Stage| stage.memory.get().is_some();
        self.made(self.stages.iter().rposition(made).unwrap_or(0))
    }

    /// The nodes a search may take before the tables with these bounds give way to larger ones.
    pub(crate) fn nodes(&self, bounds: &TranspositionTable) -> u64 {
        let left = |stage: &Stage| stage.nodes.saturating_sub(stage.searched.load(Relaxed));
        self.stage(bounds).map_or(u64::MAX, |at| left(&self.stages[at]))
    }

    /// Counts nodes of a search with the tables that have these bounds.
    pub(crate) fn count(&self, bounds: &TranspositionTable, nodes: u64) {
        if let Some(at) = self.stage(bounds) {
            self.stages[at].searched.fetch_add(nodes, Relaxed);
        }
    }

    /// The tables that serve after the ones with these bounds. `None`: there are none.
    pub(crate) fn larger(&self, bounds: &TranspositionTable) -> Option<&Memory> {
        let next = self.stage(bounds)? + 1;
        (next < self.stages.len()).then(|| self.made(next))
    }

    fn stage(&self, bounds: &TranspositionTable) -> Option<usize> {
        let has = |stage: &Stage| stage.memory.get().is_some_and(|made| std::ptr::eq(&made.bounds, bounds));
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
        use crate::tt::Entry;
        let mut memory = GrowingMemory::new(12, 48, 36 << 20);
        let slot = ProofNumbers::slot(77, 3);
        let entry = Entry { lower: 1, upper: 2, pit: Some(3), work: 4 };
        let first = memory.largest();
        first.bounds.put(77, entry);
        first.numbers.put(slot, (5, 6));
        assert_eq!(memory.nodes(&first.bounds), FIRST_NODES);
        memory.count(&first.bounds, 100);
        assert_eq!(memory.nodes(&first.bounds), FIRST_NODES - 100);
        let second = memory.larger(&first.bounds).expect("there are two sizes");
        assert_eq!((second.bounds.get(77), second.numbers.get(slot)), (Some(entry), Some((5, 6))));
        assert!(memory.larger(&second.bounds).is_none());
        assert!(std::ptr::eq(memory.largest(), second));
        assert!(memory.nodes(&memory.largest().bounds) == u64::MAX);
        memory.forget();
        assert_eq!(memory.largest().bounds.get(77), None);
    }
}
