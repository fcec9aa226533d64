//! Hoyito II and its variant.

use super::{Illegal, Move, Rules, Sowing, forced_pass};
use crate::board::Board;
use crate::sow::{self, Origin};

/// Seeds that make a pit a *casa*, to be captured whole.
const CASA: u32 = 4;

/// The rules of Hoyito II. The default is the profile `hoyito`, or `hoyito12` on 2x12.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hoyito {
    /// Only pits of the opponent's row are captured; a last seed that makes four in the own row
    /// relays on, and the chain stops at the own row (`hoyito-opponent`).
    pub opponent_row_only: bool,
}

impl Hoyito {
    #[inline(always)]
    fn captures<const P: usize>(&self, pit: usize, count: u32) -> bool {
        // One condition, not a branch for each part: how a relay ends can not be foretold.
        (count == CASA) & (!self.opponent_row_only | (pit >= Board::<P>::ROW))
    }

    /// "1: the sowing ends, the turn passes. Exactly 4: capture, the sowing ends. Anything else:
    /// lift them all and sow a new lap from there." (Hoyito II 2)
    #[inline(always)]
    fn ends<const P: usize>(self) -> impl Fn(usize, u32) -> bool {
        move |last, count| (count == 1) | self.captures::<P>(last, count)
    }
}

impl<const P: usize> Rules<P> for Hoyito {
    const UNIT: u32 = CASA;

    const CHAINS: bool = true;

    #[inline(always)]
    fn sow(&self, board: &Board<P>, pit: usize) -> Option<Sowing<P>> {
        let relay = sow::relay(*board, pit, Origin::Sown, self.ends::<P>())?;
        let mut board = relay.board;
        let mut captured = 0;
        if relay.count == CASA {
            // "The four are taken; then, going backward from that pit, on either side and across
            // the board's ends, every pit of exactly four, until the first that is not."
            // (Hoyito II 3)
            let mut pit = relay.last;
            while self.captures::<P>(pit, board.get(pit)) {
                board = board.with(pit, 0);
                captured += CASA as u8;
                pit = if pit == 0 { P - 1 } else { pit - 1 };
            }
            // "If a capture leaves exactly four seeds on the board, the capturer takes them too."
            // (Hoyito II 4)
            if board.seeds() == CASA {
                board = Board::default();
                captured += CASA as u8;
            }
        }
        Some(Sowing { board, captured, laps: relay.laps })
    }

    #[inline(always)]
    fn each_move(&self, board: &Board<P>, mut each: impl FnMut(Move<P>)) -> Option<i8> {
        if board.is_empty() {
            return Some(0);
        }
        let mut none = true;
        for pit in 0..Board::<P>::ROW {
            if board.get(pit) == 0 {
                continue;
            }
            let Some(sowing) = self.sow(board, pit) else { continue };
            // "A capture gives the mover another turn, any number of times." (Hoyito II 5)
            let again = sowing.captured > 0;
            none = false;
            each(Move {
                pit: Some(pit as u8),
                next: if again { sowing.board } else { sowing.board.rotated() },
                captured: sowing.captured,
                again,
                laps: sowing.laps,
            });
        }
        // "A player without seeds in his row passes, on an extra turn too" (Hoyito II 6), and so
        // does one whose moves never end.
        if none {
            each(forced_pass(board));
        }
        None
    }

    fn illegal(&self, board: &Board<P>, pit: usize) -> Option<Illegal> {
        self.sow(board, pit).is_none().then_some(Illegal::Endless)
    }

    #[inline(always)]
    fn unsow(&self, next: &Board<P>, mut met: impl FnMut(&Board<P>)) {
        let sown = next.rotated();
        // What does not end with a capture ends with the last seed alone (Hoyito II 2).
        let mut lasts = sown.pits_with(1);
        while lasts != 0 {
            let last = lasts.trailing_zeros() as usize;
            lasts &= lasts - 1;
            sow::unsow(sown, last, Origin::Sown, self.ends::<P>(), |board, pit| {
                if pit < Board::<P>::ROW {
                    met(board);
                }
            });
        }
    }

    fn laps(&self, board: Board<P>, pit: usize) -> impl Iterator<Item = (Board<P>, usize)> {
        sow::laps(board, pit, Origin::Sown, self.ends::<P>())
    }
}
