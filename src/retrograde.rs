//! One tier solved exactly from the tiers below it, in one pass and in parallel.
//!
//! Captures only lead to smaller tiers, so inside a tier every edge is a sowing without capture or a pass, and hands
//! the turn over. Iterating v = max(exit, max -v(child)) to a fixed point takes tens of sweeps. Here the tier is solved from the outside
//! in, as chess tables are (K. Thompson, "Retrograde analysis of certain endgames", 1986), with margins for outcomes:
//!
//! 1. *Expand*: every position once forward: its best *exit* (a capture into a solved tier, or the end of the
//!    game) and the number of its moves inside the tier.
//! 2. For each margin `t` from the largest down: a position whose exit is worth `t` is won at `t`; one whose children are
//!    all won for the other side and whose exit is worth `-t` is lost at `-t`. Then *spread* in waves, every
//!    solved position once backward by unsowing: a lost one makes each unsolved parent won at `t`; a won one takes
//!    one from each unsolved parent's count of children, and a parent without children left is worth what its exit
//!    leaves it, at once if that is no more than `-t`, else when `t` comes down to it.
//! 3. What is left can be played on for ever, and is worth what infinite play is worth: 0, an even split.
//!
//! The wave in which a position is solved, within its margin, is its *distance*: the sowings until its value is converted
//! (a capture or the end), the better side hurrying, the other delaying.
//!
//! The *forced* numbers (RULES.md, forced interval) come from the same algorithm on two planes: `low`, the value for the side to move where
//! infinite play gives all seeds left to the other side, and `high`, where it gives them to the side to move. The turn
//! changes sides, so a position's children in `low` are those of `high`. Going down from the largest margin to the
//! smallest, `low` is only ever won at `t` and `high` only ever lost at `-t`; what is left is -n and +n.
//!
//! # Cost
//! Time is linear in positions and edges, each edge once forward and once backward. Memory is two bytes a position and
//! plane, and a quarter of one for two sets of positions (the wave and the next): what a cell holds before it is solved (exit and count) and
//! after (value and distance) is never needed at once. No edge is stored.
//!
//! # Determinism and spreading out
//! What a cell becomes depends on the wave alone, never on the order inside it, so any number of threads makes the same
//! tables. Contributions reach the cells through a [`Spread`], which says which ranks are held here: one process holds all
//! ([`Alone`]), several could hold a range each.

mod cell;
mod rank_set;
mod snapshot;
mod spread;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use cell::{Layout, plain};
use rank_set::{JOB, RankSet};
pub(crate) use spread::Alone;
use spread::{Contribution, Delivery, Spread};

use crate::edges::{Edges, Run};
use crate::packed::Packed;
use crate::zeroed;

/// The distance of a position whose value is not converted: infinite play, or nothing to win.
pub const NEVER: u16 = u16::MAX;

/// Positions expanded before the tier may be saved: some seconds of work.
const EXPAND_STRETCH: u64 = 1 << 24;

/// Positions expanded by one job.
const EXPAND_RUN: u64 = 1 << 13;

/// Contributions whose cells are read together, so that the processor waits for all at once.
const TOGETHER: usize = 64;

/// What is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Values and distances: infinite play splits evenly.
    Values,
    /// The forced intervals: infinite play gives all to one side.
    Forced,
}

impl Task {
    fn planes(self) -> usize {
        match self {
            Task::Values => 1,
            Task::Forced => 2,
        }
    }
}

/// The solved tiers below, by seeds.
#[derive(Clone, Copy)]
pub(crate) struct Below<'a> {
    /// Values; of the forced task, `low`.
    pub(crate) low: &'a [&'a Packed],
    /// Values; of the forced task, `high`.
    pub(crate) high: &'a [&'a Packed],
}

/// How far a tier has come, for whoever watches. Counted while it is solved.
#[derive(Debug, Default)]
pub struct Meter {
    /// Positions expanded forward.
    pub expanded: AtomicU64,
    /// Positions solved, once for each plane.
    pub solved: AtomicU64,
    /// The margin being solved.
    pub margin: std::sync::atomic::AtomicI32,
}

