//! The engine against the literal rules: random games on every board size, heaps, and move-sequence counts.

mod literal;
mod random;

use literal::{Legality, State, Turn, Variant};
use oju::{Engine, LegalMove, MoveError, Options, Position, Profile, Ruleset, Settings, Side, notation};
use random::Random;

/// Random moves played and compared with each rule set; together at least 100,000.
const MOVES_PER_RULES: usize = 40_000;
const _: () = assert!(MOVES_PER_RULES * Ruleset::ALL.len() >= 100_000);

/// Laps after which a sowing is left out as too long for the literal rules.
const LONGEST: usize = 100_000;

fn engine(profile: Profile) -> Engine {
    Engine::new(
        profile,
        &Settings { table_bytes: 1 << 20, threads: 1, tiers: oju::MemoryTiers::None, ..Settings::default() },
    )
    .unwrap()
}

/// The engine's position, read from the text of the literal one.
fn position(engine: &Engine, state: &State) -> Position {
    notation::parse_position(engine.profile(), &state.text()).unwrap()
}

/// Whether the sowing comes to an end, or back to where it was, soon enough for the literal rules, which
/// remember every lap.
fn is_short(engine: &Engine, position: &Position, letter: char) -> bool {
    let mut mark = None;
    for (number, lap) in engine.laps(position, letter).enumerate().take(LONGEST) {
        if mark.as_ref() == Some(&lap) {
            return true;
        }
        if (number + 1).is_power_of_two() {
            mark = Some(lap);
        }
        if number + 1 == LONGEST {
            return false;
        }
    }
    true
}

/// What has been met, so that a comparison that never met it does not pass for one.
#[derive(Debug, Default)]
struct Met {
    positions: usize,
    moves_listed: usize,
    moves_played: usize,
    /// Positions left out for a sowing that is too long.
    left_out: usize,
    /// Passes of a side without seeds, and of one with seeds whose sowings are all endless.
    passes_seedless: usize,
    passes_stuck: usize,
    /// Endings with an empty board, and with seeds left to South and to North.
    endings_empty: usize,
    endings_to: [usize; 2],
    endless: usize,
    /// Endless sowings where the other side has no seeds.
    endless_unfed: usize,
    does_not_feed: usize,
    captures: usize,
    /// Hoyito captures of more than four that leave seeds, and those that empty the board.
    chains: usize,
    last_fours: usize,
    /// Captures of the side that has no seeds left then.
    captures_of_all_own: usize,
    /// Sowings whose first lap, or a later one, has 2R seeds or more.
    heavy_first_laps: usize,
    heavy_later_laps: usize,
    /// Sowings of a hundred laps or more.
    long: usize,
}

/// Compares what the side to move can do, and gives it with the literal turn.
fn compare_options(engine: &Engine, state: &State, position: &Position) -> (Turn, Options) {
    let side = position.side();
    let row = position.row();
    let turn = literal::turn(Variant::of_profile(engine.profile().rules().name()), state);
    let expected = match &turn {
        Turn::Over { margin } => {
            let mut shares = [0; 2];
            let winner = if *margin > 0 { state.side } else { 1 - state.side };
            shares[winner] = margin.unsigned_abs();
            assert!(*margin == 0 || margin.unsigned_abs() == position.seeds(), "{position}");
            Options::Over { shares }
        }
        Turn::Pass(after) => Options::Moves(vec![pass(engine, after)]),
        Turn::Moves(moves) => {
            let legal = moves.iter().map(|(pit, after, captured, laps, again)| LegalMove {
                letter: side.letter(pit - state.side * row),
                captured: *captured,
                again: *again,
                laps: u32::try_from(*laps).unwrap(),
                position: self::position(engine, after),
            });
            Options::Moves(legal.collect())
        }
    };
    let options = engine.options(position);
    assert_eq!(options, expected, "{} {position}", engine.profile());
    (turn, options)
}

/// A forced pass.
fn pass(engine: &Engine, after: &State) -> LegalMove {
    LegalMove { letter: '-', captured: 0, again: false, laps: 0, position: position(engine, after) }
}

