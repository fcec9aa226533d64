//! The search against plain value iteration of the literal rules, on whole small boards: values and forced intervals.
//!
//! The oracle shares nothing with the program: it plays seed by seed and sweeps every tier until no
//! value changes.

mod literal;

use std::sync::atomic::AtomicBool;

use literal::{Values, Variant};
use oju::{Engine, Limits, MemoryTiers, Position, Profile, Ruleset, Settings, notation};

/// A custom board that holds at least `seeds` seeds.
fn board(rules: Ruleset, row: u8, seeds: u32) -> Profile {
    (1..=24)
        .filter_map(|start| Profile::custom(rules, row, start).ok())
        .find(|profile| profile.seeds() >= seeds)
        .expect("every size has such a board")
}

fn engine(profile: Profile, table_bytes: usize, tiers: MemoryTiers) -> Engine {
    Engine::new(profile, &Settings { table_bytes, threads: 1, tiers, ..Settings::default() }).unwrap()
}

/// The value and the forced interval.
fn numbers(engine: &Engine, position: &Position) -> (i32, (i32, i32)) {
    let stop = AtomicBool::new(false);
    let analysis = engine.analyse_forced(position, &Limits::none(&stop), &()).unwrap();
    assert!(analysis.complete(), "{position}");
    assert_eq!(analysis.value.is_some(), analysis.bounds[0] == analysis.bounds[1]);
    let [low, high] = analysis.forced.unwrap().interval().unwrap();
    for m in &analysis.moves {
        assert!(m.value <= analysis.value, "{position}");
        let [low_of_move, high_of_move] = m.forced.unwrap().interval().unwrap();
        assert!(low_of_move <= low && high_of_move <= high, "{position}");
    }
    (analysis.value.unwrap(), (low, high))
}

fn position(profile: &Profile, counts: &[u32], side: char) -> Position {
    let counts: Vec<String> = counts.iter().map(u32::to_string).collect();
    notation::parse_position(profile, &format!("{} {side}", counts.join(" "))).unwrap()
}

/// Every position of all tiers up to `most` seeds, on a board of two rows of `row` pits.
fn whole_board(rules: Ruleset, row: u8, most: u32, table_bytes: usize, tiers: MemoryTiers) -> usize {
    let profile = board(rules, row, most);
    let variant = Variant::of_profile(rules.name());
    let values = Values::solve(variant, usize::from(row), most);
    let forced = literal::solve_forced(variant, usize::from(row), most);
    let mut positions = 0;
    // The engine is kept from one position to the next: what it has stored must not mislead it.
    let engine = engine(profile, table_bytes, tiers);
    let unit = if rules.is_hoyito() { 4 } else { 1 };
    for seeds in (0..=most).step_by(unit) {
        for (counts, expected) in values.tier(seeds) {
            let side = if positions % 2 == 0 { 'S' } else { 'N' };
            let turned: Vec<u32> = match side {
                'S' => counts.clone(),
                _ => [&counts[counts.len() / 2..], &counts[..counts.len() / 2]].concat(),
            };
            let position = position(&profile, &turned, side);
            let expected = (expected, forced.get(counts));
            assert_eq!(numbers(&engine, &position), expected, "{profile} {position}");
            positions += 1;
        }
    }
    positions
}

/// Boards of two rows of n pits with up to s seeds: C(2n + s, s).
fn all_boards(rules: Ruleset, table_bytes: usize, tiers: MemoryTiers) {
    let count = |row, most| whole_board(rules, row, most, table_bytes, tiers);
    let counts = [count(2, 8), count(3, 8), count(4, 8), count(6, 6)];
    if rules.is_hoyito() {
        // Tiers of 0, 4 and 8 seeds: 1 + C(3 + 4, 4) + C(3 + 8, 8), and so on; with 6 seeds 0 and 4.
        assert_eq!(counts, [1 + 35 + 165, 1 + 126 + 1287, 1 + 330 + 6435, 1 + 1365]);
    } else {
        assert_eq!(counts, [495, 3003, 12870, 18564]);
    }
}

/// No tier is solved beforehand: the search proves everything from the rules, with tables much smaller than
/// the boards' number (64 KiB hold some two thousand entries).
fn without_tiers(rules: Ruleset) {
    all_boards(rules, 1 << 16, MemoryTiers::None);
}

#[test]
fn ayoayo_without_tiers() {
    without_tiers(Ruleset::Ayoayo);
}

#[test]
fn ayoayo_holder_without_tiers() {
    without_tiers(Ruleset::AyoayoHolder);
}

#[test]
fn ayoayo_pratt_without_tiers() {
    without_tiers(Ruleset::AyoayoPratt);
}

#[test]
fn hoyito_without_tiers() {
    without_tiers(Ruleset::Hoyito);
}

#[test]
fn hoyito_opponent_without_tiers() {
    without_tiers(Ruleset::HoyitoOpponent);
}

#[test]
fn every_rule_set_with_no_room_in_any_table() {
    for rules in Ruleset::ALL {
        for row in [2, 3, 4] {
            whole_board(rules, row, 4, 1, MemoryTiers::None);
        }
    }
}

#[test]
fn every_rule_set_with_some_tiers_below_the_search() {
    for rules in Ruleset::ALL {
        whole_board(rules, 4, 8, 100_003, MemoryTiers::UpTo(4));
    }
}

#[test]
fn tiers_in_memory_are_those_of_value_iteration() {
    for rules in Ruleset::ALL {
        all_boards(rules, 1, MemoryTiers::UpTo(8));
    }
}
