//! A slow, literal interpreter of the rules page, and plain value iteration on top of it. For tests only.
//!
//! Nothing here is shared with the program: every sentence of the rules is written out pit by pit and seed by seed.
//! "Ayoayo 3" or "Hoyito 2" in a comment is the numbered rule of that game.
#![allow(dead_code, unreachable_pub, missing_docs)]

use std::collections::{HashMap, HashSet};

/// The rule sets. `hoyito` and `hoyito12` differ only in the size of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    Ayoayo,
    AyoayoHolder,
    AyoayoPratt,
    Hoyito,
    HoyitoOpponent,
}

impl Variant {
    pub const ALL: [Variant; 5] = [
        Variant::Ayoayo,
        Variant::AyoayoHolder,
        Variant::AyoayoPratt,
        Variant::Hoyito,
        Variant::HoyitoOpponent,
    ];

    pub fn of_profile(name: &str) -> Variant {
        match name {
            "ayoayo" => Variant::Ayoayo,
            "ayoayo-holder" => Variant::AyoayoHolder,
            "ayoayo-pratt" => Variant::AyoayoPratt,
            "hoyito" | "hoyito12" => Variant::Hoyito,
            "hoyito-opponent" => Variant::HoyitoOpponent,
            _ => panic!("no profile named {name:?}"),
        }
    }

    pub fn is_hoyito(self) -> bool {
        match self {
            Variant::Hoyito | Variant::HoyitoOpponent => true,
            Variant::Ayoayo | Variant::AyoayoHolder | Variant::AyoayoPratt => false,
        }
    }
}

/// A position, seen from above: South's pits first, whoever is to move.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// 2R counts in sowing order, South's first.
    pub pits: Vec<u32>,
    /// South's, North's.
    pub stores: [u32; 2],
    /// The side to move: 0 South, 1 North.
    pub side: usize,
}

impl State {
    /// "The 2R counts in sowing order, South's store, North's store, the side to move, joined by `-`."
    pub fn parse(text: &str) -> State {
        let words: Vec<&str> = text.split('-').collect();
        assert!(words.len() >= 7 && words.len() % 2 == 1, "not a position: {text:?}");
        let side = match words[words.len() - 1] {
            "S" => 0,
            "N" => 1,
            other => panic!("no side {other:?} in {text:?}"),
        };
        let mut numbers: Vec<u32> = Vec::new();
        for word in &words[..words.len() - 1] {
            numbers.push(word.parse().unwrap_or_else(|_| panic!("no number {word:?} in {text:?}")));
        }
        let north = numbers.pop().unwrap();
        let south = numbers.pop().unwrap();
        State { pits: numbers, stores: [south, north], side }
    }

    pub fn text(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        for count in &self.pits {
            words.push(count.to_string());
        }
        words.push(self.stores[0].to_string());
        words.push(self.stores[1].to_string());
        words.push(if self.side == 0 { "S" } else { "N" }.to_string());
        words.join("-")
    }
}

/// R, the number of pits in a row.
fn row_length(pits: &[u32]) -> usize {
    pits.len() / 2
}

/// Whose row the pit is in: South's pits are the first R.
fn owner(pits: &[u32], pit: usize) -> usize {
    if pit < row_length(pits) { 0 } else { 1 }
}

/// The pit a seed is sown into after one into `pit`.
fn following(pits: &[u32], pit: usize) -> usize {
    if pit + 1 == pits.len() { 0 } else { pit + 1 }
}

/// The pit before, across the board's ends.
fn preceding(pits: &[u32], pit: usize) -> usize {
    if pit == 0 { pits.len() - 1 } else { pit - 1 }
}

/// "Opposite of pit i: 2R-1-i."
fn opposite(pits: &[u32], pit: usize) -> usize {
    pits.len() - 1 - pit
}

fn seeds_on_board(pits: &[u32]) -> u32 {
    pits.iter().sum()
}

fn seeds_in_row(pits: &[u32], side: usize) -> u32 {
    let mut seeds = 0;
    for pit in 0..pits.len() {
        if owner(pits, pit) == side {
            seeds += pits[pit];
        }
    }
    seeds
}

/// The pits of one side, in sowing order.
fn pits_of(pits: &[u32], side: usize) -> Vec<usize> {
    (0..pits.len()).filter(|&pit| owner(pits, pit) == side).collect()
}

