//! `oju batch`: many positions answered at once.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum};
use indicatif::HumanCount;
use oju::batch::resume::{self, Resumed};
use oju::batch::{self, Answer, BatchError, Format, Head, Lines, Options, Shard, WriteError, Writer};
use oju::{Engine, Settings, machine};

use super::feed::Feed;
use super::limits::SearchLimits;
use super::meter::{self, Meter};
use super::solve::Solve;
use super::tables::TablesDir;
use super::values;
use super::{INTERRUPTED, Outcome, outputs, parse_profile};

/// Answer many positions: a line in, a line out, in the same order.
///
/// A line is a position and perhaps moves to play first ('start CdF'), or JSON ({"position": "…", "moves": "CdF"}), or CSV with the
/// position in the first column or in the one that a header calls 'position'. Empty lines are passed over. An answer is what 'oju
/// best --json' says; a line that is no position is answered with {"line": 7, "column": 3, "error": "…"}, and the exit code is 1 in
/// the end. Lines are answered side by side, each on one thread that knows nothing of the others, so an answer depends on nothing
/// but its line and the limits.
#[derive(Args)]
#[command(after_help = "\
Examples:
  oju batch hoyito positions.txt | head
  echo 'start CdF' | oju batch ayoayo
  oju batch ayoayo positions.csv -o answers.csv
  oju batch ayoayo positions.txt -o answers.jsonl --resume
  oju batch ayoayo positions.txt --time none --nodes 1000000 --no-times
  oju batch ayoayo positions.txt --shard 2/4 -o part2.jsonl     (see oju merge)

CSV columns: number of the input line, profile, rules, position, value, lower and upper bound, standoff,
best, line, the value of each pit of the side to move (lower..upper where it is not exact, empty where it
can not be played), nodes, time_ms, column and error. In Parquet a pit has two columns, A_lower and A_upper.")]
pub(super) struct Batch {
    /// The profile
    #[arg(default_value = "ayoayo")]
    profile: String,

    /// The positions; - or nothing for stdin
    #[arg(value_name = "FILE", default_value = "-")]
    input: PathBuf,

    /// The file to write, or - for stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// How to write the answers; as the name of the output ends if not given, or else jsonl
    #[arg(long, value_enum)]
    format: Option<Kind>,

    /// The same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Replace the output if it is there
    #[arg(long, conflicts_with = "resume")]
    force: bool,

    /// Go on with the output of a run that was cut short, in the same way and with the same input; begin it if it is not there
    #[arg(long)]
    resume: bool,

    /// Answer one part of the lines: 2/4 is the second of four, and `oju merge` puts the four together
    #[arg(long, value_name = "PART/PARTS", value_parser = str::parse::<Shard>)]
    shard: Option<Shard>,

    #[command(flatten)]
    search: SearchLimits,

    /// Write 0 for all times, so that two runs can be compared byte for byte
    #[arg(long)]
    no_times: bool,

    /// Lines to work on at the same time, 1 to 1024; as many as there are cores if not given
    #[arg(long, value_name = "N", value_parser = values::threads, allow_hyphen_values = true)]
    threads: Option<usize>,

    /// Memory for the search's tables of each thread, such as 64M or 2G
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = values::size, allow_hyphen_values = true)]
    tt: usize,

    #[command(flatten)]
    solve: Solve,

    #[command(flatten)]
    tables: TablesDir,
}

/// A format by name.
#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Jsonl,
    Csv,
    Parquet,
}

/// How the lines of a batch were answered.
#[derive(Default)]
struct Tally {
    lines: u64,
    exact: u64,
    bad: u64,
}

type Out = Box<dyn io::Write + Send>;

