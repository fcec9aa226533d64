//! Cycles: a position that comes back without a capture has one value, however it is found and whatever was asked before.
//!
//! Expected values are those of value iteration by the literal rules, which knows of no path.

mod literal;
mod random;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use literal::{Values, Variant};
use oju::analysis::Source;
use oju::build::{BuildOptions, build};
use oju::{Analysis, Engine, Limits, MemoryTiers, Position, Profile, Ruleset, Settings, Tables, notation};
use random::Random;

/// A position as its mover sees it, and its value.
type Cyclic = (Vec<u32>, i32);

/// The positions of a tier that come back without a capture if both sides want it.
fn cyclic(values: &Values, seeds: u32) -> Vec<Cyclic> {
    let after = values.quiet_moves(seeds);
    let mut before = vec![Vec::new(); after.len()];
    for (from, list) in after.iter().enumerate() {
        list.iter().for_each(|&to: &usize| before[to].push(from));
    }
    // Kosaraju: in the reverse order of leaving, each search backward finds just the positions that come back to its root.
    let mut left = Vec::new();
    let mut seen = vec![false; after.len()];
    for root in 0..after.len() {
        let mut path = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((at, next)) = path.last_mut() {
            match after[*at].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        path.push((to, 0));
                    }
                }
                None => {
                    left.push(*at);
                    path.pop();
                }
            }
        }
    }
    let mut comes_back: Vec<bool> = after.iter().enumerate().map(|(at, list)| list.contains(&at)).collect();
    let mut seen = vec![false; after.len()];
    for &root in left.iter().rev() {
        let mut component = Vec::new();
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                component.push(at);
                open.extend(&before[at]);
            }
        }
        if component.len() > 1 {
            component.iter().for_each(|&at| comes_back[at] = true);
        }
    }
    let tier = values.tier(seeds).zip(comes_back);
    tier.filter(|(_, cyclic)| *cyclic).map(|((pits, value), _)| (pits.clone(), value)).collect()
}

fn shuffled(list: &[Cyclic], random: &mut Random) -> Vec<Cyclic> {
    let mut list = list.to_vec();
    for at in (1..list.len()).rev() {
        list.swap(at, random.index(at + 1));
    }
    list
}

fn position(profile: &Profile, pits: &[u32]) -> Position {
    let pits: Vec<String> = pits.iter().map(u32::to_string).collect();
    notation::parse_position(profile, &pits.join("-")).unwrap()
}

/// An engine that solves no tier in memory.
fn engine(profile: Profile, table_bytes: usize, tables: Tables) -> Engine {
    let settings =
        Settings { table_bytes, threads: 1, tiers: MemoryTiers::None, tables, ..Settings::default() };
    Engine::new(profile, &settings).unwrap()
}

fn analyse(engine: &Engine, pits: &[u32]) -> Analysis {
    let stop = AtomicBool::new(false);
    engine.analyse(&position(engine.profile(), pits), &Limits::none(&stop), &()).unwrap()
}

fn build_tables(profile: &Profile, seeds: u32, dir: &Path) {
    let options = BuildOptions {
        dir: dir.to_path_buf(),
        seeds,
        forced: false,
        memory: u64::MAX,
        disk: u64::MAX,
        save_every: Duration::MAX,
    };
    build(profile, &options, &mut (), &AtomicBool::new(false)).unwrap();
}

/// The smallest table there can be, a small one, and one that forgets nothing.
const SMALLEST: usize = 1;
const TABLE_BYTES: [usize; 2] = [1 << 16, 512 << 20];

/// Positions that are asked of the smallest table.
const FEW: usize = 8;

/// Cyclic positions of the tiers up to `seeds`, at most `most` of each tier, and those that are named.
fn every_way(name: &str, seeds: u32, most: usize, named: &[&[u32]]) {
    let profile: Profile = name.parse().unwrap();
    let values = Values::solve(Variant::of_profile(profile.rules().name()), profile.row(), seeds);
    let mut random = Random::new(7);
    let mut list = Vec::new();
    for seeds in (0..=seeds).step_by(profile.unit() as usize) {
        let all = cyclic(&values, seeds);
        let of_tier = |pits: &&&[u32]| pits.iter().sum::<u32>() == seeds;
        for pits in named.iter().filter(of_tier) {
            assert!(all.iter().any(|(cyclic, _)| cyclic == pits), "{pits:?} comes back");
            list.push((pits.to_vec(), values.get(pits)));
        }
        list.extend(shuffled(&all, &mut random).into_iter().take(most));
    }
    let is = |analysis: Analysis, expected: &Cyclic, how: &str| {
        assert_eq!(analysis.value, Some(expected.1), "{name} {:?}, {how}", expected.0);
        analysis
    };

    // By search, first of all positions and after any others.
    for bytes in TABLE_BYTES {
        let kept = engine(profile, bytes, Tables::None);
        for question in [&list[..], &shuffled(&list, &mut random)].concat() {
            is(analyse(&kept, &question.0), &question, &format!("after others, {bytes} bytes"));
        }
    }
    for bytes in [SMALLEST, TABLE_BYTES[0], TABLE_BYTES[1]] {
        // Where nothing is remembered, the many cycles of Hoyito II take time exponential in the seeds.
        let most = if bytes == SMALLEST && profile.rules().is_hoyito() { seeds / 2 } else { seeds };
        let list: Vec<&Cyclic> =
            list.iter().filter(|question| question.0.iter().sum::<u32>() <= most).collect();
        assert!(!list.is_empty(), "{name}: no cycle of up to {most} seeds");
        for question in list.iter().step_by(list.len() / FEW + 1) {
            let fresh = engine(profile, bytes, Tables::None);
            is(analyse(&fresh, &question.0), question, &format!("first of all, {bytes} bytes"));
        }
    }
    // By tables alone.
    let dir = tempfile::tempdir().unwrap();
    build_tables(&profile, seeds, dir.path());
    for bytes in TABLE_BYTES {
        let tables = engine(profile, bytes, Tables::In(dir.path().to_path_buf()));
        for question in shuffled(&list, &mut random) {
            let analysis = is(analyse(&tables, &question.0), &question, "from tables");
            assert_eq!((analysis.source, analysis.nodes), (Source::Table, 0));
        }
    }
    let decided = list.iter().filter(|(_, value)| *value != 0).count();
    assert!(decided > 0 && decided < list.len(), "{name}: {decided} of {} are worth something", list.len());
}

#[test]
fn cycles_of_hoyito() {
    // RULES.md: South B, then North c, is the same position again.
    every_way("hoyito", 8, 60, &[&[0, 2, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1]]);
}

#[test]
fn cycles_of_ayoayo() {
    every_way("ayoayo", 7, 40, &[]);
}

#[test]
fn cycles_of_small_boards() {
    for rules in Ruleset::ALL {
        every_way(&format!("{}@2x3x2", rules.name()), 8, 60, &[]);
    }
}
