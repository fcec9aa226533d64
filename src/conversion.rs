//! How soon a value can be converted outside the solved tiers.
//!
//! A value alone is not enough to play by: of several moves that keep it one may go round in circles. The distance is: the
//! sowings until the value is converted, by a capture or the end, the better side hurrying and the other delaying, both
//! among the moves that keep the value. It is the distance of endgame tables ([`crate::retrograde`]), found here by iterative deepening
//! within the tier: captures are questions to the search, and quiet sowings go on with one sowing less. Each move of the better side
//! by it comes nearer to the conversion, so play can not go in circles.
//!
//! "Not within k sowings" holds whatever the path, so what is found is kept. Time is exponential in the distance at worst; a budget of
//! boards gives up.

use std::collections::HashMap;

use arrayvec::ArrayVec;

use crate::board::Board;
use crate::knowledge::Answer;
use crate::number::Number;
use crate::rules::{MAX_MOVES, Move, Rules, Turn};
use crate::search::Search;

/// Boards that may be looked at, all questions about one value together.
const BUDGET: u32 = 1 << 12;

/// Nothing is sought further away.
const FURTHEST: u16 = 99;

/// No answer: the budget or the time is used up.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GivenUp;

/// What is known of a board: converted within `yes` sowings, not within `no`.
#[derive(Clone, Copy)]
struct Known {
    yes: u16,
    no: Option<u16>,
}

/// The boards of one tier at which one side wins `value` more seeds than the other.
pub(crate) struct Conversion<const P: usize> {
    value: i32,
    known: HashMap<(Board<P>, bool), Known>,
    left: u32,
}

impl<const P: usize> Conversion<P> {
    /// `value`: what the better side wins, 1 or more.
    pub(crate) fn new(value: i32) -> Self {
        debug_assert!(value >= 1);
        Self { value, known: HashMap::new(), left: BUDGET }
    }

    /// The better side's move that converts soonest, the first of several, and in how many sowings. `moves` are those of a board
    /// whose value is this one.
    pub(crate) fn soonest<R: Rules<P>>(
        &mut self,
        search: &mut Search<'_, R, P>,
        moves: &[Move<P>],
        go_on: &dyn Fn() -> bool,
    ) -> Result<(usize, u16), GivenUp> {
        for within in 1..=FURTHEST {
            for (at, m) in moves.iter().enumerate() {
                if self.wins(search, m, within, go_on)? {
                    return Ok((at, within));
                }
            }
        }
        Err(GivenUp)
    }

    /// The other side's move that converts latest, the first of several, and in how many sowings. `moves` are those that keep the value
    /// of a board at which that side is to move.
    pub(crate) fn latest<R: Rules<P>>(
        &mut self,
        search: &mut Search<'_, R, P>,
        moves: &[Move<P>],
        go_on: &dyn Fn() -> bool,
    ) -> Result<(usize, u16), GivenUp> {
        let mut left: ArrayVec<usize, MAX_MOVES> = (0..moves.len()).collect();
        for within in 1..=FURTHEST {
            let mut later = ArrayVec::new();
            for &at in &left {
                let m = &moves[at];
                // A move that keeps the value and captures converts it.
                if m.captured == 0 && !self.within(search, &m.next, true, within - 1, go_on)? {
                    later.push(at);
                }
            }
            match later[..] {
                [] => return Ok((left[0], within)),
                _ => left = later,
            }
        }
        Err(GivenUp)
    }

    /// Whether a move of the better side converts the value within so many sowings, itself counted.
    fn wins<R: Rules<P>>(
        &mut self,
        search: &mut Search<'_, R, P>,
        m: &Move<P>,
        within: u16,
        go_on: &dyn Fn() -> bool,
    ) -> Result<bool, GivenUp> {
        if m.captured == 0 {
            return self.within(search, &m.next, false, within - 1, go_on);
        }
        at_least(search, m, self.value, go_on)
    }

