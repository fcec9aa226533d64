//! Ayoayo and its two variants.

use super::{Illegal, Move, Rules, Sowing, forced_pass};
use crate::board::Board;
use crate::sow::{self, Origin};

/// The rules of Ayoayo. The default is the profile `ayoayo`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ayoayo {
    /// A side without seeds on turn ends the game, and what is left always goes to the side in
    /// whose row it lies (`ayoayo-holder`, `ayoayo-pratt`).
    pub holder_takes_rest: bool,
    /// The capturing seed stays on the board (`ayoayo-pratt`).
    pub capturing_seed_stays: bool,
}

/// "If the last seed of a lap falls into a pit that was not empty before that seed, on either
/// side, all its seeds are lifted. If it was empty, the sowing ends." (Ayoayo 3)
#[inline(always)]
fn ends(_last: usize, count: u32) -> bool {
    count == 1
}

impl Ayoayo {
    /// What the end gives the side to move. It is reached where one side has no seeds and the
    /// other has no move that feeds it (Ayoayo 6, 7).
    fn over<const P: usize>(&self, board: &Board<P>) -> i8 {
        let left = board.seeds() as i8;
        let to_mover = self.holder_takes_rest && !board.own_row_empty();
        // By default "what is left goes to the player who made the last move: that is always the
        // player not on turn" (Ayoayo 7).
        if to_mover { left } else { -left }
    }

    /// "Only moves are legal after which the opponent has at least one seed." (Ayoayo 5)
    fn feeds<const P: usize>(&self, board: &Board<P>, pit: usize) -> bool {
        board.get(pit) > 0 && self.sow(board, pit).is_some_and(|s| !s.board.other_row_empty())
    }
}

impl<const P: usize> Rules<P> for Ayoayo {
    const UNIT: u32 = 1;

    const CHAINS: bool = false;

    #[inline(always)]
    fn sow(&self, board: &Board<P>, pit: usize) -> Option<Sowing<P>> {
        let relay = sow::relay(*board, pit, Origin::Skipped, ends)?;
        let mut board = relay.board;
        let mut captured = 0;
        // "The sowing ended in an empty pit of the mover's own row and the opposite pit holds
        // seeds: those seeds and the capturing seed go to the mover's store." (Ayoayo 4)
        if relay.last < Board::<P>::ROW {
            let opposite = P - 1 - relay.last;
            let seeds = board.get(opposite);
            if seeds > 0 {
                captured = seeds as u8;
                board = board.with(opposite, 0);
                if !self.capturing_seed_stays {
                    captured += 1;
                    board = board.with(relay.last, 0);
                }
            }
        }
        Some(Sowing { board, captured, laps: relay.laps })
    }

    #[inline(always)]
    fn each_move(&self, board: &Board<P>, mut each: impl FnMut(Move<P>)) -> Option<i8> {
        if board.own_row_empty() {
            if board.is_empty() {
                return Some(0);
            }
            // "A player without seeds passes, as long as the other can feed him." (Ayoayo 6)
            let other = board.rotated();
            if self.holder_takes_rest || !(0..Board::<P>::ROW).any(|pit| self.feeds(&other, pit)) {
                return Some(self.over(board));
            }
            each(forced_pass(board));
            return None;
        }
        let must_feed = board.other_row_empty();
        let mut none = true;
        for pit in 0..Board::<P>::ROW {
            if board.get(pit) == 0 {
                continue;
            }
            let Some(sowing) = self.sow(board, pit) else { continue };
            if must_feed && sowing.board.other_row_empty() {
                continue;
            }
            none = false;
            each(Move {
                pit: Some(pit as u8),
                next: sowing.board.rotated(),
                captured: sowing.captured,
                again: false,
                laps: sowing.laps,
            });
        }
        match (none, must_feed) {
            (false, _) => None,
            (true, true) => Some(self.over(board)),
            // "A player who has seeds but only endless moves passes."
            (true, false) => {
                each(forced_pass(board));
                None
            }
        }
    }

    fn illegal(&self, board: &Board<P>, pit: usize) -> Option<Illegal> {
        match self.sow(board, pit) {
            None => Some(Illegal::Endless),
            Some(s) if board.other_row_empty() && s.board.other_row_empty() => Some(Illegal::DoesNotFeed),
            Some(_) => None,
        }
    }

    #[inline(always)]
    fn unsow(&self, next: &Board<P>, mut met: impl FnMut(&Board<P>)) {
        let sown = next.rotated();
        let fed = !next.own_row_empty();
        // The last seed fell into an empty pit: of the other row, or opposite to an empty one (Ayoayo 4).
        let other_row = u32::MAX << Board::<P>::ROW;
        let opposite_empty = sown.pits_with(0).reverse_bits() >> (u32::BITS - P as u32);
        let mut lasts = sown.pits_with(1) & (other_row | opposite_empty);
        while lasts != 0 {
            let last = lasts.trailing_zeros() as usize;
            lasts &= lasts - 1;
            sow::unsow(sown, last, Origin::Skipped, ends, |board, pit| {
                if pit < Board::<P>::ROW && (fed || !board.other_row_empty()) {
                    met(board);
                }
            });
        }
    }

    fn laps(&self, board: Board<P>, pit: usize) -> impl Iterator<Item = (Board<P>, usize)> {
        sow::laps(board, pit, Origin::Skipped, ends)
    }
}
