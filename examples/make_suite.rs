//! Makes the suite of one profile, `tests/positions/PROFILE.csv`: positions of random games with exact values.
//!
//! `cargo run --release --example make_suite -- PROFILE TABLES_DIR [SECONDS [EARLIER]]`, or `scripts/make_suite.sh` for all of them.
//!
//! Each value is computed twice. First without files: by search over tiers with fewer seeds than the position has and at most
//! [`most_below`], which are solved in memory, so no table holds the position. Hoyito's stand-offs of up to 12 seeds on 2x6, which
//! a search can take minutes for, are valued by plain sweeps instead, another algorithm than the tables'. Then from the table files: by
//! a probe where they reach, else by a search over them. What the two say must be equal. Where the search without files is not
//! done in time and a table holds the position, the tables are compared whole with the moves of their positions, which proves them
//! (`oju verify --deep`), another program than the one that built them; where one is not done in time the row
//! says so. Values in the file EARLIER, of a run that was broken off or had less time, are taken over. Stdout is the file, stderr how it
//! goes.

#[path = "../tests/positions/mod.rs"]
mod positions;
#[path = "../tests/random/mod.rs"]
mod random;

use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI8, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use oju::board::Board;
use oju::rules::{Hoyito, Rules};
use oju::verify::Verification;
use oju::{Engine, Limits, MemoryTiers, Options, Position, Profile, Settings, Tables, Watch, index};
use rayon::prelude::*;

/// Seconds for one position in one engine, if not given.
const SECONDS: u64 = 60;

/// The most seeds of the tiers that the search without files stands on: few enough to be solved in seconds. Where only the opponent's
/// row is captured, so little is taken that a search of 20 seeds needs the tier of 16.
fn most_below(profile: &Profile) -> u32 {
    match profile.to_string().as_str() {
        "hoyito12" => 4,
        "hoyito-opponent" => 16,
        _ => 12,
    }
}

/// Pits of the boards that are swept.
const PITS: usize = 12;

/// The most seeds of a tier that is swept.
const MOST_SWEPT: u32 = 12;

/// The values of all tiers of Hoyito up to [`MOST_SWEPT`] seeds, by seeds and rank: v = max(captured + rest) for every position, where
/// the rest is 0 at first, until nothing changes. Each sweep works out all moves anew.
fn sweep(rules: Hoyito) -> Vec<Vec<AtomicI8>> {
    let size =
        |seeds| if seeds % <Hoyito as Rules<PITS>>::UNIT == 0 { index::tier_size(PITS, seeds) } else { 0 };
    let tiers: Vec<Vec<AtomicI8>> =
        (0..=MOST_SWEPT).map(|seeds| (0..size(seeds)).map(|_| AtomicI8::new(0)).collect()).collect();
    let value = |board: &Board<PITS>| &tiers[board.seeds() as usize][index::rank(board) as usize];
    for (seeds, tier) in (0..).zip(&tiers) {
        let changed = AtomicBool::new(true);
        while changed.swap(false, Relaxed) {
            (0..tier.len()).into_par_iter().with_min_len(1 << 10).for_each(|rank| {
                let board = index::unrank(seeds, rank as u64);
                let mut best = i8::MIN;
                let over = rules.each_move(&board, |m| {
                    let rest = value(&m.next).load(Relaxed);
                    best = best.max(m.captured as i8 + if m.again { rest } else { -rest });
                });
                let found = over.unwrap_or(best);
                if tier[rank].swap(found, Relaxed) != found {
                    changed.store(true, Relaxed);
                }
            });
        }
    }
    tiers
}

/// Ends an analysis once the value of the position is exact, whatever its other moves are worth.
struct UntilExact {
    /// The proven interval of each move, by pit.
    moves: Mutex<BTreeMap<Option<usize>, [i32; 2]>>,
    exact: AtomicBool,
}

impl UntilExact {
    fn new(engine: &Engine, position: &Position) -> Self {
        let Options::Moves(moves) = engine.options(position) else { panic!("{position}: the game is over") };
        let row = position.row();
        let known = |m: &oju::LegalMove| {
            let pit = (0..row).find(|&pit| position.side().letter(pit) == m.letter);
            let (captured, rest) = (m.captured as i32, m.position.seeds() as i32);
            (pit, [captured - rest, captured + rest])
        };
        Self { moves: Mutex::new(moves.iter().map(known).collect()), exact: AtomicBool::new(false) }
    }
}

