//! Re-checking tables: checksums, every number against its children, and samples against a search without tables.
//!
//! # Why agreement with the children is a proof
//! [`Verification::deep`] goes from 0 seeds up and compares every position with what its moves lead to, found forward by the
//! rules. Nothing is used of the solver, its counters or its unsowing. Of each position it asks that
//!
//! - a finished game is worth what its end gives, at distance 0;
//! - any other value `v` is the largest of the exits (captures into tiers that are verified by then) and of `-v(child)`;
//! - `v > 0`: the distance is 1 where an exit gives `v`, else one more than the smallest distance of the children
//!   worth `-v`, and finite;
//! - `v < 0`: the distance is the largest of 1, where an exit gives `v`, and one more than those of all children worth
//!   `-v`, and finite;
//! - `v = 0`: the distance is "never".
//!
//! *A side that is told `v > 0` really wins `v`.* It plays the exit, or the child of the smallest distance `d`.
//! The other side's answer, its value being `-v`, is an exit worth no more to it than `-v`, or leads to a value `w >= v`;
//! and if `w = v`, to a distance below `d`. So in a pair (value, distance) the value never falls, it rises
//! a finite number of times, and while it stays the distance falls: the tier is left, and at the promised value or better.
//! The same words, from the other side, make every `v < 0` the most that can be had. *At `v = 0`* both sides have, again
//! and again, a move that leads to an exit worth at least 0 to them, to a value below 0 of the other side, or to another 0; whoever keeps
//! to these moves gets at least 0, the worth of infinite play. So the equations alone would not do (a ring of
//! positions could claim +3 of one another); the finite distances rule such rings out.
//!
//! Of the *forced intervals* only the equations are verified: `low` is the largest of the exits in `low` and of `-high(child)`,
//! `high` the other way round, and `low <= v <= high`. There are no distances for them, so that is consistency, necessary for
//! their being right, and not by itself a proof.
//!
//! The statistics in the header are counted again. What remains to be trusted: the rules (tested against an independent
//! interpreter), the ranks, and the machine.

mod sample;
mod tier;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use crate::build::{bytes, tiers_of};
use crate::engine::{self, EngineError};
use crate::index;
use crate::info;
use crate::lower::Lower;
use crate::packed::Packed;
use crate::profile::Profile;
use crate::table::{Identity, Plane, Progress, TableDir, TableError, TableFile};
pub use sample::Sampled;
use tier::{Tier, impossible};

/// Why tables were not verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A table can not be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There is nothing to verify.
    #[error("{}: no tables of {profile}: build them with `oju build {profile} --seeds {example}`", dir.display())]
    NoTables {
        /// The directory.
        dir: PathBuf,
        /// The profile.
        profile: String,
        /// A number of seeds that can be built.
        example: u32,
    },
    /// A table holds forced intervals, and one below it, which they rest on, does not.
    #[error(
        "{}: holds no forced intervals, which those of {seeds} seeds rest on: rebuild it with `oju build {profile} --seeds {seeds} --forced`",
        path.display()
    )]
    NoIntervals {
        /// The file.
        path: PathBuf,
        /// The profile.
        profile: String,
        /// The tier that holds intervals.
        seeds: u32,
    },
    /// More memory than can be had.
    #[error("the tier of {seeds} seeds takes {} of memory, more than can be had: verify fewer seeds, or without --deep", bytes(*needed))]
    Memory {
        /// The tier.
        seeds: u32,
        /// Bytes it takes.
        needed: u64,
    },
    /// The search, or a look into the tables, failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl VerifyError {
    /// Whether this says that a table is not what was written: a finding, and no failure to look.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Table(error) => matches!(error, TableError::Damaged { .. }),
            Self::Engine(EngineError::Table(error)) => matches!(**error, TableError::Damaged { .. }),
            _ => false,
        }
    }

    /// Whether this only says that the work was stopped, as was asked.
    pub fn is_stopped(&self) -> bool {
        matches!(self, Self::Table(TableError::Stopped { .. }))
    }
}

