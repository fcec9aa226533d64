//! Any position of any profile or custom board and any moves from it: the engine against the literal rules.
//!
//! Bytes: the rule set; the board (below 6 a named profile, else the pits of a row); seeds a pit; the side to move; a byte a pit (up
//! to 127 so many seeds, else only the last three bits), as far as there are seeds; then a byte a move.

use oju::{Engine, LegalMove, MoveError, Options, Position, Profile, Ruleset, Side, notation};

use super::literal::{self, Legality, State, Turn, Variant};

/// Laps after which a sowing is too long for the literal rules, which remember every one.
const LONGEST: usize = 3_000;

/// Moves of a game.
const MOVES: usize = 40;

pub fn run(data: &[u8]) {
    let Some((profile, state, moves)) = read(data) else { return };
    let engine = super::engine(profile);
    play(&engine, state, moves);
}

fn read(data: &[u8]) -> Option<(Profile, State, &[u8])> {
    let (&[rules, board, start, side], mut rest) = data.split_first_chunk()?;
    let rules = Ruleset::ALL[usize::from(rules) % 5];
    let profile = match Profile::ALL.get(usize::from(board)) {
        Some(&profile) => profile,
        None => {
            let row = 2 + (board - 6) % 11;
            Profile::custom(rules, row, 1 + start % (48 / row)).ok()?
        }
    };
    let mut left = profile.seeds();
    let mut pits = vec![0; 2 * profile.row()];
    for count in &mut pits {
        let Some((&byte, after)) = rest.split_first() else { break };
        rest = after;
        *count = u32::from(if byte < 128 { byte } else { byte & 7 }).min(left);
        left -= *count;
    }
    // Totals are multiples of what all captures are: what is over goes back to where there is some.
    let mut over = pits.iter().sum::<u32>() % profile.unit();
    for count in pits.iter_mut().rev() {
        let taken = over.min(*count);
        *count -= taken;
        over -= taken;
    }
    let taken = profile.seeds() - pits.iter().sum::<u32>();
    let south = taken * u32::from(side >> 1) / 127;
    Some((profile, State { pits, stores: [south, taken - south], side: usize::from(side & 1) }, rest))
}

fn play(engine: &Engine, mut state: State, moves: &[u8]) {
    let all: u32 = state.pits.iter().chain(&state.stores).sum();
    for &choice in moves.iter().take(MOVES).chain([&0]) {
        let position = position(engine, &state);
        if !(0..position.row()).all(|pit| is_short(engine, &position, position.side().letter(pit))) {
            return;
        }
        let turn = compare(engine, &position, &state);
        turned(engine, &position);
        state = match turn {
            Turn::Over { margin } => {
                let left: u32 = state.pits.iter().sum();
                assert!(margin.unsigned_abs() == left || margin == 0 && left == 0);
                return;
            }
            Turn::Pass(after) => after,
            Turn::Moves(mut moves) => {
                let at = usize::from(choice) % moves.len();
                moves.swap_remove(at).1
            }
        };
        assert_eq!(all, state.pits.iter().chain(&state.stores).sum::<u32>(), "seeds are conserved");
    }
}

fn position(engine: &Engine, state: &State) -> Position {
    notation::parse_position(engine.profile(), &state.text()).expect("a position")
}

/// Whether a sowing ends, or comes back to where it was, soon enough for the literal rules.
fn is_short(engine: &Engine, position: &Position, letter: char) -> bool {
    let mut mark = None;
    for (number, lap) in engine.laps(position, letter).enumerate() {
        if mark.as_ref() == Some(&lap) {
            return true;
        }
        if number == LONGEST {
            return false;
        }
        if (number + 1).is_power_of_two() {
            mark = Some(lap);
        }
    }
    true
}

