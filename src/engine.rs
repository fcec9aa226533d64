//! The door: a profile chosen at run time, and everything that can be asked of it.

mod game;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::analysis::{Analysis, Forced, MoveAnalysis, Source};
use crate::line::{self, Line};
use crate::moves::{Lap, LegalMove, MoveError, Options};
use crate::narrow::Interval;
use crate::notation::{self, NotationError};
use crate::position::Position;
use crate::profile::Profile;
use crate::retrograde::Task;
use crate::rules::Illegal;
use crate::solver::{Control, Found, Watch};
use crate::table::TableError;
use crate::tiers::{MemoryTiers, Tables};
pub(crate) use game::edges;
use game::{Game, MakeSolver, letter, make};

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
    /// Bytes for what is read from tables, kept for the next time: first room for the smallest tiers, as many as it holds whole; then for what is
    /// asked for twice in the others. What finds no room is read again. Tiers of up to a million positions are kept besides: a few
    /// megabytes at most.
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

/// Plays and analyses one profile.
pub struct Engine {
    profile: Profile,
    game: Box<dyn Game>,
    pool: rayon::ThreadPool,
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

fn known_forced([low, high]: [Interval; 2]) -> Forced {
    Forced { low: [low.lower, low.upper], high: [high.lower, high.upper] }
}
