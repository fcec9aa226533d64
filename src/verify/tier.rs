//! All numbers of one tier against those of their children, and counted again.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::{Mismatch, signed};
use crate::edges::{Edges, Run};
use crate::info;
use crate::lower::Lower;
use crate::packed::Packed;
use crate::profile::Profile;
use crate::retrograde::{NEVER, NO_EXIT, Task, best_exits};
use crate::table::{Plane, Progress, TableError, TableFile};

/// A number as people read it.
fn said(plane: Plane, number: i32) -> String {
    match plane {
        Plane::Distances if number == i32::from(NEVER) => "never".to_string(),
        Plane::Distances => number.to_string(),
        Plane::Values | Plane::Low | Plane::High => signed(number),
    }
}

fn singular(plane: Plane) -> &'static str {
    match plane {
        Plane::Values => "value",
        Plane::Distances => "distance",
        Plane::Low => "lower bound",
        Plane::High => "upper bound",
    }
}

/// The first number in the header's lists that no position of the tier can have.
pub(super) fn impossible(file: &TableFile, unit: u32) -> Option<Mismatch> {
    let seeds = i32::from(file.identity().seeds);
    [Plane::Values, Plane::Low, Plane::High].into_iter().find_map(|plane| {
        let can_be = |number: i32| number.abs() <= seeds && number % unit as i32 == 0;
        let (number, ..) = file.counts(plane).find(|&(number, ..)| !can_be(number))?;
        Some(Mismatch {
            path: file.path().to_path_buf(),
            position: None,
            what: format!("list of {}", plane.name()),
            said: signed(number),
            right: match unit {
                1 => format!("with {seeds} seeds there is none beyond {seeds}"),
                _ => format!("with {seeds} seeds all are multiples of {unit} up to {seeds}"),
            },
        })
    })
}

/// How many positions have something, and the smallest rank of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    positions: u64,
    first: u64,
}

impl Count {
    const NONE: Self = Self { positions: 0, first: u64::MAX };

    fn add(&mut self, other: Self) {
        self.positions += other.positions;
        self.first = self.first.min(other.first);
    }
}

/// The numbers of a tier counted again.
#[derive(Default)]
struct Tally {
    /// By plane and number, the smallest possible number first. Distances are few and small, so lists grow as needed.
    counts: [Vec<Count>; 4],
    never: Option<Count>,
    standoffs: Option<Count>,
}

impl Tally {
    fn place(plane: Plane, number: i32) -> usize {
        (if plane == Plane::Distances { number } else { number - i32::from(i8::MIN) }) as usize
    }

    fn add(&mut self, plane: Plane, number: i32, count: Count) {
        if plane == Plane::Distances && number == i32::from(NEVER) {
            self.never.get_or_insert(Count::NONE).add(count);
            return;
        }
        let counts = &mut self.counts[plane as usize];
        let place = Self::place(plane, number);
        if counts.len() <= place {
            counts.resize(place + 1, Count::NONE);
        }
        counts[place].add(count);
    }

    fn get(&self, plane: Plane, number: i32) -> Count {
        if plane == Plane::Distances && number == i32::from(NEVER) {
            return self.never.unwrap_or(Count::NONE);
        }
        self.counts[plane as usize].get(Self::place(plane, number)).copied().unwrap_or(Count::NONE)
    }

    fn merge(mut self, other: Self) -> Self {
        for (counts, more) in self.counts.iter_mut().zip(other.counts) {
            if counts.len() < more.len() {
                counts.resize(more.len(), Count::NONE);
            }
            counts.iter_mut().zip(more).for_each(|(count, more)| count.add(more));
        }
        for (count, more) in [(&mut self.never, other.never), (&mut self.standoffs, other.standoffs)] {
            if let Some(more) = more {
                count.get_or_insert(Count::NONE).add(more);
            }
        }
        self
    }
}

/// A tier being verified.
pub(super) struct Tier<'a> {
    pub(super) profile: &'a Profile,
    pub(super) file: &'a TableFile,
    pub(super) edges: &'a dyn Edges,
    pub(super) lower: &'a Lower,
    pub(super) values: &'a Packed,
    pub(super) distances: &'a [u16],
    pub(super) interval: Option<&'a [Packed; 2]>,
}

