//! Many threads at work on lines, whose answers come out in order.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::input::{BadLine, Lines};
use crate::analysis::Analysis;
use crate::engine::{Engine, EngineError, Limits};

/// Answers that may wait for an earlier line that takes longer: some tens of megabytes.
const WINDOW: u64 = 1 << 14;

/// Time between two looks at whether the work is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// How lines are answered.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Lines that are worked on at the same time, a thread each.
    pub threads: usize,
    /// Bytes for the search's tables of each thread.
    pub table_bytes: usize,
    /// The time a line may take.
    pub time: Option<Duration>,
    /// The nodes a line may take: its answer is then the same on every machine.
    pub nodes: Option<u64>,
    /// Find the forced intervals too.
    pub forced: bool,
    /// Raised from outside to end the work.
    pub stop: &'a AtomicBool,
}

/// The answer to a line.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Which line of the input it answers, counted from 1.
    pub line: u64,
    /// Bytes of the input up to the end of that line.
    pub end: u64,
    /// What was found, or why nothing was looked for.
    pub found: Result<Box<Analysis>, BadLine>,
}

/// Why a batch came to an end before its input did.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError<E> {
    /// No line can be answered any more.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The input can not be read.
    #[error("the input can not be read")]
    Read(#[source] io::Error),
    /// Who takes the answers failed.
    #[error(transparent)]
    Take(E),
}

/// What the threads share.
struct Shared<'l, R> {
    lines: Mutex<(u64, &'l mut Lines<R>)>,
    done: Mutex<Done>,
    /// Told of each change of `done`.
    changed: Condvar,
    stop: AtomicBool,
    /// The answer that is to be taken next.
    next: AtomicU64,
}

struct Done {
    answers: BTreeMap<u64, Answer>,
    working: usize,
    failure: Option<BatchError<()>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers all lines. `take` gets the answers in the order of the lines, on the caller's thread; `None` says that the next is not
/// there yet.
///
/// Where `stop` is raised this ends soon and without an error, with the answers that were complete by then.
///
/// # Errors
/// Where the input can not be read, a table turns out to be damaged, or `take` fails.
pub fn answer_all<R: BufRead + Send, E>(
    engine: &Engine,
    lines: &mut Lines<R>,
    options: &Options<'_>,
    mut take: impl FnMut(Option<Answer>) -> Result<(), E>,
) -> Result<(), BatchError<E>> {
    let threads = options.threads.max(1);
    let shared = Shared {
        lines: Mutex::new((0, lines)),
        done: Mutex::new(Done { answers: BTreeMap::new(), working: threads, failure: None }),
        changed: Condvar::new(),
        stop: AtomicBool::new(false),
        next: AtomicU64::new(0),
    };
    let taken = std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                // Also where this thread panics: nobody waits for it then.
                let _leaving = scopeguard::guard((), |()| {
                    if std::thread::panicking() {
                        shared.stop.store(true, Relaxed);
                    }
                    lock(&shared.done).working -= 1;
                    shared.changed.notify_all();
                });
                if let Err(error) = work(engine, options, &shared) {
                    lock(&shared.done).failure.get_or_insert(error);
                    shared.stop.store(true, Relaxed);
                }
            });
        }
        // Also where `take` panics: the threads would wait for it.
        let _ended = scopeguard::guard((), |()| {
            shared.stop.store(true, Relaxed);
            shared.changed.notify_all();
        });
        hand_on(options.stop, &shared, &mut take)
    });
    taken.map_err(BatchError::Take)?;
    match lock(&shared.done).failure.take() {
        Some(BatchError::Engine(error)) => Err(BatchError::Engine(error)),
        Some(BatchError::Read(error)) => Err(BatchError::Read(error)),
        Some(BatchError::Take(())) | None => Ok(()),
    }
}

/// One thread's part.
fn work<R: BufRead>(
    engine: &Engine,
    options: &Options<'_>,
    shared: &Shared<'_, R>,
) -> Result<(), BatchError<()>> {
    let mut engine = engine.sibling(options.table_bytes, 1)?;
    loop {
        let (at, line) = {
            let mut lines = lock(&shared.lines);
            if shared.stop.load(Relaxed) {
                return Ok(());
            }
            let Some(line) = lines.1.next_line().map_err(BatchError::Read)? else { return Ok(()) };
            lines.0 += 1;
            (lines.0 - 1, line)
        };
        let found = match line.position(&engine) {
            Err(bad) => Err(bad),
            Ok(position) => {
                engine.forget();
                let limits = Limits { time: options.time, nodes: options.nodes, stop: &shared.stop };
                let analysis = if options.forced {
                    engine.analyse_forced(&position, &limits, &())
                } else {
                    engine.analyse(&position, &limits, &())
                }?;
                Ok(Box::new(analysis))
            }
        };
        let mut done = lock(&shared.done);
        while at >= shared.next.load(Relaxed) + WINDOW && !shared.stop.load(Relaxed) {
            done = shared.changed.wait(done).unwrap_or_else(PoisonError::into_inner);
        }
        if shared.stop.load(Relaxed) {
            // It may have been cut short.
            return Ok(());
        }
        done.answers.insert(at, Answer { line: line.number(), end: line.end(), found });
        shared.changed.notify_all();
    }
}

/// Hands on answers in order, until there are no more.
fn hand_on<R, E>(
    stop: &AtomicBool,
    shared: &Shared<'_, R>,
    take: &mut impl FnMut(Option<Answer>) -> Result<(), E>,
) -> Result<(), E> {
    let mut next = 0;
    let mut idle = false;
    loop {
        if stop.load(Relaxed) {
            shared.stop.store(true, Relaxed);
            shared.changed.notify_all();
        }
        let mut done = lock(&shared.done);
        let answer = done.answers.remove(&next);
        if answer.is_none() {
            if done.working == 0 {
                return Ok(());
            }
            if idle {
                let waited = shared.changed.wait_timeout(done, LOOK);
                drop(waited.unwrap_or_else(PoisonError::into_inner));
                continue;
            }
        }
        drop(done);
        idle = answer.is_none();
        if answer.is_some() {
            next += 1;
            shared.next.store(next, Relaxed);
            shared.changed.notify_all();
        }
        take(answer)?;
    }
}
