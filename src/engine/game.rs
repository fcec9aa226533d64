//! Where a profile that is known at run time becomes a type of rules and a board size that are known at compile time.
//!
//! Inside, boards are const-generic and rules are types. Here one `match` turns a [`Profile`] into the solver for its board and
//! rules, behind the object-safe trait `Game`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Entry, Settings};
use crate::board::Board;
use crate::edges::{Edges, TierEdges};
use crate::moves::{Lap, LegalMove, Options};
use crate::number::Number;
use crate::position::{Position, Side};
use crate::profile::Profile;
use crate::retrograde::Task;
use crate::rules::{Illegal, Rules, Turn};
use crate::solver::{Control, Found, Solver};
use crate::table::TableError;
use crate::tiers::{self, Tiers};

/// What a profile's solver can do, board size and rules hidden.
pub(super) trait Game: Send + Sync {
    fn options(&self, position: &Position) -> Options;
    fn illegal(&self, position: &Position, pit: usize) -> Option<Illegal>;
    fn laps<'a>(&'a self, position: &Position, pit: usize) -> Box<dyn Iterator<Item = Lap> + 'a>;
    fn perft(&self, position: &Position, depth: u32) -> u64;
    fn analyse(
        &self,
        position: &Position,
        forced: bool,
        pool: &rayon::ThreadPool,
        control: &Control<'_>,
    ) -> Option<Found>;
    fn probe(&self, position: &Position) -> Option<i32>;
    fn entry(&self, position: &Position) -> Option<Entry>;
    fn tables_up_to(&self) -> Option<u32>;
    fn solve_up_to(&self, task: Task, seeds: u32, pool: &rayon::ThreadPool, control: &Control<'_>);
    fn most_seeds(&self, positions: u128) -> Option<u32>;
    fn bytes_up_to(&self, seeds: u32) -> u128;
    fn forget(&mut self);
    fn sibling(&self, seeds: u32, table_bytes: usize) -> Box<dyn Game>;
    fn failed(&self) -> &AtomicBool;
    fn failure(&self) -> Option<Arc<TableError>>;
}

impl<R: Rules<P>, const P: usize> Game for Solver<R, P> {
    fn options(&self, position: &Position) -> Options {
        let side = position.side;
        match self.rules.turn(&position.board::<P>()) {
            Turn::Over { margin } => {
                let mut shares = [0; 2];
                let winner = if margin > 0 { side } else { side.other() };
                shares[winner.index()] = u32::from(margin.unsigned_abs());
                Options::Over { shares }
            }
            Turn::Moves(moves) => Options::Moves(
                moves
                    .iter()
                    .map(|m| {
                        let mut stores = position.stores;
                        stores[side.index()] += m.captured;
                        let next_side = if m.again { side } else { side.other() };
                        LegalMove {
                            letter: letter(side, m.pit),
                            captured: u32::from(m.captured),
                            again: m.again,
                            laps: m.laps,
                            position: position.after(&m.next, stores, next_side),
                        }
                    })
                    .collect(),
            ),
        }
    }

    fn illegal(&self, position: &Position, pit: usize) -> Option<Illegal> {
        self.rules.illegal(&position.board::<P>(), pit)
    }

