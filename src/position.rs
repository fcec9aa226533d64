//! Positions as people write them: absolute, with stores and the side to move.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Serialize, Serializer};

use crate::board::{Board, MAX_PITS};
use crate::profile::Profile;

/// A player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Owns the pits `A`, `B`, …; moves first.
    South,
    /// Owns the pits `a`, `b`, ….
    North,
}

impl Side {
    /// The other player.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::South => Self::North,
            Self::North => Self::South,
        }
    }

    /// 0 for South, 1 for North.
    pub fn index(self) -> usize {
        match self {
            Self::South => 0,
            Self::North => 1,
        }
    }

    /// The letter of this side's `pit`-th pit.
    pub fn letter(self, pit: usize) -> char {
        let first = match self {
            Self::South => b'A',
            Self::North => b'a',
        };
        char::from(first + pit as u8)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::South => "South",
            Self::North => "North",
        })
    }
}

/// Seeds in all pits and both stores, and the side to move.
///
/// Its text form is the `2R` counts in sowing order, South's store, North's store and the side to
/// move, joined by `-`: `4-4-4-4-4-4-4-4-4-4-4-4-0-0-S`. A position that was given without stores, and each that play leads to from
/// there, has none in its text, which can so be read again; its stores count from 0.
#[derive(Clone, Copy)]
pub struct Position {
    /// Pits in both rows.
    pub(crate) pits: u8,
    pub(crate) counts: [u8; MAX_PITS],
    /// Seeds taken by South and by North.
    pub(crate) stores: [u8; 2],
    /// The side to move.
    pub(crate) side: Side,
    /// Pits and stores together hold all seeds of a game, or are taken to: the stores are part of the text.
    pub(crate) whole: bool,
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl Position {
    /// All that two equal positions have in common.
    fn key(&self) -> (&[u8], [u8; 2], Side) {
        (self.counts(), self.stores, self.side)
    }

    /// The start of a game.
    pub fn start(profile: &Profile) -> Self {
        let pits = 2 * profile.row();
        let mut counts = [0; MAX_PITS];
        counts[..pits].fill(profile.start() as u8);
        Self { pits: pits as u8, counts, stores: [0, 0], side: Side::South, whole: true }
    }

    /// The position in which South is to move and sees `counts`, and nobody has taken anything yet.
    pub(crate) fn from_counts(board: &[u8]) -> Self {
        let mut counts = [0; MAX_PITS];
        counts[..board.len()].copy_from_slice(board);
        Self { pits: board.len() as u8, counts, stores: [0, 0], side: Side::South, whole: false }
    }

    /// The counts of all pits in sowing order, South's row first.
    pub fn counts(&self) -> &[u8] {
        &self.counts[..usize::from(self.pits)]
    }

    /// Seeds taken by South and by North.
    pub fn stores(&self) -> [u32; 2] {
        self.stores.map(u32::from)
    }

    /// The side to move.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Seeds on the board.
    pub fn seeds(&self) -> u32 {
        self.counts().iter().map(|&count| u32::from(count)).sum()
    }

    /// Pits in one row.
    pub fn row(&self) -> usize {
        usize::from(self.pits) / 2
    }

    /// The board as the side to move sees it.
    pub(crate) fn board<const P: usize>(&self) -> Board<P> {
        let board = Board::from_counts(self.counts());
        match self.side {
            Side::South => board,
            Side::North => board.rotated(),
        }
    }

    /// The position in which `side` is to move and sees `board`. `stores`: South's and North's.
    pub fn from_board<const P: usize>(board: &Board<P>, stores: [u8; 2], side: Side) -> Self {
        let board = match side {
            Side::South => *board,
            Side::North => board.rotated(),
        };
        let mut counts = [0; MAX_PITS];
        counts[..P].copy_from_slice(&board.counts());
        Self { pits: P as u8, counts, stores, side, whole: true }
    }

    /// The position in which `side` is to move and sees `board`, reached by play from this one.
    pub(crate) fn after<const P: usize>(&self, board: &Board<P>, stores: [u8; 2], side: Side) -> Self {
        Self { whole: self.whole, ..Self::from_board(board, stores, side) }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for count in self.counts() {
            write!(f, "{count}-")?;
        }
        let side = match self.side {
            Side::South => 'S',
            Side::North => 'N',
        };
        match self.stores {
            [south, north] if self.whole => write!(f, "{south}-{north}-{side}"),
            _ => write!(f, "{side}"),
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({self})")
    }
}

impl Serialize for Position {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
