//! The exact search: one question at a time, "is this number of this board at least `t`?", the number being the value or an end of
//! the forced interval.
//!
//! # Why proof numbers
//! Such a question has a *prover* and a *holder*. Infinite play is worth 0, so to show a value of
//! at least `t >= 1` the side to move must force seeds in finitely many sowings, and to show less
//! than `t <= 0` the other side must: that side is the prover. Of the forced interval infinite play suits one side throughout: the side to
//! move must prove all of its low end, the other side all of its high end. Relay sowings branch little once one
//! side is ahead, and a capture may settle the game at once, so proofs are narrow and deep. Depth-first
//! proof-number search (Nagai, "Df-pn algorithm for searching AND/OR trees and its applications",
//! 2002) goes where a proof looks cheapest instead of where a fixed depth allows. Disproof numbers
//! of a node are added weakly, the largest plus one for each other open child (Ueda et al., "Weak
//! proof-number search", 2008), since here most children meet again as transpositions.
//!
//! # Why every stored bound is true whatever the path
//! * A *proof* (the prover succeeds) is a finite tree of sowings. A board that repeats one on the
//!   path counts as a failure of the prover, so no proof ever contains a repetition, and it holds
//!   from its board on, whatever came before.
//! * A *hold* (the prover fails) may close loops: the holder is content with infinite play. A hold
//!   found with the help of a repetition *leans* on the ancestor that was repeated. It is stored
//!   only once everything it leans on is found to be held without leaning on anything above: then the
//!   holder's choices in the whole subtree form a strategy that either meets the bound or stays in
//!   the subtree for ever, which is 0 and meets it too. Until then it is *provisional*: used
//!   while what it leans on is on the path, and forgotten when one of these is left without being held. For
//!   each provisional hold the set of nodes it leans on is kept exactly, so that no more is forgotten than must be.
//! * Captures never come back, so a repetition is only sought since the last capture.
//!
//! Where a side holds only by a wide web of loops, [`crate::closed_set`] settles the question instead.
//!
//! The stack is on the heap: no line is too deep. Time is proportional to nodes; each node sows its
//! moves once, and of Hoyito II some boards more to see what one turn settles ([`crate::one_turn`]). Memory is the tables' plus about a kilobyte
//! for each board on the current path.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;

use arrayvec::ArrayVec;

use crate::board::Board;
use crate::closed_set;
use crate::knowledge::{Answer, Knowledge, bounded, round_down, round_up};
use crate::number::Number;
use crate::one_turn;
use crate::proof_numbers::{INFINITE, Slot};
use crate::rules::{MAX_MOVES, Rules, Turn};
use crate::tt::{CacheLine, Key};

/// How strongly the share of the seeds a question asks for raises the first guess of its numbers.
///
/// At 0 every new node counts the same. Of 0 to 400, 96 took the fewest nodes from the starts of the Ayoayo profiles, and 32 from those of
/// Hoyito II, where [`one_turn`] says more.
const fn greed<R: Rules<P>, const P: usize>() -> i32 {
    if R::CHAINS { 32 } else { 96 }
}

/// How much harder a question looks where one turn is, or is not, to be feared: of 0 and 8 the better one in `oju bench`.
const THREAT: u32 = 8;

/// Where several threads search, a move looks harder to the others by a part in this many (and by one) from when a thread enters it
/// until it comes back, so that they spread out (Kaneko, "Parallel depth first proof number search", AAAI 2010). Of 1 and 4 this took the
/// fewer nodes on two threads, least where both may ask the same question.
const CROWD: u32 = 4;

/// The nodes of the path that a hold leans on, a bit each, counted from the last capture. No bit: it leans
/// on nothing. The last bit stands for all nodes from there on.
type Leans = u128;

/// Leaning on nothing: true whatever the path.
const FREE: Leans = 0;

/// The bit of the node `plies` after the last capture.
fn lean_on(plies: usize) -> Leans {
    1 << plies.min(Leans::BITS as usize - 1)
}

/// Nodes between two looks at whether to go on.
const POLL: u64 = 256;

/// Nodes a best-first search may take with the least effort.
const FIRST_NODES: u64 = 1 << 16;

/// Nodes a walk through a closed set may take with the least effort, searches of captures included.
const FIRST_WALK: u64 = 1 << 14;

