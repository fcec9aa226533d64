//! The solved tiers that a search stands on: from tables, or solved in memory.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use crate::board::{Board, MAX_SEEDS};
use crate::edges::TierEdges;
use crate::file_tier::{BlockBudget, FileTier};
use crate::index;
use crate::lower::{self, Lower};
use crate::number::Number;
use crate::packed::Packed;
use crate::profile::Profile;
use crate::retrograde::{Alone, Below, Means, Meter, NEVER, Task, Tier, Unsolved};
use crate::rules::Rules;
use crate::table::{Identity, Plane, TableDir, TableError};

/// Positions that may be solved in memory, all tiers together: about a second of work and
/// nine megabytes to keep.
const MOST_POSITIONS: u128 = 3_000_000;

/// The largest number of seeds up to which all tiers of a board of `pits` pits together have at most so many positions.
pub(crate) fn most_seeds(pits: usize, unit: u32, positions: u128) -> Option<u32> {
    (0..=MAX_SEEDS).take_while(|&seeds| positions_up_to(pits, unit, seeds) <= positions).last()
}

/// The positions of all tiers up to this many seeds.
fn positions_up_to(pits: usize, unit: u32, seeds: u32) -> u128 {
    (0..=seeds).step_by(unit as usize).map(|seeds| index::tier_size(pits, seeds)).sum()
}

/// Bytes that the values and distances of all tiers up to this many seeds take at most, while the largest is being solved.
pub(crate) fn bytes_up_to(pits: usize, unit: u32, seeds: u32) -> u128 {
    // Three to keep, and for the largest as much while it is solved.
    3 * (positions_up_to(pits, unit, seeds) + index::tier_size(pits, seeds / unit * unit))
}

/// How many tiers there are from that of 0 seeds to this one.
fn tiers_up_to(seeds: u32) -> usize {
    seeds.min(MAX_SEEDS) as usize + 1
}

/// Which tiers are solved in memory on first use, where there are no tables of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryTiers {
    /// None at all.
    None,
    /// All that have at most three million positions together, which takes a second or so: up to 12
    /// seeds on 2x6.
    Small,
    /// All up to this number of seeds, whatever that takes: three bytes a position.
    UpTo(u32),
}

/// Where the tables of an engine are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tables {
    /// None are used.
    None,
    /// In this directory, which must be there.
    In(PathBuf),
    /// In this directory, if it is there.
    MaybeIn(PathBuf),
}

#[cfg(feature = "explore")]
impl Tables {
    /// The directory, which need not be there.
    pub(crate) fn dir(&self) -> Option<&std::path::Path> {
        match self {
            Self::None => None,
            Self::In(dir) | Self::MaybeIn(dir) => Some(dir),
        }
    }
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
                distances: (0..tier.size()).into_par_iter().map(|rank| tier.distance(rank)).collect(),
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

/// The solved tiers of one profile. A clone shares all of them.
pub(crate) struct Tiers<R>(Arc<Shared<R>>);

impl<R> Clone for Tiers<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R> Deref for Tiers<R> {
    type Target = Shared<R>;

    fn deref(&self) -> &Shared<R> {
        &self.0
    }
}

/// What clones of [`Tiers`] share.
pub(crate) struct Shared<R> {
    rules: R,
    /// The tables from 0 seeds up, without a gap; an empty place for a number of seeds that no position has.
    files: Vec<Option<FileTier>>,
    /// How many of these, from 0 seeds up, have the forced intervals too.
    files_with_intervals: usize,
    budget: BlockBudget,
    /// How many tiers, from 0 seeds up, may be solved in memory: their values, and their forced intervals.
    wanted: [AtomicUsize; 2],
    memory: Vec<OnceLock<MemoryTier>>,
    /// The forced intervals of the tiers in memory, `low` and `high`: solved only where they are asked for.
    intervals: Vec<OnceLock<[Packed; 2]>>,
    /// Held by whoever solves tiers in memory, so that engines that share them do not do the same work at once.
    solving: Mutex<()>,
    failed: AtomicBool,
    failure: OnceLock<Arc<TableError>>,
}

/// Solved tiers from 0 seeds up, without a gap.
#[derive(Clone, Copy)]
pub(crate) struct Solved<'a, R> {
    tiers: &'a Shared<R>,
    /// How many there are.
    len: usize,
    /// They come from tables.
    from_files: bool,
}

