//! Searches on threads of their own: how many at once, and when they end.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::engines::Engines;
use super::lane::Lane;
use super::problem::Problem;
use super::progress::Progress;
use crate::analysis::Analysis;
use crate::engine::{Engine, EngineError, Limits, Settings};
use crate::position::Position;
use crate::profile::Profile;

/// Computations of milliseconds that run at once.
const QUICK: usize = 8;

/// How long one of those may wait for its place: nothing before it takes long.
const QUICK_TIME: Duration = Duration::from_secs(5);

/// Who computes what.
pub(super) struct Solves {
    engines: Arc<Engines>,
    /// What takes milliseconds.
    quick: Lane,
    /// Searches.
    searches: Lane,
    /// A pool of threads for each search that may run.
    pools: Arc<Mutex<Vec<Arc<rayon::ThreadPool>>>>,
}

/// One position to be analysed.
#[derive(Clone)]
pub(super) struct Question {
    pub(super) engine: Arc<Engine>,
    pub(super) position: Position,
    pub(super) forced: bool,
    /// When the answer is due.
    pub(super) deadline: Instant,
    /// A table has the value: no search is needed.
    pub(super) in_table: bool,
    pub(super) progress: Arc<Progress>,
}

/// Raises the stop flag of a search when nobody waits for it any more.
#[derive(Default)]
struct Waited(Arc<AtomicBool>);

impl Drop for Waited {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// A pool of threads while a search has it. However that ends, the next one can have it.
struct Lent<'a> {
    pool: Arc<rayon::ThreadPool>,
    pools: &'a Mutex<Vec<Arc<rayon::ThreadPool>>>,
}

impl<'a> Lent<'a> {
    /// `None`: none is left, but there is one for each place of the lane.
    fn from(pools: &'a Mutex<Vec<Arc<rayon::ThreadPool>>>) -> Option<Self> {
        let pool = pools.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        Some(Self { pool, pools })
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner).push(self.pool.clone());
    }
}

impl Solves {
    /// At most `searches` searches run at once.
    pub(super) fn new(settings: Settings, searches: usize) -> Result<Self, EngineError> {
        let pool = |_| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build();
            pool.map(Arc::new).map_err(|error| EngineError::Threads(Arc::new(error)))
        };
        let pools = (0..searches).map(pool).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            engines: Arc::new(Engines::new(settings)),
            quick: Lane::new(QUICK),
            searches: Lane::new(searches),
            pools: Arc::new(Mutex::new(pools)),
        })
    }

    /// Does `work`, of milliseconds, with the engine of a profile.
    pub(super) async fn quickly<T: Send + 'static>(
        &self,
        profile: Profile,
        work: impl FnOnce(Arc<Engine>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let engines = self.engines.clone();
        self.at_once(move || work(engines.get(profile)?)).await
    }

    /// Does `work`, of milliseconds, that needs no engine.
    pub(super) async fn at_once<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        self.quick.run(Instant::now() + QUICK_TIME, work).await?
    }

    /// A question about a position, and whether a table answers it.
    pub(super) async fn question(
        &self,
        profile: Profile,
        position: impl FnOnce(&Engine) -> Result<Position, Problem> + Send + 'static,
        forced: bool,
        deadline: Instant,
    ) -> Result<Question, Problem> {
        let engines = self.engines.clone();
        self.quickly(profile, move |engine| {
            let position = position(&engine)?;
            let in_table = !forced && answered(&engines, &engine, engine.probe(&position))?.is_some();
            let progress = Arc::new(Progress::new(&engine, &position));
            Ok(Question { engine, position, forced, deadline, in_table, progress })
        })
        .await
    }

    /// Answers a question. Dropping the future ends the search.
    pub(super) async fn answer(&self, question: Question) -> Result<Analysis, Problem> {
        let waited = Waited::default();
        let stop = waited.0.clone();
        let (engines, pools) = (self.engines.clone(), self.pools.clone());
        let (in_table, deadline) = (question.in_table, question.deadline);
        let search = move || {
            let Question { engine, position, forced, progress, .. } = question;
            progress.begin();
            let time = deadline.saturating_duration_since(Instant::now());
            let limits = Limits { time: Some(time), nodes: None, stop: &stop };
            let analysis = if in_table {
                engine.analyse(&position, &limits, &*progress)
            } else {
                let Some(lent) = Lent::from(&pools) else { return Err(Problem::busy()) };
                engine.analyse_on(&lent.pool, &position, forced, &limits, &*progress)
            };
            answered(&engines, &engine, analysis)
        };
        let lane = if in_table { &self.quick } else { &self.searches };
        let analysis = lane.run(deadline, search).await?;
        drop(waited);
        analysis
    }

    /// Searches that run, and that wait.
    pub(super) fn load(&self) -> (usize, usize) {
        self.searches.load()
    }
}

/// What an engine answered; one that met a bad table is not asked again.
fn answered<T>(
    engines: &Engines,
    engine: &Arc<Engine>,
    answer: Result<T, EngineError>,
) -> Result<T, Problem> {
    answer.map_err(|error| {
        engines.drop_failed(engine);
        Problem::from(error)
    })
}
