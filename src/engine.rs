//! The door: a profile chosen at run time, and everything that can be asked of it.
//!
//! Inside, boards are const-generic and rules are types. Here one `match` turns a [`Profile`] into the
//! solver for its board and rules, behind the object-safe trait `Game`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::analysis::{Analysis, Forced, MoveAnalysis, Source};
use crate::board::Board;
use crate::edges::{Edges, TierEdges};
use crate::line::{self, Line};
use crate::narrow::Interval;
use crate::notation::{self, NotationError};
use crate::number::Number;
use crate::position::{Position, Side};
use crate::profile::Profile;
use crate::retrograde::Task;
use crate::rules::{Illegal, Rules, Turn};
use crate::solver::{Control, Found, Solver, Watch};
use crate::table::TableError;
use crate::tiers::{self, MemoryTiers, Tables, Tiers};

/// Memory and threads of an [`Engine`].
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes for the search's tables together.
    pub table_bytes: usize,
    /// Threads; 0 for as many as there are cores, or as `RAYON_NUM_THREADS` says.
    pub threads: usize,
    /// The tiers to solve in memory.
    pub tiers: MemoryTiers,
    /// Where to look for endgame tables.
    pub tables: Tables,
    /// Bytes for what is read from tables, kept for the next time. What finds no room is read again. Tiers of up to a million
    /// positions are kept besides: a few megabytes at most.
    pub block_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            table_bytes: 512 << 20,
            threads: 0,
            tiers: MemoryTiers::Small,
            tables: Tables::None,
            block_bytes: 256 << 20,
        }
    }
}

/// Why an engine can not answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A table can not be used.
    #[error(transparent)]
    Table(Arc<TableError>),
    /// The threads can not be started.
    #[error("cannot start the threads: {0}")]
    Threads(Arc<rayon::ThreadPoolBuildError>),
}

impl From<TableError> for EngineError {
    fn from(error: TableError) -> Self {
        Self::Table(Arc::new(error))
    }
}

/// What a position offers its side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Options {
    /// The game is over: seeds on the board that go to South and to North.
    Over {
        /// South's and North's share.
        shares: [u32; 2],
    },
    /// The legal moves, in the order of pits.
    Moves(Vec<LegalMove>),
}

/// A legal move, played out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegalMove {
    /// The pit's letter, or `-` for a forced pass.
    pub letter: char,
    /// Seeds taken.
    pub captured: u32,
    /// The mover is to move again.
    pub again: bool,
    /// Laps sown.
    pub laps: u32,
    /// The position afterwards.
    pub position: Position,
}

/// A character that may be anything, as an error quotes it.
fn plain(letter: char) -> String {
    notation::quoted(letter.encode_utf8(&mut [0; 4]), 1)
}

/// What is wrong with a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// Not a pit of the side to move.
    #[error("'{letter}': {side} is to move, with the pits {first} to {last}", letter = plain(*letter), first = side.letter(0), last = side.letter(row - 1))]
    NotOwn {
        /// What was written.
        letter: char,
        /// The side to move.
        side: Side,
        /// Pits in a row.
        row: usize,
    },
    /// The pit holds no seed.
    #[error("'{0}' is empty")]
    Empty(char),
    /// The sowing never ends.
    #[error("'{0}' never ends: the sowing comes back to where it was, so it is illegal")]
    Endless(char),
    /// The opponent would be left without seeds.
    #[error("'{0}' leaves the opponent without seeds, and the opponent must be fed")]
    DoesNotFeed(char),
    /// A pass where a pit can be played.
    #[error("'-': a pass is forced or illegal, and {side} can play {letters}")]
    NoPass {
        /// The side to move.
        side: Side,
        /// Its legal pits.
        letters: String,
    },
    /// A pit where only a pass is possible.
    #[error("'{letter}': {side} has no legal sowing and must pass, written '-'")]
    MustPass {
        /// What was written.
        letter: char,
        /// The side to move.
        side: Side,
    },
    /// The game is over.
    #[error("'{letter}': the game is over", letter = plain(*.0))]
    Over(char),
}

/// What tables hold of a position, all of it from the view of its side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Seeds it will win minus seeds it will lose, stores excluded.
    pub value: i32,
    /// Sowings until the value is converted; `None` where it never is.
    pub distance: Option<u16>,
    /// Low and high end of the forced interval; `None` where the tables were built without.
    pub forced: Option<[i32; 2]>,
}