/// What became of a sowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sown {
    Ended {
        /// With `side` = who is to move next.
        after: State,
        captured: u32,
        laps: u64,
        /// The mover is to move again.
        again: bool,
    },
    Endless,
}

/// One physical sowing of an own non-empty pit with its capture, whatever the duty to feed says.
pub fn sow(variant: Variant, state: &State, pit: usize) -> Sown {
    assert_eq!(owner(&state.pits, pit), state.side, "pit {pit} is not the mover's: {}", state.text());
    assert!(state.pits[pit] > 0, "pit {pit} is empty: {}", state.text());
    let mover = state.side;
    let mut pits = state.pits.clone();
    let mut lift = pit;
    let mut laps = 0;
    // "It is recognised by exact cycle detection on (board, pit to lift)."
    let mut seen: HashSet<(Vec<u32>, usize)> = HashSet::new();
    loop {
        if !seen.insert((pits.clone(), lift)) {
            return Sown::Endless;
        }
        let last = sow_lap(variant, &mut pits, lift);
        laps += 1;
        if relays(variant, &pits, last, mover) {
            lift = last;
            continue;
        }
        let captured = capture(variant, &mut pits, last, mover);
        let mut stores = state.stores;
        stores[mover] += captured;
        // Hoyito 5: "A capture gives the mover another turn." In Ayoayo the turn always passes.
        let again = variant.is_hoyito() && captured > 0;
        let side = if again { mover } else { 1 - mover };
        return Sown::Ended { after: State { pits, stores, side }, captured, laps, again };
    }
}

/// One lap: "lifting one pit and sowing its seeds one by one into the following pits". Gives the last seed's pit.
fn sow_lap(variant: Variant, pits: &mut [u32], origin: usize) -> usize {
    let mut in_hand = pits[origin];
    pits[origin] = 0;
    let mut here = origin;
    while in_hand > 0 {
        here = following(pits, here);
        // Ayoayo 2: "Every lap skips its own origin, each time the sowing passes it."
        // Hoyito 1: "without skipping: a lap of 2R seeds or more also drops into its origin."
        if here == origin && !variant.is_hoyito() {
            here = following(pits, here);
        }
        pits[here] += 1;
        in_hand -= 1;
    }
    here
}

/// Whether the pit of the lap's last seed is lifted for a new lap.
fn relays(variant: Variant, pits: &[u32], last: usize, mover: usize) -> bool {
    match variant {
        // Ayoayo 3: not empty before that seed, on either side: a new lap. Empty: the sowing ends.
        Variant::Ayoayo | Variant::AyoayoHolder | Variant::AyoayoPratt => pits[last] - 1 > 0,
        // Hoyito 2: 1 ends the sowing, exactly 4 captures, anything else is a new lap.
        Variant::Hoyito => pits[last] != 1 && pits[last] != 4,
        // "A last seed that makes four in the own row relays on."
        Variant::HoyitoOpponent => {
            if pits[last] == 4 {
                owner(pits, last) == mover
            } else {
                pits[last] != 1
            }
        }
    }
}

/// The capture at the end of a sowing; takes the seeds off the board and gives their number.
fn capture(variant: Variant, pits: &mut [u32], last: usize, mover: usize) -> u32 {
    match variant {
        Variant::Ayoayo | Variant::AyoayoHolder | Variant::AyoayoPratt => {
            // Ayoayo 4: "an empty pit of the mover's own row and the opposite pit holds seeds".
            let across = opposite(pits, last);
            if owner(pits, last) != mover || pits[across] == 0 {
                return 0;
            }
            let mut captured = pits[across];
            pits[across] = 0;
            // "Those seeds and the capturing seed go to the mover's store"; in `ayoayo-pratt` it "stays on the board".
            if variant != Variant::AyoayoPratt {
                captured += pits[last];
                pits[last] = 0;
            }
            captured
        }
        Variant::Hoyito | Variant::HoyitoOpponent => {
            // Hoyito 3: "The four are taken; then, going backward from that pit, on either side and across the board's
            // ends, every pit of exactly four, until the first pit that is not." (A last pit of one takes nothing.)
            let mut captured = 0;
            let mut here = last;
            while pits[here] == 4 {
                // "Only pits of the opponent's row are captured; the chain stops at the own row."
                if variant == Variant::HoyitoOpponent && owner(pits, here) == mover {
                    break;
                }
                captured += pits[here];
                pits[here] = 0;
                here = preceding(pits, here);
            }
            // Hoyito 4: "If a capture leaves exactly four seeds on the board, the capturer takes them too."
            if captured > 0 && seeds_on_board(pits) == 4 {
                for count in pits.iter_mut() {
                    captured += *count;
                    *count = 0;
                }
            }
            captured
        }
    }
}

