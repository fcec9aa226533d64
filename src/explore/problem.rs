//! What can not be answered, as a person and a program read it: a status and one JSON object.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::engine::EngineError;
use crate::table::TableError;

/// An answer in JSON, or why there is none.
pub(super) type Answer<T> = Result<Json<T>, Problem>;

/// Why a request is not answered.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    /// The parameter that is wrong.
    pub(super) parameter: Option<&'static str>,
    /// What is wrong and what would be right.
    pub(super) text: String,
    /// A header that goes with the status.
    pub(super) header: Option<(HeaderName, HeaderValue)>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self { status, parameter: None, text: text.into(), header: None }
    }

    /// A parameter that is wrong.
    pub(super) fn parameter(parameter: &'static str, text: impl std::fmt::Display) -> Self {
        let text = format!("{parameter}: {text}");
        Self { parameter: Some(parameter), ..Self::new(StatusCode::BAD_REQUEST, text) }
    }

    pub(super) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is nothing here; the board is at /")
    }

    /// More is asked for than can be computed.
    pub(super) fn busy() -> Self {
        let header = Some((header::RETRY_AFTER, HeaderValue::from_static("2")));
        let text = "busy: no search could begin within the time of this request; ask again later";
        Self { header, ..Self::new(StatusCode::SERVICE_UNAVAILABLE, text) }
    }

    /// A table that can not be used.
    pub(super) fn table(error: TableError) -> Self {
        Self::from(EngineError::from(error))
    }

    /// A defect of the program.
    pub(super) fn internal() -> Self {
        let text = "this request met a defect of the program; others are still answered";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, text)
    }

    /// What the answer says.
    pub(super) fn json(&self) -> Value {
        json!({ "error": harmless(&self.text), "parameter": self.parameter })
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.json())).into_response();
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// The text without what could be markup: errors quote what was asked, and some reader may put them into a page.
fn harmless(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '<' | '>' | '&') || c.is_control() { '?' } else { c }).collect()
}