    /// Whether the value is converted within so many sowings. `better`: the better side is to move, and wins no less than the value.
    /// Otherwise false also where the other side wins more than the value leaves it.
    fn within<R: Rules<P>>(
        &mut self,
        search: &mut Search<'_, R, P>,
        board: &Board<P>,
        better: bool,
        within: u16,
        go_on: &dyn Fn() -> bool,
    ) -> Result<bool, GivenUp> {
        let known = self.known.get(&(*board, better)).copied().unwrap_or(Known { yes: u16::MAX, no: None });
        if within >= known.yes {
            return Ok(true);
        }
        if known.no.is_some_and(|no| within <= no) {
            return Ok(false);
        }
        self.left = self.left.checked_sub(1).ok_or(GivenUp)?;
        if !go_on() {
            return Err(GivenUp);
        }
        // `always`: however many sowings there are.
        let (converted, always) = match search.shared().rules.turn(board) {
            Turn::Over { margin } => {
                let margin = i32::from(margin);
                (if better { margin >= self.value } else { margin <= -self.value }, true)
            }
            Turn::Moves(_) if within == 0 => (false, false),
            Turn::Moves(moves) if better => (self.won(search, &moves, within, go_on)?, false),
            Turn::Moves(moves) => match search.settle(board, Number::Value, 1 - self.value, go_on) {
                Answer::AtMost(_) => (self.lost(search, &moves, within, go_on)?, false),
                Answer::AtLeast(_) => (false, true),
                Answer::Open => return Err(GivenUp),
            },
        };
        let known = self.known.entry((*board, better)).or_insert(Known { yes: u16::MAX, no: None });
        if converted {
            known.yes = known.yes.min(if always { 0 } else { within });
        } else {
            known.no = known.no.max(Some(if always { u16::MAX } else { within }));
        }
        Ok(converted)
    }

    /// Whether one of the better side's moves converts the value within so many sowings, itself counted.
    fn won<R: Rules<P>>(
        &mut self,
        search: &mut Search<'_, R, P>,
        moves: &[Move<P>],
        within: u16,
        go_on: &dyn Fn() -> bool,
    ) -> Result<bool, GivenUp> {
        search.count_node();
        // What captures is settled without going deeper.
        let (captures, quiet): (ArrayVec<_, MAX_MOVES>, ArrayVec<_, MAX_MOVES>) =
            moves.iter().partition(|m| m.captured > 0);
        for m in captures.into_iter().chain(quiet) {
            if self.wins(search, m, within, go_on)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether no move of the other side, who can win no more than the value leaves, delays the conversion beyond so many sowings. One
    /// that captures converts, and one that gives away more does not delay.
    fn lost<R: Rules<P>>(
        &mut self,
        search: &mut Search<'_, R, P>,
        moves: &[Move<P>],
        within: u16,
        go_on: &dyn Fn() -> bool,
    ) -> Result<bool, GivenUp> {
        search.count_node();
        for m in moves.iter().filter(|m| m.captured == 0) {
            if !self.within(search, &m.next, true, within - 1, go_on)?
                && at_least(search, m, -self.value, go_on)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a move is worth at least this to its mover.
pub(crate) fn at_least<R: Rules<P>, const P: usize>(
    search: &mut Search<'_, R, P>,
    m: &Move<P>,
    at_least: i32,
    go_on: &dyn Fn() -> bool,
) -> Result<bool, GivenUp> {
    let rest = at_least - i32::from(m.captured);
    let asks = if m.again { rest } else { 1 - rest };
    match (search.settle(&m.next, Number::Value, asks, go_on), m.again) {
        (Answer::AtLeast(_), true) | (Answer::AtMost(_), false) => Ok(true),
        (Answer::AtMost(_), true) | (Answer::AtLeast(_), false) => Ok(false),
        (Answer::Open, _) => Err(GivenUp),
    }
}
