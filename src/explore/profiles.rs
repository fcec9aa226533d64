//! `/api/profiles`: what can be played.

use axum::Json;
use serde_json::{Value, json};

use crate::profile::{Profile, Ruleset};

/// The board of a profile, as it is drawn.
pub(super) fn board(profile: &Profile) -> Value {
    let hoyito = profile.rules().is_hoyito();
    json!({
        "game": if hoyito { "Hoyito II" } else { "Ayoayo" },
        "pits": profile.row(),
        "seeds_per_pit": profile.start(),
        "seeds": profile.seeds(),
        "unit": profile.unit(),
        "direction": if hoyito { "clockwise" } else { "counterclockwise" },
    })
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

/// The six profiles of the rules.
pub(super) async fn profiles() -> Json<Value> {
    let profiles = Profile::ALL.iter().map(|profile| {
        let mut answer = board(profile);
        answer["name"] = profile.to_string().into();
        answer["rules"] = format!("{:08x}", profile.fingerprint()).into();
        answer["differs"] = differs(profile.rules()).into();
        answer
    });
    Json(json!({ "profiles": profiles.collect::<Vec<_>>(), "version": env!("CARGO_PKG_VERSION") }))
}