/// The cells of one plane, and the sets of its current and its next wave.
struct Plane {
    cells: Vec<AtomicU16>,
    waves: [RankSet; 2],
}

/// How far a tier has come: what is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Expand from this position on, counted from the first one held.
    Expand(u64),
    /// Spread the wave that solves positions at this margin and distance.
    Spread { margin: i32, distance: u16 },
    /// Nothing.
    Done,
}

/// A tier being solved, or solved.
pub(crate) struct Tier {
    task: Task,
    stage: Stage,
    seeds: u32,
    layout: Layout,
    planes: Vec<Plane>,
    /// The first rank held here.
    first: u64,
    /// Passes (child, parent), by child.
    passes: Vec<(u64, u64)>,
    /// Distances that a cell has no room for, by rank.
    long: Mutex<Vec<(u64, u16)>>,
}

/// Why a tier was not solved to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsolved {
    /// Stopped from outside.
    #[error("stopped")]
    Stopped,
    /// A distance that 16 bits can not hold.
    #[error("a distance of {NEVER} sowings or more")]
    TooDeep,
}

/// What is known of a position in a solved tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The value from the side to move; of the forced task, one end of the interval.
    pub(crate) number: i8,
    /// Sowings until the value is converted, or [`NEVER`]. Of no meaning for the forced task.
    pub(crate) distance: u16,
    /// The best exit alone gives the number.
    pub(crate) by_exit: bool,
}

/// What a tier is solved with.
#[derive(Clone, Copy)]
pub(crate) struct Means<'a> {
    pub(crate) edges: &'a dyn Edges,
    pub(crate) below: Below<'a>,
    pub(crate) spread: &'a dyn Spread,
    pub(crate) meter: &'a Meter,
    /// Raised from outside to stop.
    pub(crate) stop: &'a AtomicBool,
}

impl Tier {
    /// A tier of which nothing is known yet. `unit`: the greatest common divisor of all captures.
    pub(crate) fn new(edges: &dyn Edges, unit: u32, task: Task, spread: &dyn Spread) -> Self {
        let held = spread.held(edges.size());
        let size = held.end - held.start;
        let plane =
            |_| Plane { cells: zeroed::vec(size as usize), waves: [RankSet::new(size), RankSet::new(size)] };
        Self {
            task,
            stage: Stage::Expand(0),
            seeds: edges.seeds(),
            layout: Layout::new(edges.seeds(), unit),
            planes: (0..task.planes()).map(plane).collect(),
            first: held.start,
            passes: Vec::new(),
            long: Mutex::new(Vec::new()),
        }
    }

    /// Solves what is left. `pause` is called every so often, where the tier can be saved as it is.
    pub(crate) fn solve(&mut self, means: Means<'_>, pause: &mut dyn FnMut(&Tier)) -> Result<(), Unsolved> {
        while let Stage::Expand(from) = self.stage {
            self.expand(means, from)?;
            pause(self);
        }
        let unit = self.layout.unit();
        let least = match self.task {
            Task::Values => unit,
            Task::Forced => unit - self.seeds as i32 / unit * unit,
        };
        while let Stage::Spread { margin, distance } = self.stage {
            if margin < least {
                break;
            }
            means.meter.margin.store(margin, Relaxed);
            if distance == 1 && self.waves_are_empty() {
                self.seed(margin, means)?;
            }
            let now = usize::from(distance + 1) % 2;
            let busy = Wave { tier: self, means, margin, distance, next: 1 - now }.spread(now)?;
            self.stage = match distance {
                _ if !busy => Stage::Spread { margin: margin - unit, distance: 1 },
                NEVER.. => return Err(Unsolved::TooDeep),
                _ => Stage::Spread { margin, distance: distance + 1 },
            };
            pause(self);
        }
        self.stage = Stage::Done;
        self.long.get_mut().unwrap_or_else(PoisonError::into_inner).sort_unstable();
        self.planes.iter_mut().for_each(|plane| plane.waves = [RankSet::new(0), RankSet::new(0)]);
        Ok(())
    }

