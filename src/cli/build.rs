//! `oju build`: endgame tables.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::bail;
use clap::Args;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use oju::build::{
    self, BuildError, BuildMeter, BuildOptions, BuildWatch, BuiltTier, Plan, PlannedTier, Stage,
};
use oju::notation;

use super::tables::{TablesDir, Threads};
use super::values::TimeLimit;
use super::{INTERRUPTED, Outcome, parse_profile, values, write_out};

/// Time between two plain lines about the same tier.
const PLAIN_INTERVAL: Duration = Duration::from_secs(30);

/// Build endgame tables: the exact value of every position with few seeds.
///
/// One file a tier (all positions with the same number of seeds), from 0 seeds up; what is there already is
/// not built again. Ctrl-C ends it within seconds, and the same command goes on from there, also after a
/// kill: a tier that takes long is saved half-solved. Every table below the one being solved is held in memory: one
/// byte a position, half a byte in Hoyito II up to 28 seeds, three times that with --forced; the tier itself
/// takes 2.25 bytes a position, 6.5 with --forced.
#[derive(Args)]
#[command(after_help = "\
Examples:
  oju build ayoayo --seeds 14
  oju build hoyito --seeds 12 --forced
  oju build hoyito12 --seeds 12 --dry-run")]
pub(super) struct Build {
    /// The profile, such as ayoayo or hoyito12
    #[arg(default_value = "ayoayo")]
    profile: String,

    /// The largest tier, in seeds on the board
    #[arg(long, value_name = "N", value_parser = values::seeds, allow_hyphen_values = true)]
    seeds: u32,

    /// Solve the forced intervals too: what holds whatever infinite play is worth
    #[arg(long)]
    forced: bool,

    /// Say what it would take, after a short measurement, and build nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    tables: TablesDir,

    /// Memory it may take, such as 2G; nine tenths of what is free if not given
    #[arg(long, value_name = "SIZE", value_parser = values::size, allow_hyphen_values = true)]
    memory: Option<usize>,

    #[command(flatten)]
    threads: Threads,

    /// How often a half-solved tier is saved
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = values::time, allow_hyphen_values = true)]
    save_every: TimeLimit,
}

impl Build {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let profile = parse_profile(&self.profile)?;
        let dir = self.tables.path();
        if dir.exists() && !dir.is_dir() {
            bail!("{}: is no directory, and --tables names one", dir.display());
        }
        let mut options = BuildOptions::new(&dir, self.seeds);
        options.forced = self.forced;
        options.save_every = self.save_every.0.unwrap_or(Duration::MAX);
        if let Some(memory) = self.memory {
            options.memory = memory as u64;
        }
        if self.dry_run {
            let plan = build::plan(&profile, &options)?;
            let (rate, threads) = self
                .threads
                .run(|| (build::measure(&profile, &INTERRUPTED), rayon::current_num_threads()))?;
            return match rate {
                None => Ok(Outcome::Interrupted),
                Some(rate) => write_out(&told(&plan, rate, threads)).map(|()| Outcome::Done),
            };
        }
        let mut shown = Shown { bar: None, over: Arc::new(AtomicBool::new(false)), display: None };
        let built = self.threads.run(|| build::build(&profile, &options, &mut shown, &INTERRUPTED))?;
        shown.end();
        match built {
            Ok(plan) => {
                let there = plan.tiers.iter().filter(|tier| tier.present).count();
                write_out(&format!(
                    "{}: {} up to {}, {} built, {there} there before\n",
                    options.dir.display(),
                    notation::counted(plan.tiers.len(), "table"),
                    notation::seeds(self.seeds),
                    plan.tiers.len() - there,
                ))?;
                Ok(Outcome::Done)
            }
            Err(error @ BuildError::Stopped) => {
                let _ = writeln!(io::stderr(), "oju: {error}");
                Ok(Outcome::Interrupted)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// A plan as people read it. `rate`: positions a second on so many `threads`.
fn told(plan: &Plan, rate: f64, threads: usize) -> String {
    let mut text = format!("{:>5} {:>16} {:>11} {:>11}\n", "seeds", "positions", "memory", "disk");
    for PlannedTier { seeds, positions, present, memory, disk } in &plan.tiers {
        let positions = HumanCount(*positions).to_string();
        if *present {
            let _ = writeln!(text, "{seeds:>5} {positions:>16}       there");
        } else {
            let (memory, disk) = (HumanBytes(*memory).to_string(), HumanBytes(*disk).to_string());
            let _ = writeln!(text, "{seeds:>5} {positions:>16} {memory:>11} {disk:>11}");
        }
    }
    let _ = writeln!(
        text,
        "{} positions to solve, {} of memory, at most {} of disk, about {:.2} hours at {} positions a second with --threads {threads}",
        HumanCount(plan.positions()),
        HumanBytes(plan.memory()),
        HumanBytes(plan.disk()),
        plan.positions() as f64 / rate / 3600.0,
        HumanCount(rate as u64),
    );
    text
}

/// Shows a build on stderr: a bar on a terminal, else a line a tier and one now and then.
struct Shown {
    bar: Option<ProgressBar>,
    over: Arc<AtomicBool>,
    display: Option<std::thread::JoinHandle<()>>,
}

impl Shown {
    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| {
                let _ = writeln!(io::stderr(), "{text}");
            }),
            // Where stderr is gone there is nobody to tell.
            None => {
                let _ = writeln!(io::stderr(), "{text}");
            }
        }
    }

