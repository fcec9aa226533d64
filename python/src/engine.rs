//! The engine: one profile, played, analysed and looked up.

use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use ::oju::{Limits, Options, Position, Settings, Tables, notation};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::analysis::{Analysis, Move};
use crate::errors::{self, input};
use crate::probe::{Probe, Probes};
use crate::tier::Tier;
use crate::{arguments, arrays, waiting};

/// Plays and analyses one profile.
///
/// profile: a name of profiles(), or a custom board such as 'ayoayo@2x4x3'. tables: the directory of its tables; none are used if not
/// given. threads: as many as there are cores if not given. tt: bytes for the search's tables, 512 MiB if not given, taken when
/// they are needed. What a search has proven, and what was read from tables, is kept for the next question.
#[pyclass(module = "oju", frozen)]
pub(crate) struct Engine {
    engine: ::oju::Engine,
    tables: Option<PathBuf>,
    threads: usize,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (profile="ayoayo", *, tables=None, threads=None, tt=None))]
    fn new(
        profile: &str,
        tables: Option<PathBuf>,
        threads: Option<&Bound<'_, PyAny>>,
        tt: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let profile = arguments::profile(profile)?;
        let threads = arguments::threads(threads)?;
        let mut settings = Settings { threads, ..Settings::default() };
        if let Some(tables) = &tables {
            settings.tables = Tables::In(tables.clone());
        }
        if let Some(tt) = tt {
            settings.table_bytes = arguments::bytes("tt", tt)? as usize;
        }
        let engine = ::oju::Engine::new(profile, &settings).map_err(|error| errors::engine(&error))?;
        Ok(Self { engine, tables, threads })
    }

    /// The profile's name.
    #[getter]
    fn profile(&self) -> String {
        self.engine.profile().to_string()
    }

    /// The fingerprint of the rules, eight hexadecimal digits.
    #[getter]
    fn rules(&self) -> String {
        format!("{:08x}", self.engine.profile().fingerprint())
    }

    /// Pits, both rows together.
    #[getter]
    fn pits(&self) -> usize {
        2 * self.engine.profile().row()
    }

    /// Seeds of the whole game.
    #[getter]
    fn seeds(&self) -> u32 {
        self.engine.profile().seeds()
    }

    /// The position at the start.
    #[getter]
    fn start(&self) -> String {
        Position::start(self.engine.profile()).to_string()
    }

    /// The most seeds of a position that has a table, None where there are no tables.
    #[getter]
    fn tables_up_to(&self) -> Option<u32> {
        self.engine.tables_up_to()
    }

    /// The exact value of a position, after some moves, and of all its moves, or proven bounds where a limit ends the search before.
    ///
    /// time: seconds it may take. nodes: boards it may expand. forced: the forced intervals too, what holds whatever infinite play is
    /// worth. Ctrl-C ends it.
    #[pyo3(signature = (position="start", moves="", *, time=None, nodes=None, forced=false))]
    fn analyse(
        &self,
        py: Python<'_>,
        position: &str,
        moves: &str,
        time: Option<f64>,
        nodes: Option<&Bound<'_, PyAny>>,
        forced: bool,
    ) -> PyResult<Analysis> {
        let position = arguments::position(&self.engine, position, moves)?;
        let time = time.map(arguments::time).transpose()?;
        let nodes = nodes.map(|nodes| arguments::whole("nodes", nodes, 1..=u64::MAX)).transpose()?;
        let found = waiting::interruptible(py, |stop| {
            let limits = Limits { time, nodes, stop };
            if forced {
                self.engine.analyse_forced(&position, &limits, &())
            } else {
                self.engine.analyse(&position, &limits, &())
            }
        })?;
        found.map(Analysis).map_err(|error| errors::engine(&error))
    }

    /// The legal moves of a position, after some moves, in the order of pits; none where the game is over.
    #[pyo3(signature = (position="start", moves=""))]
    fn legal_moves(&self, position: &str, moves: &str) -> PyResult<Vec<Move>> {
        match self.engine.options(&arguments::position(&self.engine, position, moves)?) {
            Options::Moves(moves) => Ok(moves.into_iter().map(Move).collect()),
            Options::Over { .. } => Ok(Vec::new()),
        }
    }

    /// The position after some moves.
    fn play(&self, position: &str, moves: &str) -> PyResult<String> {
        Ok(arguments::position(&self.engine, position, moves)?.to_string())
    }

    /// What tables say of a position, after some moves; None where there is no table of so many seeds.
    #[pyo3(signature = (position="start", moves=""))]
    fn probe(&self, position: &str, moves: &str) -> PyResult<Option<Probe>> {
        let position = arguments::position(&self.engine, position, moves)?;
        let entry = self.engine.entry(&position).map_err(|error| errors::engine(&error))?;
        Ok(entry.map(Probe::from))
    }

    /// What tables say of many boards, an array of whole numbers of shape (n, pits): a row a board, seen by the side to move.
    fn probe_many(&self, boards: &Bound<'_, PyAny>) -> PyResult<Probes> {
        let py = boards.py();
        let (counts, pits) = arrays::boards(boards, Some(self.pits()))?;
        let entries = waiting::interruptible(py, |stop| {
            let position = |(row, counts)| {
                let position = notation::position_of_counts(self.engine.profile(), counts);
                position.map_err(|problem| input(format!("boards, row {row}: {problem}")))
            };
            // Before anything is read, so that the first row that is wrong is the one that is told.
            let positions: Vec<Position> =
                counts.chunks(pits).enumerate().map(position).collect::<PyResult<_>>()?;
            let entry = |position| if stop.load(Relaxed) { Ok(None) } else { self.engine.entry(position) };
            let read = || positions.par_iter().map(entry).collect::<Result<Vec<_>, _>>();
            waiting::on_threads(self.threads, read)?.map_err(|error| errors::engine(&error))
        })??;
        Ok(Probes::new(py, &entries))
    }

    /// All positions with so many seeds, from their table and those below it.
    fn tier(&self, py: Python<'_>, seeds: &Bound<'_, PyAny>) -> PyResult<Tier> {
        let profile = *self.engine.profile();
        let seeds = arguments::tier(&profile, seeds)?;
        let Some(dir) = &self.tables else {
            return Err(input("tables: this engine has none: Engine(profile, tables=directory) has"));
        };
        Tier::open(py, profile, dir, seeds, self.threads)
    }

    fn __repr__(&self) -> String {
        format!("Engine('{}')", self.engine.profile())
    }
}
