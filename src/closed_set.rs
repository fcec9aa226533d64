//! Stand-offs: a question settled on the whole set of boards that one side can keep the play in.
//!
//! Best-first search finds narrow proofs anywhere, but where a side can hold only by going round in a
//! wide web of boards it comes back to the same boards over and over. This module walks such a web
//! once. It is the local fixed-point algorithm of Liu and Smolka ("Simple linear-time algorithms for
//! minimal fixed points", 1998) on the boards reached by sowings without capture:
//!
//! * Every board starts as held. At a board of the prover all moves are followed; at one of the holder only
//!   one, until that one is proven lost, then the next.
//! * A board found proven tells those that depend on it: the prover's become proven, the holder's take
//!   their next move, and are proven when none is left.
//! * When nothing is left to do, the boards that are not proven form a closed set: from each the holder
//!   has a move that stays in the set or meets the question by a capture or the end. Staying for ever is
//!   worth what meets it too (0 of the value, all that is left of the forced interval). So all of them are held, whatever the path.
//!
//! Captures lead to smaller tiers and are questions of their own. Time and memory are linear in the boards
//! walked, about a hundred bytes each; a limit gives the walk up, keeping what is proven.

use std::collections::HashMap;

use arrayvec::ArrayVec;

use crate::board::Board;
use crate::knowledge::Answer;
use crate::number::Number;
use crate::rules::{MAX_MOVES, Move, Rules, Turn};
use crate::search::Search;

/// Boards walked between two looks at whether to go on.
const POLL: usize = 64;

/// A board of the web.
struct Node<const P: usize> {
    board: Board<P>,
    prover_moves: bool,
    /// Settled: proven for the prover. Never taken back.
    proven: bool,
    /// The holder's moves not yet tried, the next one last. Empty at boards of the prover.
    untried: ArrayVec<Move<P>, MAX_MOVES>,
    /// Boards to be told when this one is proven, each with the pit that leads here.
    dependents: Vec<(u32, Option<u8>)>,
}

/// What is to be done at a board.
enum Task {
    /// Look at its moves for the first time.
    Expand(u32),
    /// It is proven, by this pit where it is one of the prover.
    Proven(u32, Option<u8>),
    /// The holder's current move is proven lost: take the next.
    Next(u32),
}

/// A walk under way.
struct Walk<'s, 'a, R, const P: usize> {
    search: &'s mut Search<'a, R, P>,
    /// The prover's claim: at its boards a number of at least this, at the holder's at most its negative.
    claim: i32,
    /// Which number that is at the prover's boards.
    number: Number,
    effort: u32,
    nodes: Vec<Node<P>>,
    index: HashMap<(Board<P>, bool), u32>,
    tasks: Vec<Task>,
}

/// Answers "is this number of `board` at least `at_least`?" unless the search is exhausted or `go_on`
/// says no before. Questions about captures are asked with `effort`.
pub(crate) fn ask<R: Rules<P>, const P: usize>(
    search: &mut Search<'_, R, P>,
    board: &Board<P>,
    number: Number,
    at_least: i32,
    effort: u32,
    go_on: &dyn Fn() -> bool,
) -> Answer {
    let mover_proves = !number.infinite_meets(at_least);
    let (number, claim) = if mover_proves { (number, at_least) } else { (number.turned(), 1 - at_least) };
    let mut walk =
        Walk { search, claim, number, effort, nodes: Vec::new(), index: HashMap::new(), tasks: Vec::new() };
    let root = walk.node(*board, mover_proves);
    let mut walked = 0;
    while let Some(task) = walk.tasks.pop() {
        walked += 1;
        if walked % POLL == 0 {
            walk.search.report();
        }
        if walk.search.exhausted() || walked % POLL == 0 && !go_on() {
            return Answer::Open;
        }
        match task {
            Task::Expand(at) => {
                if walk.expand(at, go_on).is_none() {
                    return Answer::Open;
                }
            }
            Task::Next(at) => {
                if walk.next(at, go_on).is_none() {
                    return Answer::Open;
                }
            }
            Task::Proven(at, pit) => walk.proven(at, pit),
        }
        if walk.nodes[root as usize].proven {
            return if mover_proves { Answer::AtLeast(at_least) } else { Answer::AtMost(at_least - 1) };
        }
    }
    for node in walk.nodes.iter().filter(|node| !node.proven) {
        let held = if node.prover_moves { Answer::AtMost(claim - 1) } else { Answer::AtLeast(1 - claim) };
        walk.search.shared().store(&node.board, walk.number(node.prover_moves), held, None, 1);
    }
    if mover_proves { Answer::AtMost(at_least - 1) } else { Answer::AtLeast(at_least) }
}

impl<R: Rules<P>, const P: usize> Walk<'_, '_, R, P> {
    /// What the number in question is called at a board.
    fn number(&self, prover_moves: bool) -> Number {
        if prover_moves { self.number } else { self.number.turned() }
    }

