//! What the commands that work on table files share: where they are, on how many threads, and how far.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use indicatif::HumanCount;
use oju::Tables;

use super::display::{self, Shown};
use super::values;

/// Where the tables are.
#[derive(Args)]
pub(super) struct TablesDir {
    /// The directory of the tables; $OJU_TABLES if not given, or else ./tables
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
}

impl TablesDir {
    /// The directory that was named, if one was.
    fn named(&self) -> Option<PathBuf> {
        let named = || std::env::var_os("OJU_TABLES").filter(|dir| !dir.is_empty()).map(PathBuf::from);
        self.tables.clone().or_else(named)
    }

    /// The directory, whether it is there or not.
    pub(super) fn path(&self) -> PathBuf {
        self.named().unwrap_or_else(|| PathBuf::from("tables"))
    }

    /// Where an engine looks for tables: a directory that was named must be there.
    pub(super) fn for_engine(&self) -> Tables {
        self.named().map_or_else(|| Tables::MaybeIn(self.path()), Tables::In)
    }
}

/// On how many threads.
#[derive(Args)]
pub(super) struct Threads {
    /// Threads to use, 1 to 1024; as many as there are cores if not given
    #[arg(long, value_name = "N", value_parser = values::threads, allow_hyphen_values = true)]
    threads: Option<usize>,
}

impl Threads {
    /// The number, 0 for as many as there are cores.
    pub(super) fn number(&self) -> usize {
        self.threads.unwrap_or(0)
    }

    /// Does `work` with so many of rayon's threads.
    pub(super) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.number()).build();
        Ok(pool.context("cannot start the threads")?.install(work))
    }
}

/// How far the work on a tier is.
pub(super) struct Meter {
    /// What is done with the tiers.
    doing: &'static str,
    seeds: AtomicU32,
    done: AtomicU64,
    todo: AtomicU64,
}

impl Meter {
    /// Tells of progress. Threads overtake one another, which a display can bear.
    pub(super) fn tell(&self, seeds: u32, done: u64, todo: u64) {
        self.seeds.store(seeds, Relaxed);
        self.done.store(done, Relaxed);
        self.todo.store(todo, Relaxed);
    }
}

impl Shown for Meter {
    fn text(&self, _elapsed: Duration) -> String {
        let [done, todo] = [&self.done, &self.todo].map(|n| HumanCount(n.load(Relaxed)));
        format!("{} {} seeds: {done} of {todo} positions", self.doing, self.seeds.load(Relaxed))
    }

    fn done_of(&self) -> Option<(u64, u64)> {
        Some((self.done.load(Relaxed), self.todo.load(Relaxed)))
    }
}

/// Runs `work` and shows on stderr how far it is. `doing`: what is done with the tiers.
pub(super) fn shown<T>(doing: &'static str, work: impl FnOnce(&Meter) -> T) -> T {
    let [done, todo] = [0, 0].map(AtomicU64::new);
    let meter = Meter { doing, seeds: AtomicU32::new(0), done, todo };
    display::shown(&meter, || work(&meter))
}
