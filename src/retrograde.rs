//! One tier solved exactly, from the tiers below it.
//!
//! Captures only lead to smaller tiers, so inside a tier every edge is a sowing without capture or a
//! pass, and hands the turn over. The tier is solved from the outside in:
//!
//! 1. Every position is expanded once: its best *exit* (a capture into a solved tier, or the end
//!    of the game) and its children in the tier.
//! 2. For each margin `t` from the largest down to 1: a position whose exit is worth `t` is won at
//!    `t`; one whose children are all won for the other side and whose exit is worth `-t` is lost
//!    at `-t`. Then in waves: a lost position makes each unsolved parent won at `t`; a won one
//!    takes one from each parent's count of unsolved children, and at zero the parent's value is
//!    what its exit leaves it.
//! 3. What is left can be played on for ever and is worth 0: infinite play splits evenly.
//!
//! The wave in which a position is solved is its distance to conversion: the sowings until its value is
//! taken (a capture or the end), the better side hurrying, the other delaying.
//!
//! Every position is expanded once, and every edge is followed once backward: time is linear in
//! positions plus edges. Memory: eight bytes an edge (children and parents), which is why this
//! solver serves the small tiers that are built on first use.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use crate::board::Board;
use crate::index;
use crate::rules::{Rules, Turn};

/// A solved tier: value and distance of each position, by rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tier {
    /// Seeds the side to move will win minus those it will lose.
    pub values: Vec<i8>,
    /// Sowings until the value is converted; 0 where the game is over, [`NEVER`] where it is not
    /// converted at all.
    pub distances: Vec<u16>,
}

/// The distance of a position whose value is infinite play.
pub const NEVER: u16 = u16::MAX;

/// A position without exits.
const NO_EXIT: i8 = i8::MIN;

/// Positions expanded by one job.
const CHUNK: u64 = 1 << 14;

/// The exits and children of a run of positions.
struct Expanded {
    exits: Vec<i8>,
    over: Vec<bool>,
    degrees: Vec<u8>,
    children: Vec<u32>,
}

fn expand<R: Rules<P>, const P: usize>(
    rules: R,
    seeds: u32,
    first: u64,
    count: u64,
    probe: &impl Fn(&Board<P>) -> i8,
) -> Expanded {
    let mut out = Expanded { exits: Vec::new(), over: Vec::new(), degrees: Vec::new(), children: Vec::new() };
    let mut board = index::unrank::<P>(seeds, first);
    for number in 0..count {
        if number > 0 {
            board = index::successor(&board).expect("the tier has a board for each rank");
        }
        let mut exit = NO_EXIT;
        let mut degree = 0;
        let mut over = false;
        match rules.turn(&board) {
            Turn::Over { margin } => (exit, over) = (margin, true),
            Turn::Moves(moves) => {
                for m in &moves {
                    if m.captured == 0 {
                        out.children.push(index::rank(&m.next) as u32);
                        degree += 1;
                    } else {
                        let rest = probe(&m.next);
                        exit = exit.max(m.captured as i8 + if m.again { rest } else { -rest });
                    }
                }
            }
        }
        out.exits.push(exit);
        out.over.push(over);
        out.degrees.push(degree);
    }
    out
}

/// Solves the tier of `seeds` seeds. `probe` gives the value of any board with fewer.
///
/// `None` where `stop` was raised before the end.
///
/// # Panics
/// With 2^32 positions or more.
pub fn solve_tier<R: Rules<P>, const P: usize>(
    rules: R,
    seeds: u32,
    probe: impl Fn(&Board<P>) -> i8 + Sync,
    stop: &AtomicBool,
) -> Option<Tier> {
    let size = u32::try_from(index::tier_size(P, seeds)).expect("a tier solved in memory is small");
    let parts: Vec<Expanded> = (0..u64::from(size).div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            if stop.load(Relaxed) {
                return None;
            }
            let first = chunk * CHUNK;
            Some(expand(rules, seeds, first, CHUNK.min(u64::from(size) - first), &probe))
        })
        .collect::<Option<_>>()?;
    let exits: Vec<i8> = parts.iter().flat_map(|p| p.exits.iter().copied()).collect();
    let over: Vec<bool> = parts.iter().flat_map(|p| p.over.iter().copied()).collect();
    let mut unsolved_children: Vec<u8> = parts.iter().flat_map(|p| p.degrees.iter().copied()).collect();

    let parents = Parents::of(size, &parts);
    drop(parts);
    if stop.load(Relaxed) {
        return None;
    }

    let mut tier = Tier { values: vec![0; size as usize], distances: vec![NEVER; size as usize] };
    let mut by_margin: Vec<Vec<u32>> = vec![Vec::new(); seeds as usize + 1];
    for position in 0..size {
        let exit = exits[position as usize];
        if exit > 0 || exit < 0 && exit != NO_EXIT && unsolved_children[position as usize] == 0 {
            by_margin[exit.unsigned_abs() as usize].push(position);
        } else if over[position as usize] {
            tier.distances[position as usize] = 0;
        }
    }
    for margin in (1..=seeds as i8).rev() {
        let mut wave: Vec<(u32, i8)> = Vec::new();
        // Solves a position, unless it is solved already.
        let solve = |tier: &mut Tier, wave: &mut Vec<(u32, i8)>, position: u32, value: i8, distance: u16| {
            let at = position as usize;
            if tier.distances[at] == NEVER {
                tier.values[at] = value;
                tier.distances[at] = distance;
                wave.push((position, value));
            }
        };
        let exiting = std::mem::take(&mut by_margin[margin as usize]);
        for &position in exiting.iter().filter(|&&p| over[p as usize]) {
            solve(&mut tier, &mut wave, position, exits[position as usize], 0);
        }
        let mut distance = 0;
        while !wave.is_empty() || distance == 0 {
            distance += 1;
            let last_wave = std::mem::take(&mut wave);
            if distance == 1 {
                for &position in &exiting {
                    solve(&mut tier, &mut wave, position, exits[position as usize], 1);
                }
            }
            for (position, value) in last_wave {
                for &parent in parents.of_position(position) {
                    if value < 0 {
                        solve(&mut tier, &mut wave, parent, margin, distance);
                        continue;
                    }
                    let left = &mut unsolved_children[parent as usize];
                    *left -= 1;
                    if *left == 0 {
                        let exit = exits[parent as usize];
                        if exit <= -margin {
                            solve(&mut tier, &mut wave, parent, -margin, distance);
                        } else if exit < 0 {
                            by_margin[exit.unsigned_abs() as usize].push(parent);
                        }
                    }
                }
            }
        }
    }
    Some(tier)
}

/// The positions from which each position can be reached inside the tier.
struct Parents {
    starts: Vec<u32>,
    parents: Vec<u32>,
}

impl Parents {
    fn of(size: u32, parts: &[Expanded]) -> Self {
        let mut starts = vec![0u32; size as usize + 2];
        for part in parts {
            for &child in &part.children {
                starts[child as usize + 2] += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut parents = vec![0u32; *starts.last().unwrap_or(&0) as usize];
        let mut position = 0;
        for part in parts {
            let mut children = part.children.iter();
            for &degree in &part.degrees {
                for &child in children.by_ref().take(usize::from(degree)) {
                    let next = &mut starts[child as usize + 1];
                    parents[*next as usize] = position;
                    *next += 1;
                }
                position += 1;
            }
        }
        Self { starts, parents }
    }

    fn of_position(&self, position: u32) -> &[u32] {
        &self.parents[self.starts[position as usize] as usize..self.starts[position as usize + 1] as usize]
    }
}
