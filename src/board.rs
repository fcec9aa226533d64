//! The board as the machine holds it: one byte a pit, packed in words.
//!
//! A board is always seen by the side to move: its own row is pits `0..R`, the other row is
//! `R..2R`, in sowing order. Handing the turn over rotates the ring by `R` pits. There are no
//! stores here and no rules: the value of a position does not depend on what was taken before.
//!
//! ```text
//! P <= 16   word 0: the mover's row          word 1: the other row        word 2: zero
//! P  > 16   word 0: pits 0..8                word 1: pits 8..16           word 2: pits 16..24
//! ```
//!
//! With a row a word, handing the turn over is a swap. No lane ever carries into the next: a board
//! holds at most [`MAX_SEEDS`] seeds, fewer than the 128 that seven bits of a byte can count.

/// The most seeds a board can hold: 2x12 with four a pit.
pub const MAX_SEEDS: u32 = 96;

/// The most pits a board can have, both rows together.
pub const MAX_PITS: usize = 24;

/// Words of a board.
pub(crate) const WORDS: usize = 3;

/// Multiplying a word by this makes each byte the sum of itself and all lower ones.
const PREFIX: u64 = 0x0101_0101_0101_0101;

/// Seeds in `P` pits, from the view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Board<const P: usize> {
    pub(crate) words: [u64; WORDS],
}

impl<const P: usize> Board<P> {
    /// Pits in one row.
    pub const ROW: usize = P / 2;

    /// Pits in one word.
    const PER_WORD: usize = if P <= 16 { P / 2 } else { 8 };

    /// The word and the bit at which the lane of `pit` begins.
    #[inline(always)]
    pub(crate) const fn lane(pit: usize) -> (usize, u32) {
        (pit / Self::PER_WORD, (pit % Self::PER_WORD) as u32 * 8)
    }

    /// A board from its counts, the mover's row first. `counts` has `P` entries with a sum of at
    /// most [`MAX_SEEDS`].
    pub fn from_counts(counts: &[u8]) -> Self {
        debug_assert_eq!(counts.len(), P);
        let mut board = Self::default();
        for (pit, &count) in counts.iter().enumerate() {
            let (word, shift) = Self::lane(pit);
            board.words[word] |= u64::from(count) << shift;
        }
        debug_assert!(board.seeds() <= MAX_SEEDS);
        board
    }

    /// The counts of all pits, the mover's row first.
    pub fn counts(&self) -> [u8; P] {
        std::array::from_fn(|pit| self.get(pit) as u8)
    }

    /// Seeds in `pit`.
    #[inline(always)]
    pub fn get(&self, pit: usize) -> u32 {
        let (word, shift) = Self::lane(pit);
        // Choosing between registers is quicker than an index, which would send the board to memory.
        let [a, b, c] = self.words;
        let lanes = match word {
            0 => a,
            1 => b,
            _ => c,
        };
        (lanes >> shift) as u32 & 0x7f
    }

    /// The same board with `count` seeds in `pit`.
    #[inline(always)]
    #[must_use]
    pub fn with(mut self, pit: usize, count: u32) -> Self {
        let (word, shift) = Self::lane(pit);
        for at in 0..WORDS {
            let (lanes, seeds) = if at == word { (0x7f, u64::from(count)) } else { (0, 0) };
            self.words[at] = self.words[at] & !(lanes << shift) | seeds << shift;
        }
        self
    }

    /// Seeds on the whole board.
    #[inline(always)]
    pub fn seeds(&self) -> u32 {
        // No word holds more than 96 seeds, so the top byte of the product is the word's sum.
        self.words.iter().map(|w| (w.wrapping_mul(PREFIX) >> 56) as u32).sum()
    }

    /// True where the side to move has no seeds in its row.
    #[inline(always)]
    pub fn own_row_empty(&self) -> bool {
        if P <= 16 {
            self.words[0] == 0
        } else {
            self.words[0] == 0 && self.words[1] & ((1 << (8 * (Self::ROW - 8))) - 1) == 0
        }
    }

    /// True where the other side has no seeds in its row.
    #[inline(always)]
    pub fn other_row_empty(&self) -> bool {
        if P <= 16 {
            self.words[1] == 0
        } else {
            self.words[2] == 0 && self.words[1] >> (8 * (Self::ROW - 8)) == 0
        }
    }