/// Compares all that can be said of one position, and gives the literal turn.
fn compare(engine: &Engine, state: &State, met: &mut Met) -> Turn {
    let profile = engine.profile();
    let rules = Variant::of_profile(profile.rules().name());
    let position = position(engine, state);
    assert_eq!(position.to_string(), state.text());
    met.positions += 1;
    let side = if state.side == 0 { Side::South } else { Side::North };
    let row = profile.row();
    let own = &state.pits[state.side * row..][..row];
    let seeds: u32 = state.pits.iter().sum();
    let other_seedless = own.iter().sum::<u32>() == seeds;
    let at = || format!("{profile} {}", state.text());

    // The list of options.
    let (turn, options) = compare_options(engine, state, &position);
    match &turn {
        Turn::Over { .. } if seeds == 0 => met.endings_empty += 1,
        Turn::Over { margin } => {
            met.endings_to[if *margin > 0 { state.side } else { 1 - state.side }] += 1;
        }
        Turn::Pass(_) if own.iter().all(|&count| count == 0) => met.passes_seedless += 1,
        Turn::Pass(_) => met.passes_stuck += 1,
        Turn::Moves(_) => {}
    }
    let listed = match &options {
        Options::Over { .. } => &[][..],
        Options::Moves(moves) => moves,
    };
    met.moves_listed += listed.len();

    // Pit by pit: what is legal can be played, what is not is refused for the right reason.
    let mut endless = Vec::new();
    for (pit, &count) in own.iter().enumerate() {
        let letter = side.letter(pit);
        let answer = engine.play(&position, letter);
        if let Some(m) = listed.iter().find(|m| m.letter == letter) {
            assert_eq!(answer.as_ref(), Ok(m), "{} {letter}", at());
            met.meet_sowing(engine, &position, m);
            continue;
        }
        let legality = literal::legality(rules, state, state.side * row + pit);
        let refusal = match legality {
            Legality::Legal => panic!("{} {letter} is legal and not listed", at()),
            Legality::Empty if own.iter().all(|&count| count == 0) => MoveError::MustPass { letter, side },
            Legality::Empty => MoveError::Empty(letter),
            Legality::Endless => MoveError::Endless(letter),
            Legality::DoesNotFeed => MoveError::DoesNotFeed(letter),
        };
        let over = matches!(options, Options::Over { .. });
        let refusal = if over { MoveError::Over(letter) } else { refusal };
        assert_eq!(answer, Err(refusal), "{} {letter}", at());
        assert_eq!(count == 0, legality == Legality::Empty, "{} {letter}", at());
        met.does_not_feed += usize::from(legality == Legality::DoesNotFeed);
        if legality == Legality::Endless {
            met.endless += 1;
            met.endless_unfed += usize::from(other_seedless);
            endless.push(letter);
        }
    }
    assert_eq!(engine.endless(&position), endless, "{}", at());

    // A pass, and a pit of the other side.
    match (engine.play(&position, '-'), &turn) {
        (Ok(m), Turn::Pass(after)) => assert_eq!(m, pass(engine, after), "{}", at()),
        (Err(error), Turn::Over { .. }) => assert_eq!(error, MoveError::Over('-'), "{}", at()),
        (Err(error), Turn::Moves(_)) => {
            let letters = listed.iter().map(|m| m.letter).collect();
            assert_eq!(error, MoveError::NoPass { side, letters }, "{}", at());
        }
        (answer, _) => panic!("{} -: {answer:?}", at()),
    }
    assert!(engine.play(&position, side.other().letter(0)).is_err(), "{}", at());
    turn
}

impl Met {
    /// A legal sowing: its laps one by one add up to it.
    fn meet_sowing(&mut self, engine: &Engine, before: &Position, m: &LegalMove) {
        let pits = before.counts().len();
        let at = || format!("{} {before} {}", engine.profile(), m.letter);
        let first = (0..pits / 2).find(|&pit| before.side().letter(pit) == m.letter).unwrap();
        let mut lifted = before.counts()[before.side().index() * pits / 2 + first];
        let mut laps = 0;
        let (mut heavy_first, mut heavy_later) = (false, false);
        let mut last = None;
        for lap in engine.laps(before, m.letter) {
            let heavy = usize::from(lifted) >= pits;
            if laps == 0 {
                heavy_first = heavy;
            } else {
                heavy_later |= heavy;
            }
            laps += 1;
            lifted = lap.position.counts()[lap.last];
            assert_eq!(lap.position.seeds(), before.seeds(), "{}", at());
            assert_eq!(lap.position.stores(), before.stores(), "{}", at());
            last = Some(lap);
        }
        assert_eq!(laps, m.laps, "{}", at());
        assert_eq!(before.seeds(), m.position.seeds() + m.captured, "{}", at());
        // What the last lap left is there afterwards, or taken.
        let last = last.unwrap();
        let taken: u32 = last
            .position
            .counts()
            .iter()
            .zip(m.position.counts())
            .map(|(&was, &is)| {
                assert!(is == was || is == 0, "{}", at());
                u32::from(was - is)
            })
            .sum();
        assert_eq!(taken, m.captured, "{}", at());
        self.heavy_first_laps += usize::from(heavy_first);
        self.heavy_later_laps += usize::from(heavy_later);
        self.long += usize::from(m.laps >= 100);
        self.captures += usize::from(m.captured > 0);
        if engine.profile().rules().is_hoyito() && m.captured > 4 {
            self.chains += usize::from(m.position.seeds() > 0);
            self.last_fours += usize::from(m.position.seeds() == 0);
        }
        let own = &m.position.counts()[before.side().index() * pits / 2..][..pits / 2];
        self.captures_of_all_own += usize::from(m.captured > 0 && own.iter().all(|&count| count == 0));
    }

