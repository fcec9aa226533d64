//! Probes of endgame tables: random positions of one tier, from a warm file and from memory.
//!
//! `cargo bench --bench probe -- DIRECTORY` with tables of Ayoayo and Hoyito II up to 16 seeds in it (`scripts/tables.sh` builds them).
//! One thread. "File": nothing is kept, every probe reads its page from the system's cache, verifies its checksum and decodes its
//! block, and so do the captures it looks at. "Memory": the same positions once more when all blocks are kept.

#[path = "../tests/random/mod.rs"]
mod random;

use std::time::Instant;

use oju::{Engine, MemoryTiers, Position, Settings, Side, Tables, index};
use random::Random;

/// Probes of each kind.
const PROBES: usize = 200_000;

fn main() {
    let Some(dir) = std::env::args().skip(1).find(|argument| argument != "--bench") else {
        println!("a directory with tables is expected: cargo bench --bench probe -- DIRECTORY");
        return;
    };
    for (name, seeds) in [("ayoayo", 12), ("ayoayo", 16), ("hoyito", 12), ("hoyito", 16)] {
        let settings = |block_bytes| Settings {
            tables: Tables::In(dir.clone().into()),
            tiers: MemoryTiers::None,
            threads: 1,
            block_bytes,
            ..Settings::default()
        };
        let profile: oju::Profile = name.parse().expect("a profile of the rules");
        let mut random = Random::new(seeds.into());
        let size = index::tier_size(12, seeds) as u64;
        let positions: Vec<Position> = (0..PROBES)
            .map(|_| {
                Position::from_board(&index::unrank::<12>(seeds, random.below(size)), [0, 0], Side::South)
            })
            .collect();
        let time = |engine: &Engine, positions: &[Position]| {
            let started = Instant::now();
            let sum: i64 = positions
                .iter()
                .map(|position| i64::from(engine.probe(position).expect("good tables").expect("a table")))
                .sum();
            (started.elapsed().as_nanos() as f64 / positions.len() as f64 / 1e3, sum)
        };
        let [file, memory] =
            [0, usize::MAX].map(|bytes| Engine::new(profile, &settings(bytes)).expect("good tables"));
        let some = &positions[..PROBES / 10];
        time(&file, some);
        let (of_file, sum) = time(&file, some);
        time(&memory, &positions);
        let (of_memory, _) = time(&memory, &positions);
        assert_eq!(time(&memory, some).1, sum, "the same values");
        println!(
            "{name:>8}, {seeds} seeds: {of_file:6.2} µs from a warm file, {of_memory:5.2} µs from memory"
        );
    }
}