/// Whether one pit of the side to move may be sown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legality {
    Legal,
    Empty,
    DoesNotFeed,
    Endless,
}

pub fn legality(variant: Variant, state: &State, pit: usize) -> Legality {
    assert_eq!(owner(&state.pits, pit), state.side, "pit {pit} is not the mover's: {}", state.text());
    if state.pits[pit] == 0 {
        return Legality::Empty;
    }
    match sow(variant, state, pit) {
        // "Such a move is illegal. It never counts as feeding."
        Sown::Endless => Legality::Endless,
        Sown::Ended { after, .. } => {
            // Ayoayo 5: "If the opponent has no seeds when the turn begins, only moves are legal after which (sowing
            // and capture done) the opponent has at least one seed." Hoyito knows no such duty.
            let opponent = 1 - state.side;
            if !variant.is_hoyito()
                && seeds_in_row(&state.pits, opponent) == 0
                && seeds_in_row(&after.pits, opponent) == 0
            {
                Legality::DoesNotFeed
            } else {
                Legality::Legal
            }
        }
    }
}

/// What the side to move has before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// What the end gives: side to move minus other, from the seeds left on the board.
    Over { margin: i32 },
    /// A forced pass, and the position after it.
    Pass(State),
    /// Every legal move in sowing order: pit, position after, captured, laps, whether the mover is on turn again.
    Moves(Vec<(usize, State, u32, u64, bool)>),
}

pub fn turn(variant: Variant, state: &State) -> Turn {
    let mover = state.side;
    let other = 1 - mover;
    let left = seeds_on_board(&state.pits) as i32;
    let mut passed = state.clone();
    passed.side = other;

    // Ayoayo 7 "the game is over when the board is empty", Hoyito 4 "empty board: the game is over".
    if left == 0 {
        return Turn::Over { margin: 0 };
    }

    if seeds_in_row(&state.pits, mover) == 0 {
        return match variant {
            // Hoyito 6: "A player without seeds in his row passes, on an extra turn too."
            Variant::Hoyito | Variant::HoyitoOpponent => Turn::Pass(passed),
            // Ayoayo 6: "A player without seeds passes, as long as the other can feed him." Ayoayo 7: otherwise the game
            // is over and what is left goes to the player not on turn.
            Variant::Ayoayo => {
                if legal_moves(variant, &passed).is_empty() {
                    Turn::Over { margin: -left }
                } else {
                    Turn::Pass(passed)
                }
            }
            // "A player without seeds on turn ends the game; what is left always goes to the player in whose row it
            // lies": all of it lies in the other's row.
            Variant::AyoayoHolder | Variant::AyoayoPratt => Turn::Over { margin: -left },
        };
    }

    let moves = legal_moves(variant, state);
    if !moves.is_empty() {
        return Turn::Moves(moves);
    }

    // "A player who has seeds but only endless moves passes (in Ayoayo with a seedless opponent that is 'cannot feed': the
    // game is over)."
    if variant.is_hoyito() || seeds_in_row(&state.pits, other) > 0 {
        return Turn::Pass(passed);
    }
    match variant {
        // Ayoayo 7: what is left goes to "the player not on turn".
        Variant::Ayoayo => Turn::Over { margin: -left },
        // "To the player in whose row it lies": all of it lies in the mover's row.
        _ => Turn::Over { margin: left },
    }
}

fn legal_moves(variant: Variant, state: &State) -> Vec<(usize, State, u32, u64, bool)> {
    let mut moves = Vec::new();
    for pit in pits_of(&state.pits, state.side) {
        if legality(variant, state, pit) != Legality::Legal {
            continue;
        }
        match sow(variant, state, pit) {
            Sown::Ended { after, captured, laps, again } => moves.push((pit, after, captured, laps, again)),
            Sown::Endless => unreachable!("an endless move is not legal"),
        }
    }
    moves
}

