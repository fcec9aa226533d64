//! The engine's moves win what its values promise, in the time that its distances promise: whole tiers played out, and
//! games above the solved tiers.

mod random;

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use oju::{Engine, Limits, MemoryTiers, Options, Position, Profile, Settings, Side, Tables, notation};
use random::Random;

/// What the engine says of a position, and what follows by the rules.
struct Known {
    value: i32,
    /// Sowings until the value is converted, if it ever is.
    distance: Option<u16>,
    /// The first of `moves`; `None` where the game is over.
    first: Option<usize>,
    /// Each legal move: what it takes, whether its mover moves again, and the board it leaves.
    moves: Vec<(i32, bool, Vec<u8>)>,
}

/// Boards with South to move; each is asked of the engine once.
struct Player {
    engine: Engine,
    known: HashMap<Vec<u8>, Known>,
}

impl Player {
    fn new(profile: &str, tiers: MemoryTiers, table_bytes: usize) -> Self {
        let profile: Profile = profile.parse().unwrap();
        let settings = Settings { threads: 2, table_bytes, tiers, tables: Tables::None, block_bytes: 0 };
        Self { engine: Engine::new(profile, &settings).unwrap(), known: HashMap::new() }
    }

    fn position(&self, board: &[u8]) -> Position {
        let counts: Vec<String> = board.iter().map(u8::to_string).collect();
        notation::parse_position(self.engine.profile(), &counts.join("-")).unwrap()
    }

    fn known(&mut self, board: &[u8]) -> &Known {
        if !self.known.contains_key(board) {
            let position = self.position(board);
            let stop = AtomicBool::new(false);
            let analysis = self.engine.analyse(&position, &Limits::none(&stop), &()).unwrap();
            let legal = match self.engine.options(&position) {
                Options::Over { .. } => Vec::new(),
                Options::Moves(moves) => moves,
            };
            let first = analysis.moves.first().map(|m| m.letter);
            let known = Known {
                value: analysis.value.expect("solved tiers are exact"),
                distance: analysis.distance,
                first: first.map(|letter| legal.iter().position(|m| m.letter == letter).unwrap()),
                moves: legal
                    .iter()
                    .map(|m| {
                        let mut board = m.position.counts().to_vec();
                        if m.position.side() == Side::North {
                            board.rotate_left(m.position.row());
                        }
                        (m.captured as i32, m.again, board)
                    })
                    .collect(),
            };
            assert_eq!(analysis.over, known.first.is_none());
            self.known.insert(board.to_vec(), known);
        }
        &self.known[board]
    }

    /// Plays a won game to its end, the winner by the engine's first move, the other at random or by the same. Checks
    /// that the winner gets the value and that no conversion is late.
    fn play(&mut self, start: &[u8], mut random: Option<&mut Random>) {
        let Known { value: promised, .. } = *self.known(start);
        let (mut board, mut winner_moves, mut won) = (start.to_vec(), true, 0);
        // Doubled, since the rest may be split.
        let mut seen: HashMap<(Vec<u8>, bool), u32> = HashMap::new();
        // The winner's value of the rest as it was at best since the last capture, and the sowings that are left for
        // converting it.
        let mut due: Option<(i32, u16)> = None;
        let end = loop {
            let known = self.known(&board);
            let value = if winner_moves { known.value } else { -known.value };
            let Some(first) = known.first else { break 2 * (won + value) };
            // Who is ahead hurries; one who plays at random may be ahead in what is left and not hurry.
            if value > 0 || (value < 0 && random.is_none()) {
                let distance = known.distance.expect("what is not even is converted");
                // Time starts anew where a mistake has given the winner more.
                if due.is_none_or(|(best, _)| value > best) {
                    due = Some((value, distance));
                }
                let (_, left) = due.unwrap();
                assert!(distance <= left, "{start:?}: {distance} sowings at {board:?}, {left} are left");
            }
            let times = seen.entry((board.clone(), winner_moves)).or_default();
            *times += 1;
            if *times == 3 {
                assert!(value <= 0, "{start:?}: a won game goes round at {board:?}");
                break 2 * won;
            }
            let at = match &mut random {
                Some(random) if !winner_moves => random.index(known.moves.len()),
                _ => first,
            };
            let (captured, again, next) = known.moves[at].clone();
            won += if winner_moves { captured } else { -captured };
            if captured > 0 {
                due = None;
                seen.clear();
            } else if let Some((_, left)) = &mut due {
                *left =
                    left.checked_sub(1).unwrap_or_else(|| panic!("{start:?}: nothing is converted in time"));
            }
            board = next;
            winner_moves ^= !again;
        };
        assert!(end >= 2 * promised, "{start:?}: {promised} was promised, {end} halves won");
        if random.is_none() {
            assert_eq!(end, 2 * promised, "{start:?}: best play on both sides is worth the value");
        }
    }