    /// Plays random moves from `state` until the game is over, or `most` moves long.
    fn play(&mut self, engine: &Engine, mut state: State, most: usize, random: &mut Random) {
        for _ in 0..most {
            let position = position(engine, &state);
            let letters = (0..position.row()).map(|pit| position.side().letter(pit));
            if !letters.into_iter().all(|letter| is_short(engine, &position, letter)) {
                self.left_out += 1;
                return;
            }
            state = match compare(engine, &state, self) {
                Turn::Over { .. } => return,
                Turn::Pass(after) => after,
                Turn::Moves(mut moves) => moves.swap_remove(random.index(moves.len())).1,
            };
            self.moves_played += 1;
        }
    }
}

/// The start of a game.
fn start(profile: &Profile) -> State {
    State { pits: vec![profile.start(); 2 * profile.row()], stores: [0, 0], side: 0 }
}

/// A board with what is not on it in the stores.
fn state(profile: &Profile, pits: Vec<u32>, south: u32, side: usize) -> State {
    let taken = profile.seeds() - pits.iter().sum::<u32>();
    let south = south.min(taken);
    State { pits, stores: [south, taken - south], side }
}

/// A random board: few seeds or many, anywhere or in a few pits, in both rows or in one.
fn random_board(profile: &Profile, random: &mut Random) -> State {
    let pits = 2 * profile.row();
    let most = [8, 16, 24, 48, 96][random.index(5)].min(profile.seeds() as usize);
    let mut seeds = random.index(most + 1);
    if profile.rules().is_hoyito() {
        seeds -= seeds % 4;
    }
    let (first, end) = match random.index(6) {
        0 => (0, pits / 2),
        1 => (pits / 2, pits),
        _ => (0, pits),
    };
    let spread = 1 + random.index(end - first);
    let places: Vec<usize> = (0..spread).map(|_| first + random.index(end - first)).collect();
    let mut counts = vec![0; pits];
    for _ in 0..seeds {
        counts[places[random.index(spread)]] += 1;
    }
    let south = random.index(97) as u32;
    state(profile, counts, south, random.index(2))
}

/// All custom boards of one size, by their seeds a pit.
fn boards(rules: Ruleset, row: u8) -> Vec<Profile> {
    (1..=24).filter_map(|start| Profile::custom(rules, row, start).ok()).collect()
}

/// Random games with one rule set: its named profiles, and every board size.
fn random_games(rules: Ruleset) -> Met {
    let mut random = Random::new(0x6f6a_7500 + rules as u64);
    let mut met = Met::default();
    let mut groups: Vec<Vec<Profile>> = (2..=12).map(|row| boards(rules, row)).collect();
    groups.extend(Profile::ALL.into_iter().filter(|p| p.rules() == rules).map(|profile| vec![profile]));
    let share = MOVES_PER_RULES.div_ceil(groups.len());
    for profiles in &groups {
        let engines: Vec<Engine> = profiles.iter().map(|&profile| engine(profile)).collect();
        let wanted = met.moves_played + share;
        while met.moves_played < wanted {
            let engine = &engines[random.index(engines.len())];
            met.play(engine, start(engine.profile()), 60, &mut random);
            for _ in 0..8 {
                // Of the largest board, so that any number of seeds is possible.
                let engine = engines.last().unwrap();
                let board = random_board(engine.profile(), &mut random);
                met.play(engine, board, 8, &mut random);
            }
        }
    }
    assert!(met.moves_played >= MOVES_PER_RULES, "{met:?}");
    assert!(met.moves_listed >= met.moves_played, "{met:?}");
    assert!(met.left_out < 20, "{met:?}");
    for number in [
        met.passes_stuck,
        met.endings_empty,
        met.endless,
        met.captures,
        met.heavy_first_laps,
        met.heavy_later_laps,
        met.long,
    ] {
        assert!(number > 0, "not everything was met: {met:?}");
    }
    met
}

