//! The openings of a game: all positions after some plies, what they are worth, and how many ways lead to them.
//!
//! Positions make layers, one a ply; sequences of moves that lead to the same position (pits, stores and side) after the same number
//! of plies meet in it. Each position is searched for itself, and each that has a layer below it is also worth what the positions
//! after it say: both must agree, and where a limit has left one of them open the other may close it.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dashmap::DashMap;
use rayon::prelude::*;

use crate::analysis::Analysis;
use crate::board::MAX_PITS;
use crate::columns::{self, Cells};
use crate::engine::{Engine, EngineError, Limits};
use crate::moves::{LegalMove, Options as Turn};
use crate::position::{Position, Side};
use crate::profile::Profile;
use crate::solver::Watch;

/// The most plies: with twelve moves each, ways can still be counted.
pub const MOST_PLIES: u32 = 32;

/// So many positions of solved tiers are worth solving for each opening: 207 openings of Ayoayo took 32 million nodes over tables up to 16
/// seeds, 13 million over tiers up to 18 and 6 million over tiers up to 20.
const WORTH: u128 = 100_000;

/// The most positions of solved tiers that are worth it for any number of openings.
const MOST_WORTH: u128 = 300_000_000;

/// What is asked of the openings.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Plies from the first position, at most [`MOST_PLIES`]: a sowing or a forced pass is one.
    pub plies: u32,
    /// Keep only lines in which no side gives up more than so many seeds, all its moves together, against best play. Of what is not
    /// exact that is kept which is not proven to be worse.
    pub within: Option<u32>,
    /// Find the forced intervals too.
    pub forced: bool,
    /// The time a position may take.
    pub time: Option<Duration>,
    /// The nodes a position may take. Each is then searched with tables of its own, so that what is found is the same each time.
    pub nodes: Option<u64>,
    /// The tiers to solve in memory first: all up to so many seeds. `None`: where `nodes` are not limited, as many as the number of
    /// positions is worth, for those openings that have no tables of as many seeds.
    pub solve: Option<u32>,
    /// The most memory that may be taken for these tiers where `solve` is `None`, in bytes.
    pub memory: u64,
    /// Bytes for the tables of each thread, where `nodes` are limited.
    pub table_bytes: usize,
    /// Positions that are searched at the same time.
    pub threads: usize,
    /// Raised from outside to end the work.
    pub stop: &'a AtomicBool,
}

/// Why there are no openings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpeningsError {
    /// A position can not be searched.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Two proofs contradict each other: a defect of this program.
    #[error(
        "{letter} in {position} is worth {own:?} by its own search and {backed:?} by the position after it: \
         one of them is wrong, which is a defect of this program"
    )]
    Contradiction {
        /// Where.
        position: Position,
        /// The move.
        letter: char,
        /// Its bounds by the position's own search.
        own: [i32; 2],
        /// Its bounds by the search of the position after it.
        backed: [i32; 2],
    },
    /// What was found earlier can not be used.
    #[error("line {line}: {problem}")]
    Known {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
}

/// Told how the work goes, from several threads: a position has been answered, exactly or not.
pub trait Progress: Sync {
    /// The tier of so many seeds is about to be solved in memory.
    fn tier(&self, seeds: u32);
    /// So many positions are to be answered, as far as is known.
    fn all(&self, positions: usize);
    /// One has been.
    fn answered(&self, exact: bool);
}

/// Told nothing.
impl Progress for () {
    fn tier(&self, _seeds: u32) {}
    fn all(&self, _positions: usize) {}
    fn answered(&self, _exact: bool) {}
}