impl Batch {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let profile = parse_profile(&self.profile).map_err(|error| match &self.profile {
            name if Path::new(name).exists() => {
                anyhow!("'{name}' is no profile: a profile comes before the file, as in 'oju batch ayoayo positions.txt'")
            }
            _ => error,
        })?;
        let format = self.format();
        self.refuse(format)?;
        let threads = self.threads.unwrap_or_else(rayon::current_num_threads);
        let most = machine::available_memory().unwrap_or(u64::MAX);
        if (self.tt as u64).saturating_mul(threads as u64) > most {
            bail!("--tt: {threads} threads take {} MiB each, and {} MiB are free", self.tt >> 20, most >> 20);
        }
        let settings = Settings { threads, tables: self.tables.for_engine(), ..Settings::default() };
        let engine = Engine::new(profile, &settings)?;
        self.solve.check(&engine)?;
        let started = Instant::now();
        let tally = meter::shown(|meter| {
            self.solve.run(&engine, self.search.forced, meter)?;
            self.answer(&engine, format, threads, meter)
        })?;
        let Tally { lines, exact, bad } = tally;
        let [all, known, wrong] = [lines, exact, bad].map(HumanCount);
        let open = HumanCount(lines - exact - bad);
        let seconds = started.elapsed().as_secs_f64();
        let _ = writeln!(
            io::stderr(),
            "oju: {all} lines: {known} exact, {open} open, {wrong} bad; {seconds:.1} s"
        );
        Ok(if INTERRUPTED.load(Relaxed) {
            if self.output != Path::new("-") && format != Format::Parquet {
                let _ = writeln!(
                    io::stderr(),
                    "oju: interrupted: the same command with --resume goes on from here"
                );
            }
            Outcome::Interrupted
        } else if exact == lines {
            Outcome::Done
        } else {
            Outcome::Incomplete
        })
    }

    fn format(&self) -> Format {
        let ending =
            || self.output.extension().and_then(|ending| Kind::from_str(ending.to_str()?, true).ok());
        let named = if self.json { Some(Kind::Jsonl) } else { self.format };
        match named.or_else(ending).unwrap_or(Kind::Jsonl) {
            Kind::Jsonl => Format::Jsonl,
            Kind::Csv => Format::Csv,
            Kind::Parquet => Format::Parquet,
        }
    }

    /// Refuses what can not be, before any work is done.
    fn refuse(&self, format: Format) -> anyhow::Result<()> {
        let to_stdout = self.output == Path::new("-");
        if format == Format::Parquet {
            if to_stdout {
                bail!("--format: parquet can not be written to stdout: name a file with --output");
            }
            if !cfg!(feature = "parquet") {
                return Err(WriteError::NoParquet.into());
            }
            if self.resume || self.shard.is_some() {
                return Err(WriteError::NoParts.into());
            }
        }
        if self.resume && (to_stdout || self.output.exists() && !self.output.is_file()) {
            bail!("--resume: only a file can be gone on with: name it with --output");
        }
        outputs::check(&self.output, self.resume || self.force, true)?;
        let same = |input: PathBuf| self.output.canonicalize().is_ok_and(|output| output == input);
        if self.input.is_file() && self.input.canonicalize().is_ok_and(same) {
            bail!("{}: is the input too: another name is needed", self.output.display());
        }
        Ok(())
    }

    fn answer(
        &self,
        engine: &Engine,
        format: Format,
        threads: usize,
        meter: &Meter,
    ) -> anyhow::Result<Tally> {
        let (feed, length) = Feed::open(&self.input, &INTERRUPTED)?;
        meter.all.store(length.unwrap_or(0), Relaxed);
        let mut lines = Lines::new(BufReader::with_capacity(1 << 16, feed), self.shard);
        let mut tally = Tally::default();
        let Some(mut writer) = self.writer(engine, format, &mut lines, &mut tally)? else { return Ok(tally) };
        meter.before.store(lines.bytes(), Relaxed);
        let options = Options {
            threads,
            table_bytes: self.tt,
            time: self.search.time(),
            nodes: self.search.nodes,
            forced: self.search.forced,
            stop: &INTERRUPTED,
        };
        let answered = batch::answer_all(engine, &mut lines, &options, |answer| match answer {
            Some(mut answer) => {
                let complete = answer.found.as_ref().is_ok_and(|analysis| analysis.complete());
                tally.lines += 1;
                tally.exact += u64::from(complete);
                tally.bad += u64::from(answer.found.is_err());
                meter.count(complete);
                meter.done.store(answer.end, Relaxed);
                self.hide_time(&mut answer);
                writer.write(&answer)
            }
            None => writer.flush(),
        });
        match answered {
            Ok(()) => {}
            Err(BatchError::Take(error)) => return Err(self.can_not_write(error)),
            Err(error) => {
                // What has been answered is worth keeping.
                let _ = writer.finish(None);
                let what = self.input.display();
                return Err(match error {
                    BatchError::Read(error) => {
                        anyhow::Error::new(error).context(format!("{what}: can not be read"))
                    }
                    error => anyhow!(error),
                });
            }
        }
        let whole = !INTERRUPTED.load(Relaxed);
        let input = whole.then(|| (lines.questions(), lines.checksum()));
        writer.finish(input).map_err(|error| self.can_not_write(error))?;
        Ok(tally)
    }

    /// Begins the output or takes it up again. `None`: it is complete.
    fn writer(
        &self,
        engine: &Engine,
        format: Format,
        lines: &mut Lines<BufReader<Feed<'_>>>,
        tally: &mut Tally,
    ) -> anyhow::Result<Option<Writer<Out>>> {
        let profile = engine.profile();
        let head = self.shard.map(|shard| Head::new(shard, profile, self.search.forced));
        let what = || format!("{}: can not be written", self.output.display());
        if self.resume
            && let Some(mut file) = resume::open(&self.output).with_context(what)?
        {
            let resumed = Resumed::read(&mut file, format, head, engine, lines)
                .with_context(|| format!("--resume: {}", self.output.display()))?;
            *tally = Tally { lines: resumed.answers, exact: resumed.exact, bad: resumed.bad };
            if resumed.finished {
                return Ok(None);
            }
            let writer = resumed.go_on(engine, file, |file| Box::new(BufWriter::new(file)) as Out);
            return writer.map(Some).map_err(|error| self.can_not_write(error));
        }
        let out: Out = if self.output == Path::new("-") {
            Box::new(BufWriter::new(io::stdout()))
        } else {
            Box::new(BufWriter::new(File::create(&self.output).with_context(what)?))
        };
        Writer::new(profile, format, head, out).map(Some).map_err(|error| self.can_not_write(error))
    }

    fn hide_time(&self, answer: &mut Answer) {
        if let Ok(analysis) = &mut answer.found
            && self.no_times
        {
            analysis.time_ms = 0.0;
        }
    }

    fn can_not_write(&self, error: WriteError) -> anyhow::Error {
        match error {
            WriteError::Io(error) => {
                let name = if self.output == Path::new("-") {
                    "stdout".to_owned()
                } else {
                    self.output.display().to_string()
                };
                anyhow::Error::new(error).context(format!("{name}: can not be written"))
            }
            error => anyhow!(error),
        }
    }
}
