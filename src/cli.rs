//! The commands: one module each, what they share here.
//!
//! stdout is data, stderr is progress and remarks. Exit codes: 0 done; 1 done but negative or
//! incomplete; 2 usage, input or I/O; 130 interrupted. A closed pipe is not an error.

mod batch;
mod bench;
mod best;
mod build;
mod completions;
mod display;
#[cfg(feature = "explore")]
mod explore;
mod export;
mod feed;
mod info;
mod limits;
mod man;
mod merge;
mod meter;
mod openings;
mod outputs;
mod perft;
mod play;
mod progress;
mod rules;
mod solve;
mod tables;
mod values;
mod verify;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::{Context, anyhow};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand};
use oju::profile::ProfileError;
use oju::{Engine, Position, Profile, Settings, Tables, notation};

/// Raised by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Exact solving of two relay mancala games: Ayoayo (2x6) and Hoyito II (2x6 and 2x12).
#[derive(Parser)]
#[command(name = "oju", version, max_term_width = 100, after_help = to_try())]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

/// What `oju` alone shows.
fn to_try() -> String {
    let second = if cfg!(feature = "explore") {
        "oju explore --open                    the board in the browser, every move with its value"
    } else {
        "oju best hoyito --json                the same for Hoyito II, for programs"
    };
    format!(
        "Five commands to try:
  oju best                              the value of every first move of Ayoayo
  {second}
  oju best ayoayo 1-6-6-2-7-0-0-1-6-6-6-0-7-0-N
                                        any position: pits, stores, side to move
  oju play hoyito                       a game against the engine
  oju rules hoyito12                    the rules, exactly"
    )
}

#[derive(Subcommand)]
enum Command {
    Best(best::Best),
    Openings(openings::Openings),
    Batch(batch::Batch),
    Merge(merge::Merge),
    Play(play::Play),
    #[cfg(feature = "explore")]
    Explore(explore::Explore),
    Build(build::Build),
    Info(info::Info),
    Verify(verify::Verify),
    Export(export::Export),
    Rules(rules::Rules),
    Perft(perft::Perft),
    Bench(bench::Bench),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// A server goes on with other requests.
    fn ends_on_panic(&self) -> bool {
        match self {
            #[cfg(feature = "explore")]
            Self::Explore(_) => false,
            _ => true,
        }
    }
}

/// Makes a panic in any thread the end of the program, exit code 101: no other thread waits for that one for ever, or works on for nothing.
fn end_on_panic() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tell(panic);
        std::process::exit(101);
    }));
}

/// How a command ended, where it did not fail.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    /// Done, but negative or incomplete.
    Incomplete,
    Interrupted,
}

/// Parses the arguments, runs the command, and maps what happened to an exit code.
pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    if cli.command.as_ref().is_none_or(Command::ends_on_panic) {
        end_on_panic();
    }
    // Where the handler can not be set, Ctrl-C ends the program as it does by default.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Relaxed) {
            std::process::exit(130);
        }
    });
    let result = match cli.command {
        None => write_out(&format!("{}\n\nAll commands: oju --help\n", to_try())).map(|()| Outcome::Done),
        Some(Command::Best(best)) => best.run(),
        Some(Command::Openings(openings)) => openings.run(),
        Some(Command::Batch(batch)) => batch.run(),
        Some(Command::Merge(merge)) => merge.run(),
        Some(Command::Play(play)) => play.run(),
        #[cfg(feature = "explore")]
        Some(Command::Explore(explore)) => explore.run(),
        Some(Command::Verify(verify)) => verify.run(),
        Some(Command::Info(info)) => info.run(),
        Some(Command::Export(export)) => export.run(),
        Some(Command::Rules(rules)) => rules.run(),
        Some(Command::Build(build)) => build.run(),
        Some(Command::Perft(perft)) => perft.run(),
        Some(Command::Bench(bench)) => bench.run(),
        Some(Command::Completions(completions)) => completions.run(),
        Some(Command::Man(man)) => man.run(),
    };
    ended(result)
}

/// The exit code, and one line on stderr where something failed.
fn ended(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Incomplete) => ExitCode::from(1),
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "oju: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Help and version go to stdout; every mistake is one line on stderr.
fn usage(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return ended(write_out(&error.render().to_string()).map(|()| Outcome::Done));
    }
    let text = error.render().to_string();
    let said =
        text.lines().map(str::trim).take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more"));
    let line = said.filter(|l| !l.is_empty()).fold(String::new(), |line, next| match line.chars().last() {
        None => next.to_owned(),
        Some(':') => format!("{line} {next}"),
        Some(_) if next.starts_with('[') => format!("{line} {next}"),
        Some(_) => format!("{line}; {next}"),
    });
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    // What looks like an option to the parser is a count to the person who wrote it.
    let negative = matches!(
        error.get(ContextKind::InvalidArg),
        Some(ContextValue::String(text)) if text.strip_prefix('-').is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit()))
    );
    let line = if negative { "position, column 1: a count can not be negative" } else { line };
    let command = std::env::args_os().nth(1).and_then(|name| name.into_string().ok());
    let command = command.filter(|name| Cli::command().find_subcommand(name).is_some());
    let help = command.map_or_else(|| "oju --help".to_owned(), |name| format!("oju {name} --help"));
    let _ = writeln!(io::stderr(), "oju: {line} (see {help})");
    ExitCode::from(2)
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Writes to stdout and makes sure it arrived.
fn write_out(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("cannot write to stdout")
}

