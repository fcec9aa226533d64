//! The suite of positions in `tests/positions`: that it is what its README says, and that a search without files finds the values.
//!
//! The values were computed by two engines that had to agree (`examples/make_suite.rs`); the whole suite is searched by
//! `cargo bench --bench search`.

mod positions;
mod random;

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use oju::{Engine, Limits, MemoryTiers, Options, Profile, Settings};

/// Positions of each profile that are searched here: those with the fewest seeds above the tiers in memory.
const SEARCHED: usize = 40;

fn engine(profile: Profile, tiers: MemoryTiers) -> Engine {
    let settings = Settings { table_bytes: 64 << 20, threads: 2, tiers, ..Settings::default() };
    Engine::new(profile, &settings).unwrap()
}

#[test]
fn the_positions_are_a_thousand_boards_of_random_games_that_go_on() {
    for profile in Profile::ALL {
        let engine = engine(profile, MemoryTiers::None);
        let rows = positions::read(&profile);
        assert_eq!(rows.len(), positions::POSITIONS, "{profile}");
        let boards: HashSet<_> = rows.iter().map(|row| positions::mover_view(&row.position)).collect();
        assert_eq!(boards.len(), rows.len(), "{profile}");
        for row in &rows {
            let (position, seeds) = (row.position, row.position.seeds());
            assert_eq!(
                seeds + position.stores().iter().sum::<u32>(),
                profile.seeds(),
                "{profile} {position}"
            );
            assert!(seeds <= positions::most_seeds(&profile), "{profile} {position}");
            assert!(matches!(engine.options(&position), Options::Moves(_)), "{profile} {position}");
            if let Some(value) = row.value {
                assert!(value.unsigned_abs() <= seeds, "{profile} {position}");
                assert_eq!(value.rem_euclid(profile.unit() as i32), 0, "{profile} {position}");
            }
        }
        let made: Vec<_> = rows.iter().map(|row| row.position).collect();
        assert_eq!(made, positions::random_play(&engine), "{profile}: the games played again");
    }
}

#[test]
fn a_search_without_files_finds_the_values() {
    // The others are full of stand-offs that a search takes minutes for.
    for profile in ["ayoayo", "ayoayo-holder", "ayoayo-pratt", "hoyito"] {
        let profile: Profile = profile.parse().unwrap();
        let engine = engine(profile, MemoryTiers::Small);
        let above = 12;
        let mut rows = positions::read(&profile);
        rows.retain(|row| row.value.is_some() && row.position.seeds() > above);
        rows.sort_by_key(|row| row.position.seeds());
        assert!(rows.len() >= SEARCHED, "{profile}");
        for row in &rows[..SEARCHED] {
            let stop = AtomicBool::new(false);
            let limits = Limits::none(&stop);
            let analysis = engine.analyse(&row.position, &limits, &()).unwrap();
            assert_eq!(analysis.value, row.value, "{profile} {}", row.position);
        }
    }
}
