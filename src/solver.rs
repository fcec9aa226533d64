//! Analysis of one position: every legal move's value, forced interval where wanted, and the line of best play.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::board::Board;
use crate::knowledge::Knowledge;
use crate::line::{self, Line, conversion};
use crate::memory::GrowingMemory;
use crate::narrow::{self, Goal, Goals, Interval, move_interval};
use crate::number::Number;
use crate::retrograde::Task;
use crate::rules::{Move, Rules, Turn};
use crate::search::Search;
use crate::tiers::{Solved, Tiers};
use crate::tt::TranspositionTable;

/// Time between two looks at whether tiers are still wanted, while they are solved.
const LOOK: Duration = Duration::from_millis(10);

/// What ends an analysis early, and who is told how it goes.
pub(crate) struct Control<'a> {
    pub(crate) deadline: Option<Instant>,
    pub(crate) most_nodes: Option<u64>,
    /// Nodes of all searches so far.
    pub(crate) nodes: AtomicU64,
    pub(crate) stop: &'a AtomicBool,
    /// Raised where a table can not be read.
    pub(crate) failed: &'a AtomicBool,
    pub(crate) watch: &'a dyn Watch,
}

impl Control<'_> {
    pub(crate) fn go_on(&self) -> bool {
        !self.stop.load(Relaxed)
            && !self.failed.load(Relaxed)
            && self.most_nodes.is_none_or(|most| self.nodes.load(Relaxed) < most)
            && self.deadline.is_none_or(|at| Instant::now() < at)
    }
}

/// Told how an analysis goes. All methods may be called from several threads.
pub trait Watch: Sync {
    /// The tier of `seeds` seeds is about to be solved in memory.
    fn tier(&self, seeds: u32) {
        let _ = seeds;
    }

    /// A move's proven interval has become narrower. `open`: moves not exact yet.
    fn narrowed(&self, pit: Option<usize>, lower: i32, upper: i32, open: usize) {
        let _ = (pit, lower, upper, open);
    }

    /// An end of a move's forced interval has become narrower. `open`: ends not exact yet.
    fn forced(&self, pit: Option<usize>, lower: i32, upper: i32, open: usize) {
        let _ = (pit, lower, upper, open);
    }
}

/// Watches nothing.
impl Watch for () {}

/// What an analysis found.
pub(crate) struct Found {
    /// One for each move of the turn, in its order.
    pub(crate) moves: Vec<FoundMove>,
    /// Best play from the root on.
    pub(crate) line: Line,
    /// The root lies in a solved tier.
    pub(crate) in_tier: bool,
}

/// What was found of a move.
pub(crate) struct FoundMove {
    pub(crate) value: Interval,
    /// Proven intervals of both ends of the forced interval, where that was asked for or tables have it.
    pub(crate) forced: Option<[Interval; 2]>,
    /// Sowings until the value is converted, the move included, where a solved tier or a capture tells.
    pub(crate) conversion: Option<u16>,
}

/// The solver of one profile: its rules, its small tiers and its tables, kept from one analysis to
/// the next.
pub(crate) struct Solver<R, const P: usize> {
    pub(crate) rules: R,
    pub(crate) tiers: Tiers<R>,
    memory: GrowingMemory,
    /// Held by the thread that prepares tiers.
    preparing: Mutex<()>,
    total_seeds: u32,
}

impl<R: Rules<P>, const P: usize> Solver<R, P> {
    /// A solver that stands on `tiers`. `table_bytes`: memory for both search tables.
    pub(crate) fn new(rules: R, tiers: Tiers<R>, total_seeds: u32, table_bytes: usize) -> Self {
        let memory = GrowingMemory::new(P, total_seeds, table_bytes);
        Self { rules, tiers, memory, preparing: Mutex::new(()), total_seeds }
    }

    /// Forgets what searches have proven, and keeps the memory.
    pub(crate) fn forget(&mut self) {
        self.memory.forget();
    }

