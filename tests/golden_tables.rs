//! Table files kept from each version of the format: they must stay readable, say what the literal rules say, and be what
//! a build makes today, byte for byte.
//!
//! Made by `oju build ayoayo@2x3x2 --seeds 6 --forced --tables tests/golden/version-1`, and the same for `hoyito@2x3x2`, 8 seeds. A
//! change of their bytes is a change of the format and needs a new version, in a folder of its own.

mod literal;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use literal::{Values, Variant, solve_forced};
use oju::build::{BuildOptions, build};
use oju::export::Export;
use oju::{Engine, Limits, MemoryTiers, NEVER, Position, Profile, Settings, Tables, index, notation};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/version-1");

fn position(profile: &Profile, counts: &[u32]) -> Position {
    let counts: Vec<String> = counts.iter().map(u32::to_string).collect();
    notation::parse_position(profile, &format!("{} S", counts.join(" "))).unwrap()
}

/// Every number in the golden tables of a profile. Returns how many positions there are.
fn says_what_the_rules_say(name: &str, most: u32) -> usize {
    let profile: Profile = name.parse().unwrap();
    let variant = Variant::of_profile(profile.rules().name());
    let (values, forced) =
        (Values::solve(variant, profile.row(), most), solve_forced(variant, profile.row(), most));
    let settings = Settings {
        table_bytes: 1 << 16,
        threads: 1,
        tiers: MemoryTiers::None,
        tables: Tables::In(GOLDEN.into()),
        ..Settings::default()
    };
    let engine = Engine::new(profile, &settings).unwrap();
    let stop = AtomicBool::new(false);
    let mut positions = 0;
    for seeds in (0..=most).step_by(profile.unit() as usize) {
        for (counts, expected) in values.tier(seeds) {
            let position = position(&profile, counts);
            assert_eq!(engine.probe(&position).unwrap(), Some(expected), "{name} {position}");
            let entry = engine.entry(&position).unwrap().unwrap();
            assert_eq!(entry.value, expected, "{name} {position}");
            let analysis = engine.analyse(&position, &Limits::none(&stop), &()).unwrap();
            assert_eq!((analysis.value, analysis.nodes), (Some(expected), 0), "{name} {position}");
            if !analysis.over {
                let (low, high) = forced.get(counts);
                let found = analysis.forced.unwrap();
                assert_eq!(found.interval(), Some([low, high]), "{name} {position}");
                assert_eq!(entry.forced, Some([low, high]), "{name} {position}");
                assert_eq!(entry.distance, analysis.distance, "{name} {position}");
                assert_eq!(found.standoff(), Some(low != high), "{name} {position}");
            }
            positions += 1;
        }
        exported_rows_say_the_same(&engine, seeds);
    }
    positions
}

/// A whole tier as rows, all at once and in two parts, against its positions one by one.
fn exported_rows_say_the_same(engine: &Engine, seeds: u32) {
    let (profile, stop) = (engine.profile(), AtomicBool::new(false));
    let export = Export::open(profile, Path::new(GOLDEN), seeds, &stop, &|_, _, _| {}).unwrap();
    let (all, half) = (export.rows(), export.rows() / 2);
    let [whole, first, second] = [0..all, 0..half, half..all].map(|ranks| export.read(ranks, &stop).unwrap());
    assert_eq!(whole.values.len() as u64, all);
    assert_eq!([&first.boards[..], &second.boards].concat(), whole.boards);
    assert_eq!([&first.values[..], &second.values].concat(), whole.values);
    assert_eq!([&first.distances[..], &second.distances].concat(), whole.distances);
    let [low, high] = whole.interval.unwrap();
    for (row, counts) in whole.boards.chunks(whole.pits).enumerate() {
        assert_eq!(index::rank_counts(counts), Some(row as u64));
        let position = notation::position_of_counts(profile, counts).unwrap();
        let entry = engine.entry(&position).unwrap().unwrap();
        assert_eq!(i32::from(whole.values[row]), entry.value, "{position}");
        assert_eq!(whole.distances[row], entry.distance.unwrap_or(NEVER), "{position}");
        assert_eq!(Some([low[row], high[row]].map(i32::from)), entry.forced, "{position}");
    }
}

#[test]
fn golden_tables_say_what_the_rules_say() {
    // Boards of 6 pits with up to 6 seeds, C(12, 6); with 0, 4 and 8 seeds.
    assert_eq!(says_what_the_rules_say("ayoayo@2x3x2", 6), 924);
    assert_eq!(says_what_the_rules_say("hoyito@2x3x2", 8), 1 + 126 + 1287);
}

fn build_tables(name: &str, seeds: u32, forced: bool, dir: &Path) {
    let options = BuildOptions {
        dir: dir.to_path_buf(),
        seeds,
        forced,
        memory: u64::MAX,
        disk: u64::MAX,
        save_every: Duration::MAX,
    };
    build(&name.parse().unwrap(), &options, &mut (), &AtomicBool::new(false)).unwrap();
}

/// A change that makes other bytes is one that somebody must have wanted: tables that are published have been built again then, or keep
/// their version and mean the same.
#[test]
fn tables_of_up_to_12_seeds_have_their_checksums() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["ayoayo", "ayoayo-holder", "ayoayo-pratt", "hoyito", "hoyito-opponent"] {
        build_tables(name, 12, false, dir.path());
    }
    let rows = include_str!("golden/checksums.tsv").lines().filter(|line| !line.starts_with('#'));
    let mut files = 0;
    for row in rows {
        let (_, name) = row.rsplit_once('\t').unwrap();
        let bytes = std::fs::read(dir.path().join(name)).unwrap();
        assert_eq!(format!("{:08x}\t{}\t{name}", crc32fast::hash(&bytes), bytes.len()), row);
        files += 1;
    }
    assert_eq!(files, 3 * 13 + 2 * 4);
}

#[test]
fn a_build_makes_the_golden_tables() {
    let dir = tempfile::tempdir().unwrap();
    for (name, seeds) in [("ayoayo@2x3x2", 6), ("hoyito@2x3x2", 8)] {
        build_tables(name, seeds, true, dir.path());
    }
    let files = |path: &Path| {
        let mut list: Vec<(String, Vec<u8>)> = std::fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
            .filter(|(name, _)| name.ends_with(".oju"))
            .collect();
        list.sort();
        list
    };
    let (golden, built) = (files(Path::new(GOLDEN)), files(dir.path()));
    assert_eq!(golden.len(), 7 + 3);
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&golden), names(&built));
    assert!(golden == built, "the same bytes");
}
