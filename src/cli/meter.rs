//! How far work on many positions is.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use indicatif::{HumanCount, HumanDuration};

use oju::Watch;

use super::display::{self, Shown};

/// How far the work is.
#[derive(Default)]
pub(super) struct Meter {
    /// Positions done.
    pub(super) solved: AtomicU64,
    /// Of these, exact.
    pub(super) exact: AtomicU64,
    /// How much is done of [`Self::all`], in any unit.
    pub(super) done: AtomicU64,
    /// All there is to do; 0 where that is not known.
    pub(super) all: AtomicU64,
    /// How much of it had been done before.
    pub(super) before: AtomicU64,
    /// The tier that is solved first, and one more; 0 for none.
    tier: AtomicU32,
    /// Milliseconds after which such tiers were last seen to be solved still.
    solving: AtomicU64,
}

impl Meter {
    /// One position more.
    pub(super) fn count(&self, exact: bool) {
        self.solved.fetch_add(1, Relaxed);
        self.exact.fetch_add(u64::from(exact), Relaxed);
    }
}

impl Watch for Meter {
    fn tier(&self, seeds: u32) {
        self.tier.store(seeds + 1, Relaxed);
    }
}

impl Shown for Meter {
    fn text(&self, elapsed: Duration) -> String {
        if let (0, Some(seeds)) = (self.solved.load(Relaxed), self.tier.load(Relaxed).checked_sub(1)) {
            self.solving.store(elapsed.as_millis() as u64, Relaxed);
            return format!("solving the tier of {seeds} seeds");
        }
        let elapsed = elapsed.saturating_sub(Duration::from_millis(self.solving.load(Relaxed)));
        let [solved, exact] = [&self.solved, &self.exact].map(|n| n.load(Relaxed));
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let rate = solved as f64 / seconds;
        let rate = if rate < 10.0 { format!("{rate:.1}") } else { HumanCount(rate as u64).to_string() };
        let mut text = format!("{} solved, {} exact, {rate} a second", HumanCount(solved), HumanCount(exact));
        let [done, all, before] = [&self.done, &self.all, &self.before].map(|n| n.load(Relaxed));
        // Nothing done says nothing of what is left.
        if done > before && all >= done {
            let left = seconds * (all - done) as f64 / (done - before) as f64;
            text += &format!(", {} left", HumanDuration(Duration::from_secs_f64(left.min(1e9))));
        }
        text
    }

    fn done_of(&self) -> Option<(u64, u64)> {
        Some((self.done.load(Relaxed), self.all.load(Relaxed)))
    }
}

/// Runs `work` and shows on stderr how far it is.
pub(super) fn shown<T>(work: impl FnOnce(&Meter) -> T) -> T {
    let meter = Meter::default();
    display::shown(&meter, || work(&meter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_to_do_and_no_time_are_told_too() {
        let meter = Meter::default();
        assert_eq!(meter.text(Duration::ZERO), "0 solved, 0 exact, 0.0 a second");
        meter.count(true);
        meter.count(false);
        assert_eq!(meter.text(Duration::from_secs(4)), "2 solved, 1 exact, 0.5 a second");
    }

    #[test]
    fn tiers_that_are_solved_first_take_no_time_from_the_positions() {
        let meter = Meter::default();
        meter.tier(17);
        assert_eq!(meter.text(Duration::from_secs(30)), "solving the tier of 17 seeds");
        meter.count(true);
        assert_eq!(meter.text(Duration::from_secs(32)), "1 solved, 1 exact, 0.5 a second");
    }

    #[test]
    fn the_time_left_counts_what_was_done_now() {
        let meter = Meter::default();
        (0..10).for_each(|_| meter.count(true));
        for (number, value) in [(&meter.before, 100), (&meter.done, 200), (&meter.all, 400)] {
            number.store(value, Relaxed);
        }
        // A hundred units took 30 seconds, two hundred are left.
        let text = meter.text(Duration::from_secs(30));
        assert_eq!(text, "10 solved, 10 exact, 0.3 a second, 60 seconds left");
    }
}
