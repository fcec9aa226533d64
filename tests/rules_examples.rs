//! The rules' worked examples and what they say of single sowings, one test a fact.

use oju::board::Board;
use oju::rules::{Ayoayo, Hoyito, Illegal, Rules};
use oju::{Engine, LegalMove, MoveError, Options, Position, Profile, Settings, Side, index, notation};

fn engine(profile: &str) -> Engine {
    let settings =
        Settings { table_bytes: 1 << 20, threads: 1, tiers: oju::MemoryTiers::None, ..Settings::default() };
    Engine::new(profile.parse().unwrap(), &settings).unwrap()
}

fn ayoayo() -> Engine {
    engine("ayoayo")
}

fn hoyito() -> Engine {
    engine("hoyito")
}

/// Pits, stores and side to move, whether a position is one of a whole game or not.
fn told(position: &Position) -> String {
    let counts: Vec<String> = position.counts().iter().map(u8::to_string).collect();
    let [south, north] = position.stores();
    let side = if position.side() == Side::South { 'S' } else { 'N' };
    format!("{}-{south}-{north}-{side}", counts.join("-"))
}

fn at(engine: &Engine, text: &str) -> Position {
    notation::parse_position(engine.profile(), text).unwrap()
}

fn start(engine: &Engine) -> Position {
    Position::start(engine.profile())
}

fn play(engine: &Engine, text: &str, letter: char) -> LegalMove {
    engine.play(&at(engine, text), letter).unwrap()
}

fn refusal(engine: &Engine, text: &str, letter: char) -> MoveError {
    engine.play(&at(engine, text), letter).unwrap_err()
}

fn moves(engine: &Engine, position: &Position) -> Vec<LegalMove> {
    match engine.options(position) {
        Options::Moves(moves) => moves,
        Options::Over { shares } => panic!("{position} is over: {shares:?}"),
    }
}

fn letters(engine: &Engine, position: &Position) -> String {
    moves(engine, position).iter().map(|m| m.letter).collect()
}

fn shares(engine: &Engine, position: &Position) -> [u32; 2] {
    match engine.options(position) {
        Options::Over { shares } => shares,
        Options::Moves(moves) => panic!("{position} is not over: {moves:?}"),
    }
}

/// The pits alone.
fn pits(position: &Position) -> String {
    position.counts().iter().map(u8::to_string).collect::<Vec<_>>().join("-")
}

/// The first lap's board and the pit of its last seed.
fn first_lap(engine: &Engine, text: &str, letter: char) -> (String, usize) {
    let lap = engine.laps(&at(engine, text), letter).next().unwrap();
    (pits(&lap.position), lap.last)
}

/// The length of the cycle that an endless sowing falls into, in laps.
fn period(engine: &Engine, text: &str, letter: char) -> usize {
    // A lap that starts at a power of two waits for its own return; once it lies on the cycle it does return.
    let mut laps = engine.laps(&at(engine, text), letter);
    let mut power = 1;
    let mut mark = laps.next().unwrap();
    loop {
        for length in 1..=power {
            let lap = laps.next().unwrap();
            if lap == mark {
                return length;
            }
            if length == power {
                mark = lap;
            }
        }
        power *= 2;
        assert!(power < 1 << 30, "not endless");
    }
}

/// Endless moves of a whole tier, from the mover's view.
fn endless_moves<const P: usize>(rules: impl Rules<P>, seeds: u32) -> u32 {
    let mut found = 0;
    let mut board = Some(index::unrank::<P>(seeds, 0));
    while let Some(b) = board {
        for pit in 0..P / 2 {
            found += u32::from(b.get(pit) > 0 && rules.illegal(&b, pit) == Some(Illegal::Endless));
        }
        board = index::successor(&b);
    }
    found
}

// From the start

