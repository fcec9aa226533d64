//! The columns of an answer in CSV: the same in a batch and in openings.

use crate::analysis::Analysis;
use crate::position::Side;
use crate::profile::Profile;

/// The columns of an answer before those of the pits.
pub(crate) const ANSWER: [&str; 6] = ["value", "lower", "upper", "standoff", "best", "line"];

/// The names of the columns of the pits: those of the side to move, as South calls them.
pub(crate) fn pits(profile: &Profile) -> Vec<String> {
    (0..profile.row()).map(|pit| Side::South.letter(pit).to_string()).collect()
}

/// What the columns show of an answer. All values are seeds from the view of the side to move, stores excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cells {
    /// Proven bounds of the value.
    pub(crate) bounds: [i32; 2],
    /// The forced interval is not one number; `None` where that is not known.
    pub(crate) standoff: Option<bool>,
    /// The best move, `None` where the game is over.
    pub(crate) best: Option<char>,
    /// Best play.
    pub(crate) line: String,
    /// Proven bounds of each legal sowing, `None` for pits that can not be played.
    pub(crate) pits: Vec<Option<[i32; 2]>>,
    /// Proven bounds of a forced pass, where that is the move. It has no column: its value is the position's.
    pub(crate) pass: Option<[i32; 2]>,
}

impl Cells {
    pub(crate) fn new(analysis: &Analysis) -> Self {
        let side = analysis.position.side();
        let of = |letter| analysis.moves.iter().find(|m| m.letter == letter).map(|m| m.bounds);
        Self {
            bounds: analysis.bounds,
            standoff: analysis.forced.and_then(|forced| forced.standoff()),
            best: analysis.moves.first().map(|m| m.letter),
            line: analysis.line.clone(),
            pits: (0..analysis.position.row()).map(|pit| of(side.letter(pit))).collect(),
            pass: of('-'),
        }
    }

    /// The bounds of a move of `side`, a legal one or its place.
    pub(crate) fn of(&mut self, side: Side, letter: char) -> &mut Option<[i32; 2]> {
        match (0..self.pits.len()).find(|&pit| side.letter(pit) == letter) {
            Some(pit) => &mut self.pits[pit],
            None => &mut self.pass,
        }
    }

    /// The bounds of the value by those of the moves.
    pub(crate) fn best_bounds(&self) -> [i32; 2] {
        let moves = || self.pits.iter().chain([&self.pass]).flatten();
        let most = |end: usize| moves().map(|bounds| bounds[end]).max().unwrap_or(0);
        [most(0), most(1)]
    }

    /// True where the values of the position and of all its moves are exact.
    pub(crate) fn exact(&self) -> bool {
        self.pits
            .iter()
            .chain([&self.pass])
            .flatten()
            .chain([&self.bounds])
            .all(|&bounds| exact(bounds).is_some())
    }

    /// The value, where it is exact.
    pub(crate) fn value(&self) -> Option<i32> {
        exact(self.bounds)
    }

    /// The cells of [`ANSWER`] and of the pits as text.
    pub(crate) fn text(&self) -> Vec<String> {
        let [lower, upper] = self.bounds.map(|bound| bound.to_string());
        let value = self.value().map(|value| value.to_string()).unwrap_or_default();
        let standoff = self.standoff.map(|standoff| standoff.to_string()).unwrap_or_default();
        let best = self.best.map(String::from).unwrap_or_default();
        let pits = self.pits.iter().map(|bounds| bounds.map(range).unwrap_or_default());
        [value, lower, upper, standoff, best, self.line.clone()].into_iter().chain(pits).collect()
    }
}

fn exact([lower, upper]: [i32; 2]) -> Option<i32> {
    (lower == upper).then_some(lower)
}

/// A number, or `lower..upper` where it is not exact.
fn range([lower, upper]: [i32; 2]) -> String {
    if lower == upper { lower.to_string() } else { format!("{lower}..{upper}") }
}

/// Reads what [`range`] has written.
pub(crate) fn parse_range(text: &str) -> Option<[i32; 2]> {
    match text.split_once("..") {
        Some((lower, upper)) => Some([lower.parse().ok()?, upper.parse().ok()?]),
        None => text.parse().ok().map(|value| [value; 2]),
    }
}