#[test]
fn random_games_of_ayoayo() {
    let met = random_games(Ruleset::Ayoayo);
    assert!(met.passes_seedless > 0 && met.does_not_feed > 0 && met.endless_unfed > 0, "{met:?}");
    assert!(met.endings_to[0] > 0 && met.endings_to[1] > 0, "{met:?}");
}

#[test]
fn random_games_of_ayoayo_holder() {
    let met = random_games(Ruleset::AyoayoHolder);
    assert!(met.passes_seedless == 0 && met.does_not_feed > 0 && met.endless_unfed > 0, "{met:?}");
    assert!(met.endings_to[0] > 0 && met.endings_to[1] > 0, "{met:?}");
}

#[test]
fn random_games_of_ayoayo_pratt() {
    let met = random_games(Ruleset::AyoayoPratt);
    assert!(met.passes_seedless == 0 && met.does_not_feed > 0 && met.endless_unfed > 0, "{met:?}");
    assert!(met.endings_to[0] > 0 && met.endings_to[1] > 0, "{met:?}");
}

#[test]
fn random_games_of_hoyito() {
    let met = random_games(Ruleset::Hoyito);
    assert!(met.passes_seedless > 0 && met.chains > 0 && met.last_fours > 0, "{met:?}");
    assert!(met.captures_of_all_own > 0, "no pass on an extra turn: {met:?}");
    assert!(met.does_not_feed == 0 && met.endings_to == [0, 0], "{met:?}");
}

#[test]
fn random_games_of_hoyito_opponent() {
    let met = random_games(Ruleset::HoyitoOpponent);
    assert!(met.passes_seedless > 0 && met.chains > 0 && met.last_fours > 0, "{met:?}");
    assert!(met.captures_of_all_own > 0, "no pass on an extra turn: {met:?}");
    assert!(met.does_not_feed == 0 && met.endings_to == [0, 0], "{met:?}");
}

#[test]
fn heaps_in_one_pit_of_either_side() {
    for rules in Ruleset::ALL {
        let mut met = Met::default();
        for row in 2..=12 {
            let engine = engine(*boards(rules, row).last().unwrap());
            let profile = *engine.profile();
            let pits = 2 * profile.row();
            let edges = [pits - 1, pits, pits + 1, 2 * pits - 2, 2 * pits - 1, 2 * pits, 2 * pits + 1];
            let heaps = [13, 23, 24, 25, 47, 71].into_iter().chain(edges).filter(|&heap| heap <= 72);
            for heap in heaps {
                for pit in 0..pits {
                    // Alone, with a seed opposite, and with a seed in every other pit.
                    for company in 0..3 {
                        let mut counts = vec![u32::from(company == 2); pits];
                        if company == 1 {
                            counts[pits - 1 - pit] = 1;
                        }
                        counts[pit] = heap as u32;
                        let seeds: u32 = counts.iter().sum();
                        if profile.rules().is_hoyito() {
                            counts[(pit + profile.row()) % pits] += (4 - seeds % 4) % 4;
                        }
                        if counts.iter().sum::<u32>() <= profile.seeds() {
                            compare(
                                &engine,
                                &state(&profile, counts, 0, usize::from(pit >= pits / 2)),
                                &mut met,
                            );
                        }
                    }
                }
            }
        }
        assert!(met.positions > 5_000 && met.heavy_first_laps > 4_000, "{rules:?} {met:?}");
    }
}

#[test]
fn where_no_seed_can_be_fed_and_one_sowing_is_endless_the_game_is_over() {
    for rules in [Ruleset::Ayoayo, Ruleset::AyoayoHolder, Ruleset::AyoayoPratt] {
        let engine = engine(Profile::custom(rules, 2, 24).unwrap());
        let mut found = 0;
        for seeds in 1..=96 {
            for first in 0..=seeds {
                let board = state(engine.profile(), vec![0, 0, first, seeds - first], 0, 1);
                let mut met = Met::default();
                let over = matches!(compare(&engine, &board, &mut met), Turn::Over { .. });
                found += usize::from(over && met.endless > 0);
            }
        }
        assert!(found > 0, "{rules:?}");
    }
}

