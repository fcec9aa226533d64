//! `oju verify`: whether tables are what they should be.

use std::io::{self, Write as _};
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use indicatif::{HumanBytes, HumanCount};
use oju::verify::{Mismatch, Verification, Verified, VerifyError};
use oju::{Profile, machine};

use super::tables::{TablesDir, Threads, shown};
use super::{INTERRUPTED, Outcome, parse_profile, values, write_out};

/// Verify tables: their checksums, all their numbers, or samples.
///
/// Without options every table is read, its checksums are verified and all of it is decoded: this finds what disks and
/// copying do to files. With --deep every value and distance, and every forced interval that is there, is compared with what
/// the position's moves lead to, from 0 seeds up, which proves the values by the rules alone. That takes memory: a byte
/// for each position of all tiers (three with forced intervals), and two more for each of the largest. With --sample the
/// values of some positions are compared with a search that uses no table, a few seconds each.
///
/// What is not right is told on stdout, and the exit code is 1; a table of other rules or of another format version is not verified, and the
/// exit code is 2.
#[derive(Args)]
#[command(after_help = "\
Examples:
  oju verify ayoayo
  oju verify hoyito --deep --seeds 8
  oju verify hoyito --sample 100")]
pub(super) struct Verify {
    /// The profile whose tables are verified
    #[arg(default_value = "ayoayo")]
    profile: String,

    /// Compare every number with those of its position's children
    #[arg(long)]
    deep: bool,

    /// Compare the values of so many positions with a search without tables: at least one of each tier, the others from all
    /// positions alike
    #[arg(long, value_name = "N", value_parser = values::count, allow_hyphen_values = true)]
    sample: Option<u64>,

    /// What chooses the sample: the same number, the same positions
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::count, allow_hyphen_values = true)]
    seed: u64,

    /// The largest tier to verify, in seeds; all there are if not given
    #[arg(long, value_name = "N", value_parser = values::seeds, allow_hyphen_values = true)]
    seeds: Option<u32>,

    #[command(flatten)]
    tables: TablesDir,

    #[command(flatten)]
    threads: Threads,
}

/// Time for the search of one sampled position.
const SAMPLE_TIME: Duration = Duration::from_secs(5);

impl Verify {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let profile = parse_profile(&self.profile)?;
        let dir = self.tables.path();
        let verification = Verification::new(&profile, &dir, self.seeds, &INTERRUPTED)?;
        let outcome = if self.deep {
            self.deep(&profile, &verification)?
        } else {
            self.checksums(&profile, &verification)?
        };
        remark_missing(&profile, &verification, self.seeds);
        match self.sample {
            Some(count) if outcome == Outcome::Done => self.sample(count, &verification),
            _ => Ok(outcome),
        }
    }

    fn checksums(&self, profile: &Profile, verification: &Verification<'_>) -> anyhow::Result<Outcome> {
        let tiers = verification.tiers();
        let mut damaged = 0;
        for &seeds in tiers {
            let checked = self.threads.run(|| {
                shown("checksums of", |meter| verification.checksums(seeds, &|s, d, t| meter.tell(s, d, t)))
            })?;
            match checked {
                Ok(verified) => write_out(&line(profile, &verified, "checksums right"))?,
                Err(error) if error.is_stopped() => return Ok(Outcome::Interrupted),
                Err(error) if error.is_damage() => {
                    damaged += 1;
                    write_out(&format!("{error}\n"))?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        if damaged == 0 {
            return Ok(Outcome::Done);
        }
        remark(&format!("{damaged} of {} tables found damaged", tiers.len()));
        Ok(Outcome::Incomplete)
    }

    fn deep(&self, profile: &Profile, verification: &Verification<'_>) -> anyhow::Result<Outcome> {
        let needed = verification.deep_memory();
        if let Some(free) = machine::available_memory()
            && needed > free
        {
            let [needed, free] = [needed, free].map(HumanBytes);
            bail!(
                "--deep takes about {needed} of memory here, {free} are free: a smaller --seeds takes less"
            );
        }
        let mut told = Ok(());
        let found = self.threads.run(|| {
            shown("all numbers of", |meter| {
                let mut verified = |verified: &Verified| {
                    let right = if verified.intervals {
                        "values, distances and forced intervals right"
                    } else {
                        "values and distances right"
                    };
                    if told.is_ok() {
                        told = write_out(&line(profile, verified, right));
                    }
                };
                verification.deep(&mut verified, &|seeds, done, todo| meter.tell(seeds, done, todo))
            })
        })?;
        told?;
        match found {
            Ok(None) => Ok(Outcome::Done),
            Ok(Some(mismatch)) => wrong(&mismatch),
            Err(error) => failed(error),
        }
    }

    fn sample(&self, count: u64, verification: &Verification<'_>) -> anyhow::Result<Outcome> {
        let sampled = shown("samples, now of", |meter| {
            let progress = |seeds, done, todo| meter.tell(seeds, done, todo);
            verification.sample(count, self.seed, SAMPLE_TIME, self.threads.number(), &progress)
        });
        let sampled = match sampled {
            Ok(sampled) => sampled,
            Err(error) => return failed(error),
        };
        if let Some(mismatch) = &sampled.mismatch {
            return wrong(mismatch);
        }
        let [equal, open] = [sampled.positions - sampled.undecided, sampled.undecided].map(HumanCount);
        let open = match sampled.undecided {
            0 => String::new(),
            _ => format!(", {open} not decided in {} s, within proven bounds", SAMPLE_TIME.as_secs()),
        };
        write_out(&format!(
            "sample {}: {equal} values equal to those of a search without tables{open}\n",
            self.seed
        ))?;
        Ok(Outcome::Done)
    }
}

/// Says which of the tiers up to `most` seeds, else up to the largest there is, have no table: nothing says that they are right.
fn remark_missing(profile: &Profile, verification: &Verification<'_>, most: Option<u32>) {
    let tiers = verification.tiers();
    let most = most.or(tiers.last().copied()).unwrap_or(0).min(profile.seeds());
    let missing = (0..=most).step_by(profile.unit() as usize).filter(|seeds| !tiers.contains(seeds));
    let missing: Vec<String> = missing.map(|seeds| seeds.to_string()).collect();
    if !missing.is_empty() {
        remark(&format!("{profile} has no tables here of these numbers of seeds: {}", missing.join(", ")));
    }
}

/// A table that is right.
fn line(profile: &Profile, verified: &Verified, right: &str) -> String {
    let positions = HumanCount(verified.positions).to_string();
    let bytes = HumanBytes(verified.bytes).to_string();
    format!("{profile}, {:>2} seeds: {positions:>15} positions, {bytes:>12}: {right}\n", verified.seeds)
}

fn wrong(mismatch: &Mismatch) -> anyhow::Result<Outcome> {
    write_out(&format!("{mismatch}\n"))?;
    remark("a table is wrong: delete it and those of more seeds, and build them anew");
    Ok(Outcome::Incomplete)
}

fn failed(error: VerifyError) -> anyhow::Result<Outcome> {
    if error.is_stopped() {
        return Ok(Outcome::Interrupted);
    }
    if !error.is_damage() {
        return Err(error.into());
    }
    write_out(&format!("{error}\n"))?;
    remark("a table was found damaged");
    Ok(Outcome::Incomplete)
}

fn remark(text: &str) {
    // Where stderr is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "oju: {text}");
}
