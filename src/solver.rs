//! Analysis of one position: every legal move's value, by questions to the search.
//!
//! A move's value is found by asking the search "at least t?" for one `t` after another, narrowing a
//! proven interval. First the winner is settled (is it at least 1? at least 0?), then the
//! interval is closed from the near end, since questions far from the value are cheap and each
//! answer leaves bounds for the next. A question gets a budget of nodes; one that exceeds it waits until
//! every other has had its turn, so a single hard move can not keep the rest from being answered.
//!
//! Threads take different questions and share what is proven. A value is the end of an interval
//! that proofs have closed, so it can not depend on their number or on any table's size.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use arrayvec::ArrayVec;

use crate::board::Board;
use crate::index;
use crate::numbers::ProofNumbers;
use crate::rules::{MAX_MOVES, Move, Rules, Turn};
use crate::search::{Answer, Knowledge, Search};
use crate::tiers::{Solved, Tiers};
use crate::tt::TranspositionTable;

/// The most bytes for the tables with which the best line is proven.
const PROOF_BYTES: usize = 32 << 20;

/// What ends an analysis early, and who is told how it goes.
pub(crate) struct Control<'a> {
    pub(crate) deadline: Option<Instant>,
    pub(crate) stop: &'a AtomicBool,
    /// Raised where a table can not be read.
    pub(crate) failed: &'a AtomicBool,
    pub(crate) watch: &'a dyn Watch,
}

impl Control<'_> {
    fn go_on(&self) -> bool {
        !self.stop.load(Relaxed)
            && !self.failed.load(Relaxed)
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
}

/// Watches nothing.
impl Watch for () {}

/// A proven interval of a move's value, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) lower: i32,
    pub(crate) upper: i32,
}

/// What an analysis found.
pub(crate) struct Found {
    /// One for each move of the turn, in its order.
    pub(crate) moves: Vec<Interval>,
    /// Sowings until each move's value is converted, where a solved tier or a capture tells.
    pub(crate) conversions: Vec<Option<u16>>,
    /// Sowings until the root's value is converted, where a solved tier tells.
    pub(crate) distance: Option<u16>,
    /// The forced interval, where a table has it.
    pub(crate) forced: Option<[i32; 2]>,
    /// Best moves from the root on, pits as numbers, and whether the line closes a cycle.
    pub(crate) line: Vec<Option<u8>>,
    pub(crate) cycle: bool,
    pub(crate) nodes: u64,
    /// The root lies in a solved tier.
    pub(crate) in_tier: bool,
}

/// The solver of one profile: its rules, its small tiers and its tables, kept from one analysis to
/// the next.
pub(crate) struct Solver<R, const P: usize> {
    pub(crate) rules: R,
    pub(crate) tiers: Tiers<R>,
    memory: OnceLock<Memory>,
    /// Held by the thread that prepares tiers or memory.
    preparing: Mutex<()>,
    table_bytes: usize,
    total_seeds: u32,
}

struct Memory {
    bounds: TranspositionTable,
    numbers: ProofNumbers,
}

impl Memory {
    /// Tables of `bytes` bytes together for boards of at most `seeds` seeds.
    fn new<const P: usize>(seeds: u32, bytes: usize) -> Self {
        Self { bounds: TranspositionTable::new(bytes / 2, P, seeds), numbers: ProofNumbers::new(bytes / 2) }
    }
}

/// The interval of one move while it is being narrowed.
struct Narrowing {
    lower: AtomicI32,
    upper: AtomicI32,
}

impl Narrowing {
    fn interval(&self) -> Interval {
        Interval { lower: self.lower.load(Relaxed), upper: self.upper.load(Relaxed) }
    }

    fn open(&self) -> bool {
        self.lower.load(Relaxed) < self.upper.load(Relaxed)
    }

    /// True while neither bound answers "at least this?".
    fn unanswered(&self, at_least: i32) -> bool {
        self.lower.load(Relaxed) < at_least && self.upper.load(Relaxed) >= at_least
    }
}

/// The questions of one move: how often each was asked, and which are being asked.
#[derive(Default)]
struct Asked {
    times: BTreeMap<i32, u32>,
    running: Vec<i32>,
}