    /// Analyses the moves of a turn that is not over: their values, and with `forced` their forced intervals. Runs on the threads
    /// of `pool`, and on the caller's for the line.
    pub(crate) fn analyse(
        &self,
        board: &Board<P>,
        moves: &[Move<P>],
        forced: bool,
        pool: &rayon::ThreadPool,
        control: &Control<'_>,
    ) -> Found {
        let tiers = self.solved(Task::Values, board.seeds(), pool, control);
        let in_tier = tiers.covers(board.seeds());
        let smallest = OnceCell::new();
        let table = self.table(in_tier, &smallest);
        let shared = self.knowledge(tiers, table, pool, control);
        let goals = Goals::new(
            moves
                .iter()
                .enumerate()
                .map(|(at, m)| Goal::new(at, Number::Value, move_interval(&shared, m, Number::Value))),
        );
        let told = |goal: &Goal| {
            let Interval { lower, upper } = goal.interval();
            control.watch.narrowed(moves[goal.at].pit.map(usize::from), lower, upper, goals.open());
        };
        let shared = self.close(shared, moves, &goals, pool, control, &told);
        let mut found: Vec<FoundMove> = moves
            .iter()
            .zip(goals.list())
            .map(|(m, goal)| FoundMove {
                value: goal.interval(),
                forced: None,
                conversion: conversion(&shared, m),
            })
            .collect();
        let value = Interval::best(found.iter().map(|m| m.value));
        let mut search = Search::new(shared);
        let line = if value.exact() {
            line::line(&mut search, board, value.lower, pool, control)
        } else {
            Line { pits: best_so_far(moves, &found), ..Line::default() }
        };
        self.force(board, moves, &mut found, forced, pool, control);
        Found { moves: found, line, in_tier }
    }

    /// Finds the forced intervals of all moves where `wanted`, else only if tables have them.
    fn force(
        &self,
        board: &Board<P>,
        moves: &[Move<P>],
        found: &mut [FoundMove],
        wanted: bool,
        pool: &rayon::ThreadPool,
        control: &Control<'_>,
    ) {
        let tables = self.tiers.tables(Task::Forced);
        let in_tables = tables.covers(board.seeds());
        if !wanted && !in_tables {
            return;
        }
        let tiers = if in_tables { tables } else { self.solved(Task::Forced, board.seeds(), pool, control) };
        let smallest = OnceCell::new();
        let table = self.table(tiers.covers(board.seeds()), &smallest);
        let shared = self.knowledge(tiers, table, pool, control);
        let seeds = board.seeds() as i32;
        let goals = [Number::Low, Number::High]
            .into_iter()
            .flat_map(|number| moves.iter().enumerate().map(move |(at, m)| (number, at, m)))
            .map(|(number, at, m)| {
                // low <= value <= high
                let Interval { lower, upper } = found[at].value;
                let value = match number {
                    Number::Low => Interval { lower: -seeds, upper },
                    _ => Interval { lower, upper: seeds },
                };
                Goal::new(at, number, move_interval(&shared, m, number).and(value))
            });
        let goals = Goals::new(goals);
        let told = |goal: &Goal| {
            let Interval { lower, upper } = goal.interval();
            control.watch.forced(moves[goal.at].pit.map(usize::from), lower, upper, goals.open());
        };
        self.close(shared, moves, &goals, pool, control, &told);
        let (low, high) = goals.list().split_at(moves.len());
        for ((found, low), high) in found.iter_mut().zip(low).zip(high) {
            found.forced = Some([low.interval(), high.interval()]);
        }
    }