    fn end(&mut self) {
        self.over.store(true, Relaxed);
        if let Some(display) = self.display.take() {
            display.thread().unpark();
            let _ = display.join();
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.end();
    }
}

impl BuildWatch for Shown {
    fn planned(&mut self, plan: &Plan, meter: &Arc<BuildMeter>) {
        if plan.positions() == 0 {
            return;
        }
        if io::stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent}% {msg}, {eta} left") {
                bar.set_style(style);
            }
            self.bar = Some(bar);
        }
        let (bar, over, meter) = (self.bar.clone(), Arc::clone(&self.over), Arc::clone(meter));
        let tiers = plan.tiers.clone();
        self.display = Some(std::thread::spawn(move || display(&tiers, &meter, bar.as_ref(), &over)));
    }

    fn built(&mut self, tier: &BuiltTier) {
        let seconds = tier.solving.as_secs_f64() + tier.writing.as_secs_f64();
        let bits = |bytes: u64| bytes as f64 * 8.0 / tier.positions as f64;
        let planes: Vec<String> =
            tier.planes.iter().map(|&(name, bytes)| format!("{name} {:.2}", bits(bytes))).collect();
        self.say(&format!(
            "{}: {} in {seconds:.1} s ({} a second), {}; bits a position: {}",
            notation::seeds(tier.seeds),
            notation::counted(HumanCount(tier.positions), "position"),
            HumanCount((tier.positions as f64 / seconds) as u64),
            HumanBytes(tier.bytes),
            planes.join(", "),
        ));
    }

    fn remark(&mut self, text: &str) {
        self.say(&format!("oju: {text}"));
    }
}

fn display(tiers: &[PlannedTier], meter: &BuildMeter, bar: Option<&ProgressBar>, over: &AtomicBool) {
    let all: u64 = tiers.iter().filter(|tier| !tier.present).map(|tier| tier.positions).sum();
    let mut said = Instant::now();
    let mut before = (0, 0, Instant::now());
    while !over.load(Relaxed) {
        std::thread::park_timeout(Duration::from_millis(200));
        let seeds = meter.seeds.load(Relaxed);
        let positions = meter.positions.load(Relaxed).max(1);
        let [expanded, solved] = [&meter.solver.expanded, &meter.solver.solved].map(|n| n.load(Relaxed));
        let share = |part: u64, whole: u64| (part as f64 / whole.max(1) as f64).min(1.0);
        let (name, done, count) = match meter.stage() {
            Stage::Reading => ("reading", 0.0, 0),
            Stage::Solving if solved == 0 => ("expanding", 0.4 * share(expanded, positions), expanded),
            Stage::Solving => ("spreading", 0.4 + 0.4 * share(solved, positions), solved),
            Stage::Forcing => ("forced intervals", 0.8, expanded + solved),
            Stage::Writing => {
                let [done, todo] = [0, 1].map(|at| meter.written[at].load(Relaxed));
                ("writing", 0.8 + 0.2 * share(done, todo), done)
            }
        };
        let below: u64 = tiers.iter().filter(|t| !t.present && t.seeds < seeds).map(|t| t.positions).sum();
        let fraction = (below as f64 + done * positions as f64) / all.max(1) as f64;
        let same = before.0 == seeds && count >= before.1;
        let rate =
            if same { (count - before.1) as f64 / before.2.elapsed().as_secs_f64().max(1e-3) } else { 0.0 };
        before = (seeds, count, Instant::now());
        let text = format!("{seeds} seeds: {name}, {} positions a second", HumanCount(rate as u64));
        match bar {
            Some(bar) => {
                bar.set_position((fraction * 1000.0) as u64);
                bar.set_message(text);
            }
            None if said.elapsed() >= PLAIN_INTERVAL => {
                let _ = writeln!(io::stderr(), "oju: {:.0} % done; {text}", fraction * 100.0);
                said = Instant::now();
            }
            None => {}
        }
    }
}