/// Everything that can be asked of one position; gives the literal turn.
fn compare(engine: &Engine, position: &Position, state: &State) -> Turn {
    let rules = Variant::of_profile(engine.profile().rules().name());
    let (row, side) = (position.row(), position.side());
    let turn = literal::turn(rules, state);
    let after = |state: &State| self::position(engine, state);
    let pass = |state: &State| {
        let position = after(state);
        LegalMove { letter: '-', captured: 0, again: false, laps: 0, position }
    };
    let expected = match &turn {
        Turn::Over { margin } => {
            let mut shares = [0; 2];
            shares[if *margin > 0 { state.side } else { 1 - state.side }] = margin.unsigned_abs();
            Options::Over { shares }
        }
        Turn::Pass(after) => Options::Moves(vec![pass(after)]),
        Turn::Moves(moves) => {
            let legal = moves.iter().map(|(pit, state, captured, laps, again)| LegalMove {
                letter: side.letter(pit - side.index() * row),
                captured: *captured,
                again: *again,
                laps: u32::try_from(*laps).expect("few laps"),
                position: after(state),
            });
            Options::Moves(legal.collect())
        }
    };
    let options = engine.options(position);
    assert_eq!(options, expected, "{} {position}", engine.profile());
    let listed = if let Options::Moves(moves) = &options { &moves[..] } else { &[] };

    let own = &position.counts()[side.index() * row..][..row];
    let mut endless = Vec::new();
    for pit in 0..row {
        let letter = side.letter(pit);
        let expected = match literal::legality(rules, state, side.index() * row + pit) {
            Legality::Legal => {
                let m = listed.iter().find(|m| m.letter == letter).expect("legal moves are listed");
                let laps = engine.laps(position, letter);
                let last = laps.inspect(|lap| assert_eq!(lap.position.seeds(), position.seeds()));
                assert_eq!(last.count() as u32, m.laps, "{position} {letter}");
                Ok(m.clone())
            }
            legality => {
                if legality == Legality::Endless {
                    endless.push(letter);
                }
                Err(match (&options, legality) {
                    (Options::Over { .. }, _) => MoveError::Over(letter),
                    (_, Legality::Endless) => MoveError::Endless(letter),
                    (_, Legality::DoesNotFeed) => MoveError::DoesNotFeed(letter),
                    _ if own.iter().all(|&count| count == 0) => MoveError::MustPass { letter, side },
                    _ => MoveError::Empty(letter),
                })
            }
        };
        assert_eq!(engine.play(position, letter), expected, "{} {position} {letter}", engine.profile());
    }
    assert_eq!(engine.endless(position), endless, "{} {position}", engine.profile());
    let passed = engine.play(position, '-');
    assert_eq!(passed.is_ok(), matches!(turn, Turn::Pass(_)), "{} {position} -", engine.profile());
    assert!(engine.play(position, side.other().letter(0)).is_err());
    turn
}

/// The other side, with the rows and stores swapped, has the same moves.
fn turned(engine: &Engine, position: &Position) {
    let other = turn(engine, position);
    let mirrored = match engine.options(position) {
        Options::Over { shares: [south, north] } => Options::Over { shares: [north, south] },
        Options::Moves(moves) => {
            let turned = moves.into_iter().map(|m| LegalMove {
                letter: match position.side() {
                    Side::South => m.letter.to_ascii_lowercase(),
                    Side::North => m.letter.to_ascii_uppercase(),
                },
                position: turn(engine, &m.position),
                ..m
            });
            Options::Moves(turned.collect())
        }
    };
    assert_eq!(engine.options(&other), mirrored, "{} {position}", engine.profile());
    assert_eq!(engine.perft(&other, 1), engine.perft(position, 1));
}

fn turn(engine: &Engine, position: &Position) -> Position {
    let (south, north) = position.counts().split_at(position.row());
    let mut words: Vec<String> = [north, south].concat().iter().map(u8::to_string).collect();
    let [south, north] = position.stores();
    words.extend([north.to_string(), south.to_string()]);
    words.push(if position.side() == Side::South { "N" } else { "S" }.to_owned());
    notation::parse_position(engine.profile(), &words.join("-")).expect("a position")
}