impl<R: Rules<P>, const P: usize> Solver<R, P> {
    /// A solver that stands on `tiers`. `table_bytes`: memory for both search tables.
    pub(crate) fn new(rules: R, tiers: Tiers<R>, total_seeds: u32, table_bytes: usize) -> Self {
        Self { rules, tiers, memory: OnceLock::new(), preparing: Mutex::new(()), table_bytes, total_seeds }
    }

    /// Empties both search tables.
    pub(crate) fn forget(&mut self) {
        if let Some(Memory { bounds, numbers }) = self.memory.get_mut() {
            bounds.clear();
            numbers.clear();
        }
    }

    /// Analyses the moves of a turn that is not over. Runs on the threads of `pool`, and on the
    /// caller's for the line.
    pub(crate) fn analyse(
        &self,
        board: &Board<P>,
        moves: &[Move<P>],
        pool: &rayon::ThreadPool,
        control: &Control<'_>,
    ) -> Found {
        let deadline_passed = AtomicBool::new(false);
        let tiers = self.build_tiers(board.seeds(), pool, control, &deadline_passed);
        // A position in a solved tier needs no tables: the smallest ones do.
        let small;
        let memory = if tiers.covers(board.seeds()) {
            small = Memory::new::<P>(self.total_seeds, 1);
            &small
        } else {
            self.prepared(
                pool,
                || self.memory.get(),
                || {
                    let _ = self.memory.set(Memory::new::<P>(self.total_seeds, self.table_bytes));
                },
            )
            .expect("just set")
        };
        let Memory { bounds, numbers } = memory;
        let shared = Knowledge { rules: self.rules, tiers, bounds, numbers };
        let narrowings: Vec<Narrowing> = moves
            .iter()
            .map(|m| {
                let Interval { lower, upper } = move_interval(&shared, m);
                Narrowing { lower: lower.into(), upper: upper.into() }
            })
            .collect();
        let nodes = AtomicU64::new(0);
        if narrowings.iter().any(Narrowing::open) {
            let asked = Mutex::new(moves.iter().map(|_| Asked::default()).collect::<Vec<_>>());
            pool.scope(|scope| {
                for _ in 0..pool.current_num_threads() {
                    scope.spawn(|_| {
                        let mut search = Search::new(shared);
                        narrow(&mut search, moves, &narrowings, &asked, control);
                        nodes.fetch_add(search.nodes(), Relaxed);
                    });
                }
            });
        }
        let moves_found: Vec<Interval> = narrowings.iter().map(Narrowing::interval).collect();
        let conversions: Vec<_> = moves.iter().map(|m| conversion(&shared, m)).collect();
        let value = root_interval(&moves_found);
        let mut search = Search::new(shared);
        let (line, cycle) = if value.lower == value.upper {
            line(&mut search, board, value.lower, control)
        } else {
            (best_so_far(moves, &moves_found), false)
        };
        nodes.fetch_add(search.nodes(), Relaxed);
        Found {
            moves: moves_found,
            conversions,
            distance: tiers.distance(board),
            forced: tiers.interval(board),
            line,
            cycle,
            nodes: nodes.into_inner(),
            in_tier: tiers.covers(board.seeds()),
        }
    }

