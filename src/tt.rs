//! The transposition table: proven bounds of positions, shared by all threads without a lock.
//!
//! An entry holds only what is true of its position whatever path led there: a lower and an upper
//! bound of its value or of an end of its forced interval, the pit that looked best, and how much work its proof took. Keys are
//! exact, three for each rank and never a hash, so an entry can not be taken for another's.
//!
//! ```text
//! narrow, one word   key 42 bits | lower + 64: 7 | upper + 64: 7 | pit 3 | work 5
//! wide, two words    low key 64 bits ^ mix(second) ; high key 22 bits | lower + 128: 8 | upper + 128: 8 | pit 4 | work 5
//! ```
//!
//! Narrow entries serve boards of up to 12 pits and 48 seeds. A reader of a wide entry may see the
//! words of two different writes; the first word then does not match the second and the entry is
//! not taken (Hyatt and Mann, "A lockless transposition table implementation", ICGA 2002).
//!
//! A bucket is half a cache line of entries; the key chooses the bucket by multiplication, so
//! any number of buckets works. A new entry replaces its own position's, merging the bounds, else
//! an empty place, else the least work of all but the first place, which keeps the largest.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::board::{Board, MAX_SEEDS};
use crate::index;
use crate::number::Number;
use crate::zeroed;

/// Words of a bucket: half a cache line, two buckets in each.
pub(crate) const BUCKET: usize = 4;

/// What is proven of a position, from the view of the side to move, in seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) lower: i8,
    pub(crate) upper: i8,
    /// The pit to try first, `None` where nothing is known.
    pub(crate) pit: Option<u8>,
    /// Binary logarithm of the nodes its proof took, [`MOST_WORK`] for any more.
    pub(crate) work: u8,
}

/// The exact identity of a position's number in the table.
pub(crate) type Key = u128;

/// A table of fixed size.
pub(crate) struct TranspositionTable {
    words: Vec<AtomicU64>,
    wide: bool,
}

/// The most that an entry's `work` can be.
const MOST_WORK: u8 = 31;

/// Bits of a narrow key: three times the boards of up to 48 seeds on 2x6 is less than 2^42.
const KEY_BITS: u32 = 42;

/// Bits of a wide key's high part: three times the boards of up to 96 seeds on 2x12 is less than 2^86.
const HIGH_BITS: u32 = 22;

const NO_PIT: u64 = 7;
const NO_PIT_WIDE: u64 = 15;

impl TranspositionTable {
    /// A table of about `bytes` bytes, at least one bucket, for boards of `pits` pits and at most
    /// `seeds` seeds.
    pub(crate) fn new(bytes: usize, pits: usize, seeds: u32) -> Self {
        debug_assert!(seeds <= MAX_SEEDS);
        let buckets = (bytes / (BUCKET * size_of::<u64>())).max(1);
        Self { words: zeroed::vec(buckets * BUCKET), wide: pits > 12 || seeds > 48 }
    }

    /// The key of a board's number.
    #[inline(always)]
    pub(crate) fn key<const P: usize>(&self, board: &Board<P>, number: Number) -> Key {
        let number = number as u8;
        // No key is 0: a zero word is an empty place.
        if self.wide {
            1 + 3 * index::global_rank(board) + Key::from(number)
        } else {
            Key::from(1 + 3 * index::short_global_rank(board) + u64::from(number))
        }
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
        self.find(self.read(key), key)
    }

    /// The words in which [`find`](Self::find) finds what is known of the position with this key. Apart from it, since memory answers
    /// several such questions in the time of one, if nothing is decided in between.
    #[inline(always)]
    pub(crate) fn read(&self, key: Key) -> [u64; BUCKET] {
        let bucket = self.bucket(key);
        std::array::from_fn(|at| bucket[at].load(Relaxed))
    }

    /// What the words of a bucket know of the position with this key.
    #[inline(always)]
    pub(crate) fn find(&self, words: [u64; BUCKET], key: Key) -> Option<Entry> {
        if self.wide {
            let pairs = [[words[0], words[1]], [words[2], words[3]]];
            let found = pairs.into_iter().find(|&[first, second]| wide_key(first, second) == key);
            found.map(|[_, second]| wide_entry(second))
        } else {
            let found = words.into_iter().find(|word| word & ((1 << KEY_BITS) - 1) == key as u64);
            found.map(narrow_entry)
        }
    }

