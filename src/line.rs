//! The line of best play, and which of several equal moves is played first.
//!
//! Among moves that keep the value the side that is ahead plays the one that converts it soonest, the other the one that converts it
//! latest; then the first in the order of pits. In solved tiers their distances tell, elsewhere [`crate::conversion`] does. Where that
//! gives up, the side that is ahead follows a proof: that is finite, so the line can not go in circles. The proof is made by a search of
//! its own, on one thread with tables of its own and fixed size, so that the line is the same whatever else was searched before.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arrayvec::ArrayVec;

use crate::board::Board;
use crate::conversion::{Conversion, GivenUp, at_least};
use crate::index;
use crate::knowledge::Knowledge;
use crate::rules::{MAX_MOVES, Move, Rules, Turn};
use crate::search::Search;
use crate::solver::Control;
use crate::tt::TranspositionTable;

/// The most bytes for the tables with which the best line is proven.
const PROOF_BYTES: usize = 32 << 20;

/// Sowings until the value of a move is converted, the move included, where that is known.
pub(crate) fn conversion<R: Rules<P>, const P: usize>(
    shared: &Knowledge<'_, R, P>,
    m: &Move<P>,
) -> Option<u16> {
    if m.captured > 0 {
        return Some(1);
    }
    shared.tiers.distance(&m.next).map(|distance| distance.saturating_add(1))
}

/// The order of moves of equal value: the side that is ahead converts as soon, the other as late as it
/// can; then the pit. `None` is a conversion that is not known.
pub(crate) fn tie_order(value: i32, conversion: Option<u16>) -> i32 {
    match value.signum() {
        1 => conversion.map_or(i32::MAX, i32::from),
        // A conversion not known is later than one by the move itself.
        -1 => -conversion.map_or(2, i32::from),
        _ => 0,
    }
}

/// A line of best play.
#[derive(Default)]
pub(crate) struct Line {
    /// Pits as numbers, `None` for a pass.
    pub(crate) pits: Vec<Option<u8>>,
    /// It ends where a position comes back.
    pub(crate) cycle: bool,
    /// Sowings until the value of the first board is converted, where that is known.
    pub(crate) distance: Option<u16>,
}

/// The line of best play from a board of this value: the first best move at each ply, to the end of
/// the game or, where infinite play is best for both, to the first position that comes back. Shorter only where time runs out.
pub(crate) fn line<R: Rules<P>, const P: usize>(
    search: &mut Search<'_, R, P>,
    board: &Board<P>,
    value: i32,
    pool: &rayon::ThreadPool,
    control: &Control<'_>,
) -> Line {
    let mut player = Player {
        search,
        pool,
        control,
        seeds: board.seeds(),
        proof_table: OnceLock::new(),
        conversions: Vec::new(),
    };
    let mut line = Line::default();
    let (mut board, mut value, mut side) = (*board, value, 0u8);
    // Positions since the last capture.
    let mut seen: Vec<(Board<P>, u8)> = Vec::new();
    loop {
        let Turn::Moves(moves) = player.search.shared().rules.turn(&board) else { return line };
        seen.push((board, side));
        let first = if value == 0 {
            // Where going round is as good as anything, the shortest way round will do.
            let circles = |m: &Move<P>| m.captured == 0 && seen.contains(&(m.next, side ^ 1));
            player.keeping(&moves, value, |m| !circles(m)).map(|m| (m, None))
        } else if let Some(distance) = player.search.shared().tiers.distance(&board) {
            let shared = player.search.shared();
            let m = player.keeping(&moves, value, |m| tie_order(value, conversion(&shared, m)));
            m.map(|m| (m, Some(distance)))
        } else if value > 0 {
            player.ahead(&board, &moves, value)
        } else {
            player.behind(&moves, value)
        };
        let Some((m, distance)) = first else { return line };
        if line.pits.is_empty() {
            line.distance = distance;
        }
        line.pits.push(m.pit);
        if m.captured > 0 {
            seen.clear();
            player.conversions.clear();
        }
        board = m.next;
        value -= i32::from(m.captured);
        if !m.again {
            (side, value) = (side ^ 1, -value);
        }
        if value == 0 && seen.contains(&(board, side)) {
            line.cycle = true;
            return line;
        }
    }
}

/// Plays both sides.
struct Player<'s, 'a, R, const P: usize> {
    search: &'s mut Search<'a, R, P>,
    pool: &'s rayon::ThreadPool,
    control: &'s Control<'s>,
    /// Seeds at the start of the line.
    seeds: u32,
    proof_table: OnceLock<TranspositionTable>,
    /// Of the value that is to be converted now, each thread's own. Empty before that is asked.
    conversions: Vec<Conversion<P>>,
}

