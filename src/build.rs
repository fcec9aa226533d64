//! Building the tables of a profile: tier after tier, each from those below, each written when it is solved.
//!
//! What is there already is not built again. A tier that takes long is saved half-solved every few minutes, in a file of
//! its own beside the tables, so that a build that was killed goes on from there; tables appear under their names only when they
//! are complete.

mod half;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use half::{Half, Restored, half_path, remove};

use crate::edges::Edges;
use crate::engine;
use crate::index;
use crate::lower::Lower;
use crate::machine;
use crate::packed::Packed;
use crate::profile::Profile;
use crate::retrograde::{Alone, Means, Meter, Task, Tier, Unsolved};
use crate::table::{Contents, Identity, LockedDir, Plane, TableError, TableFile};

/// What is to be built.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The directory of the tables; made where it is not there.
    pub dir: PathBuf,
    /// The largest tier, in seeds.
    pub seeds: u32,
    /// Forced intervals too.
    pub forced: bool,
    /// Memory it may take, in bytes.
    pub memory: u64,
    /// Room on the disk, in bytes.
    pub disk: u64,
    /// How often a half-solved tier is saved.
    pub save_every: Duration,
}

impl BuildOptions {
    /// The tables of up to `seeds` seeds in `dir`, without forced intervals, with nine tenths of the memory and all of the disk that are
    /// free now, saved every two minutes.
    pub fn new(dir: &Path, seeds: u32) -> Self {
        Self {
            dir: dir.to_path_buf(),
            seeds,
            forced: false,
            memory: machine::available_memory().map_or(u64::MAX, |bytes| bytes / 10 * 9),
            disk: machine::available_disk(&nearest_directory(dir)).unwrap_or(u64::MAX),
            save_every: Duration::from_secs(120),
        }
    }
}

/// Why tables were not built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A table can not be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// More memory than allowed.
    #[error("the tier of {seeds} seeds takes {} of memory, {} allowed: {}", bytes(*needed), bytes(*allowed), would_fit(*fits))]
    Memory {
        /// The tier.
        seeds: u32,
        /// Bytes it takes, with the tiers below.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
        /// The largest number of seeds that fits.
        fits: Option<u32>,
    },
    /// More room than there is on the disk.
    #[error("{}: the tables take about {}, {} are free: {}", dir.display(), bytes(*needed), bytes(*free), would_fit(*fits))]
    Disk {
        /// The directory.
        dir: PathBuf,
        /// Bytes they take.
        needed: u64,
        /// Bytes free.
        free: u64,
        /// The largest number of seeds that fits.
        fits: Option<u32>,
    },
    /// More seeds than the profile starts with.
    #[error("{seeds} seeds: {profile} has no more than {most}")]
    Seeds {
        /// What was asked.
        seeds: u32,
        /// The profile.
        profile: String,
        /// Seeds at its start.
        most: u32,
    },
    /// A tier whose positions 64 bits or this machine's memory can not number.
    #[error("the tier of {seeds} seeds has more positions than can be numbered: {}", would_fit(*fits))]
    TooLarge {
        /// The tier.
        seeds: u32,
        /// The largest number of seeds that fits into memory and on the disk.
        fits: Option<u32>,
    },
    /// Raised from outside.
    #[error("stopped: the same command goes on from where it was")]
    Stopped,
    /// A distance that the format can not hold.
    #[error("the tier of {0} seeds: a value that is converted only after 65,535 sowings or more")]
    TooDeep(u32),
}

fn would_fit(fits: Option<u32>) -> String {
    fits.map_or_else(|| "no tier would fit".to_string(), |seeds| format!("up to {seeds} seeds would fit"))
}

/// A number of bytes for people.
pub fn bytes(count: u64) -> String {
    indicatif::HumanBytes(count).to_string()
}

