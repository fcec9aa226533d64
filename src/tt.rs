//! The transposition table: proven bounds of positions, shared by all threads without a lock.
//!
//! An entry holds only what is true of its position whatever path led there: a lower and an upper
//! bound of its value, the pit that looked best, and how much work its proof took. Positions are
//! identified by their exact rank, never by a hash, so an entry can not be taken for another's.
//!
//! ```text
//! narrow, one word   rank 41 bits | lower + 64: 7 | upper + 64: 7 | pit 3 | work 6
//! wide, two words    low rank 64 bits ^ mix(second) ; high rank 20 bits | lower + 128: 8 | upper + 128: 8 | pit 4 | work 6
//! ```
//!
//! Narrow entries serve boards of up to 12 pits and 48 seeds. A reader of a wide entry may see the
//! words of two different writes; the first word then does not match the second and the entry is
//! not taken (Hyatt and Mann, "A lockless transposition table implementation", ICGA 2002).
//!
//! A bucket is one cache line's worth of entries; the rank chooses the bucket by multiplication, so
//! any number of buckets works. A new entry replaces its own position's, merging the bounds, else
//! an empty place, else the least work of all but the first place, which keeps the largest.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use crate::board::{Board, MAX_SEEDS};
use crate::index;

/// Words of a bucket: half a cache line, two buckets in each.
const BUCKET: usize = 4;

/// What is proven of a position, from the view of the side to move, in seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) lower: i8,
    pub(crate) upper: i8,
    /// The pit to try first, `None` where nothing is known.
    pub(crate) pit: Option<u8>,
    /// Binary logarithm of the nodes its proof took.
    pub(crate) work: u8,
}

/// The exact identity of a position in the table.
pub(crate) type Key = u128;

/// A table of fixed size.
pub(crate) struct TranspositionTable {
    words: Vec<AtomicU64>,
    wide: bool,
}

/// Shared memory of `words` zero words.
pub(crate) fn zeroed(words: usize) -> Vec<AtomicU64> {
    // In parallel, since the first touch of each page is what takes the time.
    (0..words).into_par_iter().with_min_len(1 << 16).map(|_| AtomicU64::new(0)).collect()
}

/// Makes all words zero.
pub(crate) fn clear(words: &mut [AtomicU64]) {
    words.par_iter_mut().with_min_len(1 << 16).for_each(|word| *word.get_mut() = 0);
}

const RANK_BITS: u32 = 41;
const NO_PIT: u64 = 7;
const NO_PIT_WIDE: u64 = 15;

impl TranspositionTable {
    /// A table of about `bytes` bytes, at least one bucket, for boards of `pits` pits and at most
    /// `seeds` seeds.
    pub(crate) fn new(bytes: usize, pits: usize, seeds: u32) -> Self {
        debug_assert!(seeds <= MAX_SEEDS);
        let buckets = (bytes / (BUCKET * size_of::<u64>())).max(1);
        Self { words: zeroed(buckets * BUCKET), wide: pits > 12 || seeds > 48 }
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        clear(&mut self.words);
    }

    /// The key of a board.
    #[inline(always)]
    pub(crate) fn key<const P: usize>(&self, board: &Board<P>) -> Key {
        // One more than the rank, so that no key is 0: a zero word is an empty place.
        1 + if self.wide { index::global_rank(board) } else { u128::from(index::short_global_rank(board)) }
    }

