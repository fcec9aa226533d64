//! The suite: positions of random games, with exact values. How they were made is in `README.md` beside this file.

#![allow(dead_code, unreachable_pub, missing_docs)]

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use oju::{Engine, Options, Position, Profile, notation};

use super::random::Random;

/// Positions of each profile.
pub const POSITIONS: usize = 1000;

/// Sowings after which a random game is broken off: in many neither side ever comes to the end.
const LONGEST_GAME: usize = 100;

/// A position and its exact value, from the side to move, stores excluded: `None` where two engines have not both found it.
pub struct Row {
    pub position: Position,
    pub value: Option<i32>,
}

/// The file of a profile.
pub fn path(profile: &Profile) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/positions/{profile}.csv"))
}

/// The first line of a file.
pub const HEADER: &str = "position,seeds,value";

/// What stands for a value that is open.
pub const OPEN: &str = "?";

/// The suite of a profile. Panics where the file is not one.
pub fn read(profile: &Profile) -> Vec<Row> {
    let path = path(profile);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(HEADER), "{}", path.display());
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let [position, seeds, value] = fields[..] else { panic!("{profile}: {line}: three columns") };
            let position = notation::parse_position(profile, position)
                .unwrap_or_else(|error| panic!("{profile}: {line}: {error}"));
            assert_eq!(seeds.parse(), Ok(position.seeds()), "{profile}: {line}");
            let value = (value != OPEN)
                .then(|| value.parse().unwrap_or_else(|_| panic!("{profile}: {line}: no value")));
            Row { position, value }
        })
        .collect()
}

/// The most seeds a position of the suite may have: what the profile's searches can be asked for.
pub fn most_seeds(profile: &Profile) -> u32 {
    match profile.to_string().as_str() {
        "hoyito12" => 24,
        "hoyito-opponent" => 20,
        _ => profile.seeds(),
    }
}

/// The positions of the suite: from each of many games of random moves one, all plies of the game that have few enough seeds being
/// as likely. A board counts once, whatever the stores and whoever sits where.
pub fn random_play(engine: &Engine) -> Vec<Position> {
    let profile = engine.profile();
    let most = most_seeds(profile);
    let number = Profile::ALL.iter().position(|p| p == profile).expect("a profile of the rules");
    let mut random = Random::new(number as u64);
    let mut met = HashSet::new();
    let mut list = Vec::new();
    while list.len() < POSITIONS {
        let mut game = Vec::new();
        let mut position = Position::start(profile);
        while game.len() < LONGEST_GAME
            && let Options::Moves(moves) = engine.options(&position)
        {
            game.push(position);
            position = moves[random.index(moves.len())].position;
        }
        game.retain(|position| position.seeds() <= most);
        if game.is_empty() {
            continue;
        }
        let chosen = game[random.index(game.len())];
        if met.insert(mover_view(&chosen)) {
            list.push(chosen);
        }
    }
    list
}

/// The counts as the side to move sees them.
pub fn mover_view(position: &Position) -> Vec<u8> {
    let (own, other) = position.counts().split_at(position.row());
    match position.side() {
        oju::Side::South => [own, other].concat(),
        oju::Side::North => [other, own].concat(),
    }
}
