//! What a game must provide, and what a turn can hold.
//!
//! A [`Rules`] value speaks of boards only, always from the view of the side to move. It lists what
//! that side can do ([`Turn`]); everything above (search, tables, play) is built on that list.

mod ayoayo;
mod hoyito;
mod words;

use arrayvec::ArrayVec;

use crate::board::Board;
pub use ayoayo::Ayoayo;
pub use hoyito::Hoyito;
pub use words::in_words;

/// The most moves a turn can have: one for each pit of the longest row.
pub const MAX_MOVES: usize = 12;

/// A sowing, or a forced pass, that can be played now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move<const P: usize> {
    /// The pit that is lifted, `None` for a forced pass.
    pub pit: Option<u8>,
    /// The board afterwards, seen by whoever is to move then.
    pub next: Board<P>,
    /// Seeds taken by the mover.
    pub captured: u8,
    /// The mover is to move again (Hoyito II 5).
    pub again: bool,
    /// Laps sown, 0 for a pass.
    pub laps: u32,
}

/// What the side to move can do.
// A turn lives on the stack for as long as a node is expanded; a box would cost more than it saves.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn<const P: usize> {
    /// The game is over. `margin`: the seeds on the board that go to the side to move minus those
    /// that go to the other side.
    Over {
        /// All seeds left on the board to the side to move, or their negative.
        margin: i8,
    },
    /// Every legal sowing in the order of pits, or a single forced pass.
    Moves(ArrayVec<Move<P>, MAX_MOVES>),
}

/// Why a non-empty pit of the mover may not be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// The sowing never ends.
    Endless,
    /// The other side has no seeds and would still have none (Ayoayo 5).
    DoesNotFeed,
}

/// A sowing played out, whatever the duty to feed says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sowing<const P: usize> {
    /// The board with captures done, still seen by the mover.
    pub board: Board<P>,
    /// Seeds taken.
    pub captured: u8,
    /// Laps sown.
    pub laps: u32,
}

/// A relay mancala game on a board of `P` pits.
pub trait Rules<const P: usize>: Copy + Send + Sync + 'static {
    /// Plays out the sowing from `pit` (one of the mover's, not empty). `None`: it never ends.
    fn sow(&self, board: &Board<P>, pit: usize) -> Option<Sowing<P>>;

    /// Calls `each` with every legal sowing in the order of pits, or with a single forced pass. Where the game is over it
    /// calls nothing and returns the margin of [`Turn::Over`].
    fn each_move(&self, board: &Board<P>, each: impl FnMut(Move<P>)) -> Option<i8>;

    /// What the side to move can do.
    #[inline]
    fn turn(&self, board: &Board<P>) -> Turn<P> {
        let mut moves = ArrayVec::new();
        match self.each_move(board, |m| moves.push(m)) {
            Some(margin) => Turn::Over { margin },
            None => Turn::Moves(moves),
        }
    }

    /// Why the sowing from `pit` (one of the mover's, not empty) is illegal. `None`: it is legal.
    fn illegal(&self, board: &Board<P>, pit: usize) -> Option<Illegal>;

    /// Calls `met` with every board from which a sowing that captures nothing leads to `next`, once for each
    /// such sowing: the sowings that [`turn`](Self::turn) lists, backward. Passes are not among them.
    fn unsow(&self, next: &Board<P>, met: impl FnMut(&Board<P>));

    /// The boards of the sowing from `pit` after each lap, captures not yet done, each with the pit
    /// of that lap's last seed. Never ends where the sowing never ends.
    fn laps(&self, board: Board<P>, pit: usize) -> impl Iterator<Item = (Board<P>, usize)>;

    /// The greatest common divisor of all captures: 1, or 4 where seeds are taken by fours.
    const UNIT: u32;

    /// A capture gives the mover another sowing, so that one turn can take most of the board.
    const CHAINS: bool;
}

/// The move of a side that has nothing to sow: a pass, which shows the same board to the other.
fn forced_pass<const P: usize>(board: &Board<P>) -> Move<P> {
    Move { pit: None, next: board.rotated(), captured: 0, again: false, laps: 0 }
}
