//! What an analysis says: one type for the command line, JSON and every other reader.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::position::{Position, Side};
use crate::profile::Profile;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// From a solved tier.
    Table,
    /// From the search.
    Search,
    /// From the rules alone: the game is over.
    Rules,
}

/// A number of seeds that may end in a half, where an odd remainder is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Halves(
    /// Twice the number.
    pub i32,
);

impl std::fmt::Display for Halves {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 % 2 == 0 { write!(f, "{}", self.0 / 2) } else { write!(f, "{}.5", self.0 / 2) }
    }
}

impl Serialize for Halves {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % 2 == 0 {
            serializer.serialize_i32(self.0 / 2)
        } else {
            serializer.serialize_f64(f64::from(self.0) / 2.0)
        }
    }
}

/// The analysis of one position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Analysis {
    /// The profile's name.
    #[serde(serialize_with = "text")]
    pub profile: Profile,
    /// The fingerprint of the rules, eight hexadecimal digits.
    pub rules: String,
    /// The position.
    pub position: Position,
    /// The side to move.
    pub turn: Side,
    /// Seeds on the board.
    pub seeds: u32,
    /// Seeds the side to move will win minus those the other will, from here on, stores excluded; `None`
    /// where it is not exact.
    pub value: Option<i32>,
    /// Final stores of South and North under best play; `None` where the value is not exact.
    #[serde(serialize_with = "result")]
    pub result: Option<[Halves; 2]>,
    /// Proven bounds of the value.
    pub bounds: [i32; 2],
    /// The bounds are equal.
    pub exact: bool,
    /// The forced interval, `None` where nothing was asked of it. In JSON `forced`, `forced_bounds` and `standoff`.
    #[serde(flatten, serialize_with = "forced")]
    pub forced: Option<Forced>,
    /// Sowings until the value is converted (a capture or the end), `None` where it is not known.
    pub distance: Option<u16>,
    /// Where the value comes from.
    pub source: Source,
    /// The game is over.
    pub over: bool,
    /// Letters of the pits whose sowing never ends.
    pub endless: Vec<char>,
    /// Every legal move, best first.
    pub moves: Vec<MoveAnalysis>,
    /// Best play from here: pit letters, `-` for a pass; a line that closes a cycle ends in `…`.
    pub line: String,
    /// Boards expanded by the search.
    pub nodes: u64,
    /// Milliseconds taken.
    pub time_ms: f64,
    /// The program's version.
    pub version: &'static str,
}

/// The analysis of one legal move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveAnalysis {
    /// The pit's letter, or `-` for a forced pass.
    #[serde(rename = "move")]
    pub letter: char,
    /// Seeds taken.
    pub captured: u32,
    /// The mover is to move again.
    pub again: bool,
    /// Laps sown.
    pub laps: u32,
    /// The value of the move from the view of its mover, what it takes included; `None` where it is
    /// not exact.
    pub value: Option<i32>,
    /// Proven bounds of that value.
    pub bounds: [i32; 2],
    /// The bounds are equal.
    pub exact: bool,
    /// The forced interval of the move from the view of its mover, as of the position.
    #[serde(flatten, serialize_with = "forced")]
    pub forced: Option<Forced>,
    /// The position afterwards.
    pub position: Position,
}

/// What is proven of a forced interval (RULES.md): the value if infinite play, at whatever tier it happens, gave all seeds then left to
/// the other side (`low`) or to the side to move (`high`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forced {
    /// Proven bounds of the low end.
    pub low: [i32; 2],
    /// Proven bounds of the high end.
    pub high: [i32; 2],
}

impl Forced {
    /// Low and high end. `None` where one of them is not exact.
    pub fn interval(&self) -> Option<[i32; 2]> {
        (self.low[0] == self.low[1] && self.high[0] == self.high[1]).then_some([self.low[0], self.high[0]])
    }

    /// True where both ends are exact.
    pub fn exact(&self) -> bool {
        self.interval().is_some()
    }

    /// The ends differ: someone can keep the game going for ever, and it matters what that is worth. `None` where that is
    /// open.
    pub fn standoff(&self) -> Option<bool> {
        if self.low[1] < self.high[0] {
            return Some(true);
        }
        self.interval().map(|[low, high]| low != high)
    }
}

fn forced<S: Serializer>(forced: &Option<Forced>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(3))?;
    map.serialize_entry("forced", &forced.and_then(|forced| forced.interval()))?;
    map.serialize_entry("forced_bounds", &forced.map(|forced| [forced.low, forced.high]))?;
    map.serialize_entry("standoff", &forced.and_then(|forced| forced.standoff()))?;
    map.end()
}

fn text<T: std::fmt::Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn result<S: Serializer>(result: &Option<[Halves; 2]>, serializer: S) -> Result<S::Ok, S::Error> {
    let Some([south, north]) = result else { return serializer.serialize_none() };
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("south", south)?;
    map.serialize_entry("north", north)?;
    map.end()
}

impl Analysis {
    /// An analysis of which only the bounds of the value are known.
    pub(crate) fn new(profile: &Profile, position: &Position, bounds: [i32; 2]) -> Self {
        let exact = bounds[0] == bounds[1];
        let value = exact.then_some(bounds[0]);
        Self {
            profile: *profile,
            rules: format!("{:08x}", profile.fingerprint()),
            position: *position,
            turn: position.side(),
            seeds: position.seeds(),
            value,
            result: value.map(|value| final_stores(position, value)),
            bounds,
            exact,
            forced: None,
            distance: None,
            source: Source::Search,
            over: false,
            endless: Vec::new(),
            moves: Vec::new(),
            line: String::new(),
            nodes: 0,
            time_ms: 0.0,
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// True where the value of every move is exact, and every forced interval that was asked for.
    pub fn complete(&self) -> bool {
        let forced = |forced: Option<Forced>| forced.is_none_or(|forced| forced.exact());
        self.exact && forced(self.forced) && self.moves.iter().all(|m| m.exact && forced(m.forced))
    }
}

/// Final stores of South and North if `value` is what the side to move still wins over the other.
pub fn final_stores(position: &Position, value: i32) -> [Halves; 2] {
    let seeds = position.seeds() as i32;
    let mut doubled = position.stores().map(|store| 2 * store as i32);
    let mover = position.side().index();
    doubled[mover] += seeds + value;
    doubled[1 - mover] += seeds - value;
    doubled.map(Halves)
}