/// Buffers of one thread.
#[derive(Default)]
struct Buffers {
    run: Run,
    /// Best exits in values, lower and upper bounds.
    exits: [Vec<i8>; 3],
}

/// Positions verified by one job.
const RUN: u64 = 1 << 12;

impl Tier<'_> {
    pub(super) fn verify(
        &self,
        stop: &AtomicBool,
        progress: Progress<'_>,
    ) -> Result<Option<Mismatch>, TableError> {
        let size = self.file.positions();
        // The smallest rank of a position that is not right, whichever thread comes first.
        let wrong = AtomicU64::new(u64::MAX);
        let done = AtomicU64::new(0);
        let tally = (0..size.div_ceil(RUN))
            .into_par_iter()
            .fold(
                || (Buffers::default(), Tally::default()),
                |(mut buffers, mut tally), job| {
                    let ranks = job * RUN..size.min((job + 1) * RUN);
                    if !stop.load(Relaxed) && ranks.start < wrong.load(Relaxed) {
                        if let Some((rank, ..)) = self.run(ranks.clone(), &mut buffers, &mut tally) {
                            wrong.fetch_min(rank, Relaxed);
                        }
                        let count = ranks.end - ranks.start;
                        progress(done.fetch_add(count, Relaxed) + count, size);
                    }
                    (buffers, tally)
                },
            )
            .map(|(_, tally)| tally)
            .reduce(Tally::default, Tally::merge);
        if stop.load(Relaxed) {
            return Err(TableError::Stopped { path: self.file.path().to_path_buf() });
        }
        let wrong = wrong.into_inner();
        if wrong == u64::MAX {
            return Ok(self.statistics(&tally));
        }
        let found = self.run(wrong..wrong + 1, &mut Buffers::default(), &mut Tally::default());
        Ok(found.map(|(rank, wrong)| self.mismatch(rank, wrong)))
    }

    /// Verifies a run of positions, and counts what is there: the first that is not right.
    fn run(&self, ranks: Range<u64>, buffers: &mut Buffers, tally: &mut Tally) -> Option<(u64, Wrong)> {
        let Buffers { run, exits } = buffers;
        self.edges.forward(ranks.clone(), true, run);
        let [of_values, of_low, of_high] = exits;
        self.lower.with(Task::Values, |below| best_exits(run, below.low, below.high, of_values));
        if self.interval.is_some() {
            self.lower.with(Task::Forced, |below| {
                best_exits(run, below.low, below.high, of_low);
                best_exits(run, below.high, below.low, of_high);
            });
        }
        let mut children = &run.children[..];
        for (at, rank) in ranks.enumerate() {
            let over = run.degrees[at] == Run::OVER;
            let degree = if over { 0 } else { run.degrees[at].into() };
            let (own, rest) = children.split_at(degree);
            children = rest;
            let value = self.values.get(rank);
            let distance = self.distances[rank as usize];
            let right = of_values[at].max(best(own, self.values));
            if value != right {
                return Some((rank, Wrong::Number(Plane::Values, right.into())));
            }
            match self.distance(value, of_values[at], over, own) {
                None => return Some((rank, Wrong::Unfounded)),
                Some(right) if right != distance => {
                    return Some((rank, Wrong::Number(Plane::Distances, right.into())));
                }
                Some(_) => {}
            }
            let count = Count { positions: 1, first: rank };
            tally.add(Plane::Values, value.into(), count);
            tally.add(Plane::Distances, distance.into(), count);
            if let Some([low, high]) = self.interval {
                for (plane, mine, others, exit) in
                    [(Plane::Low, low, high, of_low[at]), (Plane::High, high, low, of_high[at])]
                {
                    let right = exit.max(best(own, others));
                    if mine.get(rank) != right {
                        return Some((rank, Wrong::Number(plane, right.into())));
                    }
                    tally.add(plane, right.into(), count);
                }
                if !(low.get(rank)..=high.get(rank)).contains(&value) {
                    return Some((rank, Wrong::Outside));
                }
                if low.get(rank) != high.get(rank) {
                    tally.standoffs.get_or_insert(Count::NONE).add(count);
                }
            }
        }
        None
    }

    /// The distance that the children give a position whose value is right. `None`: its value is never converted, and should be.
    fn distance(&self, value: i8, exit: i8, over: bool, children: &[u64]) -> Option<u16> {
        if over {
            return Some(0);
        }
        if value == 0 {
            return Some(NEVER);
        }
        let by_exit = (exit == value).then_some(1u16);
        if value > 0 && by_exit.is_some() {
            return by_exit;
        }
        let equal = children.iter().filter(|&&child| -self.values.get(child) == value);
        let equal = equal.map(|&child| self.distances[child as usize]);
        // "Never" is the largest number of all.
        let child = if value > 0 { equal.min() } else { equal.max() };
        match (child, by_exit) {
            (Some(NEVER), _) | (None, None) => None,
            // Longer than the format can hold, so that no file can say it.
            (Some(child), by_exit) => (child + 1 < NEVER).then_some((child + 1).max(by_exit.unwrap_or(0))),
            (None, by_exit) => by_exit,
        }
    }

    fn mismatch(&self, rank: u64, wrong: Wrong) -> Mismatch {
        let number = |plane| match (plane, self.interval) {
            (Plane::Values, _) => self.values.get(rank).into(),
            (Plane::Distances, _) => self.distances[rank as usize].into(),
            (Plane::Low, Some([low, _])) => low.get(rank).into(),
            (Plane::High, Some([_, high])) => high.get(rank).into(),
            (Plane::Low | Plane::High, None) => 0,
        };
        let (what, table, right) = match wrong {
            Wrong::Number(plane, right) => {
                let right = match right {
                    right if plane != Plane::Distances && right == i32::from(NO_EXIT) => {
                        "there is no move".to_string()
                    }
                    right => format!("its children say {}", said(plane, right)),
                };
                (singular(plane), said(plane, number(plane)), right)
            }
            Wrong::Unfounded => {
                let value = signed(number(Plane::Values));
                let right = format!("its value is {value} and no child brings it to an end");
                (singular(Plane::Distances), said(Plane::Distances, number(Plane::Distances)), right)
            }
            Wrong::Outside => {
                let interval = format!("{} to {}", signed(number(Plane::Low)), signed(number(Plane::High)));
                ("forced interval", interval, format!("its value is {}", signed(number(Plane::Values))))
            }
        };
        Mismatch {
            path: self.file.path().to_path_buf(),
            position: Some(info::position_text(self.profile, self.file.identity().seeds.into(), rank)),
            what: what.to_string(),
            said: table,
            right,
        }
    }

    /// The first of the header's statistics that is not right.
    fn statistics(&self, tally: &Tally) -> Option<Mismatch> {
        let path = || self.file.path().to_path_buf();
        let wrong = |what: String, of_file: Count, right: Count| {
            let text = |count: Count| match count.positions {
                0 => "no position".to_string(),
                _ => format!("{} positions, the first of rank {}", count.positions, count.first),
            };
            let right = format!("there are {}", text(right));
            Mismatch { path: path(), position: None, what, said: text(of_file), right }
        };
        let same = |of_file: Count, right: Count| {
            of_file.positions == right.positions && (right.positions == 0 || of_file.first == right.first)
        };
        for plane in Plane::ALL.into_iter().filter(|&plane| self.file.has(plane)) {
            // All positions have a number, and the counts of the file are of all positions: none is left out.
            for (number, positions, first) in self.file.counts(plane) {
                let (of_file, right) = (Count { positions, first }, tally.get(plane, number));
                if !same(of_file, right) {
                    return Some(wrong(
                        format!("statistics of {} {}", singular(plane), said(plane, number)),
                        of_file,
                        right,
                    ));
                }
            }
        }
        if let Some((positions, first)) = self.file.standoffs() {
            let of_file = Count { positions, first: first.unwrap_or(u64::MAX) };
            let right = tally.standoffs.unwrap_or(Count::NONE);
            if !same(of_file, right) {
                return Some(wrong("statistics of stand-offs".to_string(), of_file, right));
            }
        }
        None
    }
}

/// What is wrong with a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    /// A number, and what the children say.
    Number(Plane, i32),
    /// A value that nothing brings to an end.
    Unfounded,
    /// A value outside of its interval.
    Outside,
}

/// The best that the children leave, [`NO_EXIT`] without children.
fn best(children: &[u64], numbers: &Packed) -> i8 {
    children.iter().map(|&child| -numbers.get(child)).max().unwrap_or(NO_EXIT)
}
