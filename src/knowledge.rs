//! What is known of boards, shared by all searches of a profile: the solved tiers, and what has been proven above them.

use std::sync::atomic::AtomicU64;

use crate::board::Board;
use crate::number::Number;
use crate::rules::Rules;
use crate::tiers::Solved;
use crate::tt::{Entry, Key, TranspositionTable};

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The value is at least this, which is no less than what was asked.
    AtLeast(i32),
    /// The value is at most this, which is less than what was asked.
    AtMost(i32),
    /// The search was told to stop first.
    Open,
}

/// What is shared by all searches of a profile.
#[derive(Clone, Copy)]
pub(crate) struct Knowledge<'a, R, const P: usize> {
    pub(crate) rules: R,
    /// The tiers in which the numbers that are asked for are solved.
    pub(crate) tiers: Solved<'a, R>,
    pub(crate) table: &'a TranspositionTable,
    /// Several searches go on at once.
    pub(crate) crowded: bool,
    /// Boards expanded by all searches, counted up every so often.
    pub(crate) nodes: &'a AtomicU64,
}

impl<R: Rules<P>, const P: usize> Knowledge<'_, R, P> {
    /// A number of a board in a solved tier.
    #[inline(always)]
    pub(crate) fn solved(&self, board: &Board<P>, number: Number) -> Option<i32> {
        self.tiers.number(board, number)
    }

    /// The proven bounds of a number of a board.
    pub(crate) fn known(&self, board: &Board<P>, number: Number) -> (i32, i32) {
        match self.solved(board, number) {
            Some(solved) => (solved, solved),
            None => self.bounded(board, self.table.key(board, number)),
        }
    }

    /// The proven bounds of a board outside the solved tiers: no side can win more than there is.
    #[inline(always)]
    pub(crate) fn bounded(&self, board: &Board<P>, key: Key) -> (i32, i32) {
        bounded(board, self.table.get(key))
    }

    /// Stores an answer that is true of a board whatever the path. `nodes`: the work it took.
    pub(crate) fn store(
        &self,
        board: &Board<P>,
        number: Number,
        answer: Answer,
        pit: Option<u8>,
        nodes: u64,
    ) {
        let seeds = board.seeds() as i32;
        if self.tiers.covers(board.seeds()) {
            return;
        }
        let (lower, upper) = match answer {
            Answer::AtLeast(value) => (round_up::<R, P>(value), seeds),
            Answer::AtMost(value) => (-seeds, round_down::<R, P>(value)),
            Answer::Open => return,
        };
        let work = nodes.checked_ilog2().unwrap_or(0) as u8;
        let entry = Entry { lower: lower as i8, upper: upper as i8, pit, work };
        self.table.put(self.table.key(board, number), entry);
    }
}

/// The bounds of a board with this entry.
#[inline(always)]
pub(crate) fn bounded<const P: usize>(board: &Board<P>, entry: Option<Entry>) -> (i32, i32) {
    let seeds = board.seeds() as i32;
    match entry {
        Some(entry) => (i32::from(entry.lower).max(-seeds), i32::from(entry.upper).min(seeds)),
        None => (-seeds, seeds),
    }
}

/// All values are multiples of the rules' unit, so a lower bound may be rounded up.
pub(crate) fn round_up<R: Rules<P>, const P: usize>(bound: i32) -> i32 {
    -round_down::<R, P>(-bound)
}

/// All values are multiples of the rules' unit, so an upper bound may be rounded down.
pub(crate) fn round_down<R: Rules<P>, const P: usize>(bound: i32) -> i32 {
    let unit = R::UNIT as i32;
    bound.div_euclid(unit) * unit
}