/// A table that is as it should be, as far as was looked.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Seeds on the board.
    pub seeds: u32,
    /// Positions.
    pub positions: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Forced intervals are there too.
    pub intervals: bool,
}

/// Something that a table says and should not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The table.
    pub path: PathBuf,
    /// Of which position, as counts with South to move; `None` for what the header says of all.
    pub position: Option<String>,
    /// The kind of number.
    pub what: String,
    /// What the table says.
    pub said: String,
    /// What it should say, and from where that is known.
    pub right: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, position, what, said, right } = self;
        write!(f, "{}: ", path.display())?;
        if let Some(position) = position {
            write!(f, "position {position}: ")?;
        }
        write!(f, "{what}: the table says {said}, {right}")
    }
}

/// Told of progress with a tier: its seeds, positions done and positions to do.
pub type TierProgress<'a> = &'a (dyn Fn(u32, u64, u64) + Sync);

/// The tables of one profile, to be verified. Works on rayon's threads.
pub struct Verification<'a> {
    profile: &'a Profile,
    dir: TableDir,
    tiers: Vec<u32>,
    stop: &'a AtomicBool,
}

impl<'a> Verification<'a> {
    /// The tables of `profile` in `dir`, up to `most` seeds if that is said.
    ///
    /// # Errors
    /// Where there are none.
    pub fn new(
        profile: &'a Profile,
        dir: &Path,
        most: Option<u32>,
        stop: &'a AtomicBool,
    ) -> Result<Self, VerifyError> {
        let dir = TableDir::open(dir)?;
        let mut tiers = info::tiers_of(&dir, profile)?;
        tiers.retain(|&seeds| most.is_none_or(|most| seeds <= most));
        if tiers.is_empty() {
            let (dir, example) = (dir.path().to_path_buf(), most.unwrap_or(8).min(profile.seeds()));
            return Err(VerifyError::NoTables { dir, profile: profile.to_string(), example });
        }
        Ok(Self { profile, dir, tiers, stop })
    }

    /// The tiers that there are files of, in seeds, ascending.
    pub fn tiers(&self) -> &[u32] {
        &self.tiers
    }

    /// Bytes of memory that [`Self::deep`] takes, about.
    pub fn deep_memory(&self) -> u64 {
        let most = self.tiers.last().copied().unwrap_or(0);
        // Every number of every tier, the distances of the largest.
        let of = |seeds| u64::try_from(index::tier_size(2 * self.profile.row(), seeds)).unwrap_or(u64::MAX);
        let planes = |seeds| match self.open(seeds) {
            Ok(file) if file.has(Plane::Low) => 3,
            _ => 1,
        };
        let numbers = tiers_of(self.profile, most)
            .map(|seeds| planes(seeds) * Packed::bytes_of(of(seeds), self.profile.unit(), seeds));
        numbers.fold(of(most).saturating_mul(2), u64::saturating_add)
    }

    fn open(&self, seeds: u32) -> Result<TableFile, TableError> {
        self.dir.table(&Identity::of(self.profile, seeds))
    }

    fn verified(file: &TableFile) -> Result<Verified, TableError> {
        Ok(Verified {
            seeds: file.identity().seeds.into(),
            positions: file.positions(),
            bytes: info::size(file)?,
            intervals: file.has(Plane::Low),
        })
    }

    /// Verifies all checksums of a table, and that all of it decodes.
    ///
    /// # Errors
    /// Where it does not, or was stopped.
    pub fn checksums(&self, seeds: u32, progress: TierProgress<'_>) -> Result<Verified, VerifyError> {
        let file = self.open(seeds)?;
        file.check(self.stop, &|done, todo| progress(seeds, done, todo))?;
        Ok(Self::verified(&file)?)
    }