/// Efforts above this one are the same.
const MOST_EFFORT: u32 = 40;

/// A move of the node under search, seen by its mover.
struct Choice<const P: usize> {
    next: Board<P>,
    captured: i32,
    again: bool,
    pit: Option<u8>,
    /// The question about `next` that this node's question turns into: is this number at least so much?
    number: Number,
    asks: i32,
    /// Where `next` is in the transposition table, `None` in a solved tier.
    key: Option<Key>,
    slot: Slot,
    /// Numbers of this node's claim by this move. Proof 0: it holds. Disproof 0: it fails.
    proof: u32,
    disproof: u32,
    /// Where settled: the bound of the claim's value by this move, and what that leans on.
    bound: i32,
    leans: Leans,
}

impl<const P: usize> Choice<P> {
    /// Takes over what was found of the node it leads to.
    fn take(&mut self, child: Result) {
        let (proof, disproof, bound) = if self.again {
            (child.proof, child.disproof, self.captured + child.bound)
        } else {
            (child.disproof, child.proof, self.captured - child.bound)
        };
        (self.proof, self.disproof) = (proof, disproof);
        if self.settled() {
            (self.bound, self.leans) = (bound, child.leans);
        }
    }

    fn settled(&self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    fn settle(&mut self, holds: bool, bound: i32, leans: Leans) {
        (self.proof, self.disproof) = if holds { (0, INFINITE) } else { (INFINITE, 0) };
        (self.bound, self.leans) = (bound, leans);
    }
}

/// A node on the path.
struct Frame<const P: usize> {
    board: Board<P>,
    /// 0 for the side to move at the root, 1 for the other.
    side: u8,
    /// The question: is this number of `board` at least so much?
    number: Number,
    at_least: i32,
    /// The search leaves this node when a number reaches its threshold.
    proof_limit: u32,
    disproof_limit: u32,
    /// The first ply since the last capture.
    since_capture: usize,
    /// Length of the trail when this node was entered.
    trail: usize,
    /// Nodes searched when this node was entered.
    nodes: u64,
    /// Where its choices begin in the list of all.
    choices: usize,
    /// The choice under search.
    at: usize,
}

/// What a node tells its parent.
struct Result {
    proof: u32,
    disproof: u32,
    bound: i32,
    leans: Leans,
}

impl Result {
    /// A settled result from a node's own view.
    fn settled(holds: bool, bound: i32, leans: Leans) -> Self {
        let (proof, disproof) = if holds { (0, INFINITE) } else { (INFINITE, 0) };
        Self { proof, disproof, bound, leans }
    }
}

/// A provisional hold.
#[derive(Clone, Copy)]
struct Held<const P: usize> {
    board: Board<P>,
    side: u8,
    number: Number,
    at_least: i32,
}

/// One thread's search.
pub(crate) struct Search<'a, R, const P: usize> {
    shared: Knowledge<'a, R, P>,
    path: Vec<Frame<P>>,
    /// The choices of all nodes on the path, one node's after the other's.
    choices: Vec<Choice<P>>,
    /// Provisional holds in the order they were found, and what each leans on.
    trail: Vec<Held<P>>,
    held: HashMap<(Board<P>, u8), Leans>,
    nodes: u64,
    /// Those of them that have been counted up for all.
    reported: u64,
    /// Nodes at which a walk under way is to be given up.
    limit: u64,
}

impl<R, const P: usize> Drop for Search<'_, R, P> {
    fn drop(&mut self) {
        self.report();
    }
}

impl<R, const P: usize> Search<'_, R, P> {
    /// Counts up for all searches what this one has done since it last did.
    pub(crate) fn report(&mut self) {
        self.shared.nodes.fetch_add(self.nodes - self.reported, Relaxed);
        self.reported = self.nodes;
    }
}

impl<'a, R: Rules<P>, const P: usize> Search<'a, R, P> {
    pub(crate) fn new(shared: Knowledge<'a, R, P>) -> Self {
        Self {
            shared,
            path: Vec::new(),
            choices: Vec::new(),
            trail: Vec::new(),
            held: HashMap::new(),
            nodes: 0,
            reported: 0,
            limit: u64::MAX,
        }
    }

