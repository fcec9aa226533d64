//! Tiers that are solved in memory before the work begins.

use anyhow::bail;
use clap::Args;
use oju::{Engine, Watch, machine};

use super::{INTERRUPTED, values};

/// Which tiers.
#[derive(Args)]
pub(super) struct Solve {
    /// First solve all positions with up to so many seeds in memory, above the tables there are: what is asked next is answered
    /// sooner
    #[arg(long, value_name = "SEEDS", value_parser = values::seeds, allow_hyphen_values = true)]
    pub(super) solve: Option<u32>,
}

impl Solve {
    /// Refuses more than memory allows.
    pub(super) fn check(&self, engine: &Engine) -> anyhow::Result<()> {
        let Some(seeds) = self.solve else { return Ok(()) };
        let profile = engine.profile();
        if seeds > profile.seeds() {
            bail!("--solve: {seeds} seeds: {profile} has no more than {}", profile.seeds());
        }
        let (needed, free) = (engine.bytes_to_solve(seeds), memory());
        if needed > free.into() {
            let fits = (0..seeds).rev().find(|&seeds| engine.bytes_to_solve(seeds) <= free.into());
            bail!(
                "--solve: {seeds} seeds take {} MiB, and {} MiB, half of what is free, may be taken: {} would fit",
                needed >> 20,
                free >> 20,
                fits.map_or_else(|| "nothing".to_owned(), |seeds| format!("{seeds} seeds"))
            );
        }
        Ok(())
    }

    /// Solves them.
    pub(super) fn run(&self, engine: &Engine, forced: bool, watch: &dyn Watch) -> anyhow::Result<()> {
        if let Some(seeds) = self.solve {
            engine.solve_up_to(seeds, forced, &INTERRUPTED, watch)?;
        }
        Ok(())
    }
}

/// Bytes that solved tiers may take: half of what is free, the rest being for searches.
pub(super) fn memory() -> u64 {
    machine::available_memory().map_or(u64::MAX, |free| free / 2)
}