/// One tier of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedTier {
    /// Seeds on the board.
    pub seeds: u32,
    /// Positions.
    pub positions: u64,
    /// Its table is there.
    pub present: bool,
    /// Bytes of memory while it is solved, the tiers below included.
    pub memory: u64,
    /// Bytes of disk for its table, about.
    pub disk: u64,
}

/// What a build is going to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The tiers, from the smallest up.
    pub tiers: Vec<PlannedTier>,
}

impl Plan {
    /// Positions of the tiers that are not there yet.
    pub fn positions(&self) -> u64 {
        self.absent().map(|tier| tier.positions).sum()
    }

    /// Bytes of memory at the worst moment.
    pub fn memory(&self) -> u64 {
        self.absent().map(|tier| tier.memory).max().unwrap_or(0)
    }

    /// Bytes of disk, the half-solved tier included.
    pub fn disk(&self) -> u64 {
        let largest = self.absent().map(|tier| tier.positions).max().unwrap_or(0);
        self.absent().map(|tier| tier.disk).sum::<u64>() + largest * 2
    }

    fn absent(&self) -> impl DoubleEndedIterator<Item = &PlannedTier> {
        self.tiers.iter().filter(|tier| !tier.present)
    }
}

/// How far a build has come.
#[derive(Debug, Default)]
pub struct BuildMeter {
    /// The tier being worked on, in seeds.
    pub seeds: AtomicU32,
    /// Its positions.
    pub positions: AtomicU64,
    /// What is done with it: a [`Stage`] as a number.
    stage: AtomicU32,
    /// Positions written, over all passes of the writer, and how many there will be.
    pub written: [AtomicU64; 2],
    /// How far the solver is.
    pub solver: Meter,
}

/// What a build does with a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reads its table, to stand on it.
    Reading,
    /// Solves it.
    Solving,
    /// Solves its forced intervals.
    Forcing,
    /// Writes its table.
    Writing,
}

impl BuildMeter {
    /// What is being done.
    pub fn stage(&self) -> Stage {
        [Stage::Reading, Stage::Solving, Stage::Forcing, Stage::Writing][self.stage.load(Relaxed) as usize]
    }

    fn start(&self, tier: &PlannedTier, stage: Stage) {
        self.seeds.store(tier.seeds, Relaxed);
        self.positions.store(tier.positions, Relaxed);
        self.solver.expanded.store(0, Relaxed);
        self.solver.solved.store(0, Relaxed);
        self.written[0].store(0, Relaxed);
        self.stage.store(stage as u32, Relaxed);
    }
}

/// A tier that was built.
#[derive(Clone, Debug)]
pub struct BuiltTier {
    /// Seeds on the board.
    pub seeds: u32,
    /// Positions.
    pub positions: u64,
    /// Time to solve it, and to write its table.
    pub solving: Duration,
    /// Time to write its table.
    pub writing: Duration,
    /// Bytes of its table, and of each plane: its name and bytes.
    pub bytes: u64,
    /// Bytes of each plane, by name.
    pub planes: Vec<(&'static str, u64)>,
}

/// Told what a build does. Called from the thread that builds.
pub trait BuildWatch {
    /// The plan, before anything is done.
    fn planned(&mut self, plan: &Plan, meter: &Arc<BuildMeter>) {
        let _ = (plan, meter);
    }

    /// A tier is written.
    fn built(&mut self, tier: &BuiltTier) {
        let _ = tier;
    }