impl<'a, R: Rules<P>, const P: usize> Player<'_, 'a, R, P> {
    /// Asks on this thread, and on all others of the pool the same: they come upon the same questions at about the same time, and share what the
    /// long ones take. The answer is this thread's alone.
    fn together<S: Send, T>(
        &mut self,
        states: &mut [S],
        ask: impl Fn(&mut S, &mut Search<'a, R, P>, &dyn Fn() -> bool) -> T + Sync,
    ) -> T {
        let (control, shared, done) = (self.control, self.search.shared(), AtomicBool::new(false));
        let (own, others) = states.split_first_mut().expect("there is a thread");
        self.pool.in_place_scope(|scope| {
            for other in others {
                let (ask, done) = (&ask, &done);
                scope.spawn(move |_| {
                    let go_on = || !done.load(Relaxed) && control.go_on();
                    // Only what it proves on its way counts.
                    let _ = ask(other, &mut Search::new(shared), &go_on);
                });
            }
            // Also where this thread panics: the others would be waited for.
            let _done = scopeguard::guard((), |()| done.store(true, Relaxed));
            ask(own, self.search, &|| control.go_on())
        })
    }

    /// The threads that a question about each of these moves is worth: one, where solved tiers answer all.
    fn threads(&self, moves: &[Move<P>]) -> usize {
        let tiers = self.search.shared().tiers;
        let solved = moves.iter().all(|m| tiers.covers(m.next.seeds()));
        if solved { 1 } else { self.pool.current_num_threads() }
    }

    /// The first move in this order that keeps the value. `None`: time has run out.
    fn keeping<'m, K: Ord>(
        &mut self,
        moves: &'m [Move<P>],
        value: i32,
        order: impl Fn(&Move<P>) -> K,
    ) -> Option<&'m Move<P>> {
        let states = &mut vec![(); self.threads(moves)];
        let mut moves: ArrayVec<&Move<P>, MAX_MOVES> = moves.iter().collect();
        moves.sort_by_key(|m| order(m));
        self.together(states, |(), search, go_on| {
            moves.iter().copied().find(|m| at_least(search, m, value, go_on) == Ok(true))
        })
    }

    /// Asks how soon `value` is converted.
    fn convert<T>(
        &mut self,
        value: i32,
        ask: impl Fn(&mut Conversion<P>, &mut Search<'a, R, P>, &dyn Fn() -> bool) -> T + Sync,
    ) -> T {
        let mut conversions = std::mem::take(&mut self.conversions);
        conversions.resize_with(self.pool.current_num_threads(), || Conversion::new(value));
        let answer = self.together(&mut conversions, ask);
        self.conversions = conversions;
        answer
    }

    /// The best move of the side that is ahead, outside the solved tiers, and its distance where that is known.
    fn ahead<'m>(
        &mut self,
        board: &Board<P>,
        moves: &'m [Move<P>],
        value: i32,
    ) -> Option<(&'m Move<P>, Option<u16>)> {
        let control = self.control;
        let soonest =
            self.convert(value, |conversion, search, go_on| conversion.soonest(search, moves, go_on));
        if let Ok((at, distance)) = soonest {
            return Some((&moves[at], Some(distance)));
        }
        let shared = self.search.shared();
        let table = self.proof_table.get_or_init(|| {
            // No more than three entries for each board there is.
            let boards = (0..=self.seeds).map(|seeds| index::tier_size(P, seeds)).sum::<u128>();
            let bytes = boards.saturating_mul(48).min(PROOF_BYTES as u128) as usize;
            TranspositionTable::new(bytes, P, self.seeds)
        });
        let mut search = Search::new(Knowledge { table, crowded: false, ..shared });
        let pit = search.proof(board, value, &|| control.go_on());
        moves.iter().find(|m| pit == Some(m.pit)).map(|m| (m, None))
    }

    /// The best move of the side that is behind, outside the solved tiers, and its distance where that is known.
    fn behind<'m>(&mut self, moves: &'m [Move<P>], value: i32) -> Option<(&'m Move<P>, Option<u16>)> {
        let states = &mut vec![(); self.threads(moves)];
        let keeping = self.together(states, |(), search, go_on| {
            let mut keeping: ArrayVec<Move<P>, MAX_MOVES> = ArrayVec::new();
            for m in moves {
                if at_least(search, m, value, go_on)? {
                    keeping.push(*m);
                }
            }
            Ok::<_, GivenUp>(keeping)
        });
        let keeping = keeping.ok()?;
        let latest =
            self.convert(-value, |conversion, search, go_on| conversion.latest(search, &keeping, go_on));
        let (at, distance) = match latest {
            Ok((at, distance)) => (at, Some(distance)),
            // Captures convert at once, the others later.
            Err(GivenUp) => (keeping.iter().position(|m| m.captured == 0).unwrap_or(0), None),
        };
        let pit = keeping.get(at)?.pit;
        moves.iter().find(|m| m.pit == pit).map(|m| (m, distance))
    }
}