    pub(crate) fn size(&self) -> u64 {
        self.planes[0].cells.len() as u64
    }

    fn waves_are_empty(&self) -> bool {
        self.planes.iter().all(|plane| plane.waves.iter().all(RankSet::is_empty))
    }

    /// Every position from `start` on once forward: exits and counts. Comes back after [`EXPAND_STRETCH`] positions.
    fn expand(&mut self, means: Means<'_>, start: u64) -> Result<(), Unsolved> {
        let Means { edges, below, spread, meter, stop } = means;
        let end = (start + EXPAND_STRETCH).min(self.size());
        let this = &*self;
        let passes: Vec<Vec<(u64, u64)>> = (0..(end - start).div_ceil(EXPAND_RUN))
            .into_par_iter()
            .map_init(
                || (Run::default(), Vec::new()),
                |(run, exits), number| {
                    if stop.load(Relaxed) {
                        return Err(Unsolved::Stopped);
                    }
                    let from = start + number * EXPAND_RUN;
                    let ranks = from..(from + EXPAND_RUN).min(end);
                    edges.forward(this.first + ranks.start..this.first + ranks.end, false, run);
                    for (plane, cells) in this.planes.iter().enumerate() {
                        let (mine, others) = match plane {
                            0 => (below.low, below.high),
                            _ => (below.high, below.low),
                        };
                        best_exits(run, mine, others, exits);
                        let cells = &cells.cells[ranks.start as usize..ranks.end as usize];
                        for ((cell, &exit), &degree) in cells.iter().zip(exits.iter()).zip(&run.degrees) {
                            let code = if exit == NO_EXIT { 0 } else { this.layout.code(exit.into()) };
                            let low = if degree == Run::OVER { this.layout.over() } else { degree.into() };
                            cell.store(code << this.layout.low_bits | low, Relaxed);
                        }
                    }
                    meter.expanded.fetch_add(ranks.end - ranks.start, Relaxed);
                    let pass = |&from: &u32| {
                        let parent = this.first + ranks.start + u64::from(from);
                        (edges.rotated(parent), parent)
                    };
                    Ok(run.passes.iter().map(pass).collect())
                },
            )
            .collect::<Result<_, _>>()?;
        self.passes.extend(passes.concat());
        self.stage = Stage::Expand(end);
        if end == self.size() {
            self.passes = spread.share_passes(std::mem::take(&mut self.passes));
            self.passes.sort_unstable();
            let unit = self.layout.unit();
            self.stage = Stage::Spread { margin: self.seeds as i32 / unit * unit, distance: 1 };
        }
        Ok(())
    }

    /// Puts the positions that are solved at `margin` by their exits into the first two waves: finished games, distance 0, and exits,
    /// distance 1.
    fn seed(&mut self, margin: i32, means: Means<'_>) -> Result<(), Unsolved> {
        /// Cells compared at once.
        const GLANCE: usize = 64;
        let Means { meter, stop, .. } = means;
        let layout = self.layout;
        let over = layout.over();
        for (number, plane) in self.planes.iter_mut().enumerate() {
            // A side that can not be met here is given a code that no cell has.
            let none = u16::MAX;
            let won = if self.task == Task::Values || number == 0 { layout.code(margin) } else { none };
            let lost = if self.task == Task::Values || number == 1 { layout.code(-margin) } else { none };
            let waves = &plane.waves;
            plain(&mut plane.cells).par_chunks_mut(JOB as usize).enumerate().try_for_each(
                |(job, cells)| {
                    if stop.load(Relaxed) {
                        return Err(Unsolved::Stopped);
                    }
                    let mut solved = 0;
                    for (glance, cells) in cells.chunks_mut(GLANCE).enumerate() {
                        // The bit of solved cells is on top of the code, so no solved cell compares equal.
                        let code_of = |cell: u16| cell >> layout.low_bits;
                        let any = cells.iter().fold(0, |any, &cell| {
                            any | u16::from(code_of(cell) == won) | u16::from(code_of(cell) == lost)
                        });
                        if any == 0 {
                            continue;
                        }
                        for (at, cell) in cells.iter_mut().enumerate() {
                            let (code, low) = (code_of(*cell), layout.low_of(*cell));
                            if code == won || code == lost && (low == 0 || low == over) {
                                let distance = u16::from(low != over);
                                *cell = layout.solved(code, true, distance);
                                waves[usize::from(distance)]
                                    .insert((job * JOB as usize + glance * GLANCE + at) as u64);
                                solved += 1;
                            }
                        }
                    }
                    if solved > 0 {
                        meter.solved.fetch_add(solved, Relaxed);
                    }
                    Ok(())
                },
            )?;
        }
        Ok(())
    }