    /// Something worth telling.
    fn remark(&mut self, text: &str) {
        let _ = text;
    }
}

/// Watches nothing.
impl BuildWatch for () {}

/// Bytes a position of the solver: two of a cell, a quarter for the wave and the next.
const SOLVER: f64 = 2.25;
/// Bytes that do not grow with the tier: buffers, page tables, the program.
const CONSTANT: u64 = 64 << 20;

/// Seeds of the tiers of a profile, from 0 up.
pub(crate) fn tiers_of(profile: &Profile, most: u32) -> impl DoubleEndedIterator<Item = u32> + use<> {
    (0..=most / profile.unit()).map({
        let unit = profile.unit();
        move |step| step * unit
    })
}

/// What building would do, and whether it can be done.
///
/// # Errors
/// Where a table that is there can not be read, or memory or disk do not suffice.
pub fn plan(profile: &Profile, options: &BuildOptions) -> Result<Plan, BuildError> {
    if options.seeds > profile.seeds() {
        let profile_name = profile.to_string();
        return Err(BuildError::Seeds { seeds: options.seeds, profile: profile_name, most: profile.seeds() });
    }
    let mut plan = Plan { tiers: Vec::new() };
    let mut below = 0;
    let planes = if options.forced { 3 } else { 1 };
    let mut too_large = None;
    for seeds in tiers_of(profile, options.seeds) {
        let size = index::tier_size(2 * profile.row(), seeds);
        let Some(positions) = u64::try_from(size).ok().filter(|&size| size < 1 << 48) else {
            too_large = Some(seeds);
            break;
        };
        let identity = Identity::of(profile, seeds);
        let path = options.dir.join(identity.file_name());
        let present = match TableFile::open(&path, &identity) {
            Ok(file) => !options.forced || file.has(Plane::Low),
            Err(TableError::Missing { .. }) => false,
            Err(error) => return Err(error.into()),
        };
        // The forced intervals are solved on two planes while the values' cells are kept to be written.
        let solver = if options.forced { 2.0 * SOLVER + 2.0 } else { SOLVER };
        let memory = CONSTANT + below + (positions as f64 * solver) as u64;
        below += planes * Packed::bytes_of(positions, profile.unit(), seeds);
        // Measured: at most 3.2 bits a position for values and distances, twice as much with the forced intervals.
        let bits = if options.forced { 5 } else { 4 };
        plan.tiers.push(PlannedTier {
            seeds,
            positions,
            present,
            memory,
            disk: positions / 8 * bits + 65_536,
        });
    }
    let in_memory = |plan: &Plan| plan.memory() <= options.memory;
    let fit = |plan: &Plan| in_memory(plan) && (plan.disk() <= options.disk || plan.positions() == 0);
    if too_large.is_none() && fit(&plan) {
        return Ok(plan);
    }
    let mut fitting = plan.clone();
    while !fitting.tiers.is_empty() && !fit(&fitting) {
        fitting.tiers.pop();
    }
    let fits = fitting.tiers.last().map(|tier| tier.seeds);
    Err(match too_large {
        Some(seeds) => BuildError::TooLarge { seeds, fits },
        None if !in_memory(&plan) => {
            let seeds = plan.absent().next_back().map_or(0, |tier| tier.seeds);
            BuildError::Memory { seeds, needed: plan.memory(), allowed: options.memory, fits }
        }
        None => {
            let (dir, needed, free) = (options.dir.clone(), plan.disk(), options.disk);
            BuildError::Disk { dir, needed, free, fits }
        }
    })
}

/// Positions a second that a build of this profile can be expected to solve here, from building some small tiers in
/// memory on rayon's threads. `None` where `stop` was raised.
pub fn measure(profile: &Profile, stop: &AtomicBool) -> Option<f64> {
    /// Positions of the largest tier that is measured: about two seconds of work.
    const MOST: u128 = 8_000_000;
    /// Large tiers miss the caches more, and their tables are to be written too.
    const LARGER: f64 = 0.7;
    let mut lower = Lower::new(false);
    let mut rate: f64 = 0.0;
    for seeds in tiers_of(profile, profile.seeds()) {
        if index::tier_size(2 * profile.row(), seeds) > MOST {
            break;
        }
        while lower.next() < seeds {
            lower.push_empty();
        }
        let edges = engine::edges(profile, seeds);
        let started = Instant::now();
        let mut tier = Tier::new(&*edges, profile.unit(), Task::Values, &Alone);
        let meter = Meter::default();
        let solved = lower.with(Task::Values, |below| {
            tier.solve(Means { edges: &*edges, below, spread: &Alone, meter: &meter, stop }, &mut |_| {})
        });
        solved.ok()?;
        rate = tier.size() as f64 / started.elapsed().as_secs_f64().max(1e-6);
        lower.push(tier.packed(0), None);
    }
    Some(rate * LARGER)
}

/// Builds the tables of a profile up to a number of seeds, on rayon's threads.
///
/// # Errors
/// Where it can not be done, or `stop` was raised. What is complete by then stays.
pub fn build(
    profile: &Profile,
    options: &BuildOptions,
    watch: &mut dyn BuildWatch,
    stop: &AtomicBool,
) -> Result<Plan, BuildError> {
    // Before anything is made, and again when nobody else can change what is there.
    self::plan(profile, options)?;
    let dir = LockedDir::lock(&options.dir)?;
    let plan = plan(profile, options)?;
    for tier in plan.tiers.iter().filter(|tier| tier.present) {
        // A builder that was killed between writing the table and removing this.
        remove(&half_path(&options.dir, &Identity::of(profile, tier.seeds)))?;
    }
    let meter = Arc::new(BuildMeter::default());
    watch.planned(&plan, &meter);
    let Some(last) = plan.absent().next_back().map(|tier| tier.seeds) else { return Ok(plan) };
    let mut lower = Lower::new(options.forced);
    for tier in plan.tiers.iter().filter(|tier| tier.seeds <= last) {
        while lower.next() < tier.seeds {
            lower.push_empty();
        }
        let edges = engine::edges(profile, tier.seeds);
        let job = Job {
            profile,
            options,
            dir: &dir,
            tier: *tier,
            edges: &*edges,
            lower: &lower,
            meter: &meter,
            stop,
        };
        if tier.present {
            let (values, interval) = job.read()?;
            lower.push(values, interval);
            continue;
        }
        let (values, forced) = job.solve(watch)?;
        // Nothing stands on the last tier.
        if tier.seeds < last {
            lower.push(values.packed(0), forced.map(|tier| [tier.packed(0), tier.packed(1)]));
        }
    }
    Ok(plan)
}

/// The work on one tier.
struct Job<'a> {
    profile: &'a Profile,
    options: &'a BuildOptions,
    dir: &'a LockedDir,
    tier: PlannedTier,
    edges: &'a dyn Edges,
    lower: &'a Lower,
    meter: &'a BuildMeter,
    stop: &'a AtomicBool,
}