    /// What is shared with other searches.
    pub(crate) fn shared(&self) -> Knowledge<'a, R, P> {
        self.shared
    }

    /// True where the walk that this search serves has used up its nodes.
    pub(crate) fn exhausted(&self) -> bool {
        self.nodes >= self.limit
    }

    /// Counts a board expanded on behalf of this search.
    pub(crate) fn count_node(&mut self) {
        self.nodes += 1;
    }

    /// Answers "is this number of `board` at least `at_least`?", unless that takes more than `effort`
    /// allows (each step doubles it) or `go_on` says no before.
    pub(crate) fn ask(
        &mut self,
        board: &Board<P>,
        number: Number,
        at_least: i32,
        effort: u32,
        go_on: &dyn Fn() -> bool,
    ) -> Answer {
        let (lower, upper) = self.shared.known(board, number);
        if lower >= at_least {
            return Answer::AtLeast(lower);
        }
        if upper < at_least {
            return Answer::AtMost(upper);
        }
        let effort = effort.min(MOST_EFFORT);
        let answer = match self.best_first(board, number, at_least, FIRST_NODES << effort, go_on) {
            Answer::Open => {
                let limit = self.limit;
                self.limit = limit.min(self.nodes + (FIRST_WALK << effort));
                let answer = closed_set::ask(self, board, number, at_least, effort, go_on);
                self.limit = limit;
                answer
            }
            answer => answer,
        };
        match answer {
            Answer::AtLeast(bound) => Answer::AtLeast(round_up::<R, P>(bound)),
            Answer::AtMost(bound) => Answer::AtMost(round_down::<R, P>(bound)),
            Answer::Open => Answer::Open,
        }
    }

    /// Answers "is this number of `board` at least `at_least`?", unless `go_on` says no before.
    pub(crate) fn settle(
        &mut self,
        board: &Board<P>,
        number: Number,
        at_least: i32,
        go_on: &dyn Fn() -> bool,
    ) -> Answer {
        let mut effort = 0;
        loop {
            let answer = self.ask(board, number, at_least, effort, go_on);
            if answer != Answer::Open || !go_on() {
                return answer;
            }
            effort += 1;
        }
    }

    /// The best-first search for an answer, with at most `most` nodes.
    fn best_first(
        &mut self,
        board: &Board<P>,
        number: Number,
        at_least: i32,
        most: u64,
        go_on: &dyn Fn() -> bool,
    ) -> Answer {
        let first = self.nodes;
        let mut result = self.enter(*board, 0, (number, at_least), (INFINITE, INFINITE), 0);
        let mut polled = self.nodes;
        loop {
            if let Some(done) = result.take() {
                let Some(parent) = self.path.last() else {
                    return match done {
                        Result { proof: 0, bound, .. } => Answer::AtLeast(bound),
                        Result { disproof: 0, bound, .. } => Answer::AtMost(bound),
                        _ => Answer::Open,
                    };
                };
                self.choices[parent.choices + parent.at].take(done);
            }
            if self.nodes - polled >= POLL {
                polled = self.nodes;
                self.report();
                if self.nodes - first >= most || self.exhausted() || !go_on() {
                    self.abandon();
                    return Answer::Open;
                }
            }
            result = self.step();
        }
    }

    /// The first move of a proof that the side to move wins at least `at_least` (1 or more): a pit,
    /// or `None` inside for a pass. `None` where that is not so or not found in time.
    pub(crate) fn proof(
        &mut self,
        board: &Board<P>,
        at_least: i32,
        go_on: &dyn Fn() -> bool,
    ) -> Option<Option<u8>> {
        debug_assert!(at_least >= 1, "only a proof is sure to make progress");
        let Answer::AtLeast(_) = self.settle(board, Number::Value, at_least, go_on) else { return None };
        let entry = self.shared.table.get(self.shared.table.key(board, Number::Value))?;
        (i32::from(entry.lower) >= at_least).then_some(entry.pit)
    }

    /// Leaves the whole path, keeping nothing provisional.
    fn abandon(&mut self) {
        self.path.clear();
        self.choices.clear();
        self.trail.clear();
        self.held.clear();
    }

    /// Puts a node on the path, unless it is settled at once: then its result.
    fn enter(
        &mut self,
        board: Board<P>,
        side: u8,
        (number, at_least): (Number, i32),
        (proof_limit, disproof_limit): (u32, u32),
        since_capture: usize,
    ) -> Option<Result> {
        self.nodes += 1;
        let moves = match self.shared.rules.turn(&board) {
            Turn::Over { margin } => {
                let margin = i32::from(margin);
                return Some(Result::settled(margin >= at_least, margin, FREE));
            }
            Turn::Moves(moves) => moves,
        };
        let choices = self.choices.len();
        let frame = Frame {
            board,
            side,
            number,
            at_least,
            proof_limit,
            disproof_limit,
            since_capture,
            trail: self.trail.len(),
            nodes: self.nodes - 1,
            choices,
            at: 0,
        };
        for m in &moves {
            let captured = i32::from(m.captured);
            let asks = if m.again { at_least - captured } else { captured - at_least + 1 };
            let in_tiers = self.shared.tiers.covers(m.next.seeds());
            let after = number.after(m.again);
            let key = (!in_tiers).then(|| self.shared.table.key(&m.next, after));
            let slot = Slot::new(key.unwrap_or(0), asks);
            let (proof, disproof) = first_guess::<R, P>(&m.next, asks);
            let (proof, disproof) = if m.again { (proof, disproof) } else { (disproof, proof) };
            let mut choice = Choice {
                next: m.next,
                captured,
                again: m.again,
                pit: m.pit,
                number: after,
                asks,
                key,
                slot,
                proof,
                disproof,
                bound: 0,
                leans: FREE,
            };
            if captured == 0 && key.is_some() {
                let child_side = side ^ 1;
                let repeated = (since_capture..self.path.len())
                    .find(|&ply| self.path[ply].side == child_side && self.path[ply].board == m.next);
                if let Some(ply) = repeated {
                    choice.settle_provisionally(number, at_least, lean_on(ply - since_capture));
                }
            }
            if R::CHAINS && !choice.settled() {
                self.look_one_turn_ahead(&mut choice, (number, at_least));
            }
            self.choices.push(choice);
        }
        self.path.push(frame);
        None
    }

    /// Settles a quiet move that nobody has looked at where one turn answers it, else guesses its numbers by what one turn could do.
    fn look_one_turn_ahead(&self, choice: &mut Choice<P>, (number, at_least): (Number, i32)) {
        let (shared, Some(key)) = (&self.shared, choice.key) else { return };
        if choice.captured > 0 || shared.table.read(choice.slot).numbers(choice.slot).is_some() {
            return;
        }
        let (lower, upper) = shared.bounded(&choice.next, key);
        if lower >= choice.asks || upper < choice.asks {
            return;
        }
        if let Some(bound) = one_turn::settles(shared, &choice.next, choice.number, choice.asks) {
            shared.store(&choice.next, choice.number, Answer::AtLeast(bound), None, 1);
            choice.settle(false, -bound, FREE);
            return;
        }
        // Were it the mover's turn again: the reply has to meet that threat, or is free.
        if one_turn::settles(shared, &choice.next.rotated(), number, at_least).is_some() {
            choice.disproof += THREAT;
        } else {
            choice.proof += THREAT;
        }
        shared.table.put_numbers(choice.slot, (choice.disproof, choice.proof));
    }

    /// Goes on at the end of the path: enters the most promising move, or leaves the node.
    fn step(&mut self) -> Option<Result> {
        let ply = self.path.len() - 1;
        let shared = self.shared;
        let frame = &mut self.path[ply];
        let choices = &mut self.choices[frame.choices..];
        let (number, at_least) = (frame.number, frame.at_least);
        let mut best = None;
        // The least and the second least proof number.
        let (mut proof, mut second) = (INFINITE, INFINITE);
        // The largest disproof number of an open move, and how many are open.
        let (mut hardest, mut open) = (0, 0);
        let mut read: ArrayVec<CacheLine, MAX_MOVES> = ArrayVec::new();
        for choice in choices.iter().filter(|choice| !choice.settled() && choice.key.is_some()) {
            read.push(shared.table.read(choice.slot));
        }
        let mut read = read.into_iter();
        for (at, choice) in choices.iter_mut().enumerate() {
            if !choice.settled() {
                let known = choice.key.and_then(|key| read.next().map(|line| (key, line)));
                look_up(&shared, &self.held, frame.side, choice, known, (number, at_least));
            }
            if choice.proof < proof {
                (second, proof) = (proof, choice.proof);
                best = Some(at);
            } else {
                second = second.min(choice.proof);
            }
            if !choice.settled() {
                open += 1;
                hardest = hardest.max(choice.disproof);
            }
        }
        if proof == 0 {
            // A move that holds freely is worth more than one that leans on the path.
            let holding = choices.iter().filter(|c| c.proof == 0);
            let choice = holding.max_by_key(|c| (c.leans == FREE, c.bound)).expect("a move holds");
            let (bound, leans, pit) = (choice.bound, choice.leans, choice.pit);
            return Some(self.leave(true, bound, leans, pit));
        }
        if open == 0 {
            let bound = choices.iter().map(|c| c.bound).max().expect("a turn has moves");
            let leans = choices.iter().fold(FREE, |leans, c| leans | c.leans);
            return Some(self.leave(false, bound, leans, None));
        }
        let disproof = (hardest + (open - 1)).min(INFINITE);
        // A node without limits is only left settled, so a search without end can not happen here.
        let reached = |number, limit| number >= limit && limit < INFINITE;
        if reached(proof, frame.proof_limit) || reached(disproof, frame.disproof_limit) {
            let frame = self.pop();
            self.release(&frame, None);
            let slot = Slot::new(shared.table.key(&frame.board, number), at_least);
            shared.table.put_numbers(slot, (proof, disproof));
            return Some(Result { proof, disproof, bound: 0, leans: FREE });
        }
        let at = best.unwrap_or_else(|| {
            // Every open move looks unprovable: go on with the first of them all the same.
            choices.iter().position(|c| !c.settled()).expect("a move is open")
        });
        frame.at = at;
        let choice = &choices[at];
        // The move is searched until another looks better by a quarter, or the node is decided.
        let proof_limit = frame.proof_limit.min(second.saturating_add(1 + second / 4)).min(INFINITE);
        let others = disproof - choice.disproof.min(disproof);
        let disproof_limit =
            frame.disproof_limit.saturating_sub(others).max(choice.disproof.saturating_add(1)).min(INFINITE);
        let limits = if choice.again { (proof_limit, disproof_limit) } else { (disproof_limit, proof_limit) };
        if shared.crowded && choice.key.is_some() {
            let harder = (choice.proof + 1 + choice.proof / CROWD).min(INFINITE);
            shared.table.put_numbers(
                choice.slot,
                if choice.again { (harder, choice.disproof) } else { (choice.disproof, harder) },
            );
        }
        let since_capture = if choice.captured > 0 { ply + 1 } else { frame.since_capture };
        let side = if choice.again { frame.side } else { frame.side ^ 1 };
        let (next, question) = (choice.next, (choice.number, choice.asks));
        self.enter(next, side, question, limits, since_capture)
    }

    fn pop(&mut self) -> Frame<P> {
        let frame = self.path.pop().expect("a node is left");
        self.choices.truncate(frame.choices);
        frame
    }

    /// Leaves the last node of the path, settled, and stores what is proven by it.
    fn leave(&mut self, holds: bool, bound: i32, leans: Leans, pit: Option<u8>) -> Result {
        let frame = self.pop();
        let answer = |bound| if holds { Answer::AtLeast(bound) } else { Answer::AtMost(bound) };
        let nodes = self.nodes - frame.nodes;
        let (number, at_least) = (frame.number, frame.at_least);
        let mover_proves = !number.infinite_meets(at_least);
        if holds == mover_proves {
            debug_assert_eq!(leans, FREE, "a proof has no repetition");
            self.release(&frame, None);
            self.shared.store(&frame.board, number, answer(bound), pit, nodes);
            return Result::settled(holds, bound, FREE);
        }
        // A hold that leans on something is only known to meet the question itself.
        let asked = if holds { at_least } else { at_least - 1 };
        let bound = if leans == FREE { bound } else { asked };
        let plies = self.path.len() - frame.since_capture;
        // Leaning on itself a node goes round for ever, which holds. The last bit is only this node's
        // own where this node is the first that it stands for.
        let own = if plies < Leans::BITS as usize { lean_on(plies) } else { 0 };
        let leans = leans & !own;
        self.release(&frame, Some(leans));
        if leans == FREE {
            self.shared.store(&frame.board, number, answer(bound), pit, nodes);
        } else {
            self.held.insert((frame.board, frame.side), leans);
            self.trail.push(Held { board: frame.board, side: frame.side, number, at_least });
        }
        Result::settled(holds, bound, leans)
    }

    /// Settles what was held provisionally below a node that has just left the path.
    ///
    /// `held_on`: the node is held itself, leaning on these; what leant on it leans on them now, and
    /// what is left leaning on nothing is held for good. `None`: the node is not held (its prover
    /// succeeded, or it is left open), so what leant on it is forgotten.
    fn release(&mut self, frame: &Frame<P>, held_on: Option<Leans>) {
        if self.trail.len() == frame.trail {
            return;
        }
        let plies = self.path.len() - frame.since_capture;
        let bit = lean_on(plies);
        let own = if plies < Leans::BITS as usize { bit } else { 0 };
        let (shared, held) = (self.shared, &mut self.held);
        let mut kept = frame.trail;
        for at in frame.trail..self.trail.len() {
            let entry = self.trail[at];
            let key = (entry.board, entry.side);
            let leans = held.get_mut(&key).expect("the trail and the map hold the same");
            if *leans & bit != 0 {
                let Some(held_on) = held_on else {
                    held.remove(&key);
                    continue;
                };
                *leans = *leans & !own | held_on;
                if *leans == FREE {
                    held.remove(&key);
                    let answer = if entry.number.infinite_meets(entry.at_least) {
                        Answer::AtLeast(entry.at_least)
                    } else {
                        Answer::AtMost(entry.at_least - 1)
                    };
                    shared.store(&entry.board, entry.number, answer, None, 1);
                    continue;
                }
            }
            self.trail[kept] = entry;
            kept += 1;
        }
        self.trail.truncate(kept);
    }
}

