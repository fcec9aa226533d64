//! The tables of single moves, move-sequence counts and exact values in `tests/cases`, row by row.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use oju::{
    Engine, LegalMove, Limits, MemoryTiers, MoveError, Options, Position, Profile, Settings, notation,
};

const MOVES: &str = include_str!("cases/moves.tsv");
const PERFT: &str = include_str!("cases/perft.tsv");
const VALUES: &str = include_str!("cases/values.tsv");

/// The rows of a table, those of one profile together, without its heading.
fn rows(table: &'static str) -> BTreeMap<&'static str, Vec<Vec<&'static str>>> {
    let mut rows: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.split('\t').collect();
        rows.entry(fields[0]).or_default().push(fields);
    }
    let names: BTreeSet<_> = Profile::ALL.iter().map(Profile::to_string).collect();
    assert!(rows.keys().copied().eq(names.iter()), "a table has rows for each profile");
    rows
}

fn engine(profile: &str) -> Engine {
    let settings = Settings { table_bytes: 64 << 20, ..Settings::default() };
    Engine::new(profile.parse().unwrap(), &settings).unwrap()
}

fn at(engine: &Engine, text: &str) -> Position {
    let position = notation::parse_position(engine.profile(), text).unwrap();
    assert_eq!(position.to_string(), text);
    position
}

fn moves(engine: &Engine, position: &Position) -> Vec<LegalMove> {
    match engine.options(position) {
        Options::Moves(moves) => moves,
        Options::Over { shares } => panic!("{position} is over: {shares:?}"),
    }
}

/// The same game seen from across the table: rows, stores and the side to move exchanged.
fn rotated(engine: &Engine, position: &Position) -> Position {
    let (south, north) = position.counts().split_at(position.row());
    let mut words: Vec<String> = [north, south].concat().iter().map(u8::to_string).collect();
    let [south, north] = position.stores();
    words.extend([north.to_string(), south.to_string()]);
    words.push(if position.side().index() == 0 { "N" } else { "S" }.to_owned());
    at(engine, &words.join("-"))
}

fn across(letter: char) -> char {
    if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
}

fn all_seeds(position: &Position) -> u32 {
    position.seeds() + position.stores().iter().sum::<u32>()
}

// moves.tsv

#[test]
fn every_single_move_is_played_as_listed() {
    for (profile, rows) in rows(MOVES) {
        let engine = engine(profile);
        for row in rows {
            let [_, text, letter, result, captured, laps] = row[..] else { panic!("{row:?}") };
            let position = at(&engine, text);
            let letter: char = letter.parse().unwrap();
            let numbers = (captured.parse().unwrap(), laps.parse().unwrap());
            let legal = moves(&engine, &position);
            let listed = legal.iter().find(|m| m.letter == letter);
            match (result, engine.play(&position, letter)) {
                ("endless", Err(error)) => {
                    assert_eq!(error, MoveError::Endless(letter), "{row:?}");
                    assert!(engine.endless(&position).contains(&letter), "{row:?}");
                    assert_eq!(listed, None, "{row:?}");
                }
                ("illegal (does not feed)", Err(error)) => {
                    assert_eq!(error, MoveError::DoesNotFeed(letter), "{row:?}");
                    assert!(!engine.endless(&position).contains(&letter), "{row:?}");
                    assert_eq!(listed, None, "{row:?}");
                }
                (after, Ok(m)) => {
                    assert_eq!(m.position.to_string(), after, "{row:?}");
                    assert_eq!((m.captured, m.laps), numbers, "{row:?}");
                    assert_eq!(m.again, m.position.side() == position.side(), "{row:?}");
                    assert_eq!(listed, Some(&m), "{row:?}");
                    assert!(!engine.endless(&position).contains(&letter), "{row:?}");
                    assert!(letter != '-' || legal.len() == 1, "{row:?}");
                }
                (_, Err(error)) => panic!("{row:?}: {error}"),
            }
        }
    }
}

#[test]
fn a_rotated_position_has_the_same_moves() {
    for (profile, rows) in rows(MOVES) {
        let engine = engine(profile);
        for row in rows {
            let position = at(&engine, row[1]);
            let turned = rotated(&engine, &position);
            assert_eq!(rotated(&engine, &turned), position);
            let expected: Vec<_> = moves(&engine, &position)
                .into_iter()
                .map(|m| LegalMove { letter: across(m.letter), position: rotated(&engine, &m.position), ..m })
                .collect();
            assert_eq!(moves(&engine, &turned), expected, "{row:?}");
            let endless: Vec<_> = engine.endless(&position).into_iter().map(across).collect();
            assert_eq!(engine.endless(&turned), endless, "{row:?}");
        }
    }
}

#[test]
fn no_move_makes_or_loses_seeds() {
    for (profile, rows) in rows(MOVES) {
        let engine = engine(profile);
        for row in rows {
            let position = at(&engine, row[1]);
            let mover = position.side().index();
            for m in moves(&engine, &position) {
                assert_eq!(all_seeds(&m.position), engine.profile().seeds(), "{row:?} {}", m.letter);
                let mut stores = position.stores();
                stores[mover] += m.captured;
                assert_eq!(m.position.stores(), stores, "{row:?} {}", m.letter);
                if let Options::Over { shares } = engine.options(&m.position) {
                    assert_eq!(shares.iter().sum::<u32>(), m.position.seeds(), "{row:?} {}", m.letter);
                }
            }
        }
    }
}