    /// Adds all that another table of the same kind knows.
    pub(crate) fn add_all(&self, other: &TranspositionTable) {
        debug_assert_eq!(self.wide, other.wide);
        if self.wide {
            for pair in other.words.chunks_exact(2) {
                let (first, second) = (pair[0].load(Relaxed), pair[1].load(Relaxed));
                if second != 0 {
                    self.put(wide_key(first, second), wide_entry(second));
                }
            }
        } else {
            for word in other.words.iter().map(|word| word.load(Relaxed)).filter(|&word| word != 0) {
                self.put(Key::from(word & ((1 << KEY_BITS) - 1)), narrow_entry(word));
            }
        }
    }

    /// Adds what is proven of the position with this key to what was known of it.
    pub(crate) fn put(&self, key: Key, mut entry: Entry) {
        entry.work = entry.work.min(MOST_WORK);
        let bucket = self.bucket(key);
        let width = if self.wide { 2 } else { 1 };
        let mut place = 0;
        let mut least = u8::MAX;
        for at in (0..BUCKET).step_by(width) {
            let word = bucket[at + width - 1].load(Relaxed);
            let (old_key, old) = if self.wide {
                (wide_key(bucket[at].load(Relaxed), word), wide_entry(word))
            } else {
                (u128::from(word & ((1 << KEY_BITS) - 1)), narrow_entry(word))
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
                | ((i64::from(entry.lower) + 128) as u64) << HIGH_BITS
                | ((i64::from(entry.upper) + 128) as u64) << (HIGH_BITS + 8)
                | entry.pit.map_or(NO_PIT_WIDE, u64::from) << (HIGH_BITS + 16)
                | u64::from(entry.work) << (HIGH_BITS + 20);
            bucket[place].store(key as u64 ^ mix(second), Relaxed);
            bucket[place + 1].store(second, Relaxed);
        } else {
            let word = key as u64
                | ((i64::from(entry.lower) + 64) as u64) << KEY_BITS
                | ((i64::from(entry.upper) + 64) as u64) << (KEY_BITS + 7)
                | entry.pit.map_or(NO_PIT, u64::from) << (KEY_BITS + 14)
                | u64::from(entry.work) << (KEY_BITS + 17);
            bucket[place].store(word, Relaxed);
        }
    }
}

fn narrow_entry(word: u64) -> Entry {
    let pit = word >> (KEY_BITS + 14) & 7;
    Entry {
        lower: ((word >> KEY_BITS & 0x7f) as i64 - 64) as i8,
        upper: ((word >> (KEY_BITS + 7) & 0x7f) as i64 - 64) as i8,
        pit: (pit != NO_PIT).then_some(pit as u8),
        work: (word >> (KEY_BITS + 17)) as u8,
    }
}

fn wide_entry(second: u64) -> Entry {
    let pit = second >> (HIGH_BITS + 16) & 15;
    Entry {
        lower: ((second >> HIGH_BITS & 0xff) as i64 - 128) as i8,
        upper: ((second >> (HIGH_BITS + 8) & 0xff) as i64 - 128) as i8,
        pit: (pit != NO_PIT_WIDE).then_some(pit as u8),
        work: (second >> (HIGH_BITS + 20)) as u8 & MOST_WORK,
    }
}

fn wide_key(first: u64, second: u64) -> Key {
    u128::from(first ^ mix(second)) | u128::from(second & ((1 << HIGH_BITS) - 1)) << 64
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
                let top = if table.wide { (1 << 86) - 1 } else { (1 << 42) - 1 };
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
    fn a_larger_table_takes_over_what_a_smaller_one_knows() {
        for (pits, seeds) in [(12, 48), (24, 96)] {
            let tables = [1 << 12, 1 << 16].map(|bytes| TranspositionTable::new(bytes, pits, seeds));
            let known =
                |table: &TranspositionTable| (1..300).map(|key| table.get(key << 20)).collect::<Vec<_>>();
            (1..60).for_each(|key| tables[0].put(key << 20, entry(-3, key as i8 % 9, Some(2), 7)));
            tables[1].add_all(&tables[0]);
            assert!(known(&tables[0]).iter().flatten().count() > 50);
            assert_eq!(known(&tables[1]), known(&tables[0]));
        }
    }

    #[test]
    fn a_full_bucket_keeps_the_most_work() {
        let table = TranspositionTable::new(1, 12, 48);
        table.put(10, entry(1, 2, None, 31));
        for key in 11..200 {
            table.put(key, entry(0, 3, None, 1));
            assert_eq!(table.get(key), Some(entry(0, 3, None, 1)));
        }
        assert_eq!(table.get(10), Some(entry(1, 2, None, 31)));
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