/// Where tables keep a number.
fn plane(number: Number) -> Plane {
    match number {
        Number::Value => Plane::Values,
        Number::Low => Plane::Low,
        Number::High => Plane::High,
    }
}

impl<R> Solved<'_, R> {
    /// True where boards of `seeds` seeds are solved.
    #[inline(always)]
    pub(crate) fn covers(&self, seeds: u32) -> bool {
        (seeds as usize) < self.len
    }

    /// The most seeds of a board that is solved.
    pub(crate) fn most(&self) -> Option<u32> {
        self.len.checked_sub(1).map(|most| most as u32)
    }

    /// A number of a board that these tiers are solved for. `None`: its tier is not solved. Meaningless once a table has
    /// failed.
    #[inline(always)]
    pub(crate) fn number<const P: usize>(&self, board: &Board<P>, number: Number) -> Option<i32>
    where
        R: Rules<P>,
    {
        let seeds = board.seeds();
        if !self.covers(seeds) {
            return None;
        }
        if self.from_files {
            return Some(self.true_number(board, number).into());
        }
        let seeds = seeds as usize;
        let numbers = match number {
            Number::Value => &self.tiers.memory[seeds].get()?.values,
            Number::Low => &self.tiers.intervals[seeds].get()?[0],
            Number::High => &self.tiers.intervals[seeds].get()?[1],
        };
        Some(numbers.get(index::rank(board)).into())
    }

    /// The true number.
    fn true_number<const P: usize>(&self, board: &Board<P>, number: Number) -> i8
    where
        R: Rules<P>,
    {
        self.number_within(board, number, -i32::from(i8::MAX), i8::MAX.into())
    }

    /// The larger of what the table has stored and of the best exit, looked for between `alpha` and `beta` (fail-soft alpha-beta):
    /// exact where it lies between them, else at most `alpha` and not below the true one, or at least `beta` and not above it.
    /// Exits lead to smaller tiers, so this ends. What is stored is never above the true number, so it alone often says
    /// that an exit is no better, and no block need be read for the exits behind it: without bounds these would double
    /// with every capture.
    fn number_within<const P: usize>(&self, board: &Board<P>, number: Number, alpha: i32, beta: i32) -> i8
    where
        R: Rules<P>,
    {
        let Some(file) = &self.tiers.files[board.seeds() as usize] else { return 0 };
        let rank = index::rank(board);
        let Some(found) = self.tiers.told(file.number(plane(number), rank, &self.tiers.budget)) else {
            return 0;
        };
        let mut best = i32::from(found.number);
        if found.is_true || best >= beta {
            return found.number;
        }
        let over = self.tiers.rules.each_move(board, |m| {
            let captured = i32::from(m.captured);
            let left = m.next.seeds() as i32;
            if captured == 0 || best >= beta || captured + left <= best {
                return;
            }
            let [low, high] = [alpha.max(best) - captured, beta - captured];
            let rest = if m.again {
                i32::from(self.number_within(&m.next, number, low, high))
            } else {
                -i32::from(self.number_within(&m.next, number.turned(), -high, -low))
            };
            best = best.max(captured + rest);
        });
        let best = over.map_or(best, |margin| best.max(margin.into())) as i8;
        // Where a table has failed below, what was found is worth nothing.
        if (alpha + 1..beta).contains(&best.into()) && !self.tiers.failed.load(Relaxed) {
            found.keep(best);
        }
        best
    }

    /// Sowings until the value of a board is converted. `None`: its tier is not solved, or its value is not
    /// converted at all.
    pub(crate) fn distance<const P: usize>(&self, board: &Board<P>) -> Option<u16> {
        let seeds = board.seeds();
        if !self.covers(seeds) {
            return None;
        }
        let rank = index::rank(board);
        let distance = if self.from_files {
            self.tiers.told(self.tiers.files[seeds as usize].as_ref()?.distance(rank))?
        } else {
            self.tiers.memory[seeds as usize].get()?.distances[rank as usize]
        };
        Some(distance).filter(|&distance| distance != NEVER)
    }
}

impl<R> Shared<R> {
    /// What was read, or a note of the failure.
    #[inline]
    fn told<T>(&self, read: Result<T, TableError>) -> Option<T> {
        read.map_err(|error| self.fail(error)).ok()
    }

    #[cold]
    fn fail(&self, error: TableError) {
        let _ = self.failure.set(Arc::new(error));
        self.failed.store(true, Relaxed);
    }
}

