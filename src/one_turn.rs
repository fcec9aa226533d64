//! What one turn settles, where a capture gives another sowing (Hoyito II 5).
//!
//! A turn's captures chain: one turn can take 40 of 48 seeds, or 88 of 96, and so settle the game. A best-first search of
//! single sowings finds such chains over and over. Here a few boards of the chain are walked greedily instead, the largest capture
//! first: what it takes is a proof of its own. And whether the side that has just moved could have gone on so, were it its turn
//! again, tells how a position stands.

use arrayvec::ArrayVec;

use crate::board::Board;
use crate::knowledge::Knowledge;
use crate::number::Number;
use crate::rules::Rules;

/// Boards walked: few, since every new question pays for them.
const BOARDS: usize = 20;

/// Boards kept for later.
const KEPT: usize = 64;

/// A lower bound of this number of `board` that is at least `at_least`, proven by the captures of one turn and the solved tiers. `None`: a
/// short look finds none.
pub(crate) fn settles<R: Rules<P>, const P: usize>(
    shared: &Knowledge<'_, R, P>,
    board: &Board<P>,
    number: Number,
    at_least: i32,
) -> Option<i32> {
    let seeds = board.seeds() as i32;
    if at_least > seeds {
        return None;
    }
    let mut kept: ArrayVec<(Board<P>, i32), KEPT> = ArrayVec::new();
    let mut seen: ArrayVec<Board<P>, { BOARDS + KEPT }> = ArrayVec::new();
    kept.push((*board, 0));
    for _ in 0..BOARDS {
        let (board, taken) = kept.pop()?;
        let first = kept.len();
        let mut proven = None;
        shared.rules.each_move(&board, |m| {
            if m.captured == 0 || proven.is_some() {
                return;
            }
            let taken = taken + i32::from(m.captured);
            let left = m.next.seeds() as i32;
            // At worst the other side takes all that is left.
            let rest = match shared.solved(&m.next, number.after(m.again)) {
                Some(solved) if m.again => solved,
                Some(solved) => -solved,
                None => -left,
            };
            if taken + rest >= at_least {
                proven = Some(taken + rest);
            } else if m.again && taken + left >= at_least && !seen.contains(&m.next) {
                // Without room for it the walk does without it.
                let _ = seen.try_push(m.next);
                let _ = kept.try_push((m.next, taken));
            }
        });
        if proven.is_some() {
            return proven;
        }
        kept[first..].sort_unstable_by_key(|&(_, taken)| taken);
    }
    None
}