    fn laps<'a>(&'a self, position: &Position, pit: usize) -> Box<dyn Iterator<Item = Lap> + 'a> {
        let (start, side) = (*position, position.side);
        Box::new(self.rules.laps(position.board::<P>(), pit).map(move |(board, last)| Lap {
            position: start.after(&board, start.stores, side),
            last: (last + side.index() * Board::<P>::ROW) % P,
        }))
    }

    fn perft(&self, position: &Position, depth: u32) -> u64 {
        Solver::perft(self, &position.board::<P>(), depth)
    }

    fn analyse(
        &self,
        position: &Position,
        forced: bool,
        pool: &rayon::ThreadPool,
        control: &Control<'_>,
    ) -> Option<Found> {
        let board = position.board::<P>();
        match self.rules.turn(&board) {
            Turn::Over { .. } => None,
            Turn::Moves(moves) => Some(Solver::analyse(self, &board, &moves, forced, pool, control)),
        }
    }

    fn probe(&self, position: &Position) -> Option<i32> {
        self.tiers.tables(Task::Values).number(&position.board::<P>(), Number::Value)
    }

    fn entry(&self, position: &Position) -> Option<Entry> {
        let board = position.board::<P>();
        let [values, forced] = [Task::Values, Task::Forced].map(|task| self.tiers.tables(task));
        let end = |number| forced.number(&board, number);
        Some(Entry {
            value: values.number(&board, Number::Value)?,
            distance: values.distance(&board),
            forced: end(Number::Low).zip(end(Number::High)).map(|(low, high)| [low, high]),
        })
    }

    fn tables_up_to(&self) -> Option<u32> {
        self.tiers.tables(Task::Values).most()
    }

    fn solve_up_to(&self, task: Task, seeds: u32, pool: &rayon::ThreadPool, control: &Control<'_>) {
        Solver::solve_up_to(self, task, seeds, pool, control);
    }

    fn most_seeds(&self, positions: u128) -> Option<u32> {
        tiers::most_seeds(P, R::UNIT, positions)
    }

    fn bytes_up_to(&self, seeds: u32) -> u128 {
        tiers::bytes_up_to(P, R::UNIT, seeds)
    }

    fn forget(&mut self) {
        Solver::forget(self);
    }

    fn sibling(&self, seeds: u32, table_bytes: usize) -> Box<dyn Game> {
        Box::new(Solver::new(self.rules, self.tiers.clone(), seeds, table_bytes))
    }

    fn failed(&self) -> &AtomicBool {
        self.tiers.failed()
    }

    fn failure(&self) -> Option<Arc<TableError>> {
        self.tiers.failure()
    }
}

pub(super) fn letter(side: Side, pit: Option<u8>) -> char {
    pit.map_or('-', |pit| side.letter(usize::from(pit)))
}

/// Something to be made for rules and a board size that are known at run time only.
pub(super) trait Make {
    type Made;

    fn make<R: Rules<P>, const P: usize>(self, rules: R) -> Self::Made;
}

/// The one place where a profile becomes a type of rules and a board size.
pub(super) fn make<M: Make>(profile: &Profile, what: M) -> M::Made {
    fn with_pits<M: Make, const P: usize>(profile: &Profile, what: M) -> M::Made {
        match (profile.rules().ayoayo(), profile.rules().hoyito()) {
            (Some(rules), _) => what.make::<_, P>(rules),
            (None, Some(rules)) => what.make::<_, P>(rules),
            (None, None) => unreachable!("every rule set is of one of the games"),
        }
    }
    match profile.row() {
        2 => with_pits::<M, 4>(profile, what),
        3 => with_pits::<M, 6>(profile, what),
        4 => with_pits::<M, 8>(profile, what),
        5 => with_pits::<M, 10>(profile, what),
        6 => with_pits::<M, 12>(profile, what),
        7 => with_pits::<M, 14>(profile, what),
        8 => with_pits::<M, 16>(profile, what),
        9 => with_pits::<M, 18>(profile, what),
        10 => with_pits::<M, 20>(profile, what),
        11 => with_pits::<M, 22>(profile, what),
        12 => with_pits::<M, 24>(profile, what),
        row => unreachable!("a profile has 2 to 12 pits a row, not {row}"),
    }
}

/// Makes a solver.
pub(super) struct MakeSolver<'a> {
    pub(super) profile: &'a Profile,
    pub(super) settings: &'a Settings,
}

impl Make for MakeSolver<'_> {
    type Made = Result<Box<dyn Game>, TableError>;

    fn make<R: Rules<P>, const P: usize>(self, rules: R) -> Self::Made {
        let Settings { table_bytes, tiers, tables, block_bytes, .. } = self.settings;
        let tiers = Tiers::new::<P>(rules, self.profile, *tiers, tables, *block_bytes)?;
        Ok(Box::new(Solver::new(rules, tiers, self.profile.seeds(), *table_bytes)))
    }
}

/// Makes the edges of a tier.
struct MakeEdges {
    seeds: u32,
}

impl Make for MakeEdges {
    type Made = Box<dyn Edges>;

    fn make<R: Rules<P>, const P: usize>(self, rules: R) -> Box<dyn Edges> {
        Box::new(TierEdges { rules, seeds: self.seeds })
    }
}

/// The edges of the tier of `seeds` seeds.
pub(crate) fn edges(profile: &Profile, seeds: u32) -> Box<dyn Edges> {
    make(profile, MakeEdges { seeds })
}