/// A position after some plies.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The position.
    pub position: Position,
    /// Plies from the first position.
    pub plies: u32,
    /// Sequences of so many plies that lead to it.
    pub ways: u128,
    /// The game is over.
    pub over: bool,
    /// Positions after it are among the openings too.
    pub inner: bool,
    /// Proven bounds of its value: seeds, from the side to move, stores excluded.
    pub bounds: [i32; 2],
    /// Proven bounds of each legal move, `-` for a forced pass, in the order of pits, from the side to move, what it takes included.
    pub moves: Vec<(char, [i32; 2])>,
    /// The forced interval is not one number; `None` where that is not known.
    pub standoff: Option<bool>,
    /// The best move, or the best so far; `None` where the game is over.
    pub best: Option<char>,
    /// Best play from there.
    pub line: String,
}

impl Opening {
    /// True where the values of the position and of all its moves are exact.
    pub fn exact(&self) -> bool {
        closed(self.bounds) && self.moves.iter().all(|&(_, bounds)| closed(bounds))
    }
}

/// Seeds that South and North have given up on the way, and in how many ways.
type Ways = BTreeMap<[u32; 2], u128>;

/// A position of the graph.
struct Node {
    ways: Ways,
    answer: Option<Cells>,
}

/// The openings of a profile.
pub struct Openings {
    profile: Profile,
    plies: u32,
    list: Vec<Opening>,
}

/// What is known of boards, as their side to move sees them, whatever the stores; only what is exact.
pub struct Memo {
    forced: bool,
    boards: DashMap<[u8; MAX_PITS], Cells>,
}

impl Memo {
    /// Nothing known. `forced`: only what has a forced interval is of use.
    pub fn new(forced: bool) -> Self {
        Self { forced, boards: DashMap::new() }
    }

    /// Boards known.
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// True where nothing is known.
    pub fn is_empty(&self) -> bool {
        self.boards.is_empty()
    }

    /// Adds what a CSV file of [`Openings::write_csv`] has found exactly.
    ///
    /// # Errors
    /// Where it is not such a file, or of other rules.
    pub fn add_csv(&self, profile: &Profile, text: &[u8]) -> Result<(), OpeningsError> {
        let names = csv_columns(profile);
        // A line without an end was cut, perhaps in the middle of a number.
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&text[..whole]);
        for (line, record) in (1..).zip(reader.records()) {
            let problem = |problem: &str| OpeningsError::Known { line, problem: problem.to_owned() };
            let record = record.map_err(|error| problem(&error.to_string()))?;
            if line == 1 {
                if !record.iter().eq(names.iter()) {
                    return Err(problem("not the columns of `oju openings`"));
                }
                continue;
            }
            if record.len() != names.len() {
                return Err(problem("not as many columns as the first line has"));
            }
            if record[0] != profile.to_string() || record[1] != format!("{:08x}", profile.fingerprint()) {
                let of = format!("of {}, rules {}: other rules", &record[0], &record[1]);
                return Err(problem(&of));
            }
            let position = crate::notation::parse_position(profile, &record[2])
                .map_err(|error| problem(&format!("position, {error}")))?;
            let cells = cells_of(&record).ok_or_else(|| problem("not what `oju openings` writes"))?;
            self.add(&position, &cells);
        }
        Ok(())
    }

    fn get(&self, position: &Position) -> Option<Cells> {
        let cells = self.boards.get(&seen_by_mover(position)).map(|cells| cells.clone());
        cells.map(|cells| spelled_for(cells, position.side()))
    }

    fn add(&self, position: &Position, cells: &Cells) {
        if cells.exact() && (cells.standoff.is_some() || !self.forced) {
            self.boards.insert(seen_by_mover(position), spelled_for(cells.clone(), position.side()));
        }
    }
}

/// The counts as the side to move sees them.
fn seen_by_mover(position: &Position) -> [u8; MAX_PITS] {
    let mut seen = position.counts;
    if position.side() == Side::North {
        seen[..position.counts().len()].rotate_left(position.row());
    }
    seen
}

/// From South's letters to those of `side`, and back.
fn spelled_for(mut cells: Cells, side: Side) -> Cells {
    let turned = |c: char| {
        if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
    };
    if side == Side::North {
        cells.best = cells.best.map(turned);
        cells.line = cells.line.chars().map(turned).collect();
    }
    cells
}

