//! What holds of every position of every board, tried on random ones.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use oju::batch::Lines;
use oju::board::{Board, MAX_SEEDS};
use oju::{
    Analysis, Engine, LegalMove, Limits, MemoryTiers, Options, Position, Profile, Ruleset, Settings, Side,
    index, notation,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// An engine of few threads and little memory, made once a profile.
fn with_engine<T>(profile: &Profile, tiers: MemoryTiers, ask: impl FnOnce(&Engine) -> T) -> T {
    thread_local!(static ENGINES: RefCell<Vec<Engine>> = const { RefCell::new(Vec::new()) });
    ENGINES.with_borrow_mut(|engines| {
        let at = engines.iter().position(|engine| engine.profile() == profile).unwrap_or_else(|| {
            let settings = Settings { table_bytes: 1 << 20, threads: 1, tiers, ..Settings::default() };
            engines.push(Engine::new(*profile, &settings).unwrap());
            engines.len() - 1
        });
        ask(&engines[at])
    })
}

/// Any profile: a named one, or a custom board whose rows have so many pits.
fn profile(rows: std::ops::RangeInclusive<u8>) -> impl Strategy<Value = Profile> {
    let named: Vec<Profile> =
        Profile::ALL.into_iter().filter(|profile| rows.contains(&(profile.row() as u8))).collect();
    let custom: Vec<Profile> = Ruleset::ALL
        .into_iter()
        .flat_map(|rules| rows.clone().map(move |row| (rules, row)))
        .flat_map(|(rules, row)| (1..=24).filter_map(move |start| Profile::custom(rules, row, start).ok()))
        .collect();
    select([named, custom].concat())
}

/// Counts of a board of a profile with at most so many seeds, and one side's share of what is not on it.
fn counts(profile: Profile, most: u32) -> impl Strategy<Value = (Vec<u32>, [u32; 2])> {
    let pits = 2 * profile.row();
    // Where each seed lies: often in few pits, so that there are heaps.
    let places = vec(any::<Index>(), 1..=pits);
    let most = most.min(profile.seeds()) as usize;
    (places, vec(any::<Index>(), 0..=most), any::<Index>()).prop_map(move |(places, seeds, share)| {
        let mut counts = vec![0; pits];
        let seeds = &seeds[..seeds.len() - seeds.len() % profile.unit() as usize];
        for seed in seeds {
            counts[seed.get(&places).index(pits)] += 1;
        }
        let taken = profile.seeds() as usize - seeds.len();
        let south = share.index(taken + 1) as u32;
        (counts, [south, taken as u32 - south])
    })
}

fn text(counts: &[u32], stores: [u32; 2], side: Side) -> String {
    let numbers = counts.iter().chain(&stores).map(|number| format!("{number}-"));
    numbers.collect::<String>() + if side == Side::South { "S" } else { "N" }
}

/// A profile and one of its positions.
fn position(rows: std::ops::RangeInclusive<u8>, most: u32) -> impl Strategy<Value = (Profile, Position)> {
    let counts =
        move |profile| (Just(profile), counts(profile, most), select(vec![Side::South, Side::North]));
    profile(rows).prop_flat_map(counts).prop_map(|(profile, (counts, stores), side)| {
        let text = text(&counts, stores, side);
        (profile, notation::parse_position(&profile, &text).unwrap())
    })
}

/// The same position seen from the other side of the table: rows, stores and sides change places.
fn turned(profile: &Profile, position: &Position) -> Position {
    let counts: Vec<u32> = position.counts().iter().map(|&count| count.into()).collect();
    let (south, north) = counts.split_at(position.row());
    let [south_store, north_store] = position.stores();
    let text = text(&[north, south].concat(), [north_store, south_store], position.side().other());
    notation::parse_position(profile, &text).unwrap()
}

fn turned_letter(letter: char) -> char {
    if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
}

fn turned_options(profile: &Profile, options: Options) -> Options {
    match options {
        Options::Over { shares: [south, north] } => Options::Over { shares: [north, south] },
        Options::Moves(moves) => {
            let turned = |m: LegalMove| LegalMove {
                letter: turned_letter(m.letter),
                position: turned(profile, &m.position),
                ..m
            };
            Options::Moves(moves.into_iter().map(turned).collect())
        }
    }
}

fn turned_analysis(profile: &Profile, analysis: Analysis) -> Analysis {
    let mut turned = Analysis {
        position: turned(profile, &analysis.position),
        turn: analysis.turn.other(),
        result: analysis.result.map(|[south, north]| [north, south]),
        endless: analysis.endless.into_iter().map(turned_letter).collect(),
        line: analysis.line.chars().map(turned_letter).collect(),
        // Taken the second time they are fewer.
        nodes: 0,
        time_ms: 0.0,
        ..analysis
    };
    for m in &mut turned.moves {
        m.letter = turned_letter(m.letter);
        m.position = self::turned(profile, &m.position);
    }
    turned
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_move_makes_or_loses_a_seed((profile, start) in position(2..=12, 48), choices in vec(any::<Index>(), 0..12)) {
        with_engine(&profile, MemoryTiers::None, |engine| {
            let mut position = start;
            for choice in choices {
                match engine.options(&position) {
                    Options::Over { shares } => {
                        prop_assert_eq!(shares.iter().sum::<u32>(), position.seeds());
                        break;
                    }
                    Options::Moves(moves) => {
                        for m in &moves {
                            let mover = position.side().index();
                            let mut stores = position.stores();
                            stores[mover] += m.captured;
                            prop_assert_eq!(m.position.stores(), stores);
                            prop_assert_eq!(m.position.seeds() + m.captured, position.seeds());
                            prop_assert_eq!(m.position.side() == position.side(), m.again);
                        }
                        position = choice.get(&moves).position;
                    }
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn north_plays_as_south_would((profile, position) in position(2..=12, 48)) {
        with_engine(&profile, MemoryTiers::None, |engine| {
            let expected = turned_options(&profile, engine.options(&position));
            prop_assert_eq!(engine.options(&turned(&profile, &position)), expected);
            Ok(())
        })?;
    }

    #[test]
    fn what_play_leads_to_is_read_again_with_stores_or_without((profile, position) in position(2..=12, 48)) {
        let counts: Vec<u32> = position.counts().iter().map(|&count| count.into()).collect();
        let bare = counts.iter().map(|count| format!("{count}-")).collect::<String>()
            + if position.side() == Side::South { "S" } else { "N" };
        let bare = notation::parse_position(&profile, &bare).unwrap();
        with_engine(&profile, MemoryTiers::None, |engine| {
            for position in [position, bare] {
                let Options::Moves(moves) = engine.options(&position) else { continue };
                for m in moves {
                    let text = m.position.to_string();
                    let read = notation::parse_position(&profile, &text);
                    let read = read.map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
                    prop_assert_eq!(read.to_string(), text);
                    prop_assert_eq!((read.counts(), read.side()), (m.position.counts(), m.position.side()));
                    if read.stores() != [0, 0] {
                        prop_assert_eq!(read, m.position);
                    }
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn whatever_is_printed_is_read_again((profile, position) in position(2..=12, 96), blanks in vec(0..4usize, 27)) {
        prop_assert_eq!(notation::parse_position(&profile, &position.to_string()), Ok(position));
        let separated = position.to_string().split('-').zip(blanks).fold(String::new(), |text, (word, blank)| {
            text + word + [" ", ", ", "/", " - "][blank]
        });
        let separated = separated.trim_end_matches(|c: char| " -,/".contains(c));
        prop_assert_eq!(notation::parse_position(&profile, separated), Ok(position), "{}", separated);
        prop_assert_eq!(profile.to_string().parse(), Ok(profile));
    }

    #[test]
    fn a_question_in_json_is_the_same_in_text((profile, position) in position(2..=6, 48), choice in any::<Index>()) {
        with_engine(&profile, MemoryTiers::None, |engine| {
            let (letter, after) = match engine.options(&position) {
                Options::Over { .. } => (String::new(), position),
                Options::Moves(moves) => {
                    let m = choice.get(&moves);
                    (m.letter.to_string(), m.position)
                }
            };
            let json = serde_json::json!({ "position": position.to_string(), "moves": letter });
            let input = format!("{json}\n{position} {letter}\n");
            let mut lines = Lines::new(input.as_bytes(), None);
            for number in 1..=2 {
                let line = lines.next_line().unwrap().unwrap();
                prop_assert_eq!(line.number(), number);
                prop_assert_eq!(line.position(engine), Ok(after));
            }
            Ok(())
        })?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Small boards, whose values are known whole: with distances, forced intervals and best play.
    #[test]
    fn north_is_told_what_south_would_be((profile, position) in position(2..=4, 8)) {
        with_engine(&profile, MemoryTiers::UpTo(8), |engine| {
            let stop = AtomicBool::new(false);
            let ask = |position| engine.analyse_forced(position, &Limits::none(&stop), &()).unwrap();
            let (south, north) = (ask(&position), ask(&turned(&profile, &position)));
            prop_assert!(south.exact);
            let north = Analysis { nodes: 0, time_ms: 0.0, ..north };
            prop_assert_eq!(turned_analysis(&profile, south), north);
            Ok(())
        })?;
    }
}

/// Ways to put `seeds` seeds into `pits` pits: C(seeds + pits - 1, pits - 1), one factor at a time.
fn ways(pits: u128, seeds: u128) -> u128 {
    (1..pits).fold(1, |ways, factor| ways * (seeds + factor) / factor)
}

/// The number of a board among those of its tier: how many come before it, pit by pit.
fn counted_rank(counts: &[u8]) -> u128 {
    let mut left: u128 = counts.iter().map(|&count| u128::from(count)).sum();
    let mut rank = 0;
    for (pit, &count) in counts[..counts.len() - 1].iter().enumerate() {
        let after = (counts.len() - pit - 1) as u128;
        rank += (0..u128::from(count)).map(|fewer| ways(after, left - fewer)).sum::<u128>();
        left -= u128::from(count);
    }
    rank
}

fn ranked<const P: usize>(counts: &[u8]) {
    let counts = &counts[..P];
    let board = Board::<P>::from_counts(counts);
    let seeds = board.seeds();
    let (size, rank) = (ways(P as u128, seeds.into()), counted_rank(counts));
    assert_eq!(index::tier_size(P, seeds), size);
    let below: u128 = (0..seeds.into()).map(|fewer| ways(P as u128, fewer)).sum();
    assert_eq!(index::global_rank(&board), below + rank, "{board:?}");
    let Ok(last) = u64::try_from(size - 1) else { return };
    assert_eq!(u128::from(index::rank(&board)), rank, "{board:?}");
    assert_eq!(index::unrank::<P>(seeds, rank as u64), board);
    // The next one comes later in the order of counts, and has the next number.
    let mut next = board.counts();
    assert_eq!(index::next_counts(&mut next), rank as u64 != last, "{board:?}");
    if rank as u64 != last {
        assert!(next > board.counts());
        assert_eq!(index::rank(&Board::<P>::from_counts(&next)), rank as u64 + 1);
        assert_eq!(index::successor(&board), Some(Board::from_counts(&next)));
    }
    let mut ends = [[0; P]; 2];
    (ends[0][P - 1], ends[1][0]) = (seeds as u8, seeds as u8);
    assert_eq!(index::unrank::<P>(seeds, 0).counts(), ends[0]);
    assert_eq!(index::unrank::<P>(seeds, last).counts(), ends[1]);
    assert_eq!(index::rank(&Board::<P>::from_counts(&ends[1])), last);
}

/// The same on boards of all sizes.
fn ranked_on_all_boards(counts: &[u8]) {
    ranked::<4>(counts);
    ranked::<6>(counts);
    ranked::<8>(counts);
    ranked::<10>(counts);
    ranked::<12>(counts);
    ranked::<14>(counts);
    ranked::<16>(counts);
    ranked::<18>(counts);
    ranked::<20>(counts);
    ranked::<22>(counts);
    ranked::<24>(counts);
}

proptest! {
    #[test]
    fn ranks_count_the_boards_before(places in vec(any::<Index>(), 0..=MAX_SEEDS as usize), pits in 1..=24usize) {
        let mut counts = [0; 24];
        places.iter().for_each(|place| counts[place.index(pits)] += 1);
        ranked_on_all_boards(&counts);
    }
}

#[test]
fn the_largest_ranks_of_every_tier_fit() {
    for seeds in 0..=MAX_SEEDS as u8 {
        for pit in [0, 3, 11, 23] {
            let mut counts = [0; 24];
            counts[pit] = seeds;
            ranked_on_all_boards(&counts);
        }
    }
    // The last board of all on 2x12: as many come before it as there are with up to 96 seeds, C(120, 24), but itself.
    let mut last = [0; 24];
    last[0] = 96;
    assert_eq!(index::global_rank(&Board::<24>::from_counts(&last)), ways(25, 96) - 1);
}