    /// Verifies every number of all tiers from 0 seeds up against its children: see the module. `verified` is told of each tier that is
    /// right. Returns the first number that is not: of the smallest tier, and there of the smallest rank.
    ///
    /// # Errors
    /// Where a table is missing or can not be read, or memory does not suffice, or it was stopped.
    pub fn deep(
        &self,
        verified: &mut dyn FnMut(&Verified),
        progress: TierProgress<'_>,
    ) -> Result<Option<Mismatch>, VerifyError> {
        let most = self.tiers.last().copied().unwrap_or(0);
        let files: Vec<TableFile> =
            tiers_of(self.profile, most).map(|seeds| self.open(seeds)).collect::<Result<_, _>>()?;
        let with = files.iter().rposition(|file| file.has(Plane::Low));
        if let Some(with) = with
            && let Some(without) = files[..with].iter().find(|file| !file.has(Plane::Low))
        {
            return Err(VerifyError::NoIntervals {
                path: without.path().to_path_buf(),
                profile: self.profile.to_string(),
                seeds: files[with].identity().seeds.into(),
            });
        }
        let mut lower = Lower::new(with.is_some());
        for file in &files {
            let seeds = u32::from(file.identity().seeds);
            while lower.next() < seeds {
                lower.push_empty();
            }
            let mismatch = self.numbers(file, &mut lower, &|done, todo| progress(seeds, done, todo))?;
            if mismatch.is_some() {
                return Ok(mismatch);
            }
            verified(&Self::verified(file)?);
        }
        Ok(None)
    }

    /// Verifies the numbers of the next tier, and adds it to those below.
    fn numbers(
        &self,
        file: &TableFile,
        lower: &mut Lower,
        progress: Progress<'_>,
    ) -> Result<Option<Mismatch>, VerifyError> {
        let seeds = u32::from(file.identity().seeds);
        let unit = self.profile.unit();
        if let Some(mismatch) = impossible(file, unit) {
            return Ok(Some(mismatch));
        }
        let edges = engine::edges(self.profile, seeds);
        let intervals = file.has(Plane::Low);
        progress(0, file.positions());
        let read = |plane| lower.read(file, plane, &*edges, unit, self.stop);
        let values = read(Plane::Values)?;
        let interval = if intervals { Some([read(Plane::Low)?, read(Plane::High)?]) } else { None };
        let tier = Tier {
            profile: self.profile,
            file,
            edges: &*edges,
            lower,
            values: &values,
            distances: &self.distances(file)?,
            interval: interval.as_ref(),
        };
        let mismatch = tier.verify(self.stop, progress)?;
        lower.push(values, interval);
        Ok(mismatch)
    }

    /// All distances of a tier.
    fn distances(&self, file: &TableFile) -> Result<Vec<u16>, VerifyError> {
        let short = || VerifyError::Memory {
            seeds: file.identity().seeds.into(),
            needed: file.positions().saturating_mul(2),
        };
        let positions = usize::try_from(file.positions()).map_err(|_| short())?;
        let mut distances = Vec::new();
        distances.try_reserve_exact(positions).map_err(|_| short())?;
        distances.resize(positions, 0u16);
        let page = file.page_ranks(0);
        let page = (page.end - page.start).max(1) as usize;
        distances.par_chunks_mut(page).enumerate().try_for_each(|(page, out)| {
            if self.stop.load(Relaxed) {
                return Err(TableError::Stopped { path: file.path().to_path_buf() });
            }
            let stored = file.stored_run(Plane::Distances, page as u64)?;
            // The format holds no number that would not fit.
            out.iter_mut().zip(stored).for_each(|(out, distance)| *out = distance as u16);
            Ok(())
        })?;
        Ok(distances)
    }
}

fn signed(value: i32) -> String {
    if value == 0 { "0".to_string() } else { format!("{value:+}") }
}

#[cfg(test)]
mod tests;