fn closed([lower, upper]: [i32; 2]) -> bool {
    lower == upper
}

/// The bounds of a move by those of the position after it.
fn backed(m: &LegalMove, [lower, upper]: [i32; 2]) -> [i32; 2] {
    let captured = m.captured as i32;
    if m.again { [captured + lower, captured + upper] } else { [captured - upper, captured - lower] }
}

/// All that the rules alone say of a position.
fn by_rules(position: &Position, turn: &Turn) -> Cells {
    let pits = vec![None; position.row()];
    let mut cells =
        Cells { bounds: [0; 2], standoff: None, best: None, line: String::new(), pits, pass: None };
    match turn {
        Turn::Over { shares } => {
            let mover = position.side().index();
            cells.bounds = [shares[mover] as i32 - shares[1 - mover] as i32; 2];
            cells.standoff = Some(false);
        }
        Turn::Moves(moves) => {
            for m in moves {
                let seeds = m.position.seeds() as i32;
                *cells.of(position.side(), m.letter) = Some(backed(m, [-seeds, seeds]));
            }
            cells.bounds = cells.best_bounds();
            cells.best = moves.first().map(|m| m.letter);
        }
    }
    cells
}

/// The work on one profile's openings.
struct Work<'a> {
    engine: &'a Engine,
    options: &'a Options<'a>,
    memo: &'a Memo,
    progress: &'a dyn Progress,
    /// The opening graph.
    graph: DashMap<(u32, Position), Node>,
}

impl Openings {
    /// Finds the openings from a position. Where `stop` is raised this ends soon, with what was found by then.
    ///
    /// # Errors
    /// Where a table is damaged, threads can not be started, or two proofs contradict each other.
    pub fn find(
        engine: &Engine,
        root: &Position,
        options: &Options<'_>,
        memo: &Memo,
        progress: &dyn Progress,
    ) -> Result<Self, OpeningsError> {
        let work = Work { engine, options, memo, progress, graph: DashMap::new() };
        let node = Node { ways: BTreeMap::from([([0, 0], 1)]), answer: None };
        work.graph.insert((0, *root), node);
        let mut layers = vec![vec![*root]];
        let plies = options.plies.min(MOST_PLIES);
        if options.within.is_some() {
            // What a move gives up is known once its position has been searched.
            for ply in 0..=plies {
                progress.all(layers.iter().map(Vec::len).sum());
                let layer: Vec<_> = layers[ply as usize].iter().map(|position| (ply, *position)).collect();
                work.solve_tiers(layer.len())?;
                work.answer(&layer)?;
                if ply == plies || options.stop.load(Relaxed) {
                    break;
                }
                layers.push(work.expand(ply, &layers[ply as usize]));
            }
        } else {
            for ply in 0..plies {
                layers.push(work.expand(ply, &layers[ply as usize]));
            }
            progress.all(layers.iter().map(Vec::len).sum());
            // The later positions are the easier ones, and what they prove serves those before and beside them, while it is still
            // in the search's tables.
            let mut order = Vec::new();
            work.after_those_below(0, root, &mut HashSet::new(), &mut order);
            work.solve_tiers(order.len())?;
            work.answer(&order)?;
        }
        let mut list = Vec::new();
        for (ply, layer) in (0u32..).zip(&layers).collect::<Vec<_>>().into_iter().rev() {
            let openings: Result<Vec<Opening>, _> =
                layer.iter().map(|position| work.back_up(ply, position)).collect();
            list.extend(openings?.into_iter().rev());
        }
        list.reverse();
        Ok(Self { profile: *engine.profile(), plies, list })
    }

    /// All positions: in the order of plies, then of the first line that leads to them, moves in the order of pits.
    pub fn list(&self) -> &[Opening] {
        &self.list
    }