    /// Solves the small tiers that serve a board, on the pool, unless time runs out: then none.
    fn build_tiers(
        &self,
        seeds: u32,
        pool: &rayon::ThreadPool,
        control: &Control<'_>,
        stop: &AtomicBool,
    ) -> Solved<'_, R> {
        let started = |seeds| {
            control.watch.tier(seeds);
            if !control.go_on() {
                stop.store(true, Relaxed);
            }
        };
        let solve = || self.tiers.solve::<P>(seeds, stop, started);
        self.prepared(pool, || self.tiers.ready(seeds), solve).unwrap_or(self.tiers.none())
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

/// The proven interval of a move, from what is known of the board it leads to.
fn move_interval<R: Rules<P>, const P: usize>(shared: &Knowledge<'_, R, P>, m: &Move<P>) -> Interval {
    let (lower, upper) = shared.known(&m.next);
    let captured = i32::from(m.captured);
    if m.again {
        Interval { lower: captured + lower, upper: captured + upper }
    } else {
        Interval { lower: captured - upper, upper: captured - lower }
    }
}

/// The interval of a position's value, from those of its moves.
pub(crate) fn root_interval(moves: &[Interval]) -> Interval {
    Interval {
        lower: moves.iter().map(|m| m.lower).max().expect("a turn has moves"),
        upper: moves.iter().map(|m| m.upper).max().expect("a turn has moves"),
    }
}

/// Sowings until the value of a move is converted, the move included, where that is known.
fn conversion<R: Rules<P>, const P: usize>(shared: &Knowledge<'_, R, P>, m: &Move<P>) -> Option<u16> {
    if m.captured > 0 {
        return Some(1);
    }
    shared.tiers.distance(&m.next).map(|distance| distance.saturating_add(1))
}

/// The order of moves of equal value: the side that is ahead converts as soon, the other as late as it
/// can; then the pit. `None` is a conversion that is not known.
pub(crate) fn tie_order(value: i32, conversion: Option<u16>) -> i32 {
    match value.signum() {
        1 => conversion.map_or(i32::MAX, i32::from),
        // A conversion not known is later than one by the move itself.
        -1 => -conversion.map_or(2, i32::from),
        _ => 0,
    }
}

/// Asks questions until all intervals are closed or it is time to stop.
fn narrow<R: Rules<P>, const P: usize>(
    search: &mut Search<'_, R, P>,
    moves: &[Move<P>],
    narrowings: &[Narrowing],
    asked: &Mutex<Vec<Asked>>,
    control: &Control<'_>,
) {
    let lock = || asked.lock().unwrap_or_else(PoisonError::into_inner);
    while control.go_on() {
        let picked = pick::<R, P>(narrowings, &mut lock());
        let Some((at, at_least, times)) = picked else { return };
        let (m, narrowing) = (&moves[at], &narrowings[at]);
        let captured = i32::from(m.captured);
        let go_on = || narrowing.unanswered(at_least) && control.go_on();
        let answer = if m.again {
            search.ask(&m.next, at_least - captured, times, &go_on)
        } else {
            search.ask(&m.next, captured - at_least + 1, times, &go_on)
        };
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
            narrowing.lower.fetch_max(lower, Relaxed);
        }
        if let Some(upper) = upper {
            narrowing.upper.fetch_min(upper, Relaxed);
        }
        drop(asked);
        if lower.is_some() || upper.is_some() {
            let Interval { lower, upper } = narrowing.interval();
            let open = narrowings.iter().filter(|n| n.open()).count();
            control.watch.narrowed(m.pit.map(usize::from), lower, upper, open);
        }
    }
}

