//! Values of some positions against a search that uses no table.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{Mismatch, TierProgress, Verification, VerifyError, signed};
use crate::engine::{Engine, Limits, Settings};
use crate::index;
use crate::info;
use crate::position::Position;
use crate::table::TableError;
use crate::tiers::{MemoryTiers, Tables};

/// What sampling found.
#[derive(Clone, Debug, Default)]
pub struct Sampled {
    /// Positions compared.
    pub positions: u64,
    /// Those whose search was not exact in time; their proven bounds agree.
    pub undecided: u64,
    /// The first that disagrees, at which sampling ended.
    pub mismatch: Option<Mismatch>,
}

impl Verification<'_> {
    /// Compares the values of `count` positions, at least one of each tier, the others from all alike, with what a search without any table
    /// finds in `time` each. The same `seed` chooses the same positions.
    ///
    /// # Errors
    /// Where a table is missing or can not be read, or it was stopped.
    pub fn sample(
        &self,
        count: u64,
        seed: u64,
        time: Duration,
        threads: usize,
        progress: TierProgress<'_>,
    ) -> Result<Sampled, VerifyError> {
        let settings =
            Settings { threads, table_bytes: 64 << 20, tiers: MemoryTiers::None, ..Settings::default() };
        let engine = Engine::new(*self.profile, &settings)?;
        let tables = Settings { tables: Tables::In(self.dir.path().to_path_buf()), ..settings };
        let tables = Engine::new(*self.profile, &tables)?;
        let mut sampled = Sampled::default();
        let chosen = self.choose(count, seed);
        for &(seeds, rank) in &chosen {
            progress(seeds, sampled.positions, chosen.len() as u64);
            let mut counts = vec![0; 2 * self.profile.row()];
            index::unrank_counts(seeds, rank, &mut counts);
            let position = Position::from_counts(&counts);
            let Some(value) = tables.probe(&position)? else {
                // A table below is not there: opening them in turn says which.
                (0..=seeds).step_by(self.profile.unit() as usize).try_for_each(|s| self.open(s).map(drop))?;
                continue;
            };
            let analysis =
                engine.analyse(&position, &Limits { time: Some(time), ..Limits::none(self.stop) }, &())?;
            if self.stop.load(Relaxed) {
                return Err(TableError::Stopped { path: self.open(seeds)?.path().to_path_buf() }.into());
            }
            sampled.positions += 1;
            sampled.undecided += u64::from(!analysis.exact);
            let [least, most] = analysis.bounds;
            if !(least..=most).contains(&value) {
                let right = if analysis.exact {
                    format!("a search {}", signed(least))
                } else {
                    format!("a search proves {} to {}", signed(least), signed(most))
                };
                sampled.mismatch = Some(Mismatch {
                    path: self.open(seeds)?.path().to_path_buf(),
                    position: Some(info::position_text(self.profile, seeds, rank)),
                    what: "value".to_string(),
                    said: signed(value),
                    right,
                });
                break;
            }
        }
        Ok(sampled)
    }

    /// Positions to be sampled: seeds and rank, ascending.
    fn choose(&self, count: u64, seed: u64) -> Vec<(u32, u64)> {
        let pits = 2 * self.profile.row();
        let sizes = self.tiers.iter().map(|&seeds| index::tier_size(pits, seeds));
        let sizes: Vec<(u32, u64)> = self
            .tiers
            .iter()
            .copied()
            .zip(sizes.map(|size| u64::try_from(size).unwrap_or(u64::MAX)))
            .collect();
        let all: u128 = sizes.iter().map(|&(_, size)| u128::from(size)).sum();
        let mut random = SplitMix64::seed_from_u64(seed);
        // Sums of sizes are much smaller than 2^128, so the remainder is as good as even.
        let mut below =
            |most: u128| (u128::from(random.next_u64()) << 64 | u128::from(random.next_u64())) % most.max(1);
        let mut chosen: Vec<(u32, u64)> =
            sizes.iter().map(|&(seeds, size)| (seeds, below(size.into()) as u64)).collect();
        while (chosen.len() as u64) < count {
            let mut at = below(all);
            for &(seeds, size) in &sizes {
                if at < u128::from(size) {
                    chosen.push((seeds, at as u64));
                    break;
                }
                at -= u128::from(size);
            }
        }
        chosen.sort_unstable();
        chosen
    }
}