#[test]
fn move_sequences_from_the_start_are_as_many() {
    for profile in Profile::ALL {
        let (engine, start) = (engine(profile), start(&profile));
        let position = Position::start(&profile);
        assert_eq!(position, self::position(&engine, &start));
        for depth in 0..=if profile.row() == 12 { 2 } else { 4 } {
            let expected = literal::perft(Variant::of_profile(profile.rules().name()), &start, depth);
            assert!(depth == 0 || expected > 1, "{profile}");
            assert_eq!(engine.perft(&position, depth), expected, "{profile} {depth}");
        }
    }
}

/// The same from the other side of the board: rows, stores and the side to move exchanged.
fn turned(state: &State) -> State {
    let (south, north) = state.pits.split_at(state.pits.len() / 2);
    let [of_south, of_north] = state.stores;
    State { pits: [north, south].concat(), stores: [of_north, of_south], side: 1 - state.side }
}

/// Every board of up to 8 seeds on 2x6, from both sides: over, a pass or moves, just as the rules say.
fn every_small_board(rules: Ruleset) {
    let profile = *Profile::ALL.iter().find(|p| p.rules() == rules && p.row() == 6).unwrap();
    let engine = engine(profile);
    let mut boards = 0;
    let (mut over, mut passes) = (0, 0);
    for seeds in (0..=8).step_by(profile.unit() as usize) {
        for pits in literal::positions(6, seeds) {
            let state = state(&profile, pits, 20, 0);
            for state in [turned(&state), state] {
                match compare_options(&engine, &state, &position(&engine, &state)).0 {
                    Turn::Over { .. } => over += 1,
                    Turn::Pass(_) => passes += 1,
                    // A turn that is not over has a move, else it is a pass.
                    Turn::Moves(moves) => assert!(!moves.is_empty()),
                }
                boards += 1;
            }
        }
    }
    // C(8 + 12, 12) boards, or those of 0, 4 and 8 seeds: 1 + C(15, 4) + C(19, 8).
    assert_eq!(boards, 2 * if rules.is_hoyito() { 1 + 1_365 + 75_582 } else { 125_970 });
    assert!(over > 0 && (passes > 0 || matches!(rules, Ruleset::AyoayoHolder | Ruleset::AyoayoPratt)));
}

#[test]
fn every_small_board_of_ayoayo() {
    every_small_board(Ruleset::Ayoayo);
}

#[test]
fn every_small_board_of_ayoayo_holder() {
    every_small_board(Ruleset::AyoayoHolder);
}

#[test]
fn every_small_board_of_ayoayo_pratt() {
    every_small_board(Ruleset::AyoayoPratt);
}

#[test]
fn every_small_board_of_hoyito() {
    every_small_board(Ruleset::Hoyito);
}

#[test]
fn every_small_board_of_hoyito_opponent() {
    every_small_board(Ruleset::HoyitoOpponent);
}

#[test]
fn ten_thousand_boards_are_the_same_from_the_other_side() {
    let across =
        |c: char| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
    for profile in Profile::ALL {
        let engine = engine(profile);
        let turned_position = |p: &Position| position(&engine, &turned(&State::parse(&p.to_string())));
        let mut random = Random::new(profile.fingerprint().into());
        let (mut over, mut passes) = (0, 0);
        for _ in 0..10_000 {
            let board = position(&engine, &random_board(&profile, &mut random));
            let other = turned_position(&board);
            let expected = match engine.options(&board) {
                Options::Over { shares: [south, north] } => {
                    over += 1;
                    Options::Over { shares: [north, south] }
                }
                Options::Moves(moves) => {
                    passes += usize::from(moves[0].letter == '-');
                    let turned = |m: LegalMove| LegalMove {
                        letter: across(m.letter),
                        position: turned_position(&m.position),
                        ..m
                    };
                    Options::Moves(moves.into_iter().map(turned).collect())
                }
            };
            assert_eq!(engine.options(&other), expected, "{profile} {board}");
            let endless: Vec<char> = engine.endless(&board).into_iter().map(across).collect();
            assert_eq!(engine.endless(&other), endless, "{profile} {board}");
        }
        // Those who have no seeds do not pass there, and hardly anybody else does.
        let ends = matches!(profile.rules(), Ruleset::AyoayoHolder | Ruleset::AyoayoPratt);
        assert!(over > 0 && (passes > 0 || ends), "{profile}: {over} ends, {passes} passes");
    }
}