/// The number of move sequences of exactly that length. "A forced pass is a move; a finished game has none."
pub fn perft(variant: Variant, state: &State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    match turn(variant, state) {
        Turn::Over { .. } => 0,
        Turn::Pass(after) => perft(variant, &after, depth - 1),
        Turn::Moves(moves) => moves.iter().map(|(_, after, ..)| perft(variant, after, depth - 1)).sum(),
    }
}

/// All positions of a tier from the mover's view: every way to lay `seeds` seeds into 2R pits.
pub fn positions(row: usize, seeds: u32) -> Vec<Vec<u32>> {
    fn lay(pits: &mut Vec<u32>, wanted: usize, left: u32, all: &mut Vec<Vec<u32>>) {
        if pits.len() + 1 == wanted {
            pits.push(left);
            all.push(pits.clone());
            pits.pop();
            return;
        }
        for count in 0..=left {
            pits.push(count);
            lay(pits, wanted, left - count, all);
            pits.pop();
        }
    }
    let mut all = Vec::new();
    lay(&mut Vec::new(), 2 * row, seeds, &mut all);
    all
}

/// The pits from the view of the side to move: its own row first.
pub fn from_mover_view(state: &State) -> Vec<u32> {
    let mut view = Vec::new();
    for side in [state.side, 1 - state.side] {
        for pit in pits_of(&state.pits, side) {
            view.push(state.pits[pit]);
        }
    }
    view
}

/// One tier with every position expanded once.
#[derive(Clone, Debug)]
struct Tier {
    positions: Vec<Vec<u32>>,
    index: HashMap<Vec<u32>, usize>,
    turns: Vec<Expanded>,
}

#[derive(Clone, Debug)]
enum Expanded {
    Over(i32),
    Edges(Vec<Edge>),
}

/// One move or pass, the child seen by whoever moves there.
#[derive(Clone, Debug)]
struct Edge {
    captured: i32,
    /// The same side moves in the child.
    again: bool,
    child_seeds: u32,
    child: usize,
}

/// Expands one tier; `lower` are the finished tiers below it.
fn expand(variant: Variant, row: usize, seeds: u32, lower: &HashMap<u32, Tier>) -> Tier {
    let positions = positions(row, seeds);
    let mut index = HashMap::new();
    for (i, position) in positions.iter().enumerate() {
        index.insert(position.clone(), i);
    }
    let edge = |after: &State, captured: u32, again: bool| {
        let view = from_mover_view(after);
        let child_seeds = seeds_on_board(&view);
        let child = if child_seeds == seeds { index[&view] } else { lower[&child_seeds].index[&view] };
        Edge { captured: captured as i32, again, child_seeds, child }
    };
    let mut turns = Vec::new();
    for position in &positions {
        let state = State { pits: position.clone(), stores: [0, 0], side: 0 };
        turns.push(match turn(variant, &state) {
            Turn::Over { margin } => Expanded::Over(margin),
            Turn::Pass(after) => Expanded::Edges(vec![edge(&after, 0, false)]),
            Turn::Moves(moves) => Expanded::Edges(
                moves.iter().map(|(_, after, captured, _, again)| edge(after, *captured, *again)).collect(),
            ),
        });
    }
    Tier { positions, index, turns }
}

/// The tiers to solve, from the empty board up: "Totals are multiples of four" in Hoyito.
fn tiers_of(variant: Variant, max_seeds: u32) -> Vec<u32> {
    (0..=max_seeds).filter(|seeds| !variant.is_hoyito() || seeds % 4 == 0).collect()
}

/// Every position's value: "seeds the side to move will still win minus seeds it will still lose", stores excluded.
#[derive(Clone, Debug)]
pub struct Values {
    tiers: HashMap<u32, Tier>,
    values: HashMap<u32, Vec<i32>>,
}

