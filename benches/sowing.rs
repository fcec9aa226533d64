//! Sowing: moves and laps a second, against the literal interpreter of the tests in the same run.
//!
//! The boards are those of random games from the start, so their laps are as long as in play. Each
//! figure is the median of several passes over all of them. Every board is sown by both
//! interpreters and the laps are compared, so a fast wrong answer does not count.

#[path = "../tests/literal/mod.rs"]
mod literal;
#[path = "../tests/random/mod.rs"]
mod random;

use std::hint::black_box;
use std::time::Instant;

use oju::board::Board;
use oju::rules::{Ayoayo, Hoyito, Rules, Turn};
use random::Random;

/// Boards of each game.
const BOARDS: usize = 20_000;

/// Passes over the boards, of which the median counts.
const PASSES: usize = 9;

/// Laps from which each row of the second table begins.
const LONG: [u32; 4] = [1, 3, 9, 65];

/// Finite sowings, board and pit, as they come up in random games.
fn sowings<R: Rules<P>, const P: usize>(rules: R) -> Vec<(Board<P>, usize)> {
    let mut random = Random::new(7);
    let start = Board::from_counts(&[4; P]);
    let mut list = Vec::new();
    let mut board = start;
    while list.len() < BOARDS {
        board = match rules.turn(&board) {
            Turn::Moves(moves) => {
                list.extend(moves.iter().filter_map(|m| m.pit).map(|pit| (board, usize::from(pit))));
                moves[random.index(moves.len())].next
            }
            Turn::Over { .. } => start,
        };
        // Many games never end on their own.
        if random.index(60) == 0 {
            board = start;
        }
    }
    list.truncate(BOARDS);
    list
}

/// The median time of a pass, in nanoseconds.
fn median(mut pass: impl FnMut()) -> f64 {
    let mut times: Vec<u128> = (0..PASSES)
        .map(|_| {
            let started = Instant::now();
            pass();
            started.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    times[PASSES / 2] as f64
}

fn bench<R: Rules<P>, const P: usize>(name: &str, rules: R, variant: literal::Variant) {
    let list = sowings(rules);
    let laps: Vec<u32> = list.iter().map(|(b, pit)| rules.sow(b, *pit).expect("finite").laps).collect();
    let total: f64 = laps.iter().map(|&laps| f64::from(laps)).sum();
    let sow_all = |list: &[(Board<P>, usize)]| {
        median(|| {
            for (board, pit) in list {
                black_box(rules.sow(black_box(board), *pit));
            }
        })
    };
    let fast = sow_all(&list);

    let states: Vec<literal::State> = list
        .iter()
        .map(|(board, _)| literal::State {
            pits: board.counts().iter().map(|&count| u32::from(count)).collect(),
            stores: [0, 0],
            side: 0,
        })
        .collect();
    // The slow one is timed on every tenth sowing.
    let sample: Vec<usize> = (0..list.len()).step_by(10).collect();
    for &at in &sample {
        match literal::sow(variant, &states[at], list[at].1) {
            literal::Sown::Ended { laps: found, .. } => assert_eq!(found, u64::from(laps[at])),
            literal::Sown::Endless => panic!("{:?} is finite", list[at]),
        }
    }
    let slow = median(|| {
        for &at in &sample {
            black_box(literal::sow(variant, black_box(&states[at]), list[at].1));
        }
    });
    let slow_per_move = slow / sample.len() as f64;
    let per_move = fast / list.len() as f64;
    println!(
        "{name:<10} {:>6.2} M moves/s {:>7.1} M laps/s {:>6.2} laps/move {:>7.1} ns/move {:>6.2} ns/lap   literal {:>9.1} ns/move   ratio {:>6.1}",
        1e3 / per_move,
        total / fast * 1e3,
        total / list.len() as f64,
        per_move,
        fast / total,
        slow_per_move,
        slow_per_move / per_move,
    );
    // Where the time goes: sowings by their number of laps.
    for (row, &from) in LONG.iter().enumerate() {
        let to = LONG.get(row + 1).copied().unwrap_or(u32::MAX);
        let part: Vec<_> =
            list.iter().zip(&laps).filter(|(_, laps)| (from..to).contains(laps)).map(|(s, _)| *s).collect();
        let laps: f64 =
            laps.iter().filter(|laps| (from..to).contains(laps)).map(|&laps| f64::from(laps)).sum();
        if part.is_empty() {
            continue;
        }
        let time = sow_all(&part);
        println!(
            "    {from:>2} laps and more: {:>5.1} % of moves, {:>5.1} % of time, {:>7.1} ns/move, {:>5.2} ns/lap",
            100.0 * part.len() as f64 / list.len() as f64,
            100.0 * time / fast,
            time / part.len() as f64,
            time / laps,
        );
    }
}

fn main() {
    bench::<_, 12>("ayoayo", Ayoayo::default(), literal::Variant::Ayoayo);
    bench::<_, 12>("hoyito", Hoyito::default(), literal::Variant::Hoyito);
    bench::<_, 24>("hoyito12", Hoyito::default(), literal::Variant::Hoyito);
}