    /// The positions after the last ply, and those in which the game was over before.
    pub fn leaves(&self) -> impl Iterator<Item = &Opening> {
        self.list.iter().filter(|opening| opening.over || opening.plies == self.plies)
    }

    /// Writes the leaves as CSV, or with `inner` all positions.
    ///
    /// # Errors
    /// Where `out` can not be written.
    pub fn write_csv(&self, inner: bool, out: impl Write) -> io::Result<()> {
        let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
        // The system's errors come as they are: who writes wants to know a closed pipe from others.
        let plain = |error: csv::Error| match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            kind => io::Error::other(format!("{kind:?}")),
        };
        writer.write_record(csv_columns(&self.profile)).map_err(plain)?;
        let rules = format!("{:08x}", self.profile.fingerprint());
        for opening in &self.list {
            if !inner && !opening.over && opening.plies != self.plies {
                continue;
            }
            let begin = [
                self.profile.to_string(),
                rules.clone(),
                opening.position.to_string(),
                opening.plies.to_string(),
                opening.ways.to_string(),
            ];
            writer.write_record(begin.into_iter().chain(opening.cells().text())).map_err(plain)?;
        }
        writer.flush()
    }
}

impl Opening {
    fn cells(&self) -> Cells {
        let pits = vec![None; self.position.row()];
        let mut cells = Cells {
            bounds: self.bounds,
            standoff: self.standoff,
            best: self.best,
            line: self.line.clone(),
            pits,
            pass: None,
        };
        for &(letter, bounds) in &self.moves {
            *cells.of(self.position.side(), letter) = Some(bounds);
        }
        cells
    }
}

/// The names of the CSV columns.
fn csv_columns(profile: &Profile) -> Vec<String> {
    let begin = ["profile", "rules", "position", "plies", "ways"];
    let names = begin.iter().chain(&columns::ANSWER).map(ToString::to_string);
    names.chain(columns::pits(profile)).collect()
}

/// Reads the cells of a row of [`Openings::write_csv`].
fn cells_of(record: &csv::StringRecord) -> Option<Cells> {
    let bounds = [record[6].parse().ok()?, record[7].parse().ok()?];
    let standoff = match &record[8] {
        "" => None,
        text => Some(text.parse().ok()?),
    };
    let pits = record.iter().skip(11).map(|cell| match cell {
        "" => Some(None),
        cell => columns::parse_range(cell).map(Some),
    });
    let best = record[9].chars().next();
    let pass = (best == Some('-')).then_some(bounds);
    Some(Cells {
        bounds,
        standoff,
        best,
        line: record[10].to_owned(),
        pits: pits.collect::<Option<_>>()?,
        pass,
    })
}

/// Tells of tiers that are solved.
struct TierWatch<'a>(&'a dyn Progress);

impl Watch for TierWatch<'_> {
    fn tier(&self, seeds: u32) {
        self.0.tier(seeds);
    }
}