/// Every way to lay `seeds` seeds into `pits` pits.
fn lay(pits: usize, seeds: u8) -> Vec<Vec<u8>> {
    if pits == 1 {
        return vec![vec![seeds]];
    }
    let rest = |first| lay(pits - 1, seeds - first).into_iter().map(move |rest| [vec![first], rest].concat());
    (0..=seeds).flat_map(rest).collect()
}

#[test]
fn a_single_seeded_pit_a_is_the_one_legal_move_and_the_game_goes_on() {
    for profile in Profile::ALL {
        let engine = engine(&profile.to_string());
        let row = profile.row();
        let totals: &[u8] = match (profile.rules().is_hoyito(), row) {
            (false, _) => &[2, 3, 4, 5, 6],
            (true, 6) => &[4, 8],
            (true, _) => &[4],
        };
        for (&total, own) in totals.iter().flat_map(|total| (1..*total).map(move |own| (total, own))) {
            for other in lay(row, total - own) {
                let mut first = vec![0; row];
                first[0] = own;
                let words: Vec<_> = first.iter().chain(&other).map(u8::to_string).collect();
                let stores = format!("{}-0", profile.seeds() - u32::from(total));
                let position = at(&engine, &format!("{}-{stores}-S", words.join("-")));
                for (position, letter) in [(position, 'A'), (rotated(&engine, &position), 'a')] {
                    let letters: Vec<_> = moves(&engine, &position).iter().map(|m| m.letter).collect();
                    assert_eq!(letters, [letter], "{profile} {position}");
                }
            }
        }
    }
}

// perft.tsv

#[test]
fn every_count_of_move_sequences_is_as_listed() {
    for (profile, rows) in rows(PERFT) {
        let engine = engine(profile);
        for row in rows {
            let [_, text, depth, count] = row[..] else { panic!("{row:?}") };
            let position = at(&engine, text);
            let (depth, count): (u32, u64) = (depth.parse().unwrap(), count.parse().unwrap());
            assert_eq!(engine.perft(&position, depth), count, "{row:?}");
            assert_eq!(engine.perft(&rotated(&engine, &position), depth), count, "{row:?} rotated");
        }
    }
}

// values.tsv

fn values_of(profile: &str, tiers: MemoryTiers) {
    let settings = Settings { table_bytes: 64 << 20, tiers, ..Settings::default() };
    let engine = Engine::new(profile.parse().unwrap(), &settings).unwrap();
    let stop = AtomicBool::new(false);
    for row in &rows(VALUES)[profile] {
        let [_, text, value, low, high] = row[..] else { panic!("{row:?}") };
        let position = at(&engine, text);
        let value: i32 = value.parse().unwrap();
        let forced = match (low, high) {
            ("-", "-") => None,
            _ => Some([low.parse().unwrap(), high.parse::<i32>().unwrap()]),
        };
        if let Some([low, high]) = forced {
            assert!(low <= value && value <= high, "{row:?}");
        }
        let limits = Limits::none(&stop);
        let analysis = engine.analyse_forced(&position, &limits, &()).unwrap();
        assert_eq!((analysis.value, analysis.exact), (Some(value), true), "{row:?}");
        assert_eq!(analysis.bounds, [value, value], "{row:?}");
        if let Some(forced) = forced {
            let found = analysis.forced.unwrap();
            assert_eq!(found.interval(), Some(forced), "{row:?}");
            assert_eq!(found.standoff(), Some(forced[0] < forced[1]), "{row:?}");
        }
        match engine.options(&position) {
            Options::Over { shares } => {
                let mover = position.side().index();
                assert_eq!(shares[mover] as i32 - shares[1 - mover] as i32, value, "{row:?}");
                assert!(analysis.over && analysis.moves.is_empty(), "{row:?}");
            }
            Options::Moves(moves) => {
                assert!(!analysis.over, "{row:?}");
                let listed: BTreeSet<_> = analysis.moves.iter().map(|m| m.letter).collect();
                assert!(listed.into_iter().eq(moves.iter().map(|m| m.letter)), "{row:?}");
                assert!(analysis.moves.iter().all(|m| m.exact), "{row:?}");
                assert_eq!(analysis.moves.iter().filter_map(|m| m.value).max(), Some(value), "{row:?}");
                assert_eq!(analysis.moves[0].value, Some(value), "{row:?}");
            }
        }
    }
}

#[test]
fn every_ayoayo_value_is_as_listed() {
    values_of("ayoayo", MemoryTiers::Small);
}

#[test]
fn every_ayoayo_holder_value_is_as_listed() {
    values_of("ayoayo-holder", MemoryTiers::Small);
}

#[test]
fn every_ayoayo_pratt_value_is_as_listed() {
    values_of("ayoayo-pratt", MemoryTiers::Small);
}

#[test]
fn every_hoyito_value_is_as_listed() {
    values_of("hoyito", MemoryTiers::Small);
}

#[test]
fn every_hoyito_opponent_value_is_as_listed() {
    // Most of its positions of 16 seeds are stand-offs that a search takes minutes to settle.
    values_of("hoyito-opponent", MemoryTiers::UpTo(16));
}

#[test]
fn every_hoyito12_value_is_as_listed() {
    values_of("hoyito12", MemoryTiers::Small);
}
