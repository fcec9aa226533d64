//! The solved tiers that a search stands on.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::board::{Board, MAX_SEEDS};
use crate::edges::TierEdges;
use crate::index;
use crate::packed::Packed;
use crate::retrograde::{Alone, Below, Means, Meter, NEVER, Task, Tier, Unsolved};
use crate::rules::Rules;

/// Positions that may be solved in memory, all tiers together: about a second of work and
/// nine megabytes to keep.
const MOST_POSITIONS: u128 = 3_000_000;

/// Which tiers are solved in memory on first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryTiers {
    /// None at all: everything is searched.
    None,
    /// All that have at most three million positions together, which takes a second or so: up to 12
    /// seeds on 2x6.
    Small,
    /// All up to this number of seeds, whatever that takes: three bytes a position.
    UpTo(u32),
}

/// A tier solved in memory: value and distance of each position, by rank.
#[derive(Debug, Default)]
pub struct MemoryTier {
    values: Packed,
    distances: Vec<u16>,
}

impl MemoryTier {
    /// Solves the tier of `seeds` seeds on rayon's threads. `below`: the tiers of fewer seeds, by seeds; of a number of seeds that no
    /// position has, the default. `None` where `stop` was raised before the end.
    ///
    /// # Panics
    /// Where a tier below is missing, or a value is not converted in 65,534 sowings, which no tier comes near.
    pub fn solve<R: Rules<P>, const P: usize>(
        rules: R,
        seeds: u32,
        below: &[&MemoryTier],
        meter: &Meter,
        stop: &AtomicBool,
    ) -> Option<Self> {
        assert_eq!(below.len(), seeds as usize, "all tiers below must be solved");
        let edges = TierEdges { rules, seeds };
        let values: Vec<&Packed> = below.iter().map(|tier| &tier.values).collect();
        let below = Below { low: &values, high: &values };
        let mut tier = Tier::new(&edges, R::UNIT, Task::Values, &Alone);
        match tier.solve(Means { edges: &edges, below, spread: &Alone, meter, stop }, &mut |_| {}) {
            Ok(()) => Some(Self {
                values: tier.packed(0),
                distances: (0..tier.size()).map(|rank| tier.distance(rank)).collect(),
            }),
            Err(Unsolved::Stopped) => None,
            Err(error) => panic!("the tier of {seeds} seeds: {error}"),
        }
    }

    /// The value of a position, from its side to move.
    pub fn value(&self, rank: u64) -> i8 {
        self.values.get(rank)
    }

    /// Sowings until the value is converted, or [`NEVER`].
    pub fn distance(&self, rank: u64) -> u16 {
        self.distances[rank as usize]
    }
}

/// The tiers of one profile that are solved in memory.
pub(crate) struct Tiers<R> {
    rules: R,
    /// The largest tier that may be solved, in seeds. `None`: not even the empty board.
    most: Option<u32>,
    tiers: Vec<OnceLock<MemoryTier>>,
    building: Mutex<()>,
}

/// Solved tiers from 0 seeds up, without a gap.
#[derive(Clone, Copy)]
pub(crate) struct Solved<'a> {
    tiers: &'a [OnceLock<MemoryTier>],
}

impl Solved<'_> {
    /// No tier at all.
    pub(crate) const NONE: Self = Self { tiers: &[] };

    /// True where boards of `seeds` seeds are solved.
    #[inline(always)]
    pub(crate) fn covers(&self, seeds: u32) -> bool {
        (seeds as usize) < self.tiers.len()
    }

    /// The value of a board, from the side to move. `None`: its tier is not solved.
    #[inline(always)]
    pub(crate) fn value<const P: usize>(&self, board: &Board<P>) -> Option<i32> {
        let tier = self.tiers.get(board.seeds() as usize)?.get()?;
        Some(tier.values.get(index::rank(board)).into())
    }

    /// Sowings until the value of a board is converted. `None`: its tier is not solved, or its value is not
    /// converted at all.
    pub(crate) fn distance<const P: usize>(&self, board: &Board<P>) -> Option<u16> {
        let tier = self.tiers.get(board.seeds() as usize)?.get()?;
        Some(tier.distances[index::rank(board) as usize]).filter(|&distance| distance != NEVER)
    }
}

impl<R> Tiers<R> {
    /// Tiers of a board of `P` pits, none of them solved yet.
    pub(crate) fn new<const P: usize>(rules: R, which: MemoryTiers) -> Self
    where
        R: Rules<P>,
    {
        let mut positions = 0;
        let most = match which {
            MemoryTiers::None => None,
            MemoryTiers::UpTo(seeds) => Some(seeds.min(MAX_SEEDS)),
            MemoryTiers::Small => (0..=MAX_SEEDS)
                .take_while(|&seeds| {
                    positions += if seeds % R::UNIT == 0 { index::tier_size(P, seeds) } else { 0 };
                    positions <= MOST_POSITIONS
                })
                .last(),
        };
        let tiers = (0..most.map_or(0, |most| most + 1)).map(|_| OnceLock::new()).collect();
        Self { rules, most, tiers, building: Mutex::new(()) }
    }

    /// Solves all tiers that serve boards of up to `seeds` seeds. `None` where `stop` was raised before the end. `started`
    /// is told each tier to come.
    pub(crate) fn up_to<const P: usize>(
        &self,
        seeds: u32,
        stop: &AtomicBool,
        started: impl Fn(u32),
    ) -> Option<Solved<'_>>
    where
        R: Rules<P>,
    {
        let Some(most) = self.most else { return Some(Solved::NONE) };
        let most = seeds.min(most) as usize;
        let _guard = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        if self.tiers[most].get().is_none() {
            let mut below: Vec<&MemoryTier> = Vec::new();
            for (seeds, slot) in (0..).zip(&self.tiers[..=most]) {
                if slot.get().is_none() {
                    let tier = if seeds % R::UNIT == 0 {
                        started(seeds);
                        MemoryTier::solve::<R, P>(self.rules, seeds, &below, &Meter::default(), stop)?
                    } else {
                        // No position has this number of seeds.
                        MemoryTier::default()
                    };
                    let _ = slot.set(tier);
                }
                below.push(slot.get().expect("just solved"));
            }
        }
        Some(Solved { tiers: &self.tiers[..=most] })
    }
}