    fn knowledge<'a>(
        &self,
        tiers: Solved<'a, R>,
        table: &'a TranspositionTable,
        pool: &rayon::ThreadPool,
        control: &'a Control<'_>,
    ) -> Knowledge<'a, R, P> {
        let crowded = pool.current_num_threads() > 1;
        Knowledge { rules: self.rules, tiers, table, crowded, nodes: &control.nodes }
    }

    /// The table to begin with: where the root is `solved` nothing is searched, and `smallest` will do.
    fn table<'a>(
        &'a self,
        solved: bool,
        smallest: &'a OnceCell<TranspositionTable>,
    ) -> &'a TranspositionTable {
        if solved {
            smallest.get_or_init(|| TranspositionTable::new(1, P, self.total_seeds))
        } else {
            self.memory.largest()
        }
    }

    /// Closes all goals, the search's tables growing where they become too small. Returns what is known then.
    fn close<'a>(
        &'a self,
        mut shared: Knowledge<'a, R, P>,
        moves: &[Move<P>],
        goals: &Goals,
        pool: &rayon::ThreadPool,
        control: &'a Control<'_>,
        told: &(dyn Fn(&Goal) + Sync),
    ) -> Knowledge<'a, R, P> {
        loop {
            let before = control.nodes.load(Relaxed);
            narrow::close(shared, moves, goals, self.memory.nodes(shared.table), pool, control, told);
            self.memory.count(shared.table, control.nodes.load(Relaxed) - before);
            if goals.open() == 0 || !control.go_on() {
                return shared;
            }
            let Some(larger) = pool.install(|| self.memory.larger(shared.table)) else { return shared };
            shared = self.knowledge(shared.tiers, larger, pool, control);
        }
    }

    /// Solves all tiers up to `seeds` seeds in memory, unless tables reach as far.
    pub(crate) fn solve_up_to(
        &self,
        task: Task,
        seeds: u32,
        pool: &rayon::ThreadPool,
        control: &Control<'_>,
    ) {
        self.tiers.want(task, seeds);
        self.solved(task, seeds, pool, control);
    }

    /// The tiers that serve boards of `seeds` seeds, the small ones solved on the pool where that was not done before. None where time
    /// runs out.
    fn solved(
        &self,
        task: Task,
        seeds: u32,
        pool: &rayon::ThreadPool,
        control: &Control<'_>,
    ) -> Solved<'_, R> {
        let solve = || {
            let (stop, done) = (AtomicBool::new(false), AtomicBool::new(false));
            std::thread::scope(|scope| {
                let watcher = scope.spawn(|| {
                    while !done.load(Relaxed) {
                        if !control.go_on() {
                            stop.store(true, Relaxed);
                        }
                        std::thread::park_timeout(LOOK);
                    }
                });
                // Also where it panics: the watcher would be waited for.
                let _ended = scopeguard::guard((), |()| {
                    done.store(true, Relaxed);
                    watcher.thread().unpark();
                });
                self.tiers.solve::<P>(task, seeds, &stop, |seeds| control.watch.tier(seeds));
            });
        };
        self.prepared(pool, || self.tiers.ready(task, seeds), solve).unwrap_or(self.tiers.none())
    }

    /// What `ready` gives, after `prepare` has run on the pool where it gave nothing: by one thread at a time, the others
    /// wait and look again.
    ///
    /// The lock is not taken on the pool, and who holds it does not wait for the pool as a thread of a pool does: such a thread
    /// takes up other work meanwhile, which may want the same lock, and would wait for itself.
    fn prepared<T>(
        &self,
        pool: &rayon::ThreadPool,
        ready: impl Fn() -> Option<T>,
        prepare: impl FnOnce() + Send,
    ) -> Option<T> {
        ready().or_else(|| {
            let _guard = self.preparing.lock().unwrap_or_else(PoisonError::into_inner);
            ready().or_else(|| {
                std::thread::scope(|scope| scope.spawn(|| pool.install(prepare)).join())
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                ready()
            })
        })
    }

    /// The number of move sequences of exactly `depth` moves, passes counted as moves.
    pub(crate) fn perft(&self, board: &Board<P>, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        match self.rules.turn(board) {
            Turn::Over { .. } => 0,
            Turn::Moves(moves) if depth == 1 => moves.len() as u64,
            Turn::Moves(moves) => moves.iter().map(|m| self.perft(&m.next, depth - 1)).sum(),
        }
    }
}

/// The best move of a position whose value is still open: the highest proven lower bound.
fn best_so_far<const P: usize>(moves: &[Move<P>], found: &[FoundMove]) -> Vec<Option<u8>> {
    let best = moves.iter().zip(found).rev().max_by_key(|(_, m)| (m.value.lower, m.value.upper));
    best.map(|(m, _)| vec![m.pit]).unwrap_or_default()
}
