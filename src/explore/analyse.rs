//! `/api/analyse`, and the same as a stream of events while the bounds narrow.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use super::Shared;
use super::problem::{Answer, Problem};
use super::progress::Progress;
use super::query::{Analysed, Parameters};
use super::solves::Question;
use crate::analysis::Analysis;

/// Time between two events of one stream: more often than that nobody can see.
const BETWEEN: Duration = Duration::from_millis(60);

/// Time between two signs of life, which also tell the server that the client has gone.
const ALIVE: Duration = Duration::from_secs(1);

async fn question(shared: &Shared, parameters: Analysed) -> Result<Question, Problem> {
    let (place, time, forced) = parameters.split(shared.most_time)?;
    let profile = place.profile()?;
    let deadline = Instant::now() + time;
    shared.solves.question(profile, move |engine| place.position(engine), forced, deadline).await
}

/// The analysis of a position, as `oju best --json` prints it.
pub(super) async fn analyse(
    State(shared): State<Arc<Shared>>,
    Parameters(parameters): Parameters<Analysed>,
) -> Answer<Analysis> {
    let question = question(&shared, parameters).await?;
    shared.solves.answer(question).await.map(Json)
}

/// What a stream is at.
struct Narrowing {
    progress: Arc<Progress>,
    /// The answer; dropping it ends the search.
    answer: Pin<Box<dyn Future<Output = Result<Analysis, Problem>> + Send>>,
}

/// Events `bounds` while the search runs, then one `analysis`, or one `problem`.
pub(super) async fn stream(
    State(shared): State<Arc<Shared>>,
    Parameters(parameters): Parameters<Analysed>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let question = question(&shared, parameters).await?;
    let progress = question.progress.clone();
    let answer = Box::pin(async move { shared.solves.answer(question).await });
    let events = unfold(Some(Narrowing { progress, answer }), async |narrowing| {
        let mut narrowing = narrowing?;
        match next(&mut narrowing).await {
            Some(answer) => Some((Ok(last(answer)), None)),
            None => {
                let event = Event::default().event("bounds").json_data(narrowing.progress.now());
                Some((Ok(event.unwrap_or_default()), Some(narrowing)))
            }
        }
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)))
}

/// Waits for the answer; `None` where something has been proven before it came.
async fn next(narrowing: &mut Narrowing) -> Option<Result<Analysis, Problem>> {
    let Narrowing { progress, answer } = narrowing;
    if let Ok(answer) = timeout(BETWEEN, &mut *answer).await {
        return Some(answer);
    }
    tokio::select! {
        answer = answer => Some(answer),
        () = progress.changed() => None,
        // A search that proves nothing for a while is alive all the same.
        () = sleep(ALIVE) => None,
    }
}

fn last(answer: Result<Analysis, Problem>) -> Event {
    let event = match answer {
        Ok(analysis) => Event::default().event("analysis").json_data(analysis),
        Err(problem) => Event::default().event("problem").json_data(problem.json()),
    };
    event
        .unwrap_or_else(|_| Event::default().event("problem").data(json!({ "error": "no JSON" }).to_string()))
}