/// The next question to ask: move, threshold, and how often it was asked before. `None`: all
/// intervals are closed.
fn pick<R: Rules<P>, const P: usize>(
    narrowings: &[Narrowing],
    asked: &mut [Asked],
) -> Option<(usize, i32, u32)> {
    type Key = (u32, bool, usize, usize, usize);
    let mut best: Option<(Key, usize, i32, u32)> = None;
    for (at, narrowing) in narrowings.iter().enumerate() {
        let Interval { lower, upper } = narrowing.interval();
        if lower >= upper {
            continue;
        }
        let settled = lower > 0 || upper < 0 || (lower, upper) == (0, 0);
        for (preference, at_least) in thresholds(lower, upper, R::UNIT as i32).into_iter().enumerate() {
            let times = asked[at].times.get(&at_least).copied().unwrap_or(0);
            let same = asked[at].running.iter().filter(|&&t| t == at_least).count() as u32;
            let others = asked[at].running.len();
            let key = (times + same, settled, others, preference, at);
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
fn thresholds(lower: i32, upper: i32, unit: i32) -> Vec<i32> {
    let up = |value: i32| -(-value).div_euclid(unit) * unit;
    let middle = |a: i32, b: i32| up((a + b).div_euclid(2));
    let wanted = if lower >= 1 {
        [lower + unit, middle(lower, upper), upper]
    } else if upper <= -1 {
        [upper, middle(lower, upper), lower + unit]
    } else {
        // Who wins is open, and where neither is settled, how high it could be.
        [1, 0, if upper > -lower { middle(1, upper) } else { middle(lower, 0) }]
    };
    let mut list = Vec::new();
    for at_least in wanted.map(up).into_iter().chain([up(lower + 1)]) {
        if at_least > lower && at_least <= upper && !list.contains(&at_least) {
            list.push(at_least);
        }
    }
    list
}

/// The best move of a position whose value is still open: the highest proven lower bound.
fn best_so_far<const P: usize>(moves: &[Move<P>], found: &[Interval]) -> Vec<Option<u8>> {
    let best = moves.iter().zip(found).rev().max_by_key(|(_, i)| (i.lower, i.upper));
    best.map(|(m, _)| vec![m.pit]).unwrap_or_default()
}

/// The line of best play from a board of this value: the first best move at each ply, to the end of
/// the game or, where infinite play is best for both, to the first position that comes back, which the
/// flag tells. Shorter only where time runs out.
///
/// Outside the solved tiers the side that is ahead follows a proof when no capture keeps its value:
/// a proof is finite, so the line can not go in circles. That proof is made by a search of its own, on
/// one thread with tables of its own and fixed size, so that the line is the same whatever else
/// was searched before.
fn line<R: Rules<P>, const P: usize>(
    search: &mut Search<'_, R, P>,
    board: &Board<P>,
    value: i32,
    control: &Control<'_>,
) -> (Vec<Option<u8>>, bool) {
    let shared = search.shared();
    let seeds = board.seeds();
    let proof_memory = OnceLock::new();
    let proof_memory = || {
        proof_memory.get_or_init(|| {
            // No more than three entries for each board there is.
            let boards = (0..=seeds).map(|seeds| index::tier_size(P, seeds)).sum::<u128>();
            let bytes = boards.saturating_mul(48).min(PROOF_BYTES as u128) as usize;
            Memory::new::<P>(seeds, bytes)
        })
    };
    let mut proof_search = None;
    let mut line = Vec::new();
    let (mut board, mut value, mut side) = (*board, value, 0u8);
    // Positions since the last capture.
    let mut seen: Vec<(Board<P>, u8)> = Vec::new();
    loop {
        let Turn::Moves(moves) = shared.rules.turn(&board) else { return (line, false) };
        seen.push((board, side));
        let captures = |m: &Move<P>| m.captured > 0 && keeps_value(search, m, value, control);
        let m = if value > 0 && shared.solved(&board).is_none() && !moves.iter().any(captures) {
            let memory = proof_memory();
            let search = proof_search.get_or_insert_with(|| {
                let Knowledge { rules, tiers, .. } = shared;
                Search::new(Knowledge { rules, tiers, bounds: &memory.bounds, numbers: &memory.numbers })
            });
            let pit = search.proof(&board, value, &|| control.go_on());
            moves.iter().find(|m| pit == Some(m.pit))
        } else {
            let mut order: ArrayVec<&Move<P>, MAX_MOVES> = moves.iter().collect();
            // Where going round is as good as anything, the shortest way round will do.
            let circles = |m: &Move<P>| value == 0 && m.captured == 0 && seen.contains(&(m.next, side ^ 1));
            order.sort_by_key(|m| (!circles(m), tie_order(value, conversion(&shared, m))));
            order.into_iter().find(|m| keeps_value(search, m, value, control))
        };
        let Some(&m) = m else { return (line, false) };
        line.push(m.pit);
        if m.captured > 0 {
            seen.clear();
        }
        board = m.next;
        value -= i32::from(m.captured);
        if !m.again {
            (side, value) = (side ^ 1, -value);
        }
        if value == 0 && seen.contains(&(board, side)) {
            return (line, true);
        }
    }
}

/// True if a move is worth `value`, which is the most any move is worth.
fn keeps_value<R: Rules<P>, const P: usize>(
    search: &mut Search<'_, R, P>,
    m: &Move<P>,
    value: i32,
    control: &Control<'_>,
) -> bool {
    let rest = value - i32::from(m.captured);
    if m.again {
        matches!(search.settle(&m.next, rest, &|| control.go_on()), Answer::AtLeast(_))
    } else {
        matches!(search.settle(&m.next, 1 - rest, &|| control.go_on()), Answer::AtMost(_))
    }
}