/// A value with its sign, and no sign on 0.
fn signed(value: i32) -> String {
    if value == 0 { "0".to_owned() } else { format!("{value:+}") }
}

/// Which game, and which position of it.
#[derive(Args)]
struct Subject {
    /// ayoayo, ayoayo-holder, ayoayo-pratt, hoyito, hoyito12, hoyito-opponent, or a custom board such as
    /// ayoayo@2x4x3
    #[arg(default_value = "ayoayo")]
    profile: String,

    /// The counts of all pits in sowing order, South's row first, then both stores and the side to move (S or
    /// N); 'start' or nothing for the start
    position: Vec<String>,

    /// Moves to play first, such as CdF; a forced pass is written -
    #[arg(long, value_name = "LETTERS", allow_hyphen_values = true)]
    moves: Option<String>,

    /// Pits in a row, for a custom board: 2 to 12
    #[arg(long, value_name = "N", value_parser = values::pits, allow_hyphen_values = true)]
    pits: Option<u8>,

    /// Seeds in each pit at the start, for a custom board: 96 on the board at most
    #[arg(long, value_name = "N", value_parser = values::seeds_per_pit, allow_hyphen_values = true)]
    seeds_per_pit: Option<u8>,
}

impl Subject {
    fn profile(&self) -> anyhow::Result<Profile> {
        let named = parse_profile(&self.profile).map_err(|error| match &self.profile {
            text if text.starts_with(|c: char| c.is_ascii_digit()) => {
                anyhow!("'{text}' is no profile: a profile comes before the position, as in 'oju best ayoayo 4-4-…'")
            }
            _ => error,
        })?;
        if self.pits.is_none() && self.seeds_per_pit.is_none() {
            return Ok(named);
        }
        let row = self.pits.unwrap_or(named.row() as u8);
        let start = self.seeds_per_pit.unwrap_or(named.start() as u8);
        Profile::custom(named.rules(), row, start).map_err(|error| anyhow!("custom board: {error}"))
    }

    /// The position that is asked about, the moves played.
    fn position(&self, engine: &Engine) -> anyhow::Result<Position> {
        let text = self.position.join(" ");
        let position = if self.position.is_empty() {
            Position::start(engine.profile())
        } else {
            notation::parse_position(engine.profile(), &text).map_err(|e| anyhow!("position, {e}"))?
        };
        match &self.moves {
            None => Ok(position),
            Some(moves) => engine.play_text(&position, moves).map_err(|e| anyhow!("--moves, {e}")),
        }
    }
}

fn parse_profile(name: &str) -> anyhow::Result<Profile> {
    name.parse().map_err(|error| match error {
        ProfileError::Unknown(_) => anyhow!(error),
        error => anyhow!("custom board: {error}"),
    })
}

/// Threads and memory of an analysis.
#[derive(Args)]
struct Resources {
    /// Threads to use, 1 to 1024; as many as there are cores if not given
    #[arg(long, value_name = "N", value_parser = values::threads, allow_hyphen_values = true)]
    threads: Option<usize>,

    /// Memory for the search's tables, such as 64M or 2G
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = values::size, allow_hyphen_values = true)]
    tt: usize,

    #[command(flatten)]
    tables: tables::TablesDir,
}

impl Resources {
    fn settings(&self) -> Settings {
        let threads = self.threads.unwrap_or(0);
        Settings { threads, table_bytes: self.tt, tables: self.tables.for_engine(), ..Settings::default() }
    }

    fn engine(&self, profile: Profile) -> anyhow::Result<Engine> {
        let settings = self.settings();
        let engine = Engine::new(profile, &settings)?;
        if let (Tables::In(dir), None) = (&settings.tables, engine.tables_up_to()) {
            let dir = dir.display();
            // Where stderr is gone there is nobody to tell.
            let _ = writeln!(
                io::stderr(),
                "oju: {dir} has no tables of {profile} that could be used: they begin with that of 0 seeds (oju build {profile})"
            );
        }
        Ok(engine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_a_thread_that_nobody_asks_ends_the_program() {
        const SELF: &str = "OJU_TEST_PANIC";
        if std::env::var_os(SELF).is_some() {
            end_on_panic();
            std::thread::spawn(|| panic!("a defect"));
            // Much longer than anybody waits.
            std::thread::sleep(std::time::Duration::from_secs(3600));
        }
        let (_, module) = module_path!().split_once("::").unwrap();
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.arg("--exact").arg(format!("{module}::a_panic_in_a_thread_that_nobody_asks_ends_the_program"));
        let output = child.arg("--nocapture").env(SELF, "").output().unwrap();
        assert_eq!(output.status.code(), Some(101));
        assert!(String::from_utf8_lossy(&output.stderr).contains("a defect"));
    }
}