    #[inline(always)]
    fn bucket(&self, key: Key) -> &[AtomicU64] {
        debug_assert_ne!(key, 0, "a zero word is an empty place");
        let folded = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (folded ^ folded >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let buckets = (self.words.len() / BUCKET) as u128;
        let at = ((u128::from(mixed) * buckets) >> 64) as usize * BUCKET;
        &self.words[at..at + BUCKET]
    }

    /// What is known of the position with this key.
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Option<Entry> {
        let bucket = self.bucket(key);
        if self.wide {
            bucket.chunks_exact(2).find_map(|pair| {
                let (first, second) = (pair[0].load(Relaxed), pair[1].load(Relaxed));
                (wide_key(first, second) == key).then(|| wide_entry(second))
            })
        } else {
            bucket.iter().find_map(|word| {
                let word = word.load(Relaxed);
                (word & ((1 << RANK_BITS) - 1) == key as u64).then(|| narrow_entry(word))
            })
        }
    }

    /// Adds what is proven of the position with this key to what was known of it.
    pub(crate) fn put(&self, key: Key, mut entry: Entry) {
        let bucket = self.bucket(key);
        let width = if self.wide { 2 } else { 1 };
        let mut place = 0;
        let mut least = u8::MAX;
        for at in (0..BUCKET).step_by(width) {
            let word = bucket[at + width - 1].load(Relaxed);
            let (old_key, old) = if self.wide {
                (wide_key(bucket[at].load(Relaxed), word), wide_entry(word))
            } else {
                (u128::from(word & ((1 << RANK_BITS) - 1)), narrow_entry(word))
            };
            if old_key == key {
                entry.lower = entry.lower.max(old.lower);
                entry.upper = entry.upper.min(old.upper);
                entry.pit = entry.pit.or(old.pit);
                entry.work = entry.work.max(old.work);
                place = at;
                break;
            }
            let work = match (word, at) {
                (0, _) => 0,
                // The first place gives way only to more work.
                (_, 0) if old.work > entry.work => u8::MAX,
                (_, _) => old.work + 1,
            };
            if work < least {
                (least, place) = (work, at);
            }
        }
        if self.wide {
            let second = (key >> 64) as u64
                | ((i64::from(entry.lower) + 128) as u64) << 20
                | ((i64::from(entry.upper) + 128) as u64) << 28
                | entry.pit.map_or(NO_PIT_WIDE, u64::from) << 36
                | u64::from(entry.work) << 40;
            bucket[place].store(key as u64 ^ mix(second), Relaxed);
            bucket[place + 1].store(second, Relaxed);
        } else {
            let word = key as u64
                | ((i64::from(entry.lower) + 64) as u64) << RANK_BITS
                | ((i64::from(entry.upper) + 64) as u64) << (RANK_BITS + 7)
                | entry.pit.map_or(NO_PIT, u64::from) << (RANK_BITS + 14)
                | u64::from(entry.work) << (RANK_BITS + 17);
            bucket[place].store(word, Relaxed);
        }
    }
}

fn narrow_entry(word: u64) -> Entry {
    let pit = word >> (RANK_BITS + 14) & 7;
    Entry {
        lower: ((word >> RANK_BITS & 0x7f) as i64 - 64) as i8,
        upper: ((word >> (RANK_BITS + 7) & 0x7f) as i64 - 64) as i8,
        pit: (pit != NO_PIT).then_some(pit as u8),
        work: (word >> (RANK_BITS + 17)) as u8,
    }
}

fn wide_entry(second: u64) -> Entry {
    let pit = second >> 36 & 15;
    Entry {
        lower: ((second >> 20 & 0xff) as i64 - 128) as i8,
        upper: ((second >> 28 & 0xff) as i64 - 128) as i8,
        pit: (pit != NO_PIT_WIDE).then_some(pit as u8),
        work: (second >> 40) as u8 & 63,
    }
}

fn wide_key(first: u64, second: u64) -> Key {
    u128::from(first ^ mix(second)) | u128::from(second & 0xf_ffff) << 64
}

/// Spreads every bit of a second word over a first one.
fn mix(second: u64) -> u64 {
    let mixed = second.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(lower: i8, upper: i8, pit: Option<u8>, work: u8) -> Entry {
        Entry { lower, upper, pit, work }
    }

    #[test]
    fn entries_come_back_as_they_went_in_and_merge() {
        for (pits, seeds) in [(12, 48), (12, 96), (24, 96)] {
            for bytes in [1, 33, 1000, 1 << 20] {
                let table = TranspositionTable::new(bytes, pits, seeds);
                let top = if table.wide { (1 << 84) - 1 } else { (1 << 41) - 1 };
                let most = seeds.min(if table.wide { 96 } else { 48 }) as i8;
                for key in [1, 2, 1_000_003, 1 << 40, top] {
                    table.put(key, entry(-most, most, None, 0));
                    assert_eq!(table.get(key), Some(entry(-most, most, None, 0)));
                    table.put(key, entry(-3, most, Some(5), 9));
                    table.put(key, entry(-most, 7, None, 4));
                    assert_eq!(table.get(key), Some(entry(-3, 7, Some(5), 9)), "{pits} pits, {key}");
                    assert!(key == top || table.get(key + 1).is_none(), "{pits} pits, {key}");
                }
            }
        }
    }

    #[test]
    fn a_full_bucket_keeps_the_most_work() {
        let table = TranspositionTable::new(1, 12, 48);
        table.put(10, entry(1, 2, None, 40));
        for key in 11..200 {
            table.put(key, entry(0, 3, None, 1));
            assert_eq!(table.get(key), Some(entry(0, 3, None, 1)));
        }
        assert_eq!(table.get(10), Some(entry(1, 2, None, 40)));
    }

    #[test]
    fn mixed_words_of_two_writes_are_not_an_entry() {
        let table = TranspositionTable::new(1, 24, 96);
        let (one, two) = (1u128 << 70 | 5, 1u128 << 70 | 6);
        table.put(one, entry(1, 2, None, 1));
        let first = table.words[0].load(Relaxed);
        table.put(two, entry(3, 4, None, 1));
        let at = if table.words[0].load(Relaxed) == first { 2 } else { 0 };
        table.words[at].store(first, Relaxed);
        assert_eq!(table.get(two), None);
        assert!(table.get(one).is_none_or(|e| e == entry(1, 2, None, 1)));
    }
}