    /// The number of a board, which is to be expanded if it is new.
    fn node(&mut self, board: Board<P>, prover_moves: bool) -> u32 {
        if let Some(&at) = self.index.get(&(board, prover_moves)) {
            return at;
        }
        let at = self.nodes.len() as u32;
        self.index.insert((board, prover_moves), at);
        let (untried, dependents) = (ArrayVec::new(), Vec::new());
        self.nodes.push(Node { board, prover_moves, proven: false, untried, dependents });
        self.tasks.push(Task::Expand(at));
        at
    }

    /// Looks at the moves of a board for the first time. `None`: a capture's question stays open.
    fn expand(&mut self, at: u32, go_on: &dyn Fn() -> bool) -> Option<()> {
        self.search.count_node();
        let Node { board, prover_moves, .. } = self.nodes[at as usize];
        let moves = match self.search.shared().rules.turn(&board) {
            Turn::Over { margin } => {
                let margin = i32::from(margin);
                let proven = if prover_moves { margin >= self.claim } else { margin <= -self.claim };
                if proven {
                    self.tasks.push(Task::Proven(at, None));
                }
                return Some(());
            }
            Turn::Moves(moves) => moves,
        };
        if !prover_moves {
            self.nodes[at as usize].untried = moves.into_iter().rev().collect();
            return self.next(at, go_on);
        }
        // What is settled already, then captures, may save the walk.
        let mut quiet: ArrayVec<Move<P>, MAX_MOVES> = ArrayVec::new();
        for m in &moves {
            match self.settled(m, true) {
                Some(true) => {
                    self.tasks.push(Task::Proven(at, m.pit));
                    return Some(());
                }
                Some(false) => {}
                None => quiet.push(*m),
            }
        }
        for m in quiet.iter().filter(|m| m.captured > 0) {
            if self.capture(m, true, go_on)? {
                self.tasks.push(Task::Proven(at, m.pit));
                return Some(());
            }
        }
        for m in quiet.iter().filter(|m| m.captured == 0) {
            let child = self.node(m.next, false);
            if self.nodes[child as usize].proven {
                self.tasks.push(Task::Proven(at, m.pit));
                return Some(());
            }
            self.nodes[child as usize].dependents.push((at, m.pit));
        }
        Some(())
    }

    /// Finds the holder's next move that is not proven lost. `None`: a capture's question stays open.
    fn next(&mut self, at: u32, go_on: &dyn Fn() -> bool) -> Option<()> {
        while let Some(m) = self.nodes[at as usize].untried.pop() {
            let lost = match self.settled(&m, false) {
                Some(lost) => lost,
                None if m.captured > 0 => self.capture(&m, false, go_on)?,
                None => {
                    let child = self.node(m.next, true);
                    if !self.nodes[child as usize].proven {
                        self.nodes[child as usize].dependents.push((at, m.pit));
                        return Some(());
                    }
                    true
                }
            };
            if !lost {
                return Some(());
            }
        }
        self.tasks.push(Task::Proven(at, None));
        Some(())
    }

    /// Marks a board as proven and tells those that depend on it.
    fn proven(&mut self, at: u32, pit: Option<u8>) {
        let node = &mut self.nodes[at as usize];
        if std::mem::replace(&mut node.proven, true) {
            return;
        }
        let proof = if node.prover_moves { Answer::AtLeast(self.claim) } else { Answer::AtMost(-self.claim) };
        let (board, prover_moves, dependents) =
            (node.board, node.prover_moves, std::mem::take(&mut node.dependents));
        self.search.shared().store(&board, self.number(prover_moves), proof, pit, 1);
        for (parent, pit) in dependents {
            let proves = self.nodes[parent as usize].prover_moves;
            self.tasks.push(if proves { Task::Proven(parent, pit) } else { Task::Next(parent) });
        }
    }

    /// Whether a move proves the claim, where that is known without any search.
    fn settled(&self, m: &Move<P>, prover_moves: bool) -> Option<bool> {
        let number = self.number(prover_moves).after(m.again);
        let (lower, upper) = self.search.shared().known(&m.next, number);
        let captured = i32::from(m.captured);
        let (lower, upper) =
            if m.again { (captured + lower, captured + upper) } else { (captured - upper, captured - lower) };
        if prover_moves {
            (lower >= self.claim).then_some(true).or((upper < self.claim).then_some(false))
        } else {
            (upper <= -self.claim).then_some(true).or((lower > -self.claim).then_some(false))
        }
    }

    /// Whether a capturing move proves the claim. `None`: the question stays open.
    fn capture(&mut self, m: &Move<P>, prover_moves: bool, go_on: &dyn Fn() -> bool) -> Option<bool> {
        let captured = i32::from(m.captured);
        // The move is worth at least this, or it is not: at a board of the prover that proves the claim, at
        // one of the holder it refutes it.
        let worth = if prover_moves { self.claim } else { 1 - self.claim };
        let asks = if m.again { worth - captured } else { captured - worth + 1 };
        let number = self.number(prover_moves).after(m.again);
        let answer = self.search.ask(&m.next, number, asks, self.effort, go_on);
        let is_worth = match (answer, m.again) {
            (Answer::AtLeast(_), true) | (Answer::AtMost(_), false) => true,
            (Answer::AtMost(_), true) | (Answer::AtLeast(_), false) => false,
            (Answer::Open, _) => return None,
        };
        Some(is_worth == prover_moves)
    }
}