impl<const P: usize> Choice<P> {
    /// A repetition holds for the side that infinite play suits.
    fn settle_provisionally(&mut self, number: Number, at_least: i32, leans: Leans) {
        if number.infinite_meets(at_least) {
            self.settle(true, at_least, leans);
        } else {
            self.settle(false, at_least - 1, leans);
        }
    }
}

/// Brings an open move up to date with what has been found elsewhere. `known`: outside the solved tiers its key, and its cache line, which
/// was read before any move was looked at: memory answers all moves of a node in the time of one.
#[inline(always)]
fn look_up<R: Rules<P>, const P: usize>(
    shared: &Knowledge<'_, R, P>,
    held: &HashMap<(Board<P>, u8), Leans>,
    side: u8,
    choice: &mut Choice<P>,
    known: Option<(Key, CacheLine)>,
    (number, at_least): (Number, i32),
) {
    let (lower, upper) = match &known {
        None => {
            let solved = shared.solved(&choice.next, choice.number);
            let solved = solved.expect("a move without a key leads to a solved tier");
            (solved, solved)
        }
        Some((key, line)) => bounded(&choice.next, shared.table.entry(line, *key)),
    };
    let captured = choice.captured;
    let (lower, upper) = if choice.again {
        (captured + lower, captured + upper)
    } else {
        (captured - upper, captured - lower)
    };
    if lower >= at_least {
        return choice.settle(true, lower, FREE);
    }
    if upper < at_least {
        return choice.settle(false, upper, FREE);
    }
    if captured == 0
        && !held.is_empty()
        && let Some(&leans) = held.get(&(choice.next, side ^ 1))
    {
        return choice.settle_provisionally(number, at_least, leans);
    }
    let numbers = known.and_then(|(_, line)| line.numbers(choice.slot));
    if let Some((proof, disproof)) = numbers {
        (choice.proof, choice.disproof) = if choice.again { (proof, disproof) } else { (disproof, proof) };
    }
}

/// The numbers of a question nobody has looked at: a larger share of the seeds is harder to prove, and
/// more moves are harder to refute.
#[inline(always)]
fn first_guess<R: Rules<P>, const P: usize>(board: &Board<P>, at_least: i32) -> (u32, u32) {
    let seeds = (board.seeds() as i32).max(1);
    let moves = (0..Board::<P>::ROW).filter(|&pit| board.get(pit) > 0).count().max(1);
    let proof = 1 + greed::<R, P>() * at_least.max(0) / seeds;
    let disproof = moves as i32 + greed::<R, P>() * (1 - at_least).max(0) / seeds;
    (proof as u32, disproof as u32)
}
