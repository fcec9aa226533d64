//! `oju openings`: all positions after some plies, and what they are worth.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use indicatif::HumanCount;
use oju::openings::{self, Memo, Openings as Found, OpeningsError, Options, Progress};
use oju::{Position, Watch, notation};

use super::limits::SearchLimits;
use super::meter::{self, Meter};
use super::solve::{self, Solve};
use super::{INTERRUPTED, Outcome, Resources, outputs, parse_profile, values};

/// All positions after some plies, and what they are worth.
///
/// One row of CSV a position: those after the last ply, and those in which the game was over before; --inner writes those on the
/// way too. A sowing is a ply, and a forced pass is one. Sequences of moves that lead to the same position after as many plies are one row,
/// with the number of ways. Every position is searched for itself, those on the way too, and these are compared with what
/// the positions after them say. Where there are many positions, and no node limit, tiers above the tables are solved in memory first, as many as that
/// is worth, or as --solve says. What is not exact in time is given as proven bounds, and the exit code is 1. With --nodes each position is
/// searched with tables of its own, of a thread's share of --tt.
#[derive(Args)]
#[command(after_help = "\
Examples:
  oju openings ayoayo --plies 2
  oju openings ayoayo --plies 6 -o openings.csv
  oju openings hoyito --plies 3 --within 8 --inner
  oju openings ayoayo --plies 4 --position 5-2-1-2-7-2-0-1-3-2-2-0-7-14-S
  oju openings ayoayo --plies 6 -o openings.csv --resume

Columns: profile, rules, position, plies, ways, value, lower and upper bound, standoff (empty where it is not
known: see --forced), best move, line of best play, then the value of each pit of the side to move: lower..upper
where it is not exact, empty where it can not be played. Values are seeds from the view of the side to move, from
the position on.")]
pub(super) struct Openings {
    /// The profile
    #[arg(default_value = "ayoayo")]
    profile: String,

    /// How many plies
    #[arg(long, value_name = "N", value_parser = values::plies, allow_hyphen_values = true)]
    plies: u32,

    /// The position to begin with; the start if not given
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    position: Option<String>,

    /// Moves to play first, such as CdF; a forced pass is written -
    #[arg(long, value_name = "LETTERS", allow_hyphen_values = true)]
    moves: Option<String>,

    /// Keep only lines in which no side gives up more than N seeds, all its moves together, against best play
    #[arg(long, value_name = "N", value_parser = values::seeds, allow_hyphen_values = true)]
    within: Option<u32>,

    /// Write the positions on the way too
    #[arg(long)]
    inner: bool,

    /// The file to write, or - for stdout; it appears when all is done
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Replace the output if it is there
    #[arg(long, conflicts_with = "resume")]
    force: bool,

    /// Take the exact values that the output has from an earlier run, and replace it
    #[arg(long)]
    resume: bool,

    #[command(flatten)]
    search: SearchLimits,

    #[command(flatten)]
    solve: Solve,

    #[command(flatten)]
    resources: Resources,
}

impl Progress for Meter {
    fn tier(&self, seeds: u32) {
        Watch::tier(self, seeds);
    }

    fn all(&self, positions: usize) {
        self.all.store(positions as u64, Relaxed);
    }

    fn answered(&self, exact: bool) {
        self.count(exact);
        self.done.fetch_add(1, Relaxed);
    }
}

impl Openings {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let profile = parse_profile(&self.profile)?;
        let name = self.output.display();
        let to_stdout = self.output == Path::new("-");
        if self.resume && to_stdout {
            bail!("--resume: only a file can be gone on with: name it with --output");
        }
        outputs::check(&self.output, self.force || self.resume, true)?;
        let engine = self.resources.engine(profile)?;
        let mut root = match &self.position {
            None => Position::start(&profile),
            Some(text) => notation::parse_position(&profile, text).map_err(|e| anyhow!("--position, {e}"))?,
        };
        if let Some(moves) = &self.moves {
            root = engine.play_text(&root, moves).map_err(|e| anyhow!("--moves, {e}"))?;
        }
        let memo = Memo::new(self.search.forced);
        if self.resume && self.output.is_file() {
            let text = fs::read(&self.output).with_context(|| format!("{name}: can not be read"))?;
            memo.add_csv(&profile, &text).with_context(|| format!("--resume: {name}"))?;
        }
        self.solve.check(&engine)?;
        let threads = self.resources.threads.unwrap_or_else(rayon::current_num_threads);
        let options = Options {
            plies: self.plies,
            within: self.within,
            forced: self.search.forced,
            time: self.search.time(),
            nodes: self.search.nodes,
            solve: self.solve.solve,
            memory: solve::memory(),
            table_bytes: self.resources.tt / threads,
            threads,
            stop: &INTERRUPTED,
        };
        let started = Instant::now();
        let found = meter::shown(|meter| Found::find(&engine, &root, &options, &memo, meter));
        let found = match found {
            Err(error @ OpeningsError::Contradiction { .. }) => {
                let _ = writeln!(io::stderr(), "oju: {error}");
                return Ok(Outcome::Incomplete);
            }
            found => found?,
        };
        let interrupted = INTERRUPTED.load(Relaxed);
        // Of a run that was interrupted everything is of use to the next.
        self.write(&found, self.inner || interrupted)?;
        self.tell(&found, started);
        Ok(if interrupted {
            if !to_stdout {
                let _ = writeln!(
                    io::stderr(),
                    "oju: interrupted: the same command with --resume goes on from here"
                );
            }
            Outcome::Interrupted
        } else if found.list().iter().all(openings::Opening::exact) {
            Outcome::Done
        } else {
            Outcome::Incomplete
        })
    }

    fn write(&self, found: &Found, inner: bool) -> anyhow::Result<()> {
        let name = self.output.display();
        let what = || format!("{name}: can not be written");
        if self.output == Path::new("-") {
            let mut out = BufWriter::new(io::stdout().lock());
            found.write_csv(inner, &mut out).and_then(|()| out.flush()).context("cannot write to stdout")?;
            return Ok(());
        }
        let write = |path: &Path| -> io::Result<()> {
            let mut out = BufWriter::new(File::create(path)?);
            found.write_csv(inner, &mut out)?;
            out.flush()
        };
        if self.output.exists() && !self.output.is_file() {
            return write(&self.output).with_context(what);
        }
        // An earlier output stays until this one is complete.
        let base = self.output.file_name().with_context(|| format!("{name}: not the name of a file"))?;
        let unfinished =
            self.output.with_file_name(format!(".{}.{}.tmp", base.to_string_lossy(), std::process::id()));
        let done = write(&unfinished).and_then(|()| fs::rename(&unfinished, &self.output));
        if done.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        done.with_context(what)
    }

    /// What was found, in a line.
    fn tell(&self, found: &Found, started: Instant) {
        let leaves = found.leaves().filter(|opening| opening.plies == self.plies);
        let (positions, ways) = leaves.fold((0u64, 0u128), |(n, ways), leaf| (n + 1, ways + leaf.ways));
        let open = found.list().iter().filter(|opening| !opening.exact()).count() as u64;
        let inner = found.list().iter().filter(|opening| opening.inner).count() as u64;
        let exact =
            if open == 0 { "all exact".to_owned() } else { format!("{} not exact", HumanCount(open)) };
        let _ = writeln!(
            io::stderr(),
            "oju: {ways} sequences of {} plies lead to {} positions; {} positions on the way agree with those after \
             them; {exact}; {:.1} s",
            self.plies,
            HumanCount(positions),
            HumanCount(inner),
            started.elapsed().as_secs_f64(),
        );
    }
}