impl Values {
    /// Plain value iteration, tier by tier. Within a tier it starts at 0, which is what infinite play is worth ("split
    /// evenly"), and every round looks one ply further, until nothing changes.
    pub fn solve(variant: Variant, row: usize, max_seeds: u32) -> Values {
        let mut tiers = HashMap::new();
        let mut values: HashMap<u32, Vec<i32>> = HashMap::new();
        for seeds in tiers_of(variant, max_seeds) {
            let tier = expand(variant, row, seeds, &tiers);
            values.insert(seeds, vec![0; tier.positions.len()]);
            loop {
                let mut next = Vec::new();
                for expanded in &tier.turns {
                    next.push(match expanded {
                        Expanded::Over(margin) => *margin,
                        Expanded::Edges(edges) => edges
                            .iter()
                            .map(|edge| {
                                let child = values[&edge.child_seeds][edge.child];
                                edge.captured + if edge.again { child } else { -child }
                            })
                            .max()
                            .expect("a turn that is not over has a move or a pass"),
                    });
                }
                if next == values[&seeds] {
                    break;
                }
                values.insert(seeds, next);
            }
            tiers.insert(seeds, tier);
        }
        Values { tiers, values }
    }

    pub fn get(&self, pits_from_mover_view: &[u32]) -> i32 {
        let seeds = seeds_on_board(pits_from_mover_view);
        self.values[&seeds][self.tiers[&seeds].index[pits_from_mover_view]]
    }

    /// A tier's positions from the mover's view with their values.
    pub fn tier(&self, seeds: u32) -> impl Iterator<Item = (&Vec<u32>, i32)> {
        self.tiers[&seeds].positions.iter().zip(self.values[&seeds].iter().copied())
    }

    /// For each position of a tier, in its order, the places in that order of the positions that a move or a pass leads to
    /// without a capture.
    pub fn quiet_moves(&self, seeds: u32) -> Vec<Vec<usize>> {
        let quiet = |expanded: &Expanded| match expanded {
            Expanded::Over(_) => vec![],
            Expanded::Edges(edges) => {
                edges.iter().filter(|edge| edge.child_seeds == seeds).map(|edge| edge.child).collect()
            }
        };
        self.tiers[&seeds].turns.iter().map(quiet).collect()
    }
}

/// Every position's forced interval.
#[derive(Clone, Debug)]
pub struct Forced {
    tiers: HashMap<u32, Tier>,
    bounds: HashMap<u32, Vec<(i32, i32)>>,
}

impl Forced {
    /// (low, high) for the side to move.
    pub fn get(&self, pits_from_mover_view: &[u32]) -> (i32, i32) {
        let seeds = seeds_on_board(pits_from_mover_view);
        self.bounds[&seeds][self.tiers[&seeds].index[pits_from_mover_view]]
    }

    pub fn tier(&self, seeds: u32) -> impl Iterator<Item = (&Vec<u32>, (i32, i32))> {
        self.tiers[&seeds].positions.iter().zip(self.bounds[&seeds].iter().copied())
    }
}

/// "The value if infinite play, at whatever tier it happens, gave all seeds then left to the other side (low) or to the
/// side to move (high)." The same value iteration on pairs: a tier of n seeds starts at (-n, +n). One side stays the
/// favoured one for the whole game, so where the turn passes, the mover's low is the other's high negated, and the
/// reverse; where the same side moves again, low goes with low and high with high.
pub fn solve_forced(variant: Variant, row: usize, max_seeds: u32) -> Forced {
    let mut tiers = HashMap::new();
    let mut bounds: HashMap<u32, Vec<(i32, i32)>> = HashMap::new();
    for seeds in tiers_of(variant, max_seeds) {
        let tier = expand(variant, row, seeds, &tiers);
        bounds.insert(seeds, vec![(-(seeds as i32), seeds as i32); tier.positions.len()]);
        loop {
            let mut next = Vec::new();
            for expanded in &tier.turns {
                next.push(match expanded {
                    Expanded::Over(margin) => (*margin, *margin),
                    Expanded::Edges(edges) => {
                        let mut lows = Vec::new();
                        let mut highs = Vec::new();
                        for edge in edges {
                            let (low, high) = bounds[&edge.child_seeds][edge.child];
                            if edge.again {
                                lows.push(edge.captured + low);
                                highs.push(edge.captured + high);
                            } else {
                                lows.push(edge.captured - high);
                                highs.push(edge.captured - low);
                            }
                        }
                        (lows.into_iter().max().unwrap(), highs.into_iter().max().unwrap())
                    }
                });
            }
            if next == bounds[&seeds] {
                break;
            }
            bounds.insert(seeds, next);
        }
        tiers.insert(seeds, tier);
    }
    Forced { tiers, bounds }
}