impl<R> Tiers<R> {
    /// Tiers of a board of `P` pits. Tables are opened, and nothing is solved yet. `block_bytes`: memory for what is read from
    /// tables.
    ///
    /// # Errors
    /// Where a table that is there can not be used.
    pub(crate) fn new<const P: usize>(
        rules: R,
        profile: &Profile,
        which: MemoryTiers,
        tables: &Tables,
        block_bytes: usize,
    ) -> Result<Self, TableError>
    where
        R: Rules<P>,
    {
        let wanted = match which {
            MemoryTiers::None => 0,
            MemoryTiers::UpTo(seeds) => tiers_up_to(seeds),
            MemoryTiers::Small => most_seeds(P, R::UNIT, MOST_POSITIONS).map_or(0, tiers_up_to),
        };
        let mut files = open(profile, tables, R::UNIT)?;
        let budget = BlockBudget::new(block_bytes, files.iter_mut().flatten());
        let known = |file: &&Option<FileTier>| file.as_ref().is_none_or(|file| file.file().has(Plane::Low));
        Ok(Self(Arc::new(Shared {
            rules,
            files_with_intervals: files.iter().take_while(known).count(),
            files,
            budget,
            wanted: [wanted, wanted].map(AtomicUsize::new),
            memory: (0..=MAX_SEEDS).map(|_| OnceLock::new()).collect(),
            intervals: (0..=MAX_SEEDS).map(|_| OnceLock::new()).collect(),
            solving: Mutex::new(()),
            failed: AtomicBool::new(false),
            failure: OnceLock::new(),
        })))
    }

    /// Raised where a table could not be read: what was found since is worth nothing.
    pub(crate) fn failed(&self) -> &AtomicBool {
        &self.failed
    }

    /// Why a table could not be read. Once it is there it stays.
    pub(crate) fn failure(&self) -> Option<Arc<TableError>> {
        self.failure.get().cloned()
    }

    /// The tiers that have tables of what the task finds.
    pub(crate) fn tables(&self, task: Task) -> Solved<'_, R> {
        let len = match task {
            Task::Values => self.files.len(),
            Task::Forced => self.files_with_intervals,
        };
        Solved { tiers: self, len, from_files: true }
    }

    /// From now on all tiers up to this many seeds may be solved in memory.
    pub(crate) fn want(&self, task: Task, seeds: u32) {
        self.wanted[task as usize].fetch_max(tiers_up_to(seeds), Relaxed);
    }

    /// No tier at all.
    pub(crate) fn none(&self) -> Solved<'_, R> {
        Solved { tiers: self, len: 0, from_files: false }
    }

    /// The tiers that serve boards of up to `seeds` seeds: tables where they reach that far or further than what may be solved in
    /// memory, else all in memory. `None` where tiers are to be solved first: [`solve`](Self::solve).
    pub(crate) fn ready(&self, task: Task, seeds: u32) -> Option<Solved<'_, R>> {
        let tables = self.tables(task);
        let memory = self.wanted[task as usize].load(Relaxed);
        if tables.covers(seeds) || tables.len >= memory {
            return Some(tables);
        }
        let len = memory.min(seeds as usize + 1);
        let solved = match task {
            Task::Values => self.memory[len - 1].get().is_some(),
            Task::Forced => self.intervals[len - 1].get().is_some(),
        };
        solved.then_some(Solved { tiers: self, len, from_files: false })
    }

    /// Solves the tiers in memory that serve boards of up to `seeds` seeds, on rayon's threads, one caller at a time. Stops
    /// early where `stop` is raised or a table fails. `started` is told each tier to be solved.
    pub(crate) fn solve<const P: usize>(
        &self,
        task: Task,
        seeds: u32,
        stop: &AtomicBool,
        started: impl Fn(u32),
    ) where
        R: Rules<P>,
    {
        // Not a lock that a thread of the pool could want again while it waits for its own work: a pool has one engine, which solves
        // once at a time.
        let _guard = self.solving.lock().unwrap_or_else(PoisonError::into_inner);
        let tiers = self.wanted[task as usize].load(Relaxed).min(tiers_up_to(seeds)) as u32;
        match task {
            Task::Values => self.solve_values(tiers, stop, started),
            Task::Forced => self.solve_intervals(tiers, stop, started),
        }
    }

    /// Values and distances; those that have tables are read from them.
    fn solve_values<const P: usize>(&self, tiers: u32, stop: &AtomicBool, started: impl Fn(u32))
    where
        R: Rules<P>,
    {
        let mut below: Vec<&MemoryTier> = Vec::new();
        let mut lower = Lower::new(false);
        for (seeds, slot) in (0..tiers).zip(&self.memory) {
            if slot.get().is_none() {
                let tier = if seeds % R::UNIT != 0 {
                    // No position has this number of seeds.
                    Some(MemoryTier::default())
                } else if let Some(Some(file)) = self.files.get(seeds as usize) {
                    self.told(read::<R, P>(self.rules, seeds, file, &lower, stop))
                } else {
                    started(seeds);
                    MemoryTier::solve::<R, P>(self.rules, seeds, &below, &Meter::default(), stop)
                };
                let Some(tier) = tier else { return };
                let _ = slot.set(tier);
            }
            let tier = slot.get().expect("just solved");
            if (seeds as usize) < self.files.len() {
                lower.push(tier.values.clone(), None);
            }
            below.push(tier);
        }
    }

    /// Forced intervals, tables or not: few are wanted.
    fn solve_intervals<const P: usize>(&self, tiers: u32, stop: &AtomicBool, started: impl Fn(u32))
    where
        R: Rules<P>,
    {
        let (mut lows, mut highs): (Vec<&Packed>, Vec<&Packed>) = (Vec::new(), Vec::new());
        for (seeds, slot) in (0..tiers).zip(&self.intervals) {
            if slot.get().is_none() {
                let interval = if seeds % R::UNIT != 0 {
                    Some(<[Packed; 2]>::default())
                } else {
                    started(seeds);
                    solve_interval::<R, P>(self.rules, seeds, Below { low: &lows, high: &highs }, stop)
                };
                let Some(interval) = interval else { return };
                let _ = slot.set(interval);
            }
            let [low, high] = slot.get().expect("just solved");
            lows.push(low);
            highs.push(high);
        }
    }
}

