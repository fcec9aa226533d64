//! Progress on stderr: a bar or a spinner on a terminal, else a plain line now and then. Nothing is shown of what takes less than a second.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Time before anything is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Time between two looks at what a terminal is to show.
const LOOK: Duration = Duration::from_millis(100);

/// Work that can tell how far it is.
pub(super) trait Shown: Sync {
    /// What is to be said after some time of work.
    fn text(&self, elapsed: Duration) -> String;

    /// How much is done, and of how much, in any unit. `None`: there is no telling.
    fn done_of(&self) -> Option<(u64, u64)>;
}

/// Runs `work` and shows on stderr how far it is.
pub(super) fn shown<S: Shown, T>(state: &S, work: impl FnOnce() -> T) -> T {
    let (done, finished) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || display(state, &finished));
        let result = work();
        drop(done);
        result
    })
}

fn display(state: &impl Shown, finished: &mpsc::Receiver<()>) {
    let started = Instant::now();
    let waits = |time| matches!(finished.recv_timeout(time), Err(RecvTimeoutError::Timeout));
    if !waits(PATIENCE) {
        return;
    }
    if io::stderr().is_terminal() {
        let template = if state.done_of().is_some() {
            "{elapsed} {bar:30} {wide_msg}"
        } else {
            "{spinner} {elapsed} {wide_msg}"
        };
        let length = state.done_of().map(|(_, of)| of);
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        while waits(LOOK) {
            if let Some((done, of)) = state.done_of() {
                bar.set_length(of);
                bar.set_position(done);
            }
            bar.set_message(state.text(started.elapsed()));
            bar.tick();
        }
        bar.finish_and_clear();
    } else {
        while waits(PLAIN_INTERVAL) {
            let elapsed = started.elapsed();
            // Where stderr is gone there is nobody to tell.
            let _ = writeln!(io::stderr(), "oju: {} s: {}", elapsed.as_secs(), state.text(elapsed));
        }
    }
}
