//! The edges of one tier, forward and backward, in runs of positions.
//!
//! Forward: what a position's moves lead to. Captures leave the tier; every other sowing, and a pass, stays in it and hands
//! the turn over. Backward: the positions from which a sowing without capture leads to a given one, found by unsowing,
//! so that no edge is ever stored. A position's children and parents are told as ranks.

use std::ops::Range;

use crate::board::Board;
use crate::index;
use crate::rules::Rules;

/// A move that leaves the tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit {
    /// The position it is played from, counted from the start of the run.
    pub(crate) from: u32,
    /// Seeds taken.
    pub(crate) captured: u8,
    /// The same side moves on.
    pub(crate) again: bool,
    /// The tier it leads to.
    pub(crate) seeds: u8,
    /// The rank there, seen by whoever is to move.
    pub(crate) rank: u64,
}

/// The forward edges of a run of positions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// For each position its moves inside the tier, or [`Run::OVER`].
    pub(crate) degrees: Vec<u8>,
    /// All moves out of the tier, by position.
    pub(crate) exits: Vec<Exit>,
    /// Positions (counted from the start) whose only move is a pass.
    pub(crate) passes: Vec<u32>,
    /// Finished games: the position, and what the end gives the side to move.
    pub(crate) ends: Vec<(u32, i8)>,
    /// The boards after the moves inside the tier, by position, as ranks; only where asked for.
    pub(crate) children: Vec<u64>,
}

impl Run {
    /// The degree of a finished game.
    pub(crate) const OVER: u8 = u8::MAX;

    fn clear(&mut self) {
        self.degrees.clear();
        self.exits.clear();
        self.passes.clear();
        self.ends.clear();
        self.children.clear();
    }
}

/// The edges of one tier, board size and rules hidden. Called for runs of positions, so that what is hidden costs nothing.
pub(crate) trait Edges: Send + Sync {
    /// Positions in the tier.
    fn size(&self) -> u64;

    /// Seeds on the board.
    fn seeds(&self) -> u32;

    /// Replaces `run` by the edges of the positions with these ranks, in their order.
    fn forward(&self, ranks: Range<u64>, with_children: bool, run: &mut Run);

    /// Appends to `parents` the ranks of all positions that have a sowing without capture to one of `ranks`
    /// (ascending), once for each such sowing.
    fn backward(&self, ranks: &[u64], parents: &mut Vec<u64>);

    /// The rank of the same board seen by the other side: where a pass leads.
    fn rotated(&self, rank: u64) -> u64;
}

/// The tier of `seeds` seeds under `rules`.
pub(crate) struct TierEdges<R, const P: usize> {
    pub(crate) rules: R,
    pub(crate) seeds: u32,
}

impl<R: Rules<P>, const P: usize> Edges for TierEdges<R, P> {
    fn size(&self) -> u64 {
        u64::try_from(index::tier_size(P, self.seeds)).unwrap_or(u64::MAX)
    }

    fn seeds(&self) -> u32 {
        self.seeds
    }

    fn forward(&self, ranks: Range<u64>, with_children: bool, run: &mut Run) {
        run.clear();
        if ranks.is_empty() {
            return;
        }
        let mut board = index::unrank::<P>(self.seeds, ranks.start);
        for from in 0..(ranks.end - ranks.start) as u32 {
            if from > 0 {
                board = index::successor(&board).expect("the run is inside the tier");
            }
            let mut degree = 0;
            let over = self.rules.each_move(&board, |m| {
                let inside = m.captured == 0;
                degree += u8::from(inside);
                if !inside {
                    let rank = index::rank(&m.next);
                    let seeds = m.next.seeds() as u8;
                    run.exits.push(Exit { from, captured: m.captured, again: m.again, seeds, rank });
                    return;
                }
                if m.pit.is_none() {
                    run.passes.push(from);
                }
                if with_children {
                    run.children.push(index::rank(&m.next));
                }
            });
            if let Some(margin) = over {
                degree = Run::OVER;
                run.ends.push((from, margin));
            }
            run.degrees.push(degree);
        }
    }

    fn backward(&self, ranks: &[u64], parents: &mut Vec<u64>) {
        // Stepping to the next board is quicker than unranking it where it lies this near.
        const NEAR: u64 = 12;
        let mut at: Option<(u64, Board<P>)> = None;
        for &rank in ranks {
            let board = match at {
                Some((before, mut board)) if rank - before <= NEAR => {
                    for _ in before..rank {
                        board = index::successor(&board).expect("a smaller rank has a successor");
                    }
                    board
                }
                _ => index::unrank::<P>(self.seeds, rank),
            };
            at = Some((rank, board));
            self.rules.unsow(&board, |before| parents.push(index::rank(before)));
        }
    }

    fn rotated(&self, rank: u64) -> u64 {
        index::rank(&index::unrank::<P>(self.seeds, rank).rotated())
    }
}
