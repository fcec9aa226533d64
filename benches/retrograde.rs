//! One tier in one pass against plain sweeps over it, and against the floor: every position's moves once.
//!
//! `cargo bench --bench retrograde` takes the tiers of 16 seeds of Ayoayo and Hoyito II; `-- ayoayo 18` the named ones, then without
//! the sweeps above 16 seeds, which would take minutes. Everything in one run, on all threads. Ratios are what counts: the machine's own speed
//! drops out.

use std::sync::atomic::{AtomicBool, AtomicI8, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use oju::board::Board;
use oju::rules::{Ayoayo, Hoyito, Rules};
use oju::{MemoryTier, Meter, index};
use rayon::prelude::*;

const PITS: usize = 12;
const RUN: u64 = 1 << 13;

/// Calls `each` with the rank and the board of every position of a tier, in parallel.
fn every_position(seeds: u32, each: impl Fn(u64, &Board<PITS>) + Sync) {
    let size = index::tier_size(PITS, seeds) as u64;
    (0..size.div_ceil(RUN)).into_par_iter().for_each(|run| {
        let first = run * RUN;
        let mut board = index::unrank::<PITS>(seeds, first);
        for rank in first..(first + RUN).min(size) {
            if rank > first {
                board = index::successor(&board).expect("a larger rank follows");
            }
            each(rank, &board);
        }
    });
}

/// The floor: all moves of all positions, once.
fn generate<R: Rules<PITS>>(rules: R, seeds: u32) -> (Duration, u64) {
    let moves = AtomicU64::new(0);
    let started = Instant::now();
    every_position(seeds, |_, board| {
        let mut count = 0;
        rules.each_move(board, |m| {
            std::hint::black_box(&m);
            count += 1;
        });
        moves.fetch_add(count, Relaxed);
    });
    (started.elapsed(), moves.into_inner())
}

/// Plain sweeps, in place: v = max(exit, max -v(child)) for every position, until nothing changes.
fn sweep<R: Rules<PITS>>(rules: R, seeds: u32, below: &[&MemoryTier]) -> (Duration, u32, Vec<i8>) {
    let started = Instant::now();
    let values: Vec<AtomicI8> = (0..index::tier_size(PITS, seeds)).map(|_| AtomicI8::new(0)).collect();
    let mut sweeps = 0;
    loop {
        sweeps += 1;
        let changed = AtomicBool::new(false);
        every_position(seeds, |rank, board| {
            let mut best = i8::MIN;
            let over = rules.each_move(board, |m| {
                let at = index::rank(&m.next);
                let rest = if m.captured > 0 {
                    below[m.next.seeds() as usize].value(at)
                } else {
                    values[at as usize].load(Relaxed)
                };
                best = best.max(m.captured as i8 + if m.again { rest } else { -rest });
            });
            let value = over.unwrap_or(best);
            if values[rank as usize].load(Relaxed) != value {
                values[rank as usize].store(value, Relaxed);
                changed.store(true, Relaxed);
            }
        });
        if !changed.into_inner() {
            break;
        }
    }
    (started.elapsed(), sweeps, values.into_iter().map(AtomicI8::into_inner).collect())
}

fn bench<R: Rules<PITS>>(name: &str, rules: R, seeds: u32, with_sweeps: bool) {
    let stop = AtomicBool::new(false);
    let mut tiers: Vec<MemoryTier> = Vec::new();
    for below in 0..seeds {
        let tier = if below % R::UNIT == 0 {
            let lower: Vec<&MemoryTier> = tiers.iter().collect();
            MemoryTier::solve(rules, below, &lower, &Meter::default(), &stop).expect("not stopped")
        } else {
            MemoryTier::default()
        };
        tiers.push(tier);
    }
    let below: Vec<&MemoryTier> = tiers.iter().collect();
    let size = index::tier_size(PITS, seeds) as u64;
    let threads = rayon::current_num_threads();

    // Three times each, taking turns, the quickest counts: the machine may have other work.
    let mut generated = (Duration::MAX, 0);
    let mut solved = (Duration::MAX, None);
    for _ in 0..3 {
        generated = generated.min(generate(rules, seeds));
        let started = Instant::now();
        let tier = MemoryTier::solve(rules, seeds, &below, &Meter::default(), &stop).expect("not stopped");
        solved = (solved.0.min(started.elapsed()), Some(tier));
    }
    let (time, tier) = (solved.0, solved.1.expect("solved three times"));
    let rate = size as f64 / time.as_secs_f64() / 1e6;
    println!("{name}, {seeds} seeds: {size} positions, {threads} threads");
    println!(
        "  moves of every position once  {:8.3} s  {:.1} million moves a second",
        generated.0.as_secs_f64(),
        generated.1 as f64 / generated.0.as_secs_f64() / 1e6,
    );
    println!(
        "  one pass, with distances      {:8.3} s  {:.2} times the moves once, {rate:.2} million positions a second, {:.2} a thread",
        time.as_secs_f64(),
        time.as_secs_f64() / generated.0.as_secs_f64(),
        rate / threads as f64,
    );
    if with_sweeps {
        let (time, sweeps, values) = sweep(rules, seeds, &below);
        assert!((0..).zip(&values).all(|(rank, &value)| tier.value(rank) == value), "the same values");
        println!(
            "  plain sweeps, same values     {:8.3} s  {sweeps} sweeps, {:.2} times the one pass",
            time.as_secs_f64(),
            time.as_secs_f64() / solved.0.as_secs_f64(),
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let named = |name: &str, seeds: u32| match name {
        "ayoayo" => bench(name, Ayoayo::default(), seeds, seeds <= 16),
        "hoyito" => bench(name, Hoyito::default(), seeds, seeds <= 16),
        _ => eprintln!("{name}: ayoayo or hoyito, then a number of seeds"),
    };
    match arguments.as_slice() {
        [name, seeds] => match seeds.parse() {
            Ok(seeds) if seeds <= 24 => named(name, seeds),
            _ => eprintln!("{seeds}: a number of seeds up to 24 is expected"),
        },
        _ => ["ayoayo", "hoyito"].into_iter().for_each(|name| named(name, 16)),
    }
}
