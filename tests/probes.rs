//! Positions of tiers that are too large to be kept whole, probed from table files in an order that jumps about, whether blocks are kept
//! or not: what a probe leaves behind for the next one must not change what that finds. A probe looks at captures between bounds, and what it
//! finds there may be a bound itself: never may that be kept as the number.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use oju::build::{BuildOptions, build};
use oju::engine::Entry;
use oju::{Engine, MemoryTiers, Options, Position, Profile, Settings, Side, Tables, index};
use tempfile::TempDir;

/// Positions of a tier that are asked for.
const PROBES: u64 = 3_000;

fn engine(profile: Profile, dir: &Path, block_bytes: usize) -> Engine {
    let tables = Tables::In(dir.to_path_buf());
    let settings =
        Settings { table_bytes: 1 << 20, threads: 1, tiers: MemoryTiers::None, tables, block_bytes };
    Engine::new(profile, &settings).unwrap()
}

fn entry(engine: &Engine, position: &Position) -> Entry {
    engine.entry(position).unwrap().expect("the tier is there")
}

/// The best of what the moves lead to. `of_child`: a number of the position after a move, and whether the mover moves again.
fn best_of(options: &Options, of_child: impl Fn(&Entry, bool) -> i32, children: &[Entry]) -> i32 {
    match options {
        Options::Over { shares: [south, north] } => *south as i32 - *north as i32,
        Options::Moves(moves) => moves
            .iter()
            .zip(children)
            .map(|(m, child)| {
                let number = of_child(child, m.again);
                m.captured as i32 + if m.again { number } else { -number }
            })
            .max()
            .unwrap(),
    }
}

fn probes_agree(name: &str, seeds: u32) {
    let profile: Profile = name.parse().unwrap();
    let dir = TempDir::new().unwrap();
    let options = BuildOptions {
        dir: dir.path().to_path_buf(),
        seeds,
        forced: true,
        memory: u64::MAX,
        disk: u64::MAX,
        save_every: Duration::MAX,
    };
    build(&profile, &options, &mut (), &AtomicBool::new(false)).unwrap();
    // Nothing kept, room for a part of the blocks, and for all.
    let engines = [0, 1 << 16, 64 << 20].map(|bytes| engine(profile, dir.path(), bytes));
    // Asked for from few seeds to many, so that every question is one without bounds.
    let upwards = engine(profile, dir.path(), 64 << 20);
    let size = index::tier_size(12, seeds) as u64;
    let asked: Vec<(Position, Options)> = (0..PROBES)
        .map(|number| index::unrank::<12>(seeds, number * 15_485_863 % size))
        .map(|board| Position::from_board(&board, [0, 0], Side::South))
        .map(|position| (position, upwards.options(&position)))
        .collect();
    let after = |options: &Options| match options {
        Options::Over { .. } => Vec::new(),
        Options::Moves(moves) => moves.iter().map(|m| m.position).collect(),
    };
    let mut all: Vec<Position> = asked.iter().flat_map(|(_, options)| after(options)).collect();
    all.sort_by_key(|position| position.counts().iter().map(|&count| u32::from(count)).sum::<u32>());
    let right: HashMap<Position, Entry> =
        all.into_iter().map(|position| (position, entry(&upwards, &position))).collect();

    for (position, options) in &asked {
        let children: Vec<Entry> = after(options).iter().map(|position| right[position]).collect();
        let value = best_of(options, |child, _| child.value, &children);
        let ends = [0, 1].map(|end| {
            let of_child =
                |child: &Entry, again: bool| child.forced.unwrap()[if again { end } else { 1 - end }];
            best_of(options, of_child, &children)
        });
        for engine in &engines {
            let found = entry(engine, position);
            assert_eq!((found.value, found.forced), (value, Some(ends)), "{name}, {position:?}");
            for position in after(options) {
                assert_eq!(entry(engine, &position), right[&position], "{name}, {position:?}");
            }
        }
    }
}

#[test]
fn ayoayo_is_probed_alike_in_any_order() {
    probes_agree("ayoayo", 13);
}

#[test]
fn hoyito_is_probed_alike_in_any_order() {
    probes_agree("hoyito", 12);
}
