//! The search on the suite of positions in `tests/positions`: is every value right, how long does it take, how many nodes?
//!
//! `cargo bench --bench search -- hoyito --tables DIR`; `-- --help` names the options. Without `--tables` the search stands on the
//! small tiers that it solves in memory.
//!
//! What is timed is the whole answer: the values of all moves, and the line. All positions are asked of one engine, whose search tables are
//! new for each, so that none profits from another; touching their memory for the first time is part of the time, solving tiers in memory is not. Blocks of table files, once
//! read, are kept. The nodes of one thread are the same in every run; times are the machine's.

#[path = "../tests/positions/mod.rs"]
mod positions;
#[path = "../tests/random/mod.rs"]
mod random;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use oju::{Engine, Limits, MemoryTiers, Position, Profile, Settings, Tables, Watch};
use positions::Row;

/// The search on the suite of positions: right values, times, nodes.
#[derive(Parser)]
struct Arguments {
    /// Profiles; all if none is named
    profiles: Vec<Profile>,

    /// The directory of table files
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,

    /// Seconds after which a position is given up
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    time: u64,

    /// Megabytes for the search's tables
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    tt: usize,

    /// Only positions of at least so many seeds
    #[arg(long, value_name = "SEEDS", default_value_t = 0)]
    from: u32,

    /// Positions to list of those that took the most nodes
    #[arg(long, value_name = "N", default_value_t = 10)]
    worst: usize,

    /// Search the hard quarter, by nodes, so many times again with one thread and with --threads, and tell the ratios of times
    #[arg(long, value_name = "ROUNDS", default_value_t = 0)]
    hard_quarter: u32,

    /// Write every position's nodes and milliseconds to DIR/PROFILE.csv
    #[arg(long, value_name = "DIR")]
    each: Option<PathBuf>,

    /// What cargo says to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// What a search took, and what it found.
struct Taken {
    nodes: u64,
    seconds: f64,
    /// The value, where it is exact.
    value: Option<i32>,
    /// All moves are exact: the search was not given up.
    complete: bool,
}

/// Raised by the first answer of a search.
struct FirstAnswer(AtomicBool);

impl Watch for FirstAnswer {
    fn narrowed(&self, _pit: Option<usize>, _lower: i32, _upper: i32, _open: usize) {
        self.0.store(true, Relaxed);
    }
}

/// An exact value that is not the suite's.
fn is_wrong(row: &Row, taken: &Taken) -> bool {
    taken.value.zip(row.value).is_some_and(|(found, value)| found != value)
}

/// Searches one position as a new engine would.
fn search(engine: &mut Engine, position: &Position, time: Duration) -> anyhow::Result<Taken> {
    engine.forget();
    let stop = AtomicBool::new(false);
    let analysis = engine.analyse(position, &Limits { time: Some(time), ..Limits::none(&stop) }, &())?;
    Ok(Taken {
        nodes: analysis.nodes,
        seconds: analysis.time_ms / 1e3,
        value: analysis.value,
        complete: analysis.complete(),
    })
}

impl Arguments {
    fn engine(&self, profile: Profile, threads: usize) -> anyhow::Result<Engine> {
        let (tables, tiers) = match &self.tables {
            Some(dir) => (Tables::In(dir.clone()), MemoryTiers::None),
            None => (Tables::None, MemoryTiers::Small),
        };
        let table_bytes = self.tt << 20;
        let engine =
            Engine::new(profile, &Settings { table_bytes, threads, tables, tiers, ..Settings::default() })?;
        // Memory is taken and tiers are solved before the first search gives its first answer.
        let answered = FirstAnswer(AtomicBool::new(false));
        let limits = Limits { time: Some(Duration::from_secs(self.time)), ..Limits::none(&answered.0) };
        engine.analyse(&Position::start(&profile), &limits, &answered)?;
        Ok(engine)
    }

    /// Runs the suite of one profile. False where a value is wrong.
    fn run(&self, profile: Profile) -> anyhow::Result<bool> {
        let time = Duration::from_secs(self.time);
        let mut rows = positions::read(&profile);
        rows.retain(|row| row.position.seeds() >= self.from);
        let mut engine = self.engine(profile, if self.hard_quarter > 0 { 1 } else { self.threads })?;
        let taken = rows.iter().map(|row| search(&mut engine, &row.position, time));
        let taken: Vec<(&Row, Taken)> = rows.iter().zip(taken.collect::<Result<Vec<_>, _>>()?).collect();
        if let Some(dir) = &self.each {
            write_each(&dir.join(format!("{profile}.csv")), &taken)?;
        }
        let right = self.report(profile, &taken);
        if self.hard_quarter > 0 {
            self.compare_threads(&mut engine, profile, &taken)?;
        }
        Ok(right)
    }

