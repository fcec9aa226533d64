//! What an analysis says, as Python reads it: the fields of `oju best --json`.

use ::oju::analysis::{Forced, Source};
use ::oju::{LegalMove, Side};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The analysis of one position. Numbers are from the view of its side to move.
#[pyclass(module = "oju", frozen)]
pub(crate) struct Analysis(pub(crate) ::oju::Analysis);

/// The analysis of one legal move. Numbers are from the view of its mover.
#[pyclass(module = "oju", frozen)]
pub(crate) struct MoveAnalysis(::oju::MoveAnalysis);

/// A legal move, played out.
#[pyclass(module = "oju", frozen)]
pub(crate) struct Move(pub(crate) LegalMove);

type Ends = (i32, i32);

fn forced(forced: Option<Forced>) -> Option<Ends> {
    forced?.interval().map(Ends::from)
}

fn forced_bounds(forced: Option<Forced>) -> Option<(Ends, Ends)> {
    forced.map(|forced| (forced.low.into(), forced.high.into()))
}

/// A number, or Python's word for none.
fn shown(number: Option<i32>) -> String {
    number.map_or_else(|| "None".to_string(), |number| number.to_string())
}

#[pymethods]
impl Analysis {
    /// The profile's name.
    #[getter]
    fn profile(&self) -> String {
        self.0.profile.to_string()
    }

    /// The fingerprint of the rules, eight hexadecimal digits.
    #[getter]
    fn rules(&self) -> &str {
        &self.0.rules
    }

    /// The position.
    #[getter]
    fn position(&self) -> String {
        self.0.position.to_string()
    }

    /// The side to move.
    #[getter]
    fn turn(&self) -> &'static str {
        match self.0.turn {
            Side::South => "south",
            Side::North => "north",
        }
    }

    /// Seeds on the board.
    #[getter]
    fn seeds(&self) -> u32 {
        self.0.seeds
    }

    /// Seeds the side to move will win minus those the other will, from here on, stores excluded; None where it is not exact.
    #[getter]
    fn value(&self) -> Option<i32> {
        self.0.value
    }

    /// Final stores of South and North under best play, x.5 where an odd rest is split; None where the value is not exact.
    #[getter]
    fn result(&self) -> Option<(f64, f64)> {
        self.0.result.map(|stores| stores.map(|halves| f64::from(halves.0) / 2.0).into())
    }

    /// Proven bounds of the value.
    #[getter]
    fn bounds(&self) -> Ends {
        self.0.bounds.into()
    }

    /// The bounds are equal.
    #[getter]
    fn exact(&self) -> bool {
        self.0.exact
    }

    /// The value if infinite play gave what is left to the other side, and if to this one; None if not known.
    #[getter]
    fn forced(&self) -> Option<Ends> {
        forced(self.0.forced)
    }

    /// Proven bounds of both ends of the forced interval; None if nothing was asked of them.
    #[getter]
    fn forced_bounds(&self) -> Option<(Ends, Ends)> {
        forced_bounds(self.0.forced)
    }

    /// The forced interval is not one number; None if not known.
    #[getter]
    fn standoff(&self) -> Option<bool> {
        self.0.forced?.standoff()
    }

    /// Sowings until the value is converted, None if not known.
    #[getter]
    fn distance(&self) -> Option<u16> {
        self.0.distance
    }

    /// Where the value comes from: 'table' (or a tier solved in memory), 'search', or 'rules' (the game is over).
    #[getter]
    fn source(&self) -> &'static str {
        match self.0.source {
            Source::Table => "table",
            Source::Search => "search",
            Source::Rules => "rules",
        }
    }

    /// The game is over.
    #[getter]
    fn over(&self) -> bool {
        self.0.over
    }

    /// Letters of the pits whose sowing never ends.
    #[getter]
    fn endless(&self) -> Vec<char> {
        self.0.endless.clone()
    }

    /// Every legal move, best first.
    #[getter]
    fn moves(&self) -> Vec<MoveAnalysis> {
        self.0.moves.iter().cloned().map(MoveAnalysis).collect()
    }

    /// Best play; a pass is '-', a closed cycle ends in '…'.
    #[getter]
    fn line(&self) -> &str {
        &self.0.line
    }

    /// Boards expanded by the search.
    #[getter]
    fn nodes(&self) -> u64 {
        self.0.nodes
    }

    /// Milliseconds taken.
    #[getter]
    fn time_ms(&self) -> f64 {
        self.0.time_ms
    }

    /// The version of oju.
    #[getter]
    fn version(&self) -> &'static str {
        self.0.version
    }

    /// All of it as a dictionary: what 'oju best --json' says.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json =
            serde_json::to_string(&self.0).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        py.import("json")?.call_method1("loads", (json,))
    }

    fn __repr__(&self) -> String {
        let (lower, upper) = self.bounds();
        let value = shown(self.0.value);
        format!(
            "Analysis(position='{}', value={value}, bounds=({lower}, {upper}), line='{}')",
            self.0.position, self.0.line
        )
    }
}

#[pymethods]
impl MoveAnalysis {
    /// The pit's letter, or '-' for a forced pass.
    #[getter]
    fn r#move(&self) -> char {
        self.0.letter
    }

    /// Seeds taken.
    #[getter]
    fn captured(&self) -> u32 {
        self.0.captured
    }

    /// The mover is to move again.
    #[getter]
    fn again(&self) -> bool {
        self.0.again
    }

    /// Laps sown, 0 for a pass.
    #[getter]
    fn laps(&self) -> u32 {
        self.0.laps
    }

    /// The value of the move, what it takes included; None where it is not exact.
    #[getter]
    fn value(&self) -> Option<i32> {
        self.0.value
    }

    /// Proven bounds of the value.
    #[getter]
    fn bounds(&self) -> Ends {
        self.0.bounds.into()
    }

    /// The bounds are equal.
    #[getter]
    fn exact(&self) -> bool {
        self.0.exact
    }

    /// The forced interval of the move, as of the position.
    #[getter]
    fn forced(&self) -> Option<Ends> {
        forced(self.0.forced)
    }

    /// Proven bounds of both ends of the forced interval; None if nothing was asked of them.
    #[getter]
    fn forced_bounds(&self) -> Option<(Ends, Ends)> {
        forced_bounds(self.0.forced)
    }

    /// The forced interval is not one number; None if not known.
    #[getter]
    fn standoff(&self) -> Option<bool> {
        self.0.forced?.standoff()
    }

    /// The position afterwards.
    #[getter]
    fn position(&self) -> String {
        self.0.position.to_string()
    }

    fn __repr__(&self) -> String {
        let (lower, upper) = self.bounds();
        format!(
            "MoveAnalysis(move='{}', value={}, bounds=({lower}, {upper}))",
            self.0.letter,
            shown(self.0.value)
        )
    }
}

#[pymethods]
impl Move {
    /// The pit's letter, or '-' for a forced pass.
    #[getter]
    fn r#move(&self) -> char {
        self.0.letter
    }

    /// Seeds taken.
    #[getter]
    fn captured(&self) -> u32 {
        self.0.captured
    }

    /// The mover is to move again.
    #[getter]
    fn again(&self) -> bool {
        self.0.again
    }

    /// Laps sown, 0 for a pass.
    #[getter]
    fn laps(&self) -> u32 {
        self.0.laps
    }

    /// The position afterwards.
    #[getter]
    fn position(&self) -> String {
        self.0.position.to_string()
    }

    fn __repr__(&self) -> String {
        format!(
            "Move(move='{}', captured={}, position='{}')",
            self.0.letter, self.0.captured, self.0.position
        )
    }
}
