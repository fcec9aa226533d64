//! What is proven while a search runs: the bounds of each move, as they narrow.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokio::sync::Notify;

use crate::engine::Engine;
use crate::moves::{LegalMove, Options};
use crate::position::{Position, Side};
use crate::solver::Watch;

/// Told by the search's threads, read by the request that waits.
pub(super) struct Progress {
    side: Side,
    now: Mutex<Bounds>,
    changed: Notify,
}

/// All that is proven at one moment.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Bounds {
    /// Of the position, from its side to move.
    bounds: [i32; 2],
    /// Of the moves, in the order of pits.
    moves: Vec<MoveBounds>,
    /// Moves that are not exact.
    open: usize,
    /// No search of it has begun.
    waiting: bool,
    /// A tier that is being solved in memory first, in seeds.
    tier: Option<u32>,
}

#[derive(Clone, Debug, Serialize)]
struct MoveBounds {
    #[serde(rename = "move")]
    letter: char,
    bounds: [i32; 2],
    exact: bool,
}

impl MoveBounds {
    /// Nobody wins more than is on the board, and what the move takes is won.
    fn new(m: &LegalMove, seeds: u32) -> Self {
        let (seeds, captured) = (seeds as i32, m.captured as i32);
        let bounds = [2 * captured - seeds, seeds];
        Self { letter: m.letter, bounds, exact: bounds[0] == bounds[1] }
    }
}

impl Bounds {
    fn sum_up(&mut self) {
        let best = |end: usize| self.moves.iter().map(|m| m.bounds[end]).max().unwrap_or_default();
        self.bounds = [best(0), best(1)];
        self.open = self.moves.iter().filter(|m| !m.exact).count();
    }
}

impl Progress {
    /// What the rules alone prove of a position.
    pub(super) fn new(engine: &Engine, position: &Position) -> Self {
        let moves = match engine.options(position) {
            Options::Over { .. } => Vec::new(),
            Options::Moves(moves) => moves.iter().map(|m| MoveBounds::new(m, position.seeds())).collect(),
        };
        let mut now = Bounds { bounds: [0, 0], moves, open: 0, waiting: true, tier: None };
        now.sum_up();
        // What the rules alone prove is told too, so that nobody waits without a word.
        let changed = Notify::new();
        changed.notify_one();
        Self { side: position.side(), now: Mutex::new(now), changed }
    }

    fn lock(&self) -> MutexGuard<'_, Bounds> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The search begins.
    pub(super) fn begin(&self) {
        self.lock().waiting = false;
        self.changed.notify_one();
    }

    pub(super) fn now(&self) -> Bounds {
        self.lock().clone()
    }

    /// Waits until something is new since the last time.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }
}

impl Watch for Progress {
    fn tier(&self, seeds: u32) {
        self.lock().tier = Some(seeds);
        self.changed.notify_one();
    }

    fn narrowed(&self, pit: Option<usize>, lower: i32, upper: i32, _: usize) {
        let letter = pit.map_or('-', |pit| self.side.letter(pit));
        let mut now = self.lock();
        now.tier = None;
        // Threads overtake one another: what was proven before stays proven.
        if let Some(m) = now.moves.iter_mut().find(|m| m.letter == letter) {
            m.bounds = [m.bounds[0].max(lower), m.bounds[1].min(upper)];
            m.exact = m.bounds[0] == m.bounds[1];
        }
        now.sum_up();
        drop(now);
        self.changed.notify_one();
    }
}
