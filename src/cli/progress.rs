//! Progress of an analysis on stderr: a spinner on a terminal, else a plain line now and then.
//! Nothing is shown of what takes less than a second.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use oju::{Side, Watch};

/// Time before anything is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Keeps what is to be said last.
struct Message {
    side: Side,
    text: Mutex<String>,
}

impl Message {
    fn say(&self, text: String) {
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    fn read(&self) -> String {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Watch for Message {
    fn tier(&self, seeds: u32) {
        self.say(format!("solving the tier of {seeds} seeds"));
    }

    fn narrowed(&self, pit: Option<usize>, lower: i32, upper: i32, open: usize) {
        let letter = pit.map_or('-', |pit| self.side.letter(pit));
        let value =
            if lower == upper { format!("is {lower:+}") } else { format!("lies in {lower:+} to {upper:+}") };
        self.say(format!("{letter} {value}; {open} moves open"));
    }

    fn forced(&self, pit: Option<usize>, lower: i32, upper: i32, open: usize) {
        let letter = pit.map_or('-', |pit| self.side.letter(pit));
        self.say(format!(
            "{letter}, an end of its forced interval: {lower:+} to {upper:+}; {open} ends open"
        ));
    }
}

/// Runs `work` with a watch that is shown on stderr. `side`: whose moves are told of.
pub(super) fn shown<T>(side: Side, work: impl FnOnce(&dyn Watch) -> T) -> T {
    let message = Message { side, text: Mutex::new("searching".to_owned()) };
    let (done, finished) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let message = &message;
        scope.spawn(move || display(message, &finished));
        let result = work(message);
        drop(done);
        result
    })
}

fn display(message: &Message, finished: &mpsc::Receiver<()>) {
    let started = Instant::now();
    let waits = |time| matches!(finished.recv_timeout(time), Err(RecvTimeoutError::Timeout));
    if !waits(PATIENCE) {
        return;
    }
    if io::stderr().is_terminal() {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        while waits(Duration::from_millis(100)) {
            bar.set_message(message.read());
            bar.tick();
        }
        bar.finish_and_clear();
    } else {
        while waits(PLAIN_INTERVAL) {
            // Where stderr is gone there is nobody to tell.
            let _ = writeln!(io::stderr(), "oju: {} s: {}", started.elapsed().as_secs(), message.read());
        }
    }
}
