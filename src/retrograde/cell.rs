//! What the solver knows of one position, in 16 bits.

use std::sync::atomic::AtomicU16;

use zerocopy::{FromBytes, IntoBytes};

/// How a cell of 16 bits is laid out: from the top, one bit where it is solved, the code of a number, and the low
/// bits.
///
/// | | number | low bits |
/// | --- | --- | --- |
/// | unsolved | best exit, or none | unsolved children, or [`Layout::over`] |
/// | solved | value | one bit where the best exit alone gives the value, and the distance, or [`Layout::long`] |
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) low_bits: u32,
    /// Numbers are multiples of two to this: a shift is quicker than a division.
    unit_bits: u32,
    /// The code of the number 0. Code 0 is "no exit".
    zero: i32,
}

impl Layout {
    pub(super) const SOLVED: u16 = 1 << 15;

    /// `unit` is a power of two.
    pub(super) fn new(seeds: u32, unit: u32) -> Self {
        debug_assert!(unit.is_power_of_two());
        let zero = (seeds / unit) as i32 + 1;
        let number_bits = u32::BITS - (2 * zero as u32).leading_zeros();
        Self { low_bits: 15 - number_bits, unit_bits: unit.trailing_zeros(), zero }
    }

    /// The greatest common divisor of all numbers.
    pub(super) fn unit(self) -> i32 {
        1 << self.unit_bits
    }

    pub(super) fn code(self, number: i32) -> u16 {
        ((number >> self.unit_bits) + self.zero) as u16
    }

    pub(super) fn code_of(self, cell: u16) -> u16 {
        (cell & !Self::SOLVED) >> self.low_bits
    }

    pub(super) fn number_of(self, cell: u16) -> i32 {
        (i32::from(self.code_of(cell)) - self.zero) << self.unit_bits
    }

    pub(super) fn low_of(self, cell: u16) -> u16 {
        cell & self.over()
    }

    /// In place of the count: the game is over.
    pub(super) fn over(self) -> u16 {
        (1 << self.low_bits) - 1
    }

    /// In place of the distance: it is this or more, and kept apart.
    pub(super) fn long(self) -> u16 {
        self.over() >> 1
    }

    pub(super) fn solved(self, code: u16, by_exit: bool, distance: u16) -> u16 {
        let by_exit = u16::from(by_exit) << (self.low_bits - 1);
        Self::SOLVED | code << self.low_bits | by_exit | distance.min(self.long())
    }

    /// The distance of a solved cell, or [`Layout::long`].
    pub(super) fn distance_of(self, cell: u16) -> u16 {
        cell & self.long()
    }

    /// Whether the best exit alone gives a solved cell's value.
    pub(super) fn by_exit(self, cell: u16) -> bool {
        cell >> (self.low_bits - 1) & 1 != 0
    }
}

/// Cells that no other thread can touch, as plain numbers: the compiler looks through those many at a time.
pub(super) fn plain(cells: &mut [AtomicU16]) -> &mut [u16] {
    <[u16]>::mut_from_bytes(cells.as_mut_bytes()).expect("the same size and alignment")
}
