//! What the commands that work on table files share: where they are, on how many threads, and how far.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use oju::Tables;

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

/// Time before anything is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// How far the work on a tier is.
#[derive(Default)]
pub(super) struct Meter {
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

    fn text(&self, doing: &str) -> String {
        let [done, todo] = [&self.done, &self.todo].map(|n| HumanCount(n.load(Relaxed)));
        format!("{doing} {} seeds: {done} of {todo} positions", self.seeds.load(Relaxed))
    }
}

/// Runs `work` and shows on stderr how far it is, a bar on a terminal, else a plain line now and then. `doing`: what is done with the
/// tiers.
pub(super) fn shown<T>(doing: &str, work: impl FnOnce(&Meter) -> T) -> T {
    let meter = Meter::default();
    let (done, finished) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let meter = &meter;
        scope.spawn(move || display(doing, meter, &finished));
        let result = work(meter);
        drop(done);
        result
    })
}

fn display(doing: &str, meter: &Meter, finished: &mpsc::Receiver<()>) {
    let started = Instant::now();
    let waits = |time| matches!(finished.recv_timeout(time), Err(RecvTimeoutError::Timeout));
    if !waits(PATIENCE) {
        return;
    }
    if io::stderr().is_terminal() {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{elapsed} {bar:30} {wide_msg}") {
            bar.set_style(style);
        }
        while waits(Duration::from_millis(100)) {
            bar.set_length(meter.todo.load(Relaxed));
            bar.set_position(meter.done.load(Relaxed));
            bar.set_message(meter.text(doing));
        }
        bar.finish_and_clear();
    } else {
        while waits(PLAIN_INTERVAL) {
            // Where stderr is gone there is nobody to tell.
            let _ = writeln!(io::stderr(), "oju: {} s: {}", started.elapsed().as_secs(), meter.text(doing));
        }
    }
}