/// When an analysis is to end.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The time it may take.
    pub time: Option<Duration>,
    /// The nodes it may take, all threads together; exceeded by some thousands. On one thread what is found by then is the same each
    /// time.
    pub nodes: Option<u64>,
    /// Raised from outside to end it.
    pub stop: &'a AtomicBool,
}

impl<'a> Limits<'a> {
    /// No limit but `stop`.
    pub fn none(stop: &'a AtomicBool) -> Self {
        Self { time: None, nodes: None, stop }
    }
}

/// What a profile's solver can do, board size and rules hidden.
trait Game: Send + Sync {
    fn options(&self, position: &Position) -> Options;
    fn illegal(&self, position: &Position, pit: usize) -> Option<Illegal>;
    fn laps<'a>(&'a self, position: &Position, pit: usize) -> Box<dyn Iterator<Item = Lap> + 'a>;
    fn perft(&self, position: &Position, depth: u32) -> u64;
    fn analyse(
        &self,
        position: &Position,
        forced: bool,
        pool: &rayon::ThreadPool,
        control: &Control<'_>,
    ) -> Option<Found>;
    fn probe(&self, position: &Position) -> Option<i32>;
    fn entry(&self, position: &Position) -> Option<Entry>;
    fn tables_up_to(&self) -> Option<u32>;
    fn solve_up_to(&self, task: Task, seeds: u32, pool: &rayon::ThreadPool, control: &Control<'_>);
    fn most_seeds(&self, positions: u128) -> Option<u32>;
    fn bytes_up_to(&self, seeds: u32) -> u128;
    fn forget(&mut self);
    fn sibling(&self, seeds: u32, table_bytes: usize) -> Box<dyn Game>;
    fn failed(&self) -> &AtomicBool;
    fn failure(&self) -> Option<Arc<TableError>>;
}

/// One lap of a sowing, as a person watches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lap {
    /// The position after the lap, captures not yet done, the mover still to move.
    pub position: Position,
    /// Where the last seed fell: an index in sowing order, South's `A` being 0.
    pub last: usize,
}

impl<R: Rules<P>, const P: usize> Game for Solver<R, P> {
    fn options(&self, position: &Position) -> Options {
        let side = position.side;
        match self.rules.turn(&position.board::<P>()) {
            Turn::Over { margin } => {
                let mut shares = [0; 2];
                let winner = if margin > 0 { side } else { side.other() };
                shares[winner.index()] = u32::from(margin.unsigned_abs());
                Options::Over { shares }
            }
            Turn::Moves(moves) => Options::Moves(
                moves
                    .iter()
                    .map(|m| {
                        let mut stores = position.stores;
                        stores[side.index()] += m.captured;
                        let next_side = if m.again { side } else { side.other() };
                        LegalMove {
                            letter: letter(side, m.pit),
                            captured: u32::from(m.captured),
                            again: m.again,
                            laps: m.laps,
                            position: Position::from_board(&m.next, stores, next_side),
                        }
                    })
                    .collect(),
            ),
        }
    }

    fn illegal(&self, position: &Position, pit: usize) -> Option<Illegal> {
        self.rules.illegal(&position.board::<P>(), pit)
    }

