//! Which numbers there are, how many positions have each, and one that has.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::error::Fault;
use super::page::Grid;
use super::passes::{Passes, each};
use super::{Contents, Plane};

/// The positions that have something in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) positions: u64,
    /// The smallest rank of one, the largest number of all where there is none.
    pub(super) first: u64,
}

impl Tally {
    pub(super) const NONE: Self = Self { positions: 0, first: u64::MAX };
    /// In a file.
    pub(super) const BYTES: usize = 16;

    fn add(&mut self, rank: u64) {
        self.merge(Self { positions: 1, first: rank });
    }

    fn merge(&mut self, other: Self) {
        self.positions += other.positions;
        self.first = self.first.min(other.first);
    }

    /// Whether a tier of so many positions can have it.
    pub(super) fn can_be(self, positions: u64) -> bool {
        match self.positions {
            0 => self == Self::NONE,
            some => self.first.checked_add(some).is_some_and(|end| end <= positions),
        }
    }

    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.positions.to_le_bytes());
        bytes[8..].copy_from_slice(&self.first.to_le_bytes());
        bytes
    }

    /// Of [`Self::BYTES`] bytes.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        Self { positions: number(0), first: number(8) }
    }
}

/// What there is in a plane.
pub(super) struct Counted {
    pub(super) plane: Plane,
    /// The numbers there are, ascending.
    pub(super) dictionary: Vec<i32>,
    /// Which positions have each.
    pub(super) tallies: Vec<Tally>,
}

/// Tallies of some positions. Sums and smallest ranks come out the same in whatever parts they are counted.
struct Census {
    /// By plane, then by number from the least that its plane can hold.
    numbers: Vec<Vec<Tally>>,
    standoffs: Tally,
}

impl Census {
    fn new(planes: &[Plane]) -> Self {
        let numbers = planes.iter().map(|plane| vec![Tally::NONE; plane.numbers().count()]).collect();
        Self { numbers, standoffs: Tally::NONE }
    }

    /// Asks for the numbers of `ranks`, once for each plane. `buffers` are any, one a plane.
    fn add(
        &mut self,
        contents: &dyn Contents,
        planes: &[Plane],
        ranks: Range<u64>,
        buffers: &mut [Vec<i32>],
    ) {
        for ((&plane, tallies), numbers) in planes.iter().zip(&mut self.numbers).zip(buffers.iter_mut()) {
            numbers.clear();
            numbers.resize((ranks.end - ranks.start) as usize, 0);
            contents.fill(plane, ranks.clone(), numbers, None);
            let least = *plane.numbers().start();
            for (rank, number) in ranks.clone().zip(numbers) {
                assert!(plane.numbers().contains(number), "{number} can not be among {}", plane.name());
                tallies[(*number - least) as usize].add(rank);
            }
        }
        if let [_, _, low, high] = buffers {
            for (rank, (low, high)) in ranks.zip(low.iter().zip(high)) {
                if low != high {
                    self.standoffs.add(rank);
                }
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        let pairs = self.numbers.iter_mut().flatten().zip(other.numbers.iter().flatten());
        pairs.for_each(|(tally, more)| tally.merge(*more));
        self.standoffs.merge(other.standoffs);
    }
}

/// Counts, in one pass, the numbers there are in all planes, and the stand-offs where there are bounds.
pub(super) fn count(
    grid: Grid,
    planes: &[Plane],
    contents: &dyn Contents,
    passes: &mut Passes<'_>,
) -> Result<(Vec<Counted>, Option<Tally>), Fault> {
    let stop = passes.stop;
    let mut census = Census::new(planes);
    passes.run(grid, planes.len() as u64, |slab| {
        let parts = each(slab).with_min_len(16).try_fold(
            || (Census::new(planes), vec![Vec::new(); planes.len()]),
            |(mut census, mut buffers), page| {
                if stop.load(Relaxed) {
                    return Err(Fault::Stopped);
                }
                census.add(contents, planes, grid.page_ranks(page), &mut buffers);
                Ok((census, buffers))
            },
        );
        let parts: Vec<Census> = parts.map(|part| Ok(part?.0)).collect::<Result<_, Fault>>()?;
        parts.iter().for_each(|part| census.merge(part));
        Ok(())
    })?;
    let counted = planes.iter().zip(census.numbers).map(|(&plane, tallies)| {
        let present = plane.numbers().zip(tallies).filter(|(_, tally)| tally.positions > 0);
        let (dictionary, tallies) = present.unzip();
        Counted { plane, dictionary, tallies }
    });
    Ok((counted.collect(), contents.intervals().then_some(census.standoffs)))
}
