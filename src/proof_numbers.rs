//! Proof and disproof numbers of questions the search has left open: a lossy shared memory.
//!
//! The search asks "is this number of this board at least so much?". While the answer is open, the table
//! ([`crate::tt`]) keeps how hard proof and disproof looked, so that threads and later visits go on where
//! earlier ones stopped. Nothing here is ever taken for a proof (a number of 0 is never stored), so
//! a lost, torn or mistaken entry costs time, not truth; a question is therefore known by a 64-bit hash.
//!
//! An entry is two words: the hash, and both numbers. Those of one line are kept in the order in which they came, the latest first.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::tt::Key;

/// The larger of the two numbers a question can have: not provable (or not disprovable).
pub(crate) const INFINITE: u32 = 1 << 30;

/// Words of an entry.
const WIDTH: usize = 2;

/// The bits of a hash that tell questions about one position apart.
const ASKED: u64 = 0xff;

/// The hash of a question, and where it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(u64);

impl Slot {
    /// The slot of "is the number with this key at least `at_least`?".
    #[inline(always)]
    pub(crate) fn new(key: Key, at_least: i32) -> Self {
        let folded = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (folded ^ folded >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        Self(mixed & !ASKED | u64::from(at_least as u8))
    }

    /// Evenly spread, and the same for all questions about one position.
    #[inline(always)]
    pub(crate) fn place(self) -> u64 {
        self.0 & !ASKED
    }
}

/// The proof and the disproof number of an open question among entries, both between 1 and [`INFINITE`].
#[inline(always)]
pub(crate) fn find(words: &[u64], slot: Slot) -> Option<(u32, u32)> {
    all(words).find(|&(found, _)| found == slot).map(|(_, numbers)| numbers)
}

/// All entries that are in use.
#[inline(always)]
pub(crate) fn all(words: &[u64]) -> impl DoubleEndedIterator<Item = (Slot, (u32, u32))> {
    let used = words.chunks_exact(WIDTH).filter(|entry| entry[1] != 0);
    used.map(|entry| (Slot(entry[0]), (entry[1] as u32, (entry[1] >> 32) as u32)))
}

/// Keeps the numbers of an open question among the entries of a line, in the place of the one that came first.
#[inline(always)]
pub(crate) fn put(words: &[AtomicU64], slot: Slot, (proof, disproof): (u32, u32)) {
    debug_assert!(proof > 0 && disproof > 0);
    let entries = words.len() / WIDTH;
    let own = (0..entries).find(|&at| words[at * WIDTH].load(Relaxed) == slot.0);
    if own.is_none() {
        for at in (WIDTH..words.len()).rev() {
            words[at].store(words[at - WIDTH].load(Relaxed), Relaxed);
        }
    }
    let at = own.unwrap_or(0) * WIDTH;
    words[at].store(slot.0, Relaxed);
    words[at + 1].store(u64::from(proof) | u64::from(disproof) << 32, Relaxed);
}
