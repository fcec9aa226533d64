//! Work that takes long: on a thread of its own, with Python free meanwhile, and ended by Ctrl-C.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// Time between two looks at Python's signals.
const LOOK: Duration = Duration::from_millis(50);

/// Does `work` and gives what it found. Where a signal arrives meanwhile whose handler raises, the flag that `work` was given is
/// raised, and after its end the exception goes on.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    watched(py, work, |_| Ok(()))
}

/// As [`interruptible`], and now and then, and once after the end, `look` runs with Python: what it raises ends the work too.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
    mut look: impl FnMut(Python<'_>) -> PyResult<()> + Send,
) -> PyResult<T> {
    py.detach(|| {
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            // Nothing is ever sent: the end of the work closes the channel.
            let (working, ended) = mpsc::channel::<()>();
            let flag = &stop;
            let worker = thread::Builder::new().spawn_scoped(scope, move || {
                let _working = working;
                work(flag)
            });
            let worker =
                worker.map_err(|error| PyOSError::new_err(format!("cannot start a thread: {error}")))?;
            let mut told = Ok(());
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if told.is_ok() {
                    told = Python::attach(|py| py.check_signals().and_then(|()| look(py)));
                    stop.store(told.is_err(), Relaxed);
                }
            }
            let found = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            told?;
            Python::attach(look)?;
            Ok(found)
        })
    })
}

/// Does `work` with so many of rayon's threads, 0 for as many as there are cores.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| PyOSError::new_err(format!("cannot start the threads: {error}")))?;
    Ok(pool.install(work))
}