    fn laps<'a>(&'a self, position: &Position, pit: usize) -> Box<dyn Iterator<Item = Lap> + 'a> {
        let (side, stores) = (position.side, position.stores);
        Box::new(self.rules.laps(position.board::<P>(), pit).map(move |(board, last)| Lap {
            position: Position::from_board(&board, stores, side),
            last: (last + side.index() * Board::<P>::ROW) % P,
        }))
    }

    fn perft(&self, position: &Position, depth: u32) -> u64 {
        Solver::perft(self, &position.board::<P>(), depth)
    }

    fn analyse(
        &self,
        position: &Position,
        forced: bool,
        pool: &rayon::ThreadPool,
        control: &Control<'_>,
    ) -> Option<Found> {
        let board = position.board::<P>();
        match self.rules.turn(&board) {
            Turn::Over { .. } => None,
            Turn::Moves(moves) => Some(Solver::analyse(self, &board, &moves, forced, pool, control)),
        }
    }

    fn probe(&self, position: &Position) -> Option<i32> {
        self.tiers.tables(Task::Values).number(&position.board::<P>(), Number::Value)
    }

    fn entry(&self, position: &Position) -> Option<Entry> {
        let board = position.board::<P>();
        let [values, forced] = [Task::Values, Task::Forced].map(|task| self.tiers.tables(task));
        let end = |number| forced.number(&board, number);
        Some(Entry {
            value: values.number(&board, Number::Value)?,
            distance: values.distance(&board),
            forced: end(Number::Low).zip(end(Number::High)).map(|(low, high)| [low, high]),
        })
    }

    fn tables_up_to(&self) -> Option<u32> {
        self.tiers.tables(Task::Values).most()
    }

    fn solve_up_to(&self, task: Task, seeds: u32, pool: &rayon::ThreadPool, control: &Control<'_>) {
        Solver::solve_up_to(self, task, seeds, pool, control);
    }

    fn most_seeds(&self, positions: u128) -> Option<u32> {
        tiers::most_seeds(P, R::UNIT, positions)
    }

    fn bytes_up_to(&self, seeds: u32) -> u128 {
        tiers::bytes_up_to(P, R::UNIT, seeds)
    }

    fn forget(&mut self) {
        Solver::forget(self);
    }

    fn sibling(&self, seeds: u32, table_bytes: usize) -> Box<dyn Game> {
        Box::new(Solver::new(self.rules, self.tiers.clone(), seeds, table_bytes))
    }

    fn failed(&self) -> &AtomicBool {
        self.tiers.failed()
    }

    fn failure(&self) -> Option<Arc<TableError>> {
        self.tiers.failure()
    }
}

fn known_forced([low, high]: [Interval; 2]) -> Forced {
    Forced { low: [low.lower, low.upper], high: [high.lower, high.upper] }
}

fn letter(side: Side, pit: Option<u8>) -> char {
    pit.map_or('-', |pit| side.letter(usize::from(pit)))
}

/// Plays and analyses one profile.
pub struct Engine {
    profile: Profile,
    game: Box<dyn Game>,
    pool: rayon::ThreadPool,
}

/// Something to be made for rules and a board size that are known at run time only.
trait Make {
    type Made;

    fn make<R: Rules<P>, const P: usize>(self, rules: R) -> Self::Made;
}

/// The one place where a profile becomes a type of rules and a board size.
fn make<M: Make>(profile: &Profile, what: M) -> M::Made {
    fn with_pits<M: Make, const P: usize>(profile: &Profile, what: M) -> M::Made {
        match (profile.rules().ayoayo(), profile.rules().hoyito()) {
            (Some(rules), _) => what.make::<_, P>(rules),
            (None, Some(rules)) => what.make::<_, P>(rules),
            (None, None) => unreachable!("every rule set is of one of the games"),
        }
    }
    match profile.row() {
        2 => with_pits::<M, 4>(profile, what),
        3 => with_pits::<M, 6>(profile, what),
        4 => with_pits::<M, 8>(profile, what),
        5 => with_pits::<M, 10>(profile, what),
        6 => with_pits::<M, 12>(profile, what),
        7 => with_pits::<M, 14>(profile, what),
        8 => with_pits::<M, 16>(profile, what),
        9 => with_pits::<M, 18>(profile, what),
        10 => with_pits::<M, 20>(profile, what),
        11 => with_pits::<M, 22>(profile, what),
        12 => with_pits::<M, 24>(profile, what),
        row => unreachable!("a profile has 2 to 12 pits a row, not {row}"),
    }
}

/// Makes a solver.
struct MakeSolver<'a> {
    profile: &'a Profile,
    settings: &'a Settings,
}

impl Make for MakeSolver<'_> {
    type Made = Result<Box<dyn Game>, TableError>;

    fn make<R: Rules<P>, const P: usize>(self, rules: R) -> Self::Made {
        let Settings { table_bytes, tiers, tables, block_bytes, .. } = self.settings;
        let tiers = Tiers::new::<P>(rules, self.profile, *tiers, tables, *block_bytes)?;
        Ok(Box::new(Solver::new(rules, tiers, self.profile.seeds(), *table_bytes)))
    }
}

/// Makes the edges of a tier.
struct MakeEdges {
    seeds: u32,
}