    /// What is known of a position held here, by rank.
    #[inline]
    pub(crate) fn outcome(&self, plane: usize, rank: u64) -> Outcome {
        let cell = self.planes[plane].cells[(rank - self.first) as usize].load(Relaxed);
        let layout = self.layout;
        if cell & Layout::SOLVED == 0 {
            let number = match (self.task, plane) {
                (Task::Values, _) => 0,
                (Task::Forced, 0) => -(self.seeds as i8),
                (Task::Forced, _) => self.seeds as i8,
            };
            // A finished game that leaves nothing is at its end, all else goes on for ever.
            let distance = if layout.low_of(cell) == layout.over() { 0 } else { NEVER };
            return Outcome { number, distance, by_exit: layout.code_of(cell) == layout.code(number.into()) };
        }
        let mut distance = layout.distance_of(cell);
        if distance == layout.long() {
            let long = self.long.lock().unwrap_or_else(PoisonError::into_inner);
            if let Ok(at) = long.binary_search_by_key(&rank, |&(rank, _)| rank) {
                distance = long[at].1;
            }
        }
        Outcome { number: layout.number_of(cell) as i8, distance, by_exit: layout.by_exit(cell) }
    }

    /// The values, from the side to move; of the forced task, `low` (plane 0) or `high` (plane 1).
    pub(crate) fn packed(&self, plane: usize) -> Packed {
        Packed::build(self.size(), self.layout.unit() as u32, self.seeds, |first, run| {
            run.iter_mut().zip(first..).for_each(|(out, rank)| *out = self.outcome(plane, rank).number);
        })
    }

    /// The distance of a position: sowings until its value is converted, or [`NEVER`].
    pub(crate) fn distance(&self, rank: u64) -> u16 {
        self.outcome(0, rank).distance
    }
}

/// A position without exits.
pub(crate) const NO_EXIT: i8 = i8::MIN;

/// For each position of a run its best exit, or [`NO_EXIT`]: `mine` holds the tiers below for the side to move, `others` for the
/// other side.
pub(crate) fn best_exits(run: &Run, mine: &[&Packed], others: &[&Packed], exits: &mut Vec<i8>) {
    exits.clear();
    exits.resize(run.degrees.len(), NO_EXIT);
    for exit in &run.exits {
        let rest = if exit.again {
            mine[usize::from(exit.seeds)].get(exit.rank)
        } else {
            -others[usize::from(exit.seeds)].get(exit.rank)
        };
        let best = &mut exits[exit.from as usize];
        *best = (*best).max(exit.captured as i8 + rest);
    }
    for &(from, margin) in &run.ends {
        exits[from as usize] = margin;
    }
}

/// One wave of one margin.
struct Wave<'a> {
    tier: &'a Tier,
    means: Means<'a>,
    margin: i32,
    distance: u16,
    /// Which of the two sets is the next wave's.
    next: usize,
}

/// Buffers of one thread.
#[derive(Default)]
struct Buffers {
    won: Vec<u64>,
    lost: Vec<u64>,
    parents: Vec<u64>,
}

