//! How far an analysis is.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use oju::{Side, Watch};

use super::display::{self, Shown};

/// Keeps what is to be said last.
struct Message {
    side: Side,
    text: Mutex<String>,
}

impl Message {
    fn say(&self, text: String) {
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

impl Shown for Message {
    fn text(&self, _elapsed: Duration) -> String {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn done_of(&self) -> Option<(u64, u64)> {
        None
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
    display::shown(&message, || work(&message))
}
