//! Probes of endgame tables: random positions of one tier, from a warm file and from memory.
//!
//! `cargo bench --bench probe -- DIRECTORY [PROFILE:SEEDS]...` with tables of those tiers and all below them in it; without any, the
//! tiers of 12 and 16 seeds of Ayoayo and Hoyito II (`scripts/tables.sh` builds them, `scripts/large_tables.sh` the larger ones).
//! One thread, files in the system's cache. "Nothing kept": every probe reads its page, verifies its checksum and decodes its
//! block, and so do the captures it looks at, and theirs. "File": new positions in an engine with the memory for blocks that all commands have,
//! after ten times as many others. "Memory": the same positions once more when all blocks are kept.

#[path = "../tests/random/mod.rs"]
mod random;

use std::time::Instant;

use oju::{Engine, MemoryTiers, Position, Profile, Settings, Side, Tables, index};
use random::Random;

/// Probes of each kind.
const PROBES: usize = 220_000;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(dir) = arguments.next() else {
        println!("a directory with tables is expected: cargo bench --bench probe -- DIRECTORY");
        return;
    };
    let mut tiers: Vec<String> = arguments.collect();
    if tiers.is_empty() {
        tiers = ["ayoayo:12", "ayoayo:16", "hoyito:12", "hoyito:16"].map(String::from).to_vec();
    }
    for tier in tiers {
        let (name, seeds) = tier.split_once(':').expect("PROFILE:SEEDS");
        let seeds: u32 = seeds.parse().expect("PROFILE:SEEDS");
        let settings = |block_bytes| Settings {
            tables: Tables::In(dir.clone().into()),
            tiers: MemoryTiers::None,
            threads: 1,
            block_bytes,
            ..Settings::default()
        };
        let profile: Profile = name.parse().expect("a profile of the rules");
        let positions = match 2 * profile.row() {
            24 => some_of::<24>(seeds),
            _ => some_of::<12>(seeds),
        };
        let time = |engine: &Engine, positions: &[Position]| {
            let started = Instant::now();
            let sum: i64 = positions
                .iter()
                .map(|position| i64::from(engine.probe(position).expect("good tables").expect("a table")))
                .sum();
            (started.elapsed().as_nanos() as f64 / positions.len() as f64 / 1e3, sum)
        };
        let [nothing, file, memory] = [0, Settings::default().block_bytes, usize::MAX]
            .map(|bytes| Engine::new(profile, &settings(bytes)).expect("good tables"));
        let (some, others) = positions.split_at(PROBES / 11);
        time(&nothing, some);
        let (of_nothing, sum) = time(&nothing, some);
        time(&file, others);
        let (of_file, _) = time(&file, some);
        time(&memory, &positions);
        let (of_memory, _) = time(&memory, &positions);
        assert_eq!(time(&memory, some).1, sum, "the same values");
        println!(
            "{name:>8}, {seeds} seeds: {of_nothing:6.2} µs with nothing kept, {of_file:5.2} µs from a warm file, {of_memory:4.2} µs from memory"
        );
    }
}

/// Random positions of a tier.
fn some_of<const P: usize>(seeds: u32) -> Vec<Position> {
    let mut random = Random::new(seeds.into());
    let size = index::tier_size(P, seeds) as u64;
    let board = |_| Position::from_board(&index::unrank::<P>(seeds, random.below(size)), [0, 0], Side::South);
    (0..PROBES).map(board).collect()
}
