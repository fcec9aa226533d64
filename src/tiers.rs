//! The small tiers, solved in memory the first time they are asked for.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock};

use crate::board::{Board, MAX_SEEDS};
use crate::index;
use crate::retrograde::{self, Tier};
use crate::rules::Rules;

/// Positions that may be solved in memory, all tiers together: about three seconds of work and
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
    /// All up to this number of seeds, whatever that takes: about 60 bytes a position while a tier is
    /// being solved, three afterwards.
    UpTo(u32),
}

/// The tiers of one profile that are solved in memory.
pub(crate) struct Tiers<R> {
    rules: R,
    /// The largest tier that may be solved, in seeds. `None`: not even the empty board.
    most: Option<u32>,
    tiers: Vec<OnceLock<Tier>>,
    building: Mutex<()>,
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
        let tiers = (0..=most.unwrap_or(0)).map(|_| OnceLock::new()).collect();
        Self { rules, most, tiers, building: Mutex::new(()) }
    }

    /// Solves all tiers that serve boards of up to `seeds` seeds, and returns them by number of
    /// seeds. `None` where `stop` was raised before the end. `started` is told each tier to come.
    pub(crate) fn up_to<const P: usize>(
        &self,
        seeds: u32,
        stop: &AtomicBool,
        started: impl Fn(u32),
    ) -> Option<Vec<&Tier>>
    where
        R: Rules<P>,
    {
        let Some(most) = self.most else { return Some(Vec::new()) };
        let guard = self.building.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut ready: Vec<&Tier> = Vec::new();
        for seeds in 0..=seeds.min(most) {
            let slot = &self.tiers[seeds as usize];
            if slot.get().is_none() {
                let tier = if seeds % R::UNIT == 0 {
                    started(seeds);
                    let probe =
                        |board: &Board<P>| ready[board.seeds() as usize].values[index::rank(board) as usize];
                    retrograde::solve_tier(self.rules, seeds, probe, stop)?
                } else {
                    // No position has this number of seeds.
                    Tier::default()
                };
                let _ = slot.set(tier);
            }
            ready.push(slot.get().expect("just solved"));
        }
        drop(guard);
        Some(ready)
    }
}
