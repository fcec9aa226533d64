//! Closing proven intervals by questions to the search.
//!
//! A number of a move is found by asking "at least t?" for one `t` after another, narrowing a proven interval. Of a value first the
//! winner is settled (is it at least 1? at least 0?), then the interval is closed from the near end, since questions far
//! from the value are cheap and each answer leaves bounds for the next. The ends of a forced interval mostly are the value, which
//! is asked first. A question gets a budget of nodes; one that exceeds it waits until every other has had its turn, so a
//! single hard move can not keep the rest from being answered.
//!
//! Threads take different questions and share what is proven. What comes out is the end of an interval that proofs
//! have closed, so it can not depend on their number or on any table's size.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::knowledge::{Answer, Knowledge};
use crate::number::Number;
use crate::rules::{Move, Rules};
use crate::search::Search;
use crate::solver::Control;

/// A proven interval of a number, seen by the side to move at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) lower: i32,
    pub(crate) upper: i32,
}

impl Interval {
    pub(crate) fn exact(self) -> bool {
        self.lower == self.upper
    }

    /// The interval of the best move, from those of all: a turn has moves.
    pub(crate) fn best(moves: impl Iterator<Item = Interval> + Clone) -> Self {
        Self {
            lower: moves.clone().map(|m| m.lower).max().expect("a turn has moves"),
            upper: moves.map(|m| m.upper).max().expect("a turn has moves"),
        }
    }

    /// What is known by both of two proofs.
    pub(crate) fn and(self, other: Interval) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }
}

/// A number of one move that is to be found.
pub(crate) struct Goal {
    /// The move, counted in its turn.
    pub(crate) at: usize,
    /// Which number, seen by the root's side to move.
    pub(crate) number: Number,
    lower: AtomicI32,
    upper: AtomicI32,
}

impl Goal {
    pub(crate) fn new(at: usize, number: Number, known: Interval) -> Self {
        Self { at, number, lower: known.lower.into(), upper: known.upper.into() }
    }

    pub(crate) fn interval(&self) -> Interval {
        Interval { lower: self.lower.load(Relaxed), upper: self.upper.load(Relaxed) }
    }

    pub(crate) fn open(&self) -> bool {
        self.lower.load(Relaxed) < self.upper.load(Relaxed)
    }

    /// True while neither bound answers "at least this?".
    fn unanswered(&self, at_least: i32) -> bool {
        self.lower.load(Relaxed) < at_least && self.upper.load(Relaxed) >= at_least
    }
}

/// All goals of an analysis, and what has been asked of them.
pub(crate) struct Goals {
    list: Vec<Goal>,
    asked: Mutex<Vec<Asked>>,
}

impl Goals {
    pub(crate) fn new(goals: impl Iterator<Item = Goal>) -> Self {
        let list: Vec<Goal> = goals.collect();
        let asked = list.iter().map(|_| Asked::default()).collect();
        Self { list, asked: Mutex::new(asked) }
    }

    /// In the order in which they were given.
    pub(crate) fn list(&self) -> &[Goal] {
        &self.list
    }

    pub(crate) fn open(&self) -> usize {
        self.list.iter().filter(|goal| goal.open()).count()
    }
}

/// The questions of one goal: how often each was asked, and which are being asked.
#[derive(Default)]
struct Asked {
    times: BTreeMap<i32, u32>,
    running: Vec<i32>,
}

/// The proven interval of a move's number, from what is known of the board it leads to.
pub(crate) fn move_interval<R: Rules<P>, const P: usize>(
    shared: &Knowledge<'_, R, P>,
    m: &Move<P>,
    number: Number,
) -> Interval {
    let (lower, upper) = shared.known(&m.next, number.after(m.again));
    let captured = i32::from(m.captured);
    if m.again {
        Interval { lower: captured + lower, upper: captured + upper }
    } else {
        Interval { lower: captured - upper, upper: captured - lower }
    }
}

/// Asks questions on all threads of `pool` until all goals are reached or it is time to stop. `told`: who hears of each goal
/// that has come nearer. `most`: nodes it may take, about.
pub(crate) fn close<R: Rules<P>, const P: usize>(
    shared: Knowledge<'_, R, P>,
    moves: &[Move<P>],
    goals: &Goals,
    most: u64,
    pool: &rayon::ThreadPool,
    control: &Control<'_>,
    told: &(dyn Fn(&Goal) + Sync),
) {
    if goals.open() > 0 {
        let end = control.nodes.load(Relaxed).saturating_add(most);
        let panicked = AtomicBool::new(false);
        let go_on = || control.nodes.load(Relaxed) < end && control.go_on() && !panicked.load(Relaxed);
        pool.scope(|scope| {
            for _ in 0..pool.current_num_threads() {
                scope.spawn(|_| {
                    // Nobody goes on searching for an answer that will not be given.
                    let _ended = scopeguard::guard((), |()| {
                        if std::thread::panicking() {
                            panicked.store(true, Relaxed);
                        }
                    });
                    let mut search = Search::new(shared);
                    narrow(&mut search, moves, goals, &go_on, told);
                });
            }
        });
    }
}

