//! The transposition table: what searches have found, shared by all threads without a lock.
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
//! Half of a cache line is a bucket of entries, the other half keeps the numbers of open questions about the same positions
//! ([`crate::proof_numbers`]), so that a search waits for memory once a move. The key chooses the line by multiplication, so
//! any number of lines works. A new entry replaces its own position's, merging the bounds, else
//! an empty place, else the least work of all but the first place, which keeps the largest.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use crate::board::{Board, MAX_SEEDS};
use crate::index;
use crate::number::Number;
use crate::proof_numbers::{self, Slot};
use crate::zeroed;

/// Words of a line.
const LINE: usize = 8;

/// Words of a bucket of bounds, the first of its line.
const BUCKET: usize = 4;

/// Lines that one job clears or copies.
const PART: usize = 1 << 12;

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
    /// The word at which the first line begins.
    first: usize,
    lines: usize,
    wide: bool,
}

/// The words of a line as they were read.
#[derive(Clone, Copy)]
pub(crate) struct CacheLine([u64; LINE]);

/// The most that an entry's `work` can be.
const MOST_WORK: u8 = 31;

/// Bits of a narrow key: three times the boards of up to 48 seeds on 2x6 is less than 2^42.
const KEY_BITS: u32 = 42;

/// Bits of a wide key's high part: three times the boards of up to 96 seeds on 2x12 is less than 2^86.
const HIGH_BITS: u32 = 22;

const NO_PIT: u64 = 7;
const NO_PIT_WIDE: u64 = 15;

impl CacheLine {
    /// The proof and the disproof number of an open question.
    #[inline(always)]
    pub(crate) fn numbers(&self, slot: Slot) -> Option<(u32, u32)> {
        proof_numbers::find(&self.0[BUCKET..], slot)
    }
}

impl TranspositionTable {
    /// A table of about `bytes` bytes, at least one line, for boards of `pits` pits and at most
    /// `seeds` seeds.
    pub(crate) fn new(bytes: usize, pits: usize, seeds: u32) -> Self {
        debug_assert!(seeds <= MAX_SEEDS);
        let bytes_of_line = LINE * size_of::<u64>();
        let lines = (bytes / bytes_of_line).max(1);
        let words: Vec<AtomicU64> = zeroed::vec(lines * LINE + LINE - 1);
        // Where that can not be told a line may lie in two lines of the cache, which only costs time.
        let first = words.as_ptr().align_offset(bytes_of_line).min(LINE - 1);
        Self { words, first, lines, wide: pits > 12 || seeds > 48 }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        let clear = |words: &mut [AtomicU64]| words.iter_mut().for_each(|word| *word.get_mut() = 0);
        self.words.par_chunks_mut(PART * LINE).for_each(clear);
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

    /// The words of the line of a slot, and so of its key.
    #[inline(always)]
    fn line(&self, slot: Slot) -> &[AtomicU64] {
        let at = self.first + ((u128::from(slot.place()) * self.lines as u128) >> 64) as usize * LINE;
        &self.words[at..at + LINE]
    }

    /// What the table has for a slot and for the position that it asks about.
    #[inline(always)]
    pub(crate) fn read(&self, slot: Slot) -> CacheLine {
        let line = self.line(slot);
        CacheLine(std::array::from_fn(|at| line[at].load(Relaxed)))
    }

    /// What is known of the position with this key.
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Option<Entry> {
        self.entry(&self.read(Slot::new(key, 0)), key)
    }

    /// What a line knows of the position with this key.
    #[inline(always)]
    pub(crate) fn entry(&self, line: &CacheLine, key: Key) -> Option<Entry> {
        debug_assert_ne!(key, 0, "a zero word is an empty place");
        let words = &line.0[..BUCKET];
        if self.wide {
            let found = words.chunks_exact(2).find(|pair| wide_key(pair[0], pair[1]) == key);
            found.map(|pair| wide_entry(pair[1]))
        } else {
            let found = words.iter().find(|&&word| word & ((1 << KEY_BITS) - 1) == key as u64);
            found.map(|&word| narrow_entry(word))
        }
    }

    /// Keeps the proof and the disproof number of an open question.
    #[inline(always)]
    pub(crate) fn put_numbers(&self, slot: Slot, numbers: (u32, u32)) {
        proof_numbers::put(&self.line(slot)[BUCKET..], slot, numbers);
    }

    /// Adds all that another table of the same kind knows.
    pub(crate) fn add_all(&self, other: &TranspositionTable) {
        debug_assert_eq!(self.wide, other.wide);
        let lines = &other.words[other.first..][..other.lines * LINE];
        lines.par_chunks(PART * LINE).flat_map_iter(|part| part.chunks_exact(LINE)).for_each(|line| {
            let line: [u64; LINE] = std::array::from_fn(|at| line[at].load(Relaxed));
            let (bounds, numbers) = line.split_at(BUCKET);
            if self.wide {
                for pair in bounds.chunks_exact(2).filter(|pair| pair[1] != 0) {
                    self.put(wide_key(pair[0], pair[1]), wide_entry(pair[1]));
                }
            } else {
                for &word in bounds.iter().filter(|&&word| word != 0) {
                    self.put(Key::from(word & ((1 << KEY_BITS) - 1)), narrow_entry(word));
                }
            }
            // The latest comes first, and is to come first again.
            for (slot, numbers) in proof_numbers::all(numbers).rev() {
                self.put_numbers(slot, numbers);
            }
        });
    }

    /// Adds what is proven of the position with this key to what was known of it.
    pub(crate) fn put(&self, key: Key, mut entry: Entry) {
        entry.work = entry.work.min(MOST_WORK);
        let bucket = &self.line(Slot::new(key, 0))[..BUCKET];
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
    fn lines_are_those_of_the_cache() {
        let table = TranspositionTable::new(1 << 20, 12, 48);
        assert_eq!(table.line(Slot::new(77, 5)).as_ptr().addr() % 64, 0);
        assert!(std::ptr::eq(table.line(Slot::new(77, 5)), table.line(Slot::new(77, -6))));
    }

    #[test]
    fn any_size_keeps_the_last_two_questions() {
        for bytes in [1, 64, 65, 1000, 1 << 16] {
            let table = TranspositionTable::new(bytes, 12, 48);
            let numbers = |slot| table.read(slot).numbers(slot);
            for key in [1, 2, 77, 1 << 40] {
                let slots = [-3, 5].map(|at_least| Slot::new(key, at_least));
                table.put_numbers(slots[0], (5, proof_numbers::INFINITE));
                table.put_numbers(slots[1], (7, 2));
                table.put_numbers(slots[1], (8, 2));
                assert_eq!(slots.map(numbers), [Some((5, proof_numbers::INFINITE)), Some((8, 2))]);
                assert_eq!(numbers(Slot::new(key, 4)), None, "another question");
            }
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
        let words = table.line(Slot::new(one, 0));
        let first = words[0].load(Relaxed);
        table.put(two, entry(3, 4, None, 1));
        let at = if words[0].load(Relaxed) == first { 2 } else { 0 };
        words[at].store(first, Relaxed);
        assert_eq!(table.get(two), None);
        assert!(table.get(one).is_none_or(|e| e == entry(1, 2, None, 1)));
    }
}