    fn report(&self, profile: Profile, taken: &[(&Row, Taken)]) -> bool {
        let count = |is: &dyn Fn(&Row, &Taken) -> bool| taken.iter().filter(|(row, t)| is(row, t)).count();
        let wrong = count(&|row, t| is_wrong(row, t));
        let complete = count(&|_, t| t.complete);
        let mut seconds: Vec<f64> = taken.iter().map(|(_, t)| t.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        // The time that so many hundredths of the positions do not exceed.
        let within = |hundredths: usize| {
            let at = (seconds.len() * hundredths).div_ceil(100).saturating_sub(1);
            seconds.get(at).map_or(0.0, |seconds| seconds * 1e3)
        };
        let share =
            |limit| 100.0 * count(&|_, t| t.complete && t.seconds <= limit) as f64 / taken.len() as f64;
        let nodes: u64 = taken.iter().filter(|(_, t)| t.complete).map(|(_, t)| t.nodes).sum();
        println!(
            "{profile}: {} positions, {} exact, {complete} with every move exact, {wrong} wrong",
            taken.len(),
            count(&|_, t| t.value.is_some())
        );
        println!(
            "  ms: median {:.1}, 95 % {:.1}, 99 % {:.1}, most {:.1}; within 1 s {:.1} %, within 10 s {:.1} %",
            within(50),
            within(95),
            within(99),
            within(100),
            share(1.0),
            share(10.0)
        );
        println!("  nodes: {nodes} for the {complete}");
        let mut by_nodes: Vec<&(&Row, Taken)> = taken.iter().collect();
        by_nodes.sort_by_key(|(_, t)| (t.complete, std::cmp::Reverse(t.nodes)));
        for (row, t) in by_nodes.into_iter().take(self.worst) {
            let open = if t.complete { "" } else { ", given up" };
            let seeds = row.position.seeds();
            println!("  {:>10} nodes, {:.2} s, {seeds} seeds: {}{open}", t.nodes, t.seconds, row.position);
        }
        for (row, t) in taken.iter().filter(|(row, t)| is_wrong(row, t)) {
            println!("  WRONG: {}: {:?}, not {:?}", row.position, t.value, row.value);
        }
        wrong == 0
    }

    /// One thread against several on the quarter that took the most nodes, position by position, so that whatever else the machine
    /// does strikes both.
    fn compare_threads(
        &self,
        one: &mut Engine,
        profile: Profile,
        taken: &[(&Row, Taken)],
    ) -> anyhow::Result<()> {
        let time = Duration::from_secs(self.time);
        let mut hard: Vec<&(&Row, Taken)> = taken.iter().filter(|(_, t)| t.complete).collect();
        hard.sort_by_key(|(_, t)| std::cmp::Reverse(t.nodes));
        hard.truncate(taken.len() / 4);
        let mut several = self.engine(profile, self.threads)?;
        // The blocks of table files are read and kept by both.
        for (row, _) in &hard {
            search(&mut several, &row.position, time)?;
        }
        for _ in 0..self.hard_quarter {
            let mut seconds = [0.0; 2];
            let mut nodes = [0; 2];
            for (row, _) in &hard {
                for (at, engine) in [&mut *one, &mut several].into_iter().enumerate() {
                    let taken = search(engine, &row.position, time)?;
                    seconds[at] += taken.seconds;
                    nodes[at] += taken.nodes;
                }
            }
            println!(
                "  hard quarter, {} positions: {:.2} s on one thread, {:.2} s on {}: {:.2} times as fast, {:.3} times the nodes",
                hard.len(),
                seconds[0],
                seconds[1],
                self.threads,
                seconds[0] / seconds[1],
                nodes[1] as f64 / nodes[0] as f64
            );
        }
        Ok(())
    }
}

fn write_each(path: &std::path::Path, taken: &[(&Row, Taken)]) -> anyhow::Result<()> {
    let mut text = "position,seeds,complete,nodes,ms\n".to_owned();
    for (row, t) in taken {
        let (position, seeds) = (row.position, row.position.seeds());
        let _ = writeln!(text, "{position},{seeds},{},{},{:.3}", t.complete, t.nodes, t.seconds * 1e3);
    }
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let profiles = if arguments.profiles.is_empty() { &Profile::ALL[..] } else { &arguments.profiles };
    let mut right = true;
    for &profile in profiles {
        right &= arguments.run(profile)?;
    }
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
