//! A bounded number of computations at once, a bounded number that wait, and none that waits for longer than its request may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use super::problem::Problem;

/// Computations that may wait for a place.
const MOST_WAITING: usize = 256;

pub(super) struct Lane {
    places: usize,
    free: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

/// One that waits, for as long as its future lives.
struct Waiting(Arc<AtomicUsize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl Lane {
    pub(super) fn new(places: usize) -> Self {
        Self { places, free: Arc::new(Semaphore::new(places)), waiting: Arc::default() }
    }

    /// Computes `work` on a thread where it may block, once there is a place. Where this future is dropped first, `work` is not begun; one that
    /// was begun goes on, and keeps its place until it has ended.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        deadline: Instant,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let waiting = Waiting(self.waiting.clone());
        if waiting.0.fetch_add(1, Relaxed) >= MOST_WAITING {
            return Err(Problem::busy());
        }
        let place = timeout_at(deadline, self.free.clone().acquire_owned()).await;
        let (Ok(Ok(place)), ()) = (place, drop(waiting)) else { return Err(Problem::busy()) };
        let computed = tokio::task::spawn_blocking(move || {
            let _place = place;
            work()
        });
        computed.await.map_err(|_| Problem::internal())
    }

    /// How many are computed, and how many wait.
    pub(super) fn load(&self) -> (usize, usize) {
        (self.places - self.free.available_permits(), self.waiting.load(Relaxed))
    }
}