impl Wave<'_> {
    /// Spreads the positions of the set `now`. False: no holder has a next wave.
    fn spread(&self, now: usize) -> Result<bool, Unsolved> {
        for (number, plane) in self.tier.planes.iter().enumerate() {
            let jobs = plane.waves[now].take_jobs();
            jobs.into_par_iter().try_for_each_init(Buffers::default, |buffers, job| {
                if self.means.stop.load(Relaxed) {
                    return Err(Unsolved::Stopped);
                }
                self.job(number, now, job, buffers);
                Ok(())
            })?;
        }
        let busy = || self.tier.planes.iter().any(|plane| !plane.waves[self.next].is_empty());
        Ok(self.means.spread.end_wave(&|what| self.deliver(what), &busy))
    }

    fn job(&self, number: usize, now: usize, job: u64, buffers: &mut Buffers) {
        let (tier, plane) = (self.tier, &self.tier.planes[number]);
        let Buffers { won, lost, parents } = buffers;
        won.clear();
        lost.clear();
        // Of the forced planes `low` is only won and `high` only lost; of values the sign tells, as the margin is positive.
        let won_code = tier.layout.code(self.margin);
        plane.waves[now].take(job, |at| {
            let is_won = match tier.task {
                Task::Values => tier.layout.code_of(plane.cells[at as usize].load(Relaxed)) == won_code,
                Task::Forced => number == 0,
            };
            if is_won { won.push(tier.first + at) } else { lost.push(tier.first + at) }
        });
        let parents_plane = match tier.task {
            Task::Values => 0,
            Task::Forced => 1 - number,
        };
        for (kind, ranks) in [(Contribution::Win, lost), (Contribution::Less, won)] {
            let (Some(&first), Some(&last)) = (ranks.first(), ranks.last()) else { continue };
            parents.clear();
            self.means.edges.backward(ranks, parents);
            let passes = &tier.passes;
            let from = passes.partition_point(|&(child, _)| child < first);
            for &(child, parent) in passes[from..].iter().take_while(|&&(child, _)| child <= last) {
                if ranks.binary_search(&child).is_ok() {
                    parents.push(parent);
                }
            }
            let what = Delivery { plane: parents_plane, kind, ranks: parents };
            self.means.spread.send(what, &|what| self.deliver(what));
        }
    }

    /// Applies contributions to cells held here.
    fn deliver(&self, what: Delivery<'_>) {
        let plane = &self.tier.planes[what.plane];
        let mut seen = [0u16; TOGETHER];
        let mut solved = 0;
        for ranks in what.ranks.chunks(TOGETHER) {
            for (seen, &rank) in seen.iter_mut().zip(ranks) {
                *seen = plane.cells[(rank - self.tier.first) as usize].load(Relaxed);
            }
            for (&seen, &rank) in seen.iter().zip(ranks) {
                if seen & Layout::SOLVED == 0 {
                    solved += u64::from(self.contribute(plane, rank, seen, what.kind));
                }
            }
        }
        if solved > 0 {
            self.means.meter.solved.fetch_add(solved, Relaxed);
        }
    }

    /// One contribution to an unsolved cell. True where this solves it.
    #[inline(always)]
    fn contribute(&self, plane: &Plane, rank: u64, seen: u16, kind: Contribution) -> bool {
        let layout = self.tier.layout;
        let at = rank - self.tier.first;
        let cell = &plane.cells[at as usize];
        let mut before = seen;
        loop {
            if before & Layout::SOLVED != 0 {
                return false;
            }
            let after = match kind {
                Contribution::Win => layout.solved(layout.code(self.margin), false, self.distance),
                Contribution::Less => {
                    // Nothing better than the children's -margin, or no exit at all.
                    let lost = layout.code(-self.margin);
                    let one_left = layout.low_of(before) == 1;
                    let exit = layout.code_of(before);
                    if one_left && exit <= lost {
                        layout.solved(lost, exit == lost, self.distance)
                    } else {
                        before - 1
                    }
                }
            };
            match cell.compare_exchange_weak(before, after, Relaxed, Relaxed) {
                Err(now) => before = now,
                Ok(_) if after & Layout::SOLVED == 0 => return false,
                Ok(_) => {
                    plane.waves[self.next].insert(at);
                    if self.distance >= layout.long() && self.tier.task == Task::Values {
                        let mut long = self.tier.long.lock().unwrap_or_else(PoisonError::into_inner);
                        long.push((rank, self.distance));
                    }
                    return true;
                }
            }
        }
    }
}
