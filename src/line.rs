//! The line of best play, and which of several equal moves is played first.

use std::sync::OnceLock;

use arrayvec::ArrayVec;

use crate::board::Board;
use crate::index;
use crate::number::Number;
use crate::rules::{MAX_MOVES, Move, Rules, Turn};
use crate::search::{Answer, Knowledge, Search};
use crate::solver::{Control, Memory};

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

/// The line of best play from a board of this value: the first best move at each ply, to the end of
/// the game or, where infinite play is best for both, to the first position that comes back, which the
/// flag tells. Shorter only where time runs out.
///
/// Outside the solved tiers the side that is ahead follows a proof when no capture keeps its value:
/// a proof is finite, so the line can not go in circles. That proof is made by a search of its own, on
/// one thread with tables of its own and fixed size, so that the line is the same whatever else
/// was searched before.
pub(crate) fn line<R: Rules<P>, const P: usize>(
    search: &mut Search<'_, R, P>,
    board: &Board<P>,
    value: i32,
    control: &Control<'_>,
) -> (Vec<Option<u8>>, bool) {
    let shared = search.shared();
    let seeds = board.seeds();
    let proof_memory = OnceLock::new();
    let proof_memory = || {
        proof_memory.get_or_init(|| {
            // No more than three entries for each board there is.
            let boards = (0..=seeds).map(|seeds| index::tier_size(P, seeds)).sum::<u128>();
            let bytes = boards.saturating_mul(48).min(PROOF_BYTES as u128) as usize;
            Memory::new::<P>(seeds, bytes)
        })
    };
    let mut proof_search = None;
    let mut line = Vec::new();
    let (mut board, mut value, mut side) = (*board, value, 0u8);
    // Positions since the last capture.
    let mut seen: Vec<(Board<P>, u8)> = Vec::new();
    loop {
        let Turn::Moves(moves) = shared.rules.turn(&board) else { return (line, false) };
        seen.push((board, side));
        let captures = |m: &Move<P>| m.captured > 0 && keeps_value(search, m, value, control);
        let m = if value > 0 && shared.solved(&board, Number::Value).is_none() && !moves.iter().any(captures)
        {
            let memory = proof_memory();
            let search = proof_search.get_or_insert_with(|| {
                let Knowledge { rules, tiers, .. } = shared;
                Search::new(Knowledge { rules, tiers, bounds: &memory.bounds, numbers: &memory.numbers })
            });
            let pit = search.proof(&board, value, &|| control.go_on());
            moves.iter().find(|m| pit == Some(m.pit))
        } else {
            let mut order: ArrayVec<&Move<P>, MAX_MOVES> = moves.iter().collect();
            // Where going round is as good as anything, the shortest way round will do.
            let circles = |m: &Move<P>| value == 0 && m.captured == 0 && seen.contains(&(m.next, side ^ 1));
            order.sort_by_key(|m| (!circles(m), tie_order(value, conversion(&shared, m))));
            order.into_iter().find(|m| keeps_value(search, m, value, control))
        };
        let Some(&m) = m else { return (line, false) };
        line.push(m.pit);
        if m.captured > 0 {
            seen.clear();
        }
        board = m.next;
        value -= i32::from(m.captured);
        if !m.again {
            (side, value) = (side ^ 1, -value);
        }
        if value == 0 && seen.contains(&(board, side)) {
            return (line, true);
        }
    }
}

/// True if a move is worth `value`, which is the most any move is worth.
fn keeps_value<R: Rules<P>, const P: usize>(
    search: &mut Search<'_, R, P>,
    m: &Move<P>,
    value: i32,
    control: &Control<'_>,
) -> bool {
    let rest = value - i32::from(m.captured);
    if m.again {
        matches!(search.settle(&m.next, Number::Value, rest, &|| control.go_on()), Answer::AtLeast(_))
    } else {
        matches!(search.settle(&m.next, Number::Value, 1 - rest, &|| control.go_on()), Answer::AtMost(_))
    }
}