    /// True where no pit holds a seed.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.words == [0; WORDS]
    }

    /// The same seeds seen by the other side.
    #[inline(always)]
    #[must_use]
    pub fn rotated(&self) -> Self {
        let [a, b, c] = self.words;
        let words = if P <= 16 {
            [b, a, 0]
        } else {
            // Rotate P lanes by R = P / 2: bits 0..8R change place with bits 8R..16R.
            let low = u128::from(a) | u128::from(b) << 64;
            let bits = 8 * Self::ROW as u32;
            let own = low & ((1 << bits) - 1);
            let other = low >> bits | u128::from(c) << (128 - bits);
            [other as u64, (other >> 64) as u64 | (own << (bits - 64)) as u64, (own >> (128 - bits)) as u64]
        };
        Self { words }
    }

    /// The set of pits (bit i: pit i) that hold exactly `count` seeds.
    #[inline(always)]
    pub(crate) fn pits_with(&self, count: u32) -> u32 {
        const ONES: u64 = 0x0101_0101_0101_0101;
        // One bit a lane, from the top of each byte, moved together by a multiplication.
        let equal = |word: u64| {
            let differs = (word ^ (ONES * u64::from(count))).wrapping_add(ONES * 0x7f) >> 7 & ONES;
            ((differs ^ ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
        };
        let [a, b, c] = self.words;
        let lanes = (1 << Self::PER_WORD) - 1;
        let pits = equal(a) & lanes | (equal(b) & lanes) << Self::PER_WORD;
        if P <= 16 { pits } else { (pits | (equal(c) & lanes) << 16) & ((1 << P) - 1) }
    }

    /// The fewest seeds in any pit.
    pub(crate) fn fewest(&self) -> u32 {
        (0..P).map(|pit| self.get(pit)).min().expect("a board has pits")
    }

    /// The fewest seeds in any pit but one.
    pub(crate) fn fewest_but(&self, but: usize) -> u32 {
        (0..P).filter(|&pit| pit != but).map(|pit| self.get(pit)).min().expect("a board has pits")
    }

    /// For each pit, the seeds in it and in all pits before it, a byte each, packed as the board.
    #[inline(always)]
    pub(crate) fn prefix_sums(&self) -> [u64; WORDS] {
        let a = self.words[0].wrapping_mul(PREFIX);
        let b = self.words[1].wrapping_add(a >> (8 * (Self::PER_WORD - 1)) & 0xff).wrapping_mul(PREFIX);
        if P <= 16 {
            return [a, b, 0];
        }
        let c = self.words[2].wrapping_add(b >> 56).wrapping_mul(PREFIX);
        [a, b, c]
    }
}

impl<const P: usize> std::fmt::Debug for Board<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts: Vec<String> = (0..P).map(|pit| self.get(pit).to_string()).collect();
        write!(f, "Board({})", counts.join("-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<const P: usize>(counts: &[u8]) {
        let counts = &counts[..P];
        let board = Board::<P>::from_counts(counts);
        assert_eq!(board.counts(), counts);
        let row = P / 2;
        let sum = |part: &[u8]| part.iter().map(|&c| u32::from(c)).sum::<u32>();
        assert_eq!(board.seeds(), sum(counts));
        assert_eq!(board.own_row_empty(), sum(&counts[..row]) == 0);
        assert_eq!(board.other_row_empty(), sum(&counts[row..]) == 0);
        assert_eq!(board.is_empty(), sum(counts) == 0);
        let turned = [&counts[row..], &counts[..row]].concat();
        assert_eq!(board.rotated().counts(), turned[..]);
        assert_eq!(board.rotated().rotated(), board);
        let sums = board.prefix_sums();
        for pit in 0..P {
            let (word, shift) = Board::<P>::lane(pit);
            assert_eq!(sums[word] >> shift & 0xff, u64::from(sum(&counts[..=pit])));
            assert_eq!(board.with(pit, 3).get(pit), 3);
        }
    }

    proptest! {
        #[test]
        fn lanes_hold_what_an_array_holds(counts in prop::collection::vec(0u8..=4, MAX_PITS), heap in 0..MAX_PITS) {
            let mut counts = counts;
            check::<4>(&counts);
            check::<6>(&counts);
            check::<8>(&counts);
            check::<10>(&counts);
            check::<12>(&counts);
            check::<14>(&counts);
            check::<16>(&counts);
            check::<18>(&counts);
            check::<20>(&counts);
            check::<22>(&counts);
            check::<24>(&counts);
            let all: u8 = counts.iter().sum();
            counts.fill(0);
            counts[heap] = all;
            check::<24>(&counts);
            check::<18>(&counts);
            check::<12>(&counts);
        }
    }
}
