//! `oju bench`: a signature of the search.

use std::fmt::Write as _;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use oju::{Engine, Limits, Position, Profile, Settings, notation};

use super::{INTERRUPTED, Outcome, write_out};

/// Search fixed positions on one thread and print the number of nodes.
///
/// The count is a signature: it changes if, and only if, the search does something else. Speed
/// depends on the machine and is told for comparison on one machine only.
#[derive(Args)]
#[command(after_help = "Examples:\n  oju bench")]
pub(super) struct Bench {}

/// Bytes of the search's tables: part of what the signature stands for.
const TABLE_BYTES: usize = 64 << 20;

/// Positions from games of random moves, and the starts that are quick to solve.
const POSITIONS: [(&str, &str); 10] = [
    ("ayoayo", "start"),
    ("ayoayo", "5-2-1-2-7-2-0-1-3-2-2-0-7-14-S"),
    ("ayoayo-holder", "8-1-3-9-0-0-0-7-1-5-0-0-11-3-N"),
    ("ayoayo-holder", "0-2-0-1-4-8-13-0-5-0-0-2-8-5-N"),
    ("ayoayo-pratt", "4-3-1-1-1-0-1-0-3-0-1-0-13-20-N"),
    ("ayoayo-pratt", "0-0-1-1-1-5-0-1-0-1-0-1-24-13-N"),
    ("hoyito", "start"),
    ("hoyito", "6-4-1-16-1-2-3-1-2-2-6-0-0-4-N"),
    ("hoyito-opponent", "4-4-0-0-0-0-0-0-0-0-0-4-36-0-S"),
    ("hoyito12", "0-0-0-1-0-0-2-0-1-0-0-0-0-1-0-2-0-0-0-1-0-0-0-0-44-44-S"),
];

impl Bench {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let started = Instant::now();
        let mut total = 0;
        let mut text = String::new();
        for (name, position) in POSITIONS {
            let profile: Profile = name.parse().context("a bench profile")?;
            let position: Position = notation::parse_position(&profile, position).context(position)?;
            let settings = Settings { table_bytes: TABLE_BYTES, threads: 1, ..Settings::default() };
            let engine = Engine::new(profile, &settings)?;
            let analysis = engine.analyse(&position, &Limits::none(&INTERRUPTED), &())?;
            if INTERRUPTED.load(Relaxed) {
                return Ok(Outcome::Interrupted);
            }
            let value = analysis.value.map_or_else(|| "open".to_owned(), |value| value.to_string());
            let _ = writeln!(text, "{:>9} nodes, value {value:>3}: {name} {position}", analysis.nodes);
            total += analysis.nodes;
        }
        let seconds = started.elapsed().as_secs_f64();
        let _ = writeln!(text, "Nodes: {total}");
        let _ = writeln!(text, "{seconds:.2} s, {:.0} nodes a second", total as f64 / seconds);
        write_out(&text)?;
        Ok(Outcome::Done)
    }
}