/// The forced intervals of a tier. `None` where `stop` was raised before the end.
fn solve_interval<R: Rules<P>, const P: usize>(
    rules: R,
    seeds: u32,
    below: Below<'_>,
    stop: &AtomicBool,
) -> Option<[Packed; 2]> {
    let edges = TierEdges { rules, seeds };
    let mut tier = Tier::new(&edges, R::UNIT, Task::Forced, &Alone);
    let means = Means { edges: &edges, below, spread: &Alone, meter: &Meter::default(), stop };
    match tier.solve(means, &mut |_| {}) {
        Ok(()) => Some([0, 1].map(|plane| tier.packed(plane))),
        Err(Unsolved::Stopped) => None,
        Err(error) => panic!("the tier of {seeds} seeds: {error}"),
    }
}

/// A whole tier from its table.
fn read<R: Rules<P>, const P: usize>(
    rules: R,
    seeds: u32,
    tier: &FileTier,
    lower: &Lower,
    stop: &AtomicBool,
) -> Result<MemoryTier, TableError> {
    let (file, edges) = (tier.file(), TierEdges { rules, seeds });
    let values = lower.read(file, Plane::Values, &edges, R::UNIT, stop)?;
    let distances = lower::stored(file, Plane::Distances, 0..file.positions())?;
    Ok(MemoryTier { values, distances: distances.into_iter().map(|distance| distance as u16).collect() })
}

/// The tables of a profile, from 0 seeds up to the first that is not there.
fn open(profile: &Profile, tables: &Tables, unit: u32) -> Result<Vec<Option<FileTier>>, TableError> {
    let dir = match tables {
        Tables::None => return Ok(Vec::new()),
        Tables::In(path) => TableDir::open(path)?,
        Tables::MaybeIn(path) if path.is_dir() => TableDir::open(path)?,
        Tables::MaybeIn(_) => return Ok(Vec::new()),
    };
    let mut files = Vec::new();
    for seeds in 0..=profile.seeds() {
        if seeds % unit != 0 {
            files.push(None);
            continue;
        }
        match dir.table(&Identity::of(profile, seeds)) {
            Ok(file) => files.push(Some(FileTier::new(file))),
            Err(TableError::Missing { .. }) => break,
            Err(error) => return Err(error),
        }
    }
    // Nothing is known of boards whose number of seeds lies between the last table and the next.
    while files.last().is_some_and(Option::is_none) {
        files.pop();
    }
    Ok(files)
}
