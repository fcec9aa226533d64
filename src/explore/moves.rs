//! `/api/legal`, `/api/play` and `/api/random`: what the rules alone answer.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::Shared;
use super::problem::{Answer, Problem};
use super::profiles::board;
use super::query::{OfProfile, Parameters, Played, Where};
use crate::analysis::Halves;
use crate::engine::{Engine, LegalMove, MoveError, Options};
use crate::position::Position;
use crate::profile::Profile;
use crate::trace::Trace;

/// Laps of a sowing that are told one by one.
const MOST_LAPS: usize = 2_000;

/// Games that are begun in search of a position with few seeds.
const GAMES: usize = 200;

/// Plies of such a game.
const PLIES: usize = 400;

/// A position, what can be played in it, and what can not, with the reason.
fn described(engine: &Engine, position: &Position) -> Value {
    let (side, row) = (position.side(), position.row());
    let (moves, result) = match engine.options(position) {
        Options::Moves(moves) => (moves, None),
        Options::Over { shares } => {
            let [south, north] = [0, 1].map(|side| position.stores()[side] + shares[side]);
            (Vec::new(), Some(json!({ "south": south, "north": north })))
        }
    };
    let illegal = (0..row).filter(|pit| position.counts()[side.index() * row + pit] > 0).filter_map(|pit| {
        let letter = side.letter(pit);
        let error = engine.play(position, letter).err()?;
        let endless = matches!(error, MoveError::Endless(_));
        Some(json!({ "move": letter, "endless": endless, "reason": error.to_string() }))
    });
    let illegal: Vec<Value> = illegal.filter(|_| result.is_none()).collect();
    let profile = engine.profile();
    json!({
        "profile": profile.to_string(),
        "rules": format!("{:08x}", profile.fingerprint()),
        "board": board(profile),
        "position": position.to_string(),
        "counts": position.counts(),
        "stores": position.stores(),
        "turn": side,
        "seeds": position.seeds(),
        "over": result.is_some(),
        "result": result,
        // What is left if the game is drawn up here.
        "split": split(position),
        "moves": moves.iter().map(legal_move).collect::<Vec<_>>(),
        "illegal": illegal,
    })
}

fn split(position: &Position) -> Value {
    let [south, north] = position.stores().map(|store| Halves((2 * store + position.seeds()) as i32));
    json!({ "south": south, "north": north })
}

fn legal_move(m: &LegalMove) -> Value {
    json!({
        "move": m.letter,
        "captured": m.captured,
        "again": m.again,
        "laps": m.laps,
        "position": m.position.to_string(),
    })
}

/// What can be played.
pub(super) async fn legal(
    State(shared): State<Arc<Shared>>,
    Parameters(place): Parameters<Where>,
) -> Answer {
    let work = move |engine: Arc<Engine>, place: Where| {
        let position = place.position(&engine)?;
        Ok(described(&engine, &position))
    };
    let profile = place.profile()?;
    shared.solves.quickly(profile, move |engine| work(engine, place)).await.map(Json)
}

/// Plays one move: its sowing seed by seed, and the position afterwards.
pub(super) async fn play(
    State(shared): State<Arc<Shared>>,
    Parameters(played): Parameters<Played>,
) -> Answer {
    let (place, letter) = played.split()?;
    let profile = place.profile()?;
    let work = move |engine: Arc<Engine>| {
        let position = place.position(&engine)?;
        let played = engine.play(&position, letter).map_err(|error| Problem::parameter("move", error))?;
        let mut answer = legal_move(&played);
        answer["before"] = position.counts().into();
        answer["trace"] = serde_json::to_value(Trace::new(&engine, &position, &played, MOST_LAPS))
            .map_err(|_| Problem::internal())?;
        answer["after"] = described(&engine, &played.position);
        Ok(answer)
    };
    shared.solves.quickly(profile, work).await.map(Json)
}

/// A position from the middle of a random game that is not over, with at most so many seeds where that is said.
pub(super) async fn random(
    State(shared): State<Arc<Shared>>,
    Parameters(of): Parameters<OfProfile>,
) -> Answer {
    let profile = of.profile()?.unwrap_or(Profile::ALL[0]);
    let most = of.seeds()?.unwrap_or(profile.seeds());
    let work = move |engine: Arc<Engine>| {
        // Every hasher of the standard library is seeded anew.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(RandomState::new().hash_one(0));
        let position = (0..GAMES).find_map(|_| from_a_game(&engine, most, &mut random)).ok_or_else(|| {
            Problem::parameter("seeds", format!("no game came to a position with at most {most} seeds to play"))
        })?;
        Ok(described(&engine, &position))
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