impl Work<'_> {
    /// Solves the tiers on which so many positions are to be searched. How many positions are known from an earlier run does not count: then
    /// a distance may be found in one run and not in the other.
    fn solve_tiers(&self, positions: usize) -> Result<(), EngineError> {
        let Options { solve, nodes, forced, memory, stop, .. } = *self.options;
        let worth = || {
            let worth = (positions as u128 * WORTH).min(MOST_WORTH);
            let fits = |seeds: &u32| self.engine.bytes_to_solve(*seeds) <= memory.into();
            self.engine.most_seeds(worth).filter(|_| nodes.is_none()).filter(fits)
        };
        match solve.map(|seeds| (seeds, forced)).or_else(|| worth().map(|seeds| (seeds, false))) {
            Some((seeds, forced)) => {
                let seeds = seeds.min(self.engine.profile().seeds());
                self.engine.solve_up_to(seeds, forced, stop, &TierWatch(self.progress))
            }
            None => Ok(()),
        }
    }

    /// Adds the positions after those of a layer to the graph; gives them in the order of the first line that leads to each.
    fn expand(&self, ply: u32, layer: &[Position]) -> Vec<Position> {
        layer.par_iter().for_each(|position| {
            let Turn::Moves(moves) = self.engine.options(position) else { return };
            let (ways, mut answer) = {
                let node = self.graph.get(&(ply, *position)).expect("a layer is in the graph");
                (node.ways.clone(), node.answer.clone())
            };
            for m in moves {
                let given = answer.as_mut().map_or(0, |cells| {
                    let least = cells.bounds[0];
                    let most = cells.of(position.side(), m.letter).map_or(least, |bounds| bounds[1]);
                    (least - most).max(0) as u32
                });
                let mut after = Ways::new();
                for (&(mut given_up), &ways) in &ways {
                    given_up[position.side().index()] += given;
                    if self.options.within.is_none_or(|most| given_up.iter().all(|&given| given <= most)) {
                        // Without a limit nobody asks which way gave up how much.
                        let key = if self.options.within.is_some() { given_up } else { [0, 0] };
                        *after.entry(key).or_default() += ways;
                    }
                }
                if !after.is_empty() {
                    let empty = || Node { ways: Ways::new(), answer: None };
                    let mut node = self.graph.entry((ply + 1, m.position)).or_insert_with(empty);
                    for (given_up, ways) in after {
                        *node.ways.entry(given_up).or_default() += ways;
                    }
                }
            }
        });
        let mut seen = HashSet::new();
        let after = layer.iter().flat_map(|position| self.after(ply, position));
        after.filter(|position| seen.insert(*position)).collect()
    }

    /// The positions after one that are in the graph, in the order of pits.
    fn after(&self, ply: u32, position: &Position) -> Vec<Position> {
        let Turn::Moves(moves) = self.engine.options(position) else { return Vec::new() };
        let kept = |position: &Position| self.graph.contains_key(&(ply + 1, *position));
        moves.into_iter().map(|m| m.position).filter(kept).collect()
    }

    /// Appends a position and all that come after it, those first.
    fn after_those_below(
        &self,
        ply: u32,
        position: &Position,
        seen: &mut HashSet<(u32, Position)>,
        order: &mut Vec<(u32, Position)>,
    ) {
        if seen.insert((ply, *position)) {
            for after in self.after(ply, position) {
                self.after_those_below(ply + 1, &after, seen, order);
            }
            order.push((ply, *position));
        }
    }

    /// Answers positions, several at a time.
    fn answer(&self, list: &[(u32, Position)]) -> Result<(), EngineError> {
        let threads = self.options.threads.clamp(1, list.len().max(1));
        let next = AtomicUsize::new(0);
        let failure = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    // The others do not go on with a list that will not be complete.
                    let _ended = scopeguard::guard((), |()| {
                        if std::thread::panicking() {
                            next.store(list.len(), Relaxed);
                        }
                    });
                    if let Err(error) = self.answer_some(list, threads, &next) {
                        next.store(list.len(), Relaxed);
                        *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    }
                });
            }
        });
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// One thread's part of [`answer`](Self::answer).
    fn answer_some(
        &self,
        list: &[(u32, Position)],
        threads: usize,
        next: &AtomicUsize,
    ) -> Result<(), EngineError> {
        // Where there are fewer positions than threads, several threads search each.
        let each = self.options.threads / threads;
        let pool = Engine::pool(each)?;
        let mut own =
            self.options.nodes.map(|_| self.engine.sibling(self.options.table_bytes, 1)).transpose()?;
        while let Some((ply, position)) = list.get(next.fetch_add(1, Relaxed)) {
            let known = self.memo.get(position).or_else(|| match self.engine.options(position) {
                turn @ Turn::Over { .. } => Some(by_rules(position, &turn)),
                Turn::Moves(_) => None,
            });
            let cells = match known {
                Some(cells) => cells,
                None => {
                    let Options { time, nodes, stop, forced, .. } = *self.options;
                    let limits = Limits { time, nodes, stop };
                    let analysis: Analysis = match &mut own {
                        Some(own) => {
                            own.forget();
                            if forced {
                                own.analyse_forced(position, &limits, &())?
                            } else {
                                own.analyse(position, &limits, &())?
                            }
                        }
                        None => self.engine.analyse_on(&pool, position, forced, &limits, &())?,
                    };
                    if stop.load(Relaxed) {
                        // It may have been cut short.
                        return Ok(());
                    }
                    Cells::new(&analysis)
                }
            };
            self.memo.add(position, &cells);
            self.progress.answered(cells.exact());
            if let Some(mut node) = self.graph.get_mut(&(*ply, *position)) {
                node.answer = Some(cells);
            }
        }
        Ok(())
    }

    /// Compares a position with those after it, which have been backed up, and narrows its bounds by theirs.
    fn back_up(&self, ply: u32, position: &Position) -> Result<Opening, OpeningsError> {
        let turn = self.engine.options(position);
        let (ways, answer) = {
            let node = self.graph.get(&(ply, *position)).expect("a layer is in the graph");
            (node.ways.values().sum(), node.answer.clone())
        };
        let mut cells = answer.unwrap_or_else(|| by_rules(position, &turn));
        let moves = match &turn {
            Turn::Over { .. } => &[][..],
            Turn::Moves(moves) => moves,
        };
        let side = position.side();
        let was_closed = closed(cells.bounds);
        let mut inner = false;
        for m in moves {
            let child = self.graph.get(&(ply + 1, m.position)).and_then(|node| node.answer.clone());
            let Some(child) = child else { continue };
            inner = true;
            let backed = backed(m, child.bounds);
            let own = cells.of(side, m.letter).get_or_insert(backed);
            let both = [own[0].max(backed[0]), own[1].min(backed[1])];
            if both[0] > both[1] {
                let (position, letter, own) = (*position, m.letter, *own);
                return Err(OpeningsError::Contradiction { position, letter, own, backed });
            }
            *own = both;
        }
        if inner {
            let best = cells.best_bounds();
            cells.bounds = [cells.bounds[0].max(best[0]), cells.bounds[1].min(best[1])];
        }
        if !was_closed {
            self.play_best(ply, side, moves, &mut cells);
        }
        let list = moves.iter().filter_map(|m| cells.of(side, m.letter).map(|bounds| (m.letter, bounds)));
        let list = list.collect();
        let opening = Opening {
            position: *position,
            plies: ply,
            ways,
            over: moves.is_empty(),
            inner,
            bounds: cells.bounds,
            moves: list,
            standoff: cells.standoff,
            best: cells.best,
            line: cells.line.clone(),
        };
        if let Some(mut node) = self.graph.get_mut(&(ply, *position)) {
            node.answer = Some(cells);
        }
        Ok(opening)
    }

    /// The best move and line of a position whose own search did not end, by the positions after it.
    fn play_best(&self, ply: u32, side: Side, moves: &[LegalMove], cells: &mut Cells) {
        let mut best: Option<(&LegalMove, [i32; 2])> = None;
        for m in moves {
            let Some(bounds) = *cells.of(side, m.letter) else { continue };
            // Of equals what the search thought best, then the first.
            let better = best.is_none_or(|(_, most)| bounds > most);
            let favourite = best.is_some_and(|(_, most)| bounds == most) && cells.best == Some(m.letter);
            if better || favourite {
                best = Some((m, bounds));
            }
        }
        let Some((m, _)) = best else { return };
        let child = self.graph.get(&(ply + 1, m.position)).and_then(|node| node.answer.clone());
        let rest = child.filter(|child| closed(child.bounds)).map(|child| child.line).unwrap_or_default();
        if cells.best != Some(m.letter) || !rest.is_empty() {
            cells.line = format!("{}{rest}", m.letter);
        }
        cells.best = Some(m.letter);
    }
}
