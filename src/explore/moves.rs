//! `/api/legal`, `/api/play` and `/api/random`: what the rules alone answer.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::Serialize;

use super::Shared;
use super::problem::{Answer, Problem};
use super::profiles::BoardOf;
use super::query::{OfProfile, Parameters, Played, Where};
use crate::analysis::Halves;
use crate::engine::Engine;
use crate::moves::{LegalMove, MoveError, Options};
use crate::notation;
use crate::position::{Position, Side};
use crate::profile::Profile;
use crate::trace::Trace;

/// Laps of a sowing that are told one by one.
const MOST_LAPS: usize = 2_000;

/// Games that are begun in search of a position with few seeds.
const GAMES: usize = 200;

/// Plies of such a game.
const PLIES: usize = 400;

/// A position, what can be played in it, and what can not, with the reason.
#[derive(Serialize)]
pub(super) struct Legal {
    profile: String,
    rules: String,
    board: BoardOf,
    position: String,
    /// Of all pits, in sowing order.
    counts: Vec<u8>,
    /// South's and North's.
    stores: [u32; 2],
    turn: Side,
    seeds: u32,
    over: bool,
    /// Final stores where the game is over.
    result: Option<Stores>,
    /// Final stores if the game is drawn up here, what is left being split.
    split: Stores,
    moves: Vec<Move>,
    /// Pits of the side to move that hold seeds and can not be played.
    illegal: Vec<IllegalMove>,
}

#[derive(Serialize)]
struct Stores {
    south: Halves,
    north: Halves,
}

#[derive(Serialize)]
struct Move {
    #[serde(rename = "move")]
    letter: char,
    captured: u32,
    again: bool,
    laps: u32,
    position: String,
}

#[derive(Serialize)]
struct IllegalMove {
    #[serde(rename = "move")]
    letter: char,
    /// The sowing never ends; else it does not feed the opponent.
    endless: bool,
    reason: String,
}

/// A move that was played.
#[derive(Serialize)]
pub(super) struct PlayedMove {
    #[serde(flatten)]
    played: Move,
    /// The counts of all pits before the move.
    before: Vec<u8>,
    /// The sowing seed by seed.
    trace: Trace,
    after: Legal,
}

impl Legal {
    fn new(engine: &Engine, position: &Position) -> Self {
        let (side, row, stores) = (position.side(), position.row(), position.stores());
        let with = |doubled: [u32; 2]| {
            let [south, north] = [0, 1].map(|side| Halves((2 * stores[side] + doubled[side]) as i32));
            Stores { south, north }
        };
        let (moves, result) = match engine.options(position) {
            Options::Moves(moves) => (moves, None),
            Options::Over { shares } => (Vec::new(), Some(with(shares.map(|share| 2 * share)))),
        };
        let own = |pit: &usize| position.counts()[side.index() * row + pit] > 0;
        let illegal = (0..row).filter(own).filter_map(|pit| {
            let letter = side.letter(pit);
            let error = engine.play(position, letter).err()?;
            let endless = matches!(error, MoveError::Endless(_));
            Some(IllegalMove { letter, endless, reason: error.to_string() })
        });
        let profile = engine.profile();
        Self {
            profile: profile.to_string(),
            rules: format!("{:08x}", profile.fingerprint()),
            board: BoardOf::new(profile),
            position: position.to_string(),
            counts: position.counts().to_vec(),
            stores,
            turn: side,
            seeds: position.seeds(),
            over: result.is_some(),
            illegal: illegal.filter(|_| result.is_none()).collect(),
            result,
            split: with([position.seeds(); 2]),
            moves: moves.iter().map(Move::new).collect(),
        }
    }
}

impl Move {
    fn new(m: &LegalMove) -> Self {
        let &LegalMove { letter, captured, again, laps, position } = m;
        Self { letter, captured, again, laps, position: position.to_string() }
    }
}

/// What can be played.
pub(super) async fn legal(
    State(shared): State<Arc<Shared>>,
    Parameters(place): Parameters<Where>,
) -> Answer<Legal> {
    let work = move |engine: Arc<Engine>, place: Where| Ok(Legal::new(&engine, &place.position(&engine)?));
    let profile = place.profile()?;
    shared.solves.quickly(profile, move |engine| work(engine, place)).await.map(Json)
}

/// Plays one move: its sowing seed by seed, and the position afterwards.
pub(super) async fn play(
    State(shared): State<Arc<Shared>>,
    Parameters(played): Parameters<Played>,
) -> Answer<PlayedMove> {
    let (place, letter) = played.split()?;
    let profile = place.profile()?;
    let work = move |engine: Arc<Engine>| {
        let position = place.position(&engine)?;
        let played = engine.play(&position, letter).map_err(|error| Problem::parameter("move", error))?;
        Ok(PlayedMove {
            played: Move::new(&played),
            before: position.counts().to_vec(),
            trace: Trace::new(&engine, &position, &played, MOST_LAPS),
            after: Legal::new(&engine, &played.position),
        })
    };
    shared.solves.quickly(profile, work).await.map(Json)
}

/// A position from the middle of a random game that is not over, with at most so many seeds where that is said.
pub(super) async fn random(
    State(shared): State<Arc<Shared>>,
    Parameters(of): Parameters<OfProfile>,
) -> Answer<Legal> {
    let profile = of.profile()?.unwrap_or(Profile::ALL[0]);
    let most = of.seeds()?.unwrap_or(profile.seeds());
    let work = move |engine: Arc<Engine>| {
        // Every hasher of the standard library is seeded anew.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(RandomState::new().hash_one(0));
        let position = (0..GAMES).find_map(|_| from_a_game(&engine, most, &mut random)).ok_or_else(|| {
            Problem::parameter(
                "seeds",
                format!("no game came to a position to play with at most {}", notation::seeds(most)),
            )
        })?;
        Ok(Legal::new(&engine, &position))
    };
    shared.solves.quickly(profile, work).await.map(Json)
}

/// Plays at random, and picks one of the positions on the way.
fn from_a_game(engine: &Engine, most: u32, random: &mut Xoshiro256PlusPlus) -> Option<Position> {
    let mut pick = |number: usize| (random.next_u64() % number as u64) as usize;
    let mut position = Position::start(engine.profile());
    let mut met = Vec::new();
    for _ in 0..PLIES {
        let Options::Moves(moves) = engine.options(&position) else { break };
        if position.seeds() <= most {
            met.push(position);
        }
        position = moves[pick(moves.len())].position;
    }
    (!met.is_empty()).then(|| met[pick(met.len())])
}
