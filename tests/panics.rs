//! A defect in one thread: nothing waits for it for ever, nothing half-done looks done, and what is next works.
//!
//! Who watches, takes or gives stands for the defect: they are called in the midst of the work, on its threads.

use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::Duration;

use oju::batch::{Answer, Lines, Options, answer_all};
use oju::build::{BuildOptions, BuildWatch, BuiltTier, build};
use oju::openings::{Memo, Openings, Progress};
use oju::{Engine, Limits, Position, Profile, Settings, Watch};

const SMALL: &str = "ayoayo@2x3x2";

static NEVER: AtomicBool = AtomicBool::new(false);

fn engine(profile: &str, threads: usize) -> Engine {
    let settings = Settings { threads, table_bytes: 16 << 20, ..Settings::default() };
    Engine::new(profile.parse().unwrap(), &settings).unwrap()
}

/// Panics unless `work` panics, and does so soon.
fn panics(what: &'static str, work: impl FnOnce() + Send + 'static) {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = tell.send(catch_unwind(AssertUnwindSafe(work)).is_err());
    });
    let panicked = told.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|_| panic!("{what} hangs"));
    assert!(panicked, "{what} ends as if nothing had been");
}

/// Panics when it is told of a tier, or else of a move.
struct Bad {
    of_tiers: bool,
}

impl Watch for Bad {
    fn tier(&self, seeds: u32) {
        assert!(!self.of_tiers, "told of the tier of {seeds} seeds");
    }

    fn narrowed(&self, _pit: Option<usize>, _lower: i32, _upper: i32, open: usize) {
        assert!(self.of_tiers, "told of a move, {open} are open");
    }
}

#[test]
fn an_analysis() {
    for of_tiers in [false, true] {
        panics("an analysis", move || {
            // Minutes of work for the other threads.
            let engine = engine("hoyito12", 3);
            let start = Position::start(engine.profile());
            let _ = engine.analyse(&start, &Limits::none(&NEVER), &Bad { of_tiers });
        });
    }
    // The next one is answered by the same engine.
    let engine = engine(SMALL, 2);
    let start = Position::start(engine.profile());
    let analyse = |watch: &dyn Watch| engine.analyse(&start, &Limits::none(&NEVER), watch).unwrap().value;
    assert!(catch_unwind(AssertUnwindSafe(|| analyse(&Bad { of_tiers: true }))).is_err());
    assert!(analyse(&()).is_some());
}

fn options<'a>() -> Options<'a> {
    Options { threads: 3, table_bytes: 1 << 12, time: None, nodes: Some(1), forced: false, stop: &NEVER }
}

#[test]
fn a_batch_whose_taker_fails() {
    panics("a batch", || {
        // More lines than may be answered before the first is taken.
        let input = "start\n".repeat(40_000);
        let mut lines = Lines::new(BufReader::new(input.as_bytes()), None);
        let mut taken = 0;
        let _ = answer_all(&engine(SMALL, 1), &mut lines, &options(), |answer: Option<Answer>| {
            taken += usize::from(answer.is_some());
            assert!(taken < 10, "taken");
            Ok::<(), ()>(())
        });
    });
}

/// Lines for a while, then a defect.
struct BadReader(usize);

impl Read for BadReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        assert!(self.0 > 0, "read");
        self.0 -= 1;
        out[..6].copy_from_slice(b"start\n");
        Ok(6)
    }
}

#[test]
fn a_batch_whose_reader_fails() {
    panics("a batch", || {
        let mut lines = Lines::new(BufReader::new(BadReader(20)), None);
        let _ = answer_all(&engine(SMALL, 1), &mut lines, &options(), |_| Ok::<(), ()>(()));
    });
}

/// Panics when so many positions have been answered.
struct BadProgress(AtomicUsize);

impl Progress for BadProgress {
    fn tier(&self, _seeds: u32) {}

    fn all(&self, _positions: usize) {}

    fn answered(&self, _exact: bool) {
        assert!(self.0.fetch_sub(1, Relaxed) > 1, "answered");
    }
}

#[test]
fn openings() {
    panics("openings", || {
        let engine = engine(SMALL, 1);
        let options = oju::openings::Options {
            plies: 4,
            within: None,
            forced: false,
            time: None,
            nodes: None,
            solve: None,
            memory: 0,
            table_bytes: 1 << 16,
            threads: 3,
            stop: &NEVER,
        };
        let start = Position::start(engine.profile());
        let progress = BadProgress(AtomicUsize::new(10));
        let _ = Openings::find(&engine, &start, &options, &Memo::new(false), &progress);
    });
}

/// Panics when a tier has been built.
struct BadBuilder(u32);

impl BuildWatch for BadBuilder {
    fn built(&mut self, tier: &BuiltTier) {
        assert!(tier.seeds < self.0, "built");
    }
}

#[test]
fn a_build() {
    let profile: Profile = SMALL.parse().unwrap();
    let [dir, right] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let options = |dir: &tempfile::TempDir| BuildOptions {
        dir: dir.path().to_path_buf(),
        seeds: 8,
        forced: true,
        memory: u64::MAX,
        disk: u64::MAX,
        save_every: Duration::ZERO,
    };
    let of = options(&dir);
    panics("a build", move || {
        let _ = build(&profile, &of, &mut BadBuilder(5), &NEVER);
    });
    build(&profile, &options(&right), &mut (), &NEVER).unwrap();
    let files = |dir: &tempfile::TempDir| -> std::collections::BTreeMap<_, _> {
        let entries = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap());
        entries.map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap())).collect()
    };
    // What is there is right, and nothing else is there.
    let (left, all) = (files(&dir), files(&right));
    assert_eq!((left.len(), all.len()), (6 + 1, 9 + 1), "tables and a lock");
    assert!(left.iter().all(|(name, bytes)| all[name] == *bytes));
    // Nobody holds the lock any more.
    build(&profile, &options(&dir), &mut (), &NEVER).unwrap();
    assert!(files(&dir) == all);
}
