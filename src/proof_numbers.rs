//! Proof and disproof numbers of questions the search has left open: a lossy shared memory.
//!
//! The search asks "is this number of this board at least so much?". While the answer is open, this
//! table keeps how hard proof and disproof looked, so that threads and later visits go on where
//! earlier ones stopped. Nothing here is ever taken for a proof (a number of 0 is never stored), so
//! a lost, torn or mistaken entry costs time, not truth; a key is therefore a 64-bit hash.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::tt::Key;
use crate::zeroed;

/// The larger of the two numbers a question can have: not provable (or not disprovable).
pub(crate) const INFINITE: u32 = 1 << 30;

/// Words of an entry: the hash, and both numbers.
pub(crate) const WIDTH: usize = 2;

/// A table of fixed size. Newer entries replace older ones.
pub(crate) struct ProofNumbers {
    words: Vec<AtomicU64>,
}

/// Where a question is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot(u64);

impl ProofNumbers {
    /// A table of about `bytes` bytes, at least one entry.
    pub(crate) fn new(bytes: usize) -> Self {
        let entries = (bytes / (WIDTH * size_of::<u64>())).max(1);
        Self { words: zeroed::vec(entries * WIDTH) }
    }

    /// The slot of "is the number with this key at least `at_least`?".
    #[inline(always)]
    pub(crate) fn slot(key: Key, at_least: i32) -> Slot {
        let folded = key as u64 ^ ((key >> 64) as u64) << 32 ^ (at_least as u64) << 56;
        let mixed = (folded ^ folded >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Slot((mixed ^ mixed >> 31).wrapping_mul(0xd6e8_feb8_6659_fd93))
    }

    #[inline(always)]
    fn place(&self, slot: Slot) -> usize {
        let entries = (self.words.len() / WIDTH) as u128;
        ((u128::from(slot.0) * entries) >> 64) as usize * WIDTH
    }

    /// The proof and the disproof number of an open question, both between 1 and [`INFINITE`].
    #[inline(always)]
    pub(crate) fn get(&self, slot: Slot) -> Option<(u32, u32)> {
        Self::find(self.read(slot), slot)
    }

    /// The words in which [`find`](Self::find) finds the numbers of this slot.
    #[inline(always)]
    pub(crate) fn read(&self, slot: Slot) -> [u64; WIDTH] {
        let place = self.place(slot);
        let entry = &self.words[place..place + WIDTH];
        std::array::from_fn(|at| entry[at].load(Relaxed))
    }

    /// The numbers of an open question in the words of its place.
    #[inline(always)]
    pub(crate) fn find([hash, numbers]: [u64; WIDTH], slot: Slot) -> Option<(u32, u32)> {
        (hash == slot.0).then(|| unpacked(numbers))
    }

    /// Adds all that another table knows.
    pub(crate) fn add_all(&self, other: &ProofNumbers) {
        for pair in other.words.chunks_exact(WIDTH) {
            let (slot, numbers) = (pair[0].load(Relaxed), pair[1].load(Relaxed));
            if numbers != 0 {
                self.put(Slot(slot), unpacked(numbers));
            }
        }
    }

    /// Keeps the numbers of an open question.
    #[inline(always)]
    pub(crate) fn put(&self, slot: Slot, (proof, disproof): (u32, u32)) {
        debug_assert!(proof > 0 && disproof > 0);
        let place = self.place(slot);
        self.words[place].store(slot.0, Relaxed);
        self.words[place + 1].store(u64::from(proof) | u64::from(disproof) << 32, Relaxed);
    }
}

fn unpacked(numbers: u64) -> (u32, u32) {
    (numbers as u32, (numbers >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_size_keeps_the_last_question() {
        for bytes in [1, 16, 17, 48, 1000, 1 << 16] {
            let table = ProofNumbers::new(bytes);
            for key in [1, 2, 77, 1 << 40, 1 << 83] {
                let slot = ProofNumbers::slot(key, -3);
                table.put(slot, (5, INFINITE));
                assert_eq!(table.get(slot), Some((5, INFINITE)));
                assert_eq!(table.get(ProofNumbers::slot(key, -4)), None, "another question");
            }
        }
    }
}
