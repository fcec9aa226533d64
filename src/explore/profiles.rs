//! `/api/profiles`: what can be played, and how long may be thought.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::Shared;
use crate::profile::{Profile, Ruleset};

/// The board of a profile, as it is drawn.
#[derive(Serialize)]
pub(super) struct BoardOf {
    game: &'static str,
    /// Pits a row.
    pits: usize,
    seeds_per_pit: u32,
    /// Seeds of the whole game.
    seeds: u32,
    /// What the seeds on the board are a multiple of.
    unit: u32,
    direction: &'static str,
}

impl BoardOf {
    pub(super) fn new(profile: &Profile) -> Self {
        let hoyito = profile.rules().is_hoyito();
        Self {
            game: if hoyito { "Hoyito II" } else { "Ayoayo" },
            pits: profile.row(),
            seeds_per_pit: profile.start(),
            seeds: profile.seeds(),
            unit: profile.unit(),
            direction: if hoyito { "clockwise" } else { "counterclockwise" },
        }
    }
}

/// What tells a profile from the others of its game.
fn differs(rules: Ruleset) -> &'static str {
    match rules {
        Ruleset::Ayoayo => "what is left at the end goes to who moved last",
        Ruleset::AyoayoHolder => "what is left at the end goes to the row it lies in",
        Ruleset::AyoayoPratt => "as holder, and the capturing seed stays on the board",
        Ruleset::Hoyito => "fours are taken from both rows, in chains",
        Ruleset::HoyitoOpponent => "fours are taken from the opponent's row only",
    }
}

/// One profile.
#[derive(Serialize)]
struct Described {
    name: String,
    /// The fingerprint of its rules.
    rules: String,
    #[serde(flatten)]
    board: BoardOf,
    differs: &'static str,
}

/// All of them.
#[derive(Serialize)]
pub(super) struct Profiles {
    profiles: Vec<Described>,
    /// The longest `time` that a request may ask for.
    most_time_ms: u128,
    version: &'static str,
}

/// The six profiles of the rules.
pub(super) async fn profiles(State(shared): State<Arc<Shared>>) -> Json<Profiles> {
    let described = |profile: Profile| Described {
        name: profile.to_string(),
        rules: format!("{:08x}", profile.fingerprint()),
        board: BoardOf::new(&profile),
        differs: differs(profile.rules()),
    };
    let profiles = Profile::ALL.map(described).into();
    let most_time_ms = shared.most_time.as_millis();
    Json(Profiles { profiles, most_time_ms, version: env!("CARGO_PKG_VERSION") })
}
