//! `oju perft`: counts move sequences, to check the rules against other programs.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use clap::Args;
use oju::{Engine, Options, Settings};

use super::{Outcome, Subject, values, write_out};

/// Count the move sequences of an exact length.
///
/// A forced pass is a move; a finished game has none. With --expect, another count is exit code 1.
#[derive(Args)]
#[command(after_help = "\
Examples:
  oju perft --depth 5
  oju perft hoyito --depth 4 --divide
  oju perft ayoayo --depth 5 --expect 2870")]
pub(super) struct Perft {
    #[command(flatten)]
    subject: Subject,

    /// Length of the sequences, in plies
    #[arg(long, value_name = "N", default_value = "5", value_parser = values::depth, allow_hyphen_values = true)]
    depth: u32,

    /// Show the count of each first move
    #[arg(long)]
    divide: bool,

    /// The count that should come out
    #[arg(long, value_name = "N", value_parser = values::count, allow_hyphen_values = true)]
    expect: Option<u64>,
}

impl Perft {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let engine = Engine::new(self.subject.profile()?, &Settings { threads: 1, ..Settings::default() })?;
        let position = self.subject.position(&engine)?;
        let mut text = String::new();
        let total = match engine.options(&position) {
            Options::Moves(moves) if self.divide && self.depth > 0 => {
                let mut total = 0;
                for m in &moves {
                    let count = engine.perft(&m.position, self.depth - 1);
                    let _ = writeln!(text, "{} {count}", m.letter);
                    total += count;
                }
                total
            }
            _ => engine.perft(&position, self.depth),
        };
        let _ = writeln!(text, "{total}");
        write_out(&text)?;
        match self.expect {
            Some(expected) if expected != total => {
                let _ = writeln!(io::stderr(), "oju: {expected} sequences were expected, {total} were found");
                Ok(Outcome::Incomplete)
            }
            _ => Ok(Outcome::Done),
        }
    }
}