type Numbers = (Packed, Option<[Packed; 2]>);

impl Job<'_> {
    fn identity(&self) -> Identity {
        Identity::of(self.profile, self.tier.seeds)
    }

    /// The numbers of a tier whose table is there.
    fn read(&self) -> Result<Numbers, BuildError> {
        self.meter.start(&self.tier, Stage::Reading);
        let file = self.dir.dir().table(&self.identity())?;
        let read = |plane| self.lower.read(&file, plane, self.edges, self.profile.unit(), self.stop);
        let values = read(Plane::Values).map_err(stopped)?;
        let interval = if self.lower.intervals() {
            Some([read(Plane::Low).map_err(stopped)?, read(Plane::High).map_err(stopped)?])
        } else {
            None
        };
        Ok((values, interval))
    }

    /// Solves a tier and writes its table.
    fn solve(&self, watch: &mut dyn BuildWatch) -> Result<(Tier, Option<Tier>), BuildError> {
        let started = Instant::now();
        let unit = self.profile.unit();
        let new = |task| Tier::new(self.edges, unit, task, &Alone);
        let mut half = Half::new(
            &self.options.dir,
            self.identity(),
            self.options.forced,
            self.options.save_every,
            self.stop,
        );
        let mut values = new(Task::Values);
        let mut forced = None;
        match half.restore(&mut values, || new(Task::Forced)) {
            Ok(Restored::Nothing) => {}
            Ok(Restored::Values) => watch.remark(&format!("goes on with {}", half.path().display())),
            Ok(Restored::Forced(tier)) => {
                watch.remark(&format!("goes on with {}", half.path().display()));
                forced = Some(tier);
            }
            Err(_) if self.stop.load(Relaxed) => return Err(BuildError::Stopped),
            Err(error) => {
                watch.remark(&format!("{}: {error}: the tier is begun anew", half.path().display()));
                values = new(Task::Values);
                // Else it would be reported by the next builder too.
                remove(half.path())?;
            }
        }
        let run = |tier: &mut Tier, task, stage, pause: &mut dyn FnMut(&Tier)| {
            self.meter.start(&self.tier, stage);
            let solved = self.lower.with(task, |below| {
                let (edges, meter, stop) = (self.edges, &self.meter.solver, self.stop);
                tier.solve(Means { edges, below, spread: &Alone, meter, stop }, pause)
            });
            solved.map_err(|error| match error {
                Unsolved::Stopped => BuildError::Stopped,
                Unsolved::TooDeep => BuildError::TooDeep(self.tier.seeds),
            })
        };
        let mut remark = None;
        run(&mut values, Task::Values, Stage::Solving, &mut |tier| half.save(tier, None, &mut remark))?;
        if self.options.forced {
            let tier = forced.get_or_insert_with(|| new(Task::Forced));
            run(tier, Task::Forced, Stage::Forcing, &mut |tier| half.save(&values, Some(tier), &mut remark))?;
        }
        if let Some(remark) = &remark {
            watch.remark(remark);
        }
        let solving = started.elapsed();

        self.meter.start(&self.tier, Stage::Writing);
        let contents = Solved { values: &values, forced: forced.as_ref() };
        let progress = |done, todo| {
            self.meter.written[0].store(done, Relaxed);
            self.meter.written[1].store(todo, Relaxed);
        };
        let written = self.dir.write(&self.identity(), &contents, self.stop, &progress).map_err(stopped)?;
        remove(half.path())?;
        watch.built(&BuiltTier {
            seeds: self.tier.seeds,
            positions: self.tier.positions,
            solving,
            writing: started.elapsed() - solving,
            bytes: written.bytes,
            planes: written.planes.iter().map(|&(plane, bytes)| (plane.name(), bytes)).collect(),
        });
        Ok((values, forced))
    }
}

