//! From the text of a query to a profile, a position and limits.

use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::extract::Query;
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::problem::Problem;
use crate::notation;
use crate::{Engine, Position, Profile};

/// Characters of a profile's name, of a position and of moves.
const MOST_PROFILE: usize = 60;
const MOST_POSITION: usize = 400;
const MOST_MOVES: usize = 4_000;

/// The time of a search where nothing is said.
const USUAL_TIME: Duration = Duration::from_secs(10);

/// Parameters of a request; those that are unknown or come twice are errors.
pub(super) struct Parameters<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(parameters)) => Ok(Self(parameters)),
            Err(error) => {
                // What it was is said after the colon.
                let text = error.body_text();
                let said: String =
                    text.rsplit("query string: ").next().unwrap_or(&text).chars().take(200).collect();
                Err(Problem::new(StatusCode::BAD_REQUEST, format!("parameters: {said}")))
            }
        }
    }
}

/// Which position: a start, and moves played from it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Where {
    profile: Option<String>,
    position: Option<String>,
    moves: Option<String>,
}

/// A position, and one move in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Played {
    profile: Option<String>,
    position: Option<String>,
    moves: Option<String>,
    #[serde(rename = "move")]
    letter: Option<String>,
}

/// A position that is to be analysed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Analysed {
    profile: Option<String>,
    position: Option<String>,
    moves: Option<String>,
    time: Option<String>,
    forced: Option<String>,
}

/// A profile alone, and a number of seeds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfProfile {
    pub(super) profile: Option<String>,
    pub(super) seeds: Option<String>,
}

impl Where {
    pub(super) fn profile(&self) -> Result<Profile, Problem> {
        profile(self.profile.as_deref().unwrap_or("ayoayo"))
    }

    /// The position, the moves played.
    pub(super) fn position(&self, engine: &Engine) -> Result<Position, Problem> {
        let text = self.position.as_deref().unwrap_or("start");
        short("position", text, MOST_POSITION)?;
        let start = notation::parse_position(engine.profile(), text)
            .map_err(|error| Problem::parameter("position", error))?;
        let moves = self.moves.as_deref().unwrap_or("");
        short("moves", moves, MOST_MOVES)?;
        engine.play_text(&start, moves).map_err(|error| Problem::parameter("moves", error))
    }
}

impl Played {
    pub(super) fn split(self) -> Result<(Where, char), Problem> {
        let Self { profile, position, moves, letter } = self;
        let mut letters = letter.iter().flat_map(|text| text.chars());
        let (Some(letter), None) = (letters.next(), letters.next()) else {
            return Err(Problem::parameter("move", "one pit's letter is needed, or - for a forced pass"));
        };
        Ok((Where { profile, position, moves }, letter))
    }
}

impl Analysed {
    /// The position, the time, and whether forced intervals are wanted. `most`: the longest time that is allowed.
    pub(super) fn split(self, most: Duration) -> Result<(Where, Duration, bool), Problem> {
        let Self { profile, position, moves, time: limit, forced } = self;
        let limit = match &limit {
            None => USUAL_TIME.min(most),
            Some(text) => time(text, most)?,
        };
        let forced = match forced.as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => return Err(Problem::parameter("forced", "true or false is expected")),
        };
        Ok((Where { profile, position, moves }, limit, forced))
    }
}

impl OfProfile {
    pub(super) fn profile(&self) -> Result<Option<Profile>, Problem> {
        self.profile.as_deref().map(profile).transpose()
    }

    pub(super) fn seeds(&self) -> Result<Option<u32>, Problem> {
        let number = |text: &String| {
            let plain = text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
            let seeds = plain.then(|| text.parse().ok()).flatten().filter(|seeds| (0..=96).contains(seeds));
            seeds.ok_or_else(|| Problem::parameter("seeds", "0 to 96 seeds are possible"))
        };
        self.seeds.as_ref().map(number).transpose()
    }
}

fn short(parameter: &'static str, text: &str, most: usize) -> Result<(), Problem> {
    match text.chars().count() {
        length if length <= most => Ok(()),
        length => Err(Problem::parameter(parameter, format!("{length} characters: {most} are possible"))),
    }
}

fn profile(name: &str) -> Result<Profile, Problem> {
    short("profile", name, MOST_PROFILE)?;
    name.parse().map_err(|error| Problem::parameter("profile", error))
}

/// A time such as `20s`, `500ms`, `2m`, or seconds alone.
fn time(text: &str, most: Duration) -> Result<Duration, Problem> {
    let says = |says: String| Problem::parameter("time", says);
    short("time", text, 40)?;
    // The standard parser would also take a sign.
    let seconds = text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<u32>().ok()).flatten();
    let time = seconds.map(|seconds| Duration::from_secs(seconds.into()));
    let time = time.or_else(|| humantime::parse_duration(text).ok());
    match time.filter(|&time| time >= Duration::from_millis(1)) {
        None => Err(says("a time such as 20s or 500ms is expected, at least 1ms".into())),
        Some(time) if time > most => {
            Err(says(format!("a request may take {} at most", humantime::format_duration(most))))
        }
        Some(time) => Ok(time),
    }
}