impl Watch for UntilExact {
    fn narrowed(&self, pit: Option<usize>, lower: i32, upper: i32, _open: usize) {
        let mut moves = self.moves.lock().expect("no thread panics here");
        moves.insert(pit, [lower, upper]);
        let best = |end: usize| moves.values().map(|interval| interval[end]).max();
        if best(0) == best(1) {
            self.exact.store(true, Relaxed);
        }
    }
}

/// The value of a position by an engine's analysis, `None` if it is not exact in time.
fn searched(engine: &Engine, position: &Position, time: Duration) -> anyhow::Result<Option<i32>> {
    let watch = UntilExact::new(engine, position);
    let limits = Limits { time: Some(time), ..Limits::none(&watch.exact) };
    Ok(engine.analyse(position, &limits, &watch)?.value)
}

/// Proves every value of all table files of a profile.
fn prove(profile: &Profile, dir: &Path) -> anyhow::Result<()> {
    let stop = AtomicBool::new(false);
    let tables = Verification::new(profile, dir, None, &stop)?;
    let mismatch = tables.deep(&mut |_| (), &|_, _, _| ())?;
    ensure!(mismatch.is_none(), "{profile}: a table is wrong: oju verify --deep tells where");
    Ok(())
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, dir, rest @ ..] = &arguments[..] else {
        bail!("what is expected: PROFILE TABLES_DIR [SECONDS [EARLIER]]");
    };
    let seconds = rest.first().map_or(Ok(SECONDS), |text| text.parse()).context("SECONDS is a number")?;
    let earlier = rest.get(1).map(std::fs::read_to_string).transpose().context("EARLIER can not be read")?;
    let earlier: HashMap<&str, &str> = earlier
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| Some((line.split_once(',')?.0, line)))
        .collect();
    let profile: Profile = name.parse()?;
    let time = Duration::from_secs(seconds);
    let tables = Tables::In(PathBuf::from(dir));
    let files = Engine::new(profile, &Settings { tables, tiers: MemoryTiers::None, ..Settings::default() })?;
    let mut without: BTreeMap<u32, Engine> = BTreeMap::new();
    let swept = match profile.to_string().as_str() {
        "hoyito" => sweep(Hoyito { opponent_row_only: false }),
        "hoyito-opponent" => sweep(Hoyito { opponent_row_only: true }),
        _ => Vec::new(),
    };
    let mut tables_proven = false;
    let mut open = 0;
    println!("{}", positions::HEADER);
    for (number, position) in positions::random_play(&files).iter().enumerate() {
        let seeds = position.seeds();
        if let Some(row) =
            earlier.get(&position.to_string()[..]).filter(|row| !row.ends_with(positions::OPEN))
        {
            println!("{row}");
            continue;
        }
        let below = (seeds - 1).min(most_below(&profile));
        let first_engine = match without.entry(below) {
            Entry::Occupied(made) => made.into_mut(),
            Entry::Vacant(place) => {
                // Positions of few seeds need little memory.
                let table_bytes = if below == most_below(&profile) { 512 << 20 } else { 16 << 20 };
                let tiers = MemoryTiers::UpTo(below);
                place.insert(Engine::new(profile, &Settings { table_bytes, tiers, ..Settings::default() })?)
            }
        };
        let started = Instant::now();
        let first = match swept.get(seeds as usize) {
            Some(tier) => {
                let board = Board::<PITS>::from_counts(&positions::mover_view(position));
                Some(i32::from(tier[index::rank(&board) as usize].load(Relaxed)))
            }
            None => searched(first_engine, position, time)?,
        };
        let halfway = started.elapsed();
        let second = match files.probe(position)? {
            Some(value) => Some(value),
            None => searched(&files, position, time)?,
        };
        if started.elapsed() > Duration::from_secs(5) || number % 100 == 0 {
            eprintln!(
                "{number}: {position}, {seeds} seeds: {:.1} s without files, {:.1} s with",
                halfway.as_secs_f64(),
                (started.elapsed() - halfway).as_secs_f64()
            );
        }
        let proven = first.is_none() && files.probe(position)?.is_some();
        if proven && !tables_proven {
            prove(&profile, Path::new(dir))?;
            tables_proven = true;
        }
        let first = if proven { second } else { first };
        match (first, second) {
            (Some(first), Some(second)) => {
                ensure!(first == second, "{position}: {first} without files, {second} with");
                println!("{position},{seeds},{first}");
            }
            _ => {
                open += 1;
                eprintln!("{position}: {first:?} without files, {second:?} with: open after {seconds} s");
                println!("{position},{seeds},{}", positions::OPEN);
            }
        }
    }
    eprintln!("{profile}: {open} of {} positions are open", positions::POSITIONS);
    Ok(())
}