fn stopped(error: TableError) -> BuildError {
    match error {
        TableError::Stopped { .. } => BuildError::Stopped,
        error => error.into(),
    }
}

/// A solved tier as a table's contents.
struct Solved<'a> {
    values: &'a Tier,
    forced: Option<&'a Tier>,
}

impl Contents for Solved<'_> {
    fn intervals(&self) -> bool {
        self.forced.is_some()
    }

    fn fill(&self, plane: Plane, ranks: Range<u64>, numbers: &mut [i32], free: Option<&mut [bool]>) {
        let forced = || self.forced.expect("a table without intervals is not asked for them");
        let (tier, of_plane) = match plane {
            Plane::Values | Plane::Distances => (self.values, 0),
            Plane::Low => (forced(), 0),
            Plane::High => (forced(), 1),
        };
        for (number, rank) in numbers.iter_mut().zip(ranks.clone()) {
            let outcome = tier.outcome(of_plane, rank);
            *number = if plane == Plane::Distances { outcome.distance.into() } else { outcome.number.into() };
        }
        if let Some(free) = free {
            for (free, rank) in free.iter_mut().zip(ranks) {
                *free = tier.outcome(of_plane, rank).by_exit;
            }
        }
    }
}

/// The directory of a path that may not be there yet: the nearest one above it that is.
fn nearest_directory(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    absolute.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("/")).to_path_buf()
}