    /// Plays all boards given that are won for the side to move, and says how many there were.
    fn play_all(&mut self, boards: impl Iterator<Item = Vec<u8>>) -> usize {
        let mut random = Random::new(7);
        let mut won = 0;
        for board in boards {
            if self.known(&board).value > 0 {
                won += 1;
                self.play(&board, None);
                self.play(&board, Some(&mut random));
            }
        }
        won
    }
}

/// All boards of 12 pits with so many seeds.
fn tier(seeds: u8) -> Vec<Vec<u8>> {
    fn fill(board: &mut Vec<u8>, left: u8, out: &mut Vec<Vec<u8>>) {
        if board.len() == 11 {
            out.push([&board[..], &[left]].concat());
            return;
        }
        for count in 0..=left {
            board.push(count);
            fill(board, left - count, out);
            board.pop();
        }
    }
    let mut out = Vec::new();
    fill(&mut Vec::new(), seeds, &mut out);
    out
}

#[test]
fn ayoayo_up_to_7_seeds_and_a_sample_of_8() {
    let mut player = Player::new("ayoayo", MemoryTiers::UpTo(8), 1);
    let won = player.play_all((1..=7).flat_map(tier));
    assert!(won > 10_000, "{won} positions");
    let eight = tier(8);
    assert_eq!(eight.len(), 75_582);
    let mut random = Random::new(8);
    let sample: Vec<Vec<u8>> = (0..).map(|_| eight[random.index(eight.len())].clone()).take(5_000).collect();
    assert!(player.play_all(sample.into_iter()) >= 2_000);
}

#[test]
fn hoyito_of_4_and_8_seeds() {
    let mut player = Player::new("hoyito", MemoryTiers::UpTo(8), 1);
    let won = player.play_all([4, 8].into_iter().flat_map(tier));
    assert!(won > 10_000, "{won} positions");
}

/// Boards of `seeds` seeds thrown into 12 pits at random.
fn thrown(seeds: u8, count: usize, random: &mut Random) -> Vec<Vec<u8>> {
    let board = |random: &mut Random| {
        let mut board = vec![0; 12];
        (0..seeds).for_each(|_| board[random.index(12)] += 1);
        board
    };
    (0..count).map(|_| board(random)).collect()
}

/// Games from boards thrown at random, the tiers up to `solved` seeds solved.
fn above(profile: &str, solved: u32, seeds: u8, count: usize, least: usize) {
    let mut player = Player::new(profile, MemoryTiers::UpTo(solved), 64 << 20);
    let won = player.play_all(thrown(seeds, count, &mut Random::new(seeds.into())).into_iter());
    assert!(won >= least, "{won} of {profile}");
}

#[test]
fn ayoayo_above_the_solved_tiers() {
    above("ayoayo", 4, 12, 40, 15);
    above("ayoayo-holder", 4, 11, 40, 15);
    above("ayoayo-pratt", 4, 10, 40, 15);
}

#[test]
fn hoyito_above_the_solved_tiers() {
    above("hoyito", 8, 12, 4, 1);
    above("hoyito-opponent", 4, 8, 60, 1);
}
