//! A move as a person names it: what a position offers, a move played out, a sowing lap by lap, and what is wrong with a move.

use crate::notation;
use crate::position::{Position, Side};

/// What a position offers its side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Options {
    /// The game is over: seeds on the board that go to South and to North.
    Over {
        /// South's and North's share.
        shares: [u32; 2],
    },
    /// The legal moves, in the order of pits.
    Moves(Vec<LegalMove>),
}

/// A legal move, played out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegalMove {
    /// The pit's letter, or `-` for a forced pass.
    pub letter: char,
    /// Seeds taken.
    pub captured: u32,
    /// The mover is to move again.
    pub again: bool,
    /// Laps sown.
    pub laps: u32,
    /// The position afterwards.
    pub position: Position,
}

/// A character that may be anything, as an error quotes it.
fn plain(letter: char) -> String {
    notation::quoted(letter.encode_utf8(&mut [0; 4]), 1)
}

/// What is wrong with a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// Not a pit of the side to move.
    #[error("'{letter}': {side} is to move, with the pits {first} to {last}", letter = plain(*letter), first = side.letter(0), last = side.letter(row - 1))]
    NotOwn {
        /// What was written.
        letter: char,
        /// The side to move.
        side: Side,
        /// Pits in a row.
        row: usize,
    },
    /// The pit holds no seed.
    #[error("'{0}' is empty")]
    Empty(char),
    /// The sowing never ends.
    #[error("'{0}' never ends: the sowing comes back to where it was, so it is illegal")]
    Endless(char),
    /// The opponent would be left without seeds.
    #[error("'{0}' leaves the opponent without seeds, and the opponent must be fed")]
    DoesNotFeed(char),
    /// A pass where a pit can be played.
    #[error("'-': a pass is forced or illegal, and {side} can play {letters}")]
    NoPass {
        /// The side to move.
        side: Side,
        /// Its legal pits.
        letters: String,
    },
    /// A pit where only a pass is possible.
    #[error("'{letter}': {side} has no legal sowing and must pass, written '-'")]
    MustPass {
        /// What was written.
        letter: char,
        /// The side to move.
        side: Side,
    },
    /// The game is over.
    #[error("'{letter}': the game is over", letter = plain(*.0))]
    Over(char),
}

/// One lap of a sowing, as a person watches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lap {
    /// The position after the lap, captures not yet done, the mover still to move.
    pub position: Position,
    /// Where the last seed fell: an index in sowing order, South's `A` being 0.
    pub last: usize,
}