impl Make for MakeEdges {
    type Made = Box<dyn Edges>;

    fn make<R: Rules<P>, const P: usize>(self, rules: R) -> Box<dyn Edges> {
        Box::new(TierEdges { rules, seeds: self.seeds })
    }
}

/// The edges of the tier of `seeds` seeds.
pub(crate) fn edges(profile: &Profile, seeds: u32) -> Box<dyn Edges> {
    make(profile, MakeEdges { seeds })
}

impl Engine {
    /// An engine for `profile`. Tables are opened; nothing is solved and no memory taken for searches before it is needed.
    ///
    /// # Errors
    /// Where the threads can not be started, or a table is there that can not be used.
    pub fn new(profile: Profile, settings: &Settings) -> Result<Self, EngineError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build();
        let pool = pool.map_err(|error| EngineError::Threads(Arc::new(error)))?;
        Ok(Self { profile, game: make(&profile, MakeSolver { profile: &profile, settings })?, pool })
    }

    /// Another engine for the same profile, that shares the solved tiers and what is read from tables with this one, and nothing
    /// else: it has tables of `table_bytes` bytes for its searches, and `threads` threads (0 as in [`Settings`]). So many can
    /// work side by side on different positions, and none has an influence on what another finds.
    ///
    /// # Errors
    /// Where the threads can not be started.
    pub fn sibling(&self, table_bytes: usize, threads: usize) -> Result<Self, EngineError> {
        let game = self.game.sibling(self.profile.seeds(), table_bytes);
        Ok(Self { profile: self.profile, game, pool: Self::pool(threads)? })
    }

    /// Threads to search with.
    pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool, EngineError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(|error| EngineError::Threads(Arc::new(error)))
    }

    /// The profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What the side to move can do.
    pub fn options(&self, position: &Position) -> Options {
        self.game.options(position)
    }

    /// Plays one move: a pit's letter, or `-` for a forced pass.
    ///
    /// # Errors
    /// Where the move is not legal, with the reason.
    pub fn play(&self, position: &Position, letter: char) -> Result<LegalMove, MoveError> {
        let Options::Moves(moves) = self.options(position) else { return Err(MoveError::Over(letter)) };
        if let Some(m) = moves.iter().find(|m| m.letter == letter) {
            return Ok(m.clone());
        }
        let (side, row) = (position.side(), position.row());
        if letter == '-' {
            let letters = moves.iter().map(|m| m.letter).collect();
            return Err(MoveError::NoPass { side, letters });
        }
        let Some(pit) = (0..row).find(|&pit| side.letter(pit) == letter) else {
            return Err(MoveError::NotOwn { letter, side, row });
        };
        if position.counts()[side.index() * row + pit] == 0 {
            return Err(if position.counts()[side.index() * row..][..row].iter().all(|&c| c == 0) {
                MoveError::MustPass { letter, side }
            } else {
                MoveError::Empty(letter)
            });
        }
        Err(match self.game.illegal(position, pit) {
            Some(Illegal::Endless) => MoveError::Endless(letter),
            Some(Illegal::DoesNotFeed) => MoveError::DoesNotFeed(letter),
            None => MoveError::MustPass { letter, side },
        })
    }

    /// Plays a text of moves, such as `CdF`, from a position.
    ///
    /// # Errors
    /// At the first move that is not legal: its column, and why.
    pub fn play_text(&self, position: &Position, moves: &str) -> Result<Position, NotationError> {
        let mut position = *position;
        for (number, text) in notation::split_moves(moves).into_iter().enumerate() {
            let played = self.play(&position, text.letter).map_err(|error| NotationError {
                column: text.column,
                problem: format!("move {}: {error}", number + 1),
            })?;
            position = played.position;
        }
        Ok(position)
    }

    /// The letters of the pits whose sowing never ends.
    pub fn endless(&self, position: &Position) -> Vec<char> {
        let (side, row) = (position.side(), position.row());
        (0..row)
            .filter(|pit| position.counts()[side.index() * row + pit] > 0)
            .filter(|&pit| self.game.illegal(position, pit) == Some(Illegal::Endless))
            .map(|pit| side.letter(pit))
            .collect()
    }

    /// The laps of a sowing one by one. `letter` is a non-empty pit of the side to move, else there are
    /// none. A sowing that never ends has laps for ever.
    pub fn laps<'a>(&'a self, position: &Position, letter: char) -> Box<dyn Iterator<Item = Lap> + 'a> {
        let (side, row) = (position.side(), position.row());
        match (0..row).find(|&pit| side.letter(pit) == letter) {
            Some(pit) if position.counts()[side.index() * row + pit] > 0 => self.game.laps(position, pit),
            _ => Box::new(std::iter::empty()),
        }
    }

    /// The number of move sequences of exactly `depth` moves. A forced pass is a move; a finished game has
    /// none.
    pub fn perft(&self, position: &Position, depth: u32) -> u64 {
        self.game.perft(position, depth)
    }

    /// The most seeds of a position that has a table. `None`: there are no tables.
    pub fn tables_up_to(&self) -> Option<u32> {
        self.game.tables_up_to()
    }

    /// Solves all tiers up to this many seeds in memory, those that have tables being read from them, unless there are tables of all: every
    /// later analysis of this engine and of its siblings stands on them. With `forced` the forced intervals too, which takes two to three times
    /// as long. Takes [`bytes_to_solve`](Self::bytes_to_solve), and leaves off early where `stop` is raised.
    ///
    /// # Errors
    /// Where a table is damaged or can not be read.
    pub fn solve_up_to(
        &self,
        seeds: u32,
        forced: bool,
        stop: &AtomicBool,
        watch: &dyn Watch,
    ) -> Result<(), EngineError> {
        let (deadline, most_nodes, failed) = (None, None, self.game.failed());
        let control = Control { deadline, most_nodes, nodes: AtomicU64::new(0), stop, failed, watch };
        self.game.solve_up_to(Task::Values, seeds, &self.pool, &control);
        if forced {
            self.game.solve_up_to(Task::Forced, seeds, &self.pool, &control);
        }
        self.game.failure().map_or(Ok(()), |error| Err(EngineError::Table(error)))
    }

    /// Bytes of memory that [`solve_up_to`](Self::solve_up_to) takes at most, without forced intervals.
    pub fn bytes_to_solve(&self, seeds: u32) -> u128 {
        self.game.bytes_up_to(seeds)
    }

    /// The largest number of seeds up to which all tiers together have at most so many positions; `None` for less than one.
    pub(crate) fn most_seeds(&self, positions: u128) -> Option<u32> {
        self.game.most_seeds(positions)
    }

    /// The value of a position from its table, from the side to move: seeds it will win minus seeds it will lose, stores excluded.
    /// `None` where there is no table of so many seeds. Takes no lock, from any number of threads.
    ///
    /// # Errors
    /// Where a table turns out to be damaged or can not be read, as [`analyse`](Self::analyse).
    pub fn probe(&self, position: &Position) -> Result<Option<i32>, EngineError> {
        self.trusted(self.game.probe(position))
    }

    /// As [`probe`](Self::probe), and the distance and the forced interval: everything that tables hold of a position. A distance is
    /// decoded anew each time, so this takes microseconds.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    pub fn entry(&self, position: &Position) -> Result<Option<Entry>, EngineError> {
        self.trusted(self.game.entry(position))
    }

    /// What was read from tables, if all of them could be read.
    fn trusted<T>(&self, found: T) -> Result<T, EngineError> {
        if self.game.failed().load(Relaxed)
            && let Some(error) = self.game.failure()
        {
            return Err(EngineError::Table(error));
        }
        Ok(found)
    }

    /// Forgets what searches have proven, so that the next one starts as in a new engine, without the cost of making one. Solved
    /// tiers and what was read from tables are kept.
    pub fn forget(&mut self) {
        self.game.forget();
    }

    /// The exact value of a position and of all its moves, or proven bounds where a limit ends the
    /// analysis before.
    ///
    /// # Errors
    /// Where a table turns out to be damaged or can not be read. Then nothing that this engine was told since can be
    /// trusted, so it gives this error to every later question too.
    pub fn analyse(
        &self,
        position: &Position,
        limits: &Limits<'_>,
        watch: &dyn Watch,
    ) -> Result<Analysis, EngineError> {
        self.analyse_on(&self.pool, position, false, limits, watch)
    }

    /// As [`analyse`](Self::analyse), and the forced intervals of the position and of all its moves: what holds whatever
    /// infinite play is worth. Found last, so a limit cuts them short first.
    ///
    /// # Errors
    /// As [`analyse`](Self::analyse).
    pub fn analyse_forced(
        &self,
        position: &Position,
        limits: &Limits<'_>,
        watch: &dyn Watch,
    ) -> Result<Analysis, EngineError> {
        self.analyse_on(&self.pool, position, true, limits, watch)
    }

    /// The analysis on the threads of `pool`: a search takes all threads of its pool, and who searches several positions at once
    /// gives each a pool.
    pub(crate) fn analyse_on(
        &self,
        pool: &rayon::ThreadPool,
        position: &Position,
        forced: bool,
        limits: &Limits<'_>,
        watch: &dyn Watch,
    ) -> Result<Analysis, EngineError> {
        let started = Instant::now();
        let deadline = limits.time.map(|time| started + time);
        let (stop, failed, most_nodes) = (limits.stop, self.game.failed(), limits.nodes);
        let control = Control { deadline, most_nodes, nodes: AtomicU64::new(0), stop, failed, watch };
        let found = self.game.analyse(position, forced, pool, &control);
        let nodes = control.nodes.into_inner();
        if let Some(error) = self.game.failure() {
            return Err(EngineError::Table(error));
        }
        let mut analysis = match (self.options(position), found) {
            (Options::Moves(moves), Some(found)) => self.analysed(position, &moves, &found),
            (Options::Over { shares }, _) => self.finished(position, shares),
            (Options::Moves(_), None) => unreachable!("a turn with moves is analysed"),
        };
        analysis.nodes = nodes;
        analysis.time_ms = (started.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        Ok(analysis)
    }

    fn finished(&self, position: &Position, shares: [u32; 2]) -> Analysis {
        let mover = position.side().index();
        let value = shares[mover] as i32 - shares[1 - mover] as i32;
        let mut analysis = self.blank(position, Interval { lower: value, upper: value });
        analysis.over = true;
        analysis.source = Source::Rules;
        analysis.distance = Some(0);
        analysis.forced = Some(Forced { low: [value; 2], high: [value; 2] });
        analysis
    }

    fn analysed(&self, position: &Position, moves: &[LegalMove], found: &Found) -> Analysis {
        let mut analysis = self.blank(position, Interval::best(found.moves.iter().map(|m| m.value)));
        analysis.source = if found.in_tier { Source::Table } else { Source::Search };
        analysis.distance = found.line.distance;
        let forced: Option<Vec<[Interval; 2]>> = found.moves.iter().map(|m| m.forced).collect();
        analysis.forced = forced.map(|moves| {
            let end = |end: usize| Interval::best(moves.iter().map(|m| m[end]));
            known_forced([end(0), end(1)])
        });
        analysis.endless = self.endless(position);
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by_key(|&at| {
            let Interval { lower, upper } = found.moves[at].value;
            // Among equals the move that the best line plays comes first.
            let leads =
                found.line.pits.first().is_some_and(|&pit| letter(position.side(), pit) == moves[at].letter);
            (-lower, -upper, !leads, line::tie_order(lower, found.moves[at].conversion))
        });
        analysis.moves = order
            .into_iter()
            .map(|at| {
                let (m, found) = (&moves[at], &found.moves[at]);
                let Interval { lower, upper } = found.value;
                MoveAnalysis {
                    letter: m.letter,
                    captured: m.captured,
                    again: m.again,
                    laps: m.laps,
                    value: (lower == upper).then_some(lower),
                    bounds: [lower, upper],
                    exact: lower == upper,
                    forced: found.forced.map(known_forced),
                    position: m.position,
                }
            })
            .collect();
        analysis.line = self.spell(position, &found.line);
        analysis
    }

    /// A line of pits as letters.
    fn spell(&self, position: &Position, line: &Line) -> String {
        let mut position = *position;
        let mut text = String::new();
        for &pit in &line.pits {
            let letter = letter(position.side(), pit);
            text.push(letter);
            position = self.play(&position, letter).expect("a line is legal").position;
        }
        if line.cycle {
            text.push('…');
        }
        text
    }

    fn blank(&self, position: &Position, value: Interval) -> Analysis {
        Analysis::new(&self.profile, position, [value.lower, value.upper])
    }
}