#[test]
fn the_start_is_written_with_four_in_every_pit() {
    for name in ["ayoayo", "ayoayo-holder", "ayoayo-pratt", "hoyito", "hoyito-opponent"] {
        assert_eq!(start(&engine(name)).to_string(), "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "{name}");
    }
    let twelve = start(&engine("hoyito12"));
    assert_eq!(twelve.to_string(), format!("{}0-0-S", "4-".repeat(24)));
    assert_eq!(twelve.seeds(), 96);
}

#[test]
fn from_the_start_all_six_pits_are_legal() {
    assert_eq!(letters(&ayoayo(), &start(&ayoayo())), "ABCDEF");
}

#[test]
fn from_the_start_a_takes_2_b_7_c_7_d_7_e_0_f_0() {
    let moves = moves(&ayoayo(), &start(&ayoayo()));
    let taken: Vec<_> = moves.iter().map(|m| (m.letter, m.captured)).collect();
    assert_eq!(taken, [('A', 2), ('B', 7), ('C', 7), ('D', 7), ('E', 0), ('F', 0)]);
}

#[test]
fn from_the_start_each_sowing_is_five_laps() {
    let laps: Vec<_> = moves(&ayoayo(), &start(&ayoayo())).iter().map(|m| m.laps).collect();
    assert_eq!(laps, [5; 6]);
}

#[test]
fn from_the_start_d_leaves_this_position() {
    let m = play(&ayoayo(), "start", 'D');
    assert_eq!(told(&m.position), "1-6-6-2-7-0-0-1-6-6-6-0-7-0-N");
    assert!(!m.again);
}

// Laps and captures

#[test]
fn twelve_in_a_skip_their_origin_take_3_in_7_laps() {
    let m = play(&ayoayo(), "12-0-0-0-0-0-0-0-0-0-0-0", 'A');
    assert_eq!(told(&m.position), "1-0-2-0-2-0-2-0-2-0-0-0-3-0-N");
    assert_eq!((m.captured, m.laps), (3, 7));
}

#[test]
fn twelve_in_north_s_a_do_the_same_from_the_other_side() {
    let m = play(&ayoayo(), "0-0-0-0-0-0-12-0-0-0-0-0-20-16-N", 'a');
    assert_eq!(told(&m.position), "2-0-2-0-0-0-1-0-2-0-2-0-20-19-S");
    assert_eq!((m.captured, m.laps), (3, 7));
}

#[test]
fn an_ayoayo_lap_of_13_or_23_skips_its_origin_each_time() {
    let game = ayoayo();
    let lap = |text, letter| first_lap(&game, text, letter);
    assert_eq!(lap("11-0-0-0-0-0-0-0-0-0-0-0", 'A'), ("0-1-1-1-1-1-1-1-1-1-1-1".to_owned(), 11));
    assert_eq!(lap("12-0-0-0-0-0-0-0-0-0-0-0", 'A'), ("0-2-1-1-1-1-1-1-1-1-1-1".to_owned(), 1));
    assert_eq!(lap("13-0-0-0-0-0-0-0-0-0-0-0", 'A'), ("0-2-2-1-1-1-1-1-1-1-1-1".to_owned(), 2));
    assert_eq!(lap("23-0-0-0-0-0-0-0-0-0-0-0", 'A'), ("0-3-2-2-2-2-2-2-2-2-2-2".to_owned(), 1));
    assert_eq!(lap("0-0-0-0-0-0-0-0-0-0-0-13-N", 'f'), ("2-2-1-1-1-1-1-1-1-1-1-0".to_owned(), 1));
    assert_eq!(lap("0-0-0-0-0-0-0-0-0-0-0-23-N", 'f'), ("3-2-2-2-2-2-2-2-2-2-2-0".to_owned(), 0));
}

#[test]
fn a_hoyito_lap_of_13_or_23_drops_into_its_origin() {
    let game = hoyito();
    let lap = |text, letter| first_lap(&game, text, letter);
    assert_eq!(lap("12-0-0-0-0-0-0-0-0-0-0-0", 'A'), ("1-1-1-1-1-1-1-1-1-1-1-1".to_owned(), 0));
    assert_eq!(lap("13-0-0-0-0-0-3-0-0-0-0-0", 'A'), ("1-2-1-1-1-1-4-1-1-1-1-1".to_owned(), 1));
    assert_eq!(lap("23-0-0-0-0-0-1-0-0-0-0-0", 'A'), ("1-2-2-2-2-2-3-2-2-2-2-2".to_owned(), 11));
    assert_eq!(lap("3-0-0-0-0-0-0-0-0-0-0-13-N", 'f'), ("5-1-1-1-1-1-1-1-1-1-1-1".to_owned(), 0));
    assert_eq!(lap("1-0-0-0-0-0-0-0-0-0-0-23-N", 'f'), ("3-2-2-2-2-2-2-2-2-2-2-1".to_owned(), 10));
}

#[test]
fn an_empty_opposite_pit_takes_nothing_and_b_holds_the_seed() {
    let m = play(&ayoayo(), "1-0-0-0-0-2-1-1-1-1-0-1", 'A');
    assert_eq!(told(&m.position), "0-1-0-0-0-2-1-1-1-1-0-1-0-0-N");
    assert_eq!((m.captured, m.laps), (0, 1));
}

#[test]
fn the_opposite_of_b_is_e_and_the_capturing_seed_goes_too() {
    let m = play(&ayoayo(), "1-0-0-0-0-0-0-0-0-0-3-2", 'A');
    assert_eq!(told(&m.position), "0-0-0-0-0-0-0-0-0-0-0-2-4-0-N");
    assert_eq!(m.captured, 4);
}

#[test]
fn the_capturing_seed_stays_in_ayoayo_pratt_only() {
    let m = play(&engine("ayoayo-holder"), "1-0-0-0-0-0-0-0-0-0-3-2", 'A');
    assert_eq!(told(&m.position), "0-0-0-0-0-0-0-0-0-0-0-2-4-0-N");
    let m = play(&engine("ayoayo-pratt"), "1-0-0-0-0-0-0-0-0-0-3-2", 'A');
    assert_eq!(told(&m.position), "0-1-0-0-0-0-0-0-0-0-0-2-3-0-N");
    assert_eq!(m.captured, 3);
}

#[test]
fn a_last_seed_in_an_empty_pit_of_the_other_row_takes_nothing() {
    let m = play(&ayoayo(), "2-0-0-0-0-1-0-0-0-0-0-0", 'F');
    assert_eq!(told(&m.position), "2-0-0-0-0-0-1-0-0-0-0-0-0-0-N");
    assert_eq!((m.captured, m.laps), (0, 1));
}

// Feeding and the end

#[test]
fn only_f_feeds_here_so_only_f_is_legal() {
    let game = ayoayo();
    let text = "1-0-0-0-0-3-0-0-0-0-0-0";
    assert_eq!(letters(&game, &at(&game, text)), "F");
    assert_eq!(refusal(&game, text, 'A'), MoveError::DoesNotFeed('A'));
}

#[test]
fn a_is_legal_here_and_the_game_is_not_over() {
    let game = ayoayo();
    assert_eq!(letters(&game, &at(&game, "5-0-0-0-0-0-1-1-0-0-0-0")), "A");
}

#[test]
fn a_move_may_leave_the_opponent_without_seeds_if_he_had_some() {
    let game = ayoayo();
    let m = play(&game, "1-0-0-3-0-0-0-0-0-0-2-0", 'A');
    assert_eq!(told(&m.position), "0-0-0-3-0-0-0-0-0-0-0-0-3-0-N");
    let board = Board::<12>::from_counts(&[1, 0, 0, 3, 0, 0, 0, 0, 0, 0, 2, 0]);
    assert_eq!(Ayoayo::default().illegal(&board, 0), None);
    // And North, who has none, passes: South's D can feed.
    assert_eq!(letters(&game, &m.position), "-");
    let passed = game.play(&m.position, '-').unwrap();
    assert_eq!(told(&passed.position), "0-0-0-3-0-0-0-0-0-0-0-0-3-0-S");
    assert_eq!((passed.captured, passed.laps, passed.again), (0, 0, false));
    assert_eq!(letters(&game, &passed.position), "D");
}

#[test]
fn where_none_can_be_fed_the_rest_goes_to_the_player_not_on_turn() {
    let game = ayoayo();
    assert_eq!(shares(&game, &at(&game, "2-1-0-0-0-0-0-0-0-0-0-0-S")), [0, 3]);
    assert_eq!(shares(&game, &at(&game, "2-1-0-0-0-0-0-0-0-0-0-0-N")), [3, 0]);
    assert_eq!(shares(&game, &at(&game, "0-0-0-0-0-0-2-1-0-0-0-0-N")), [3, 0]);
    assert_eq!(shares(&game, &at(&game, "0-0-0-0-0-0-2-1-0-0-0-0-S")), [0, 3]);
    assert_eq!(refusal(&game, "2-1-0-0-0-0-0-0-0-0-0-0-S", 'A'), MoveError::Over('A'));
}

#[test]
fn in_ayoayo_holder_and_pratt_the_rest_goes_to_the_row_it_lies_in() {
    for name in ["ayoayo-holder", "ayoayo-pratt"] {
        let game = engine(name);
        assert_eq!(shares(&game, &at(&game, "2-1-0-0-0-0-0-0-0-0-0-0-S")), [3, 0], "{name}");
        assert_eq!(shares(&game, &at(&game, "2-1-0-0-0-0-0-0-0-0-0-0-N")), [3, 0], "{name}");
        // Without seeds on turn ends the game, though F could feed.
        assert_eq!(shares(&game, &at(&game, "1-0-0-0-0-3-0-0-0-0-0-0-N")), [4, 0], "{name}");
        assert_eq!(letters(&game, &at(&game, "1-0-0-0-0-3-0-0-0-0-0-0-S")), "F", "{name}");
    }
}

#[test]
fn an_empty_board_is_over_with_nothing_to_share() {
    for profile in Profile::ALL {
        let game = engine(&profile.to_string());
        let empty = "0-".repeat(2 * profile.row());
        for side in ["S", "N"] {
            assert_eq!(shares(&game, &at(&game, &format!("{empty}{side}"))), [0, 0], "{profile}");
        }
    }
}

// Sowings that never end, and long ones

#[test]
fn the_endless_ayoayo_example_is_illegal_with_a_period_of_72_laps() {
    let game = ayoayo();
    let text = "3-1-0-1-0-1-0-1-0-1-0-1";
    assert_eq!(at(&game, text).seeds(), 9);
    assert_eq!(refusal(&game, text, 'A'), MoveError::Endless('A'));
    assert!(game.endless(&at(&game, text)).contains(&'A'));
    assert!(!letters(&game, &at(&game, text)).contains('A'));
    assert_eq!(period(&game, text, 'A'), 72);
}

#[test]
fn the_endless_hoyito_example_has_12_seeds_and_is_illegal() {
    let game = hoyito();
    let text = "2-0-1-0-1-0-1-0-1-3-2-1";
    assert_eq!(at(&game, text).seeds(), 12);
    assert_eq!(refusal(&game, text, 'A'), MoveError::Endless('A'));
    assert!(game.endless(&at(&game, text)).contains(&'A'));
    assert!(!letters(&game, &at(&game, text)).contains('A'));
}

#[test]
fn a_sowing_of_628_laps_is_finite_and_takes_nothing() {
    let m = play(&ayoayo(), "2-2-1-3-2-1-2-1-2-1-2-1", 'A');
    assert_eq!(pits(&m.position), "2-0-2-4-0-2-3-0-3-0-3-1");
    assert_eq!((m.captured, m.laps), (0, 628));
}

#[test]
fn a_period_of_64_851_laps_is_endless() {
    let game = hoyito();
    let text = "1-0-4-3-2-11-5-7-0-2-6-3-N";
    assert_eq!(refusal(&game, text, 'f'), MoveError::Endless('f'));
    assert_eq!(period(&game, text, 'f'), 64_851);
}

#[test]
fn on_2x6_no_sowing_below_9_seeds_is_endless() {
    for seeds in 0..9 {
        assert_eq!(endless_moves::<12>(Ayoayo::default(), seeds), 0, "{seeds} seeds");
    }
    for seeds in [0, 4, 8] {
        assert_eq!(endless_moves::<12>(Hoyito::default(), seeds), 0, "{seeds} seeds");
    }
}

#[test]
fn the_9_seed_ayoayo_tier_has_36_endless_moves() {
    assert_eq!(endless_moves::<12>(Ayoayo::default(), 9), 36);
}

#[test]
fn the_10_seed_ayoayo_tier_has_no_endless_moves() {
    assert_eq!(endless_moves::<12>(Ayoayo::default(), 10), 0);
}

#[test]
fn the_12_seed_hoyito_tier_has_126_endless_moves() {
    assert_eq!(endless_moves::<12>(Hoyito::default(), 12), 126);
}

#[test]
fn on_smaller_boards_endless_moves_come_earlier() {
    fn below_9<const P: usize>() -> u32 {
        (0..9).map(|seeds| endless_moves::<P>(Ayoayo::default(), seeds)).sum()
    }
    assert!(below_9::<4>() > 0 && below_9::<6>() > 0 && below_9::<8>() > 0 && below_9::<10>() > 0);
    // Hoyito: 2x6 has none with 8 seeds.
    assert!(endless_moves::<4>(Hoyito::default(), 8) > 0);
}

#[test]
fn a_player_with_only_endless_moves_passes() {
    for name in ["ayoayo", "ayoayo-holder", "ayoayo-pratt", "hoyito", "hoyito-opponent"] {
        let game = engine(&format!("{name}@2x2x2"));
        let mut found = 0;
        let unit = if game.profile().rules().is_hoyito() { 4 } else { 1 };
        for seeds in (unit..=8).step_by(unit as usize) {
            let mut board = Some(index::unrank::<4>(seeds, 0));
            while let Some(b) = board {
                let [own @ .., c, d] = b.counts();
                let position = at(&game, &format!("{}-{}-{c}-{d}", own[0], own[1]));
                let sowings = own.iter().filter(|&&count| count > 0).count();
                if sowings > 0 && c + d > 0 && game.endless(&position).len() == sowings {
                    assert_eq!(letters(&game, &position), "-", "{name} {position}");
                    found += 1;
                }
                board = index::successor(&b);
            }
        }
        assert!(found > 0, "{name}");
    }
}

#[test]
fn an_endless_move_does_not_feed_so_an_ayoayo_game_is_over() {
    for (name, expected) in [("ayoayo", [0, 31]), ("ayoayo-holder", [31, 0]), ("ayoayo-pratt", [31, 0])] {
        let game = engine(&format!("{name}@2x2x8"));
        let position = at(&game, "11-20-0-0");
        assert_eq!(game.endless(&position).len(), 1, "{name}");
        assert_eq!(shares(&game, &position), expected, "{name}");
    }
}

// Hoyito

#[test]
fn the_hoyito_chain_takes_a_f_and_e_and_south_moves_again() {
    let m = play(&hoyito(), "4-0-0-3-3-3-3-0-4-0-0-0", 'D');
    // The fours at A and c stay.
    assert_eq!(told(&m.position), "4-0-0-0-0-0-0-0-4-0-0-0-12-0-S");
    assert_eq!((m.captured, m.laps, m.again), (12, 1, true));
}

#[test]
fn the_hoyito_chain_goes_across_the_board_s_ends() {
    let m = play(&hoyito(), "3-0-4-4-0-0-0-0-0-0-2-3-N", 'e');
    assert_eq!(told(&m.position), "0-0-4-4-0-0-0-0-0-0-0-0-0-8-N");
    assert_eq!((m.captured, m.again), (8, true));
}

#[test]
fn in_hoyito_opponent_the_chain_stops_at_the_own_row() {
    let m = play(&engine("hoyito-opponent"), "4-0-0-3-3-3-3-0-4-0-0-0", 'D');
    assert_eq!(told(&m.position), "4-0-0-0-4-4-0-0-4-0-0-0-4-0-S");
    assert_eq!((m.captured, m.again), (4, true));
}

#[test]
fn in_hoyito_opponent_four_in_the_own_row_relays_on() {
    let text = "0-0-0-0-1-3-0-0-0-4-0-0";
    assert_eq!(play(&hoyito(), text, 'E').captured, 8);
    let m = play(&engine("hoyito-opponent"), text, 'E');
    assert_eq!(told(&m.position), "1-1-1-0-0-0-1-1-1-0-1-1-0-0-N");
    assert_eq!((m.captured, m.laps, m.again), (0, 3, false));
}

#[test]
fn the_hoyito_last_four_go_to_the_capturer_and_the_game_is_over() {
    let game = hoyito();
    let m = play(&game, "0-0-0-0-0-1-3-0-0-0-0-4", 'F');
    assert_eq!(m.captured, 8);
    assert_eq!(pits(&m.position), "0-0-0-0-0-0-0-0-0-0-0-0");
    assert_eq!(m.position.stores(), [8, 0]);
    assert_eq!(shares(&game, &m.position), [0, 0]);
}

#[test]
fn a_hoyito_player_without_seeds_passes_on_the_extra_turn_too() {
    let game = hoyito();
    let m = play(&game, "0-0-0-0-0-1-3-0-0-4-0-4", 'F');
    assert_eq!(told(&m.position), "0-0-0-0-0-0-0-0-0-4-0-4-4-0-S");
    assert_eq!((m.captured, m.again), (4, true));
    let passes = moves(&game, &m.position);
    assert_eq!(passes.len(), 1);
    assert_eq!((passes[0].letter, passes[0].captured, passes[0].again), ('-', 0, false));
    assert_eq!(told(&passes[0].position), "0-0-0-0-0-0-0-0-0-4-0-4-4-0-N");
    assert_eq!(passes[0].position.side(), Side::North);
    assert_eq!(letters(&game, &passes[0].position), "df");
    assert_eq!(
        refusal(&game, "0-0-0-0-0-0-0-0-0-4-0-4-S", 'A'),
        MoveError::MustPass { letter: 'A', side: Side::South }
    );
}

#[test]
fn a_hoyito_player_does_not_have_to_feed() {
    let game = hoyito();
    assert_eq!(letters(&game, &at(&game, "1-3-0-0-0-0-0-0-0-0-0-0")), "AB");
}

#[test]
fn the_hoyito_cycle_of_b_and_c_comes_back_to_the_same_position() {
    let game = hoyito();
    let before = at(&game, "0-2-0-1-0-1-0-1-1-1-0-1");
    let middle = game.play(&before, 'B').unwrap().position;
    assert_eq!(middle.side(), Side::North);
    assert_eq!(game.play(&middle, 'c').unwrap().position, before);
    assert_eq!(game.play_text(&before, "Bc"), Ok(before));
}

#[test]
fn hoyito_totals_are_multiples_of_four() {
    for name in ["hoyito", "hoyito-opponent"] {
        let profile: Profile = name.parse().unwrap();
        for seeds in 1..=3 {
            let error = notation::parse_position(&profile, &format!("{seeds}-0-0-0-0-0-0-0-0-0-0-0"));
            assert!(error.unwrap_err().to_string().contains("four"), "{name}, {seeds}");
        }
        assert!(notation::parse_position(&profile, "4-0-0-0-0-0-0-0-0-0-0-0").is_ok());
    }
}