/// One thread's part of [`close`].
fn narrow<R: Rules<P>, const P: usize>(
    search: &mut Search<'_, R, P>,
    moves: &[Move<P>],
    goals: &Goals,
    go_on: &(dyn Fn() -> bool + Sync),
    told: &(dyn Fn(&Goal) + Sync),
) {
    let lock = || goals.asked.lock().unwrap_or_else(PoisonError::into_inner);
    while go_on() {
        let picked = pick::<R, P>(&goals.list, &mut lock());
        let Some((at, at_least, times)) = picked else { return };
        let goal = &goals.list[at];
        let m = &moves[goal.at];
        let captured = i32::from(m.captured);
        let unanswered = || goal.unanswered(at_least) && go_on();
        let asks = if m.again { at_least - captured } else { captured - at_least + 1 };
        let answer = search.ask(&m.next, goal.number.after(m.again), asks, times, &unanswered);
        search.report();
        let (lower, upper) = match (answer, m.again) {
            (Answer::AtLeast(value), true) => (Some(captured + value), None),
            (Answer::AtMost(value), true) => (None, Some(captured + value)),
            (Answer::AtLeast(value), false) => (None, Some(captured - value)),
            (Answer::AtMost(value), false) => (Some(captured - value), None),
            (Answer::Open, _) => (None, None),
        };
        let mut asked = lock();
        asked[at].running.retain(|&t| t != at_least);
        *asked[at].times.entry(at_least).or_default() += 1;
        if let Some(lower) = lower {
            goal.lower.fetch_max(lower, Relaxed);
        }
        if let Some(upper) = upper {
            goal.upper.fetch_min(upper, Relaxed);
        }
        drop(asked);
        if lower.is_some() || upper.is_some() {
            told(goal);
        }
    }
}

/// The next question to ask: goal, threshold, and how often it was asked before. `None`: all
/// goals are reached.
fn pick<R: Rules<P>, const P: usize>(goals: &[Goal], asked: &mut [Asked]) -> Option<(usize, i32, u32)> {
    /// How many doublings of the effort a move whose winner is settled waits for the others.
    const WINNER_FIRST: u32 = 3;
    type Key = (u32, bool, usize, usize, usize);
    let mut best: Option<(Key, usize, i32, u32)> = None;
    for (at, goal) in goals.iter().enumerate() {
        let Interval { lower, upper } = goal.interval();
        if lower >= upper {
            continue;
        }
        let settled = lower > 0 || upper < 0 || (lower, upper) == (0, 0);
        let wanted = thresholds(goal.number, lower, upper, R::UNIT as i32);
        for (preference, at_least) in wanted.into_iter().enumerate() {
            let times = asked[at].times.get(&at_least).copied().unwrap_or(0);
            let others = asked[at].running.len();
            let later = if settled { WINNER_FIRST } else { 0 };
            let key = (times + later, settled, others, preference, at);
            if best.as_ref().is_none_or(|(least, ..)| key < *least) {
                best = Some((key, at, at_least, times));
            }
        }
    }
    let (_, at, at_least, times) = best?;
    asked[at].running.push(at_least);
    Some((at, at_least, times))
}

/// Questions that narrow an interval, the most useful first. All lie above `lower`, none above
/// `upper`, and all are multiples of `unit`.
fn thresholds(number: Number, lower: i32, upper: i32, unit: i32) -> Vec<i32> {
    let up = |value: i32| -(-value).div_euclid(unit) * unit;
    let middle = |a: i32, b: i32| up((a + b).div_euclid(2));
    let wanted = match number {
        // The bound given first comes from the value, which most often is the end of the interval too.
        Number::Low => [upper, 1, middle(lower, upper)],
        Number::High => [lower + unit, 0, middle(lower, upper)],
        Number::Value if lower >= 1 => [lower + unit, middle(lower, upper), upper],
        Number::Value if upper <= -1 => [upper, middle(lower, upper), lower + unit],
        // Who wins is open, and where neither is settled, how high it could be.
        Number::Value => [1, 0, if upper > -lower { middle(1, upper) } else { middle(lower, 0) }],
    };
    let mut list = Vec::new();
    for at_least in wanted.map(up).into_iter().chain([up(lower + 1)]) {
        if at_least > lower && at_least <= upper && !list.contains(&at_least) {
            list.push(at_least);
        }
    }
    list
}
