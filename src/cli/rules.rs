//! `oju rules`: the rules of a profile in words.

use clap::Args;
use oju::rules;

use super::{Outcome, parse_profile, write_out};

/// Say the rules of a profile in words, with their fingerprint.
#[derive(Args)]
#[command(after_help = "Examples:\n  oju rules\n  oju rules hoyito-opponent")]
pub(super) struct Rules {
    /// The profile, or a custom board such as ayoayo@2x4x3
    #[arg(default_value = "ayoayo")]
    profile: String,
}

impl Rules {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        write_out(&rules::in_words(&parse_profile(&self.profile)?))?;
        Ok(Outcome::Done)
    }
}
