//! The solver against plain sweeps, which share nothing with it but the forward edges; those, and the backward ones, are
//! held against each other over whole tiers.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Barrier;

use super::*;
use crate::edges::{Edges, TierEdges};
use crate::rules::{Ayoayo, Hoyito, Rules};

const HOLDER: Ayoayo = Ayoayo { holder_takes_rest: true, capturing_seed_stays: false };
const PRATT: Ayoayo = Ayoayo { holder_takes_rest: true, capturing_seed_stays: true };
const AYOAYO: Ayoayo = Ayoayo { holder_takes_rest: false, capturing_seed_stays: false };
const HOYITO: Hoyito = Hoyito { opponent_row_only: false };
const OPPONENT: Hoyito = Hoyito { opponent_row_only: true };

/// Pairs (child, parent).
type Pairs = Vec<(u64, u64)>;

/// The forward edges of a whole tier, sowings and passes apart.
fn forward(edges: &dyn Edges) -> (Pairs, Pairs) {
    let mut run = Run::default();
    edges.forward(0..edges.size(), true, &mut run);
    let (mut sowings, mut passes) = (Vec::new(), Vec::new());
    let mut children = run.children.iter();
    for (parent, &degree) in (0..).zip(&run.degrees) {
        if degree != Run::OVER {
            let list =
                if run.passes.binary_search(&(parent as u32)).is_ok() { &mut passes } else { &mut sowings };
            list.extend(children.by_ref().take(degree.into()).map(|&child| (child, parent)));
        }
    }
    (sowings, passes)
}

fn same_edges<R: Rules<P>, const P: usize>(rules: R, most: u32) -> usize {
    let mut compared = 0;
    for seeds in (0..=most).step_by(R::UNIT as usize) {
        let edges = TierEdges { rules, seeds };
        let (mut expected, passes) = forward(&edges);
        assert!(passes.iter().all(|&(child, parent)| edges.rotated(parent) == child));
        let mut found = Vec::new();
        let mut parents = Vec::new();
        for child in 0..edges.size() {
            parents.clear();
            edges.backward(&[child], &mut parents);
            found.extend(parents.iter().map(|&parent| (child, parent)));
        }
        // Long and short steps from rank to rank lead to the same boards.
        for step in [1, 7, 40] {
            let ranks: Vec<u64> = (0..edges.size()).step_by(step).collect();
            parents.clear();
            edges.backward(&ranks, &mut parents);
            let wanted =
                found.iter().filter(|(child, _)| child % step as u64 == 0).map(|&(_, parent)| parent);
            assert!(parents.iter().copied().eq(wanted));
        }
        compared += expected.len();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(expected, found, "{seeds} seeds in {P} pits");
    }
    compared
}

#[test]
fn small_boards_have_the_same_edges_forward_and_backward() {
    for rules in [AYOAYO, HOLDER, PRATT] {
        assert!(same_edges::<_, 4>(rules, 40) > 100_000);
        assert!(same_edges::<_, 6>(rules, 20) > 100_000);
        assert!(same_edges::<_, 8>(rules, 13) > 100_000);
        assert!(same_edges::<_, 10>(rules, 11) > 100_000);
    }
    for rules in [HOYITO, OPPONENT] {
        assert!(same_edges::<_, 4>(rules, 64) > 10_000);
        assert!(same_edges::<_, 6>(rules, 28) > 100_000);
        assert!(same_edges::<_, 8>(rules, 16) > 100_000);
        assert!(same_edges::<_, 10>(rules, 12) > 100_000);
    }
}

#[test]
fn ayoayo_has_the_same_edges_forward_and_backward() {
    assert!(same_edges::<_, 12>(AYOAYO, 13) > 11_000_000);
    assert!(same_edges::<_, 12>(PRATT, 12) > 5_000_000);
}

#[test]
fn hoyito_has_the_same_edges_forward_and_backward() {
    assert!(same_edges::<_, 12>(HOYITO, 12) > 3_000_000);
    assert!(same_edges::<_, 12>(OPPONENT, 12) > 4_000_000);
}

#[test]
fn the_2x12_board_has_the_same_edges_forward_and_backward() {
    assert!(same_edges::<_, 24>(HOYITO, 8) > 10_000_000);
}

/// Values, and forced intervals, of a tier by sweeps: v = max(exit, max -v(child)) from what infinite play is worth, until
/// nothing changes.
fn sweep(edges: &dyn Edges, task: Task, below: Below<'_>) -> [Vec<i8>; 2] {
    let mut run = Run::default();
    edges.forward(0..edges.size(), true, &mut run);
    let mut exits = [Vec::new(), Vec::new()];
    best_exits(&run, below.low, below.high, &mut exits[0]);
    best_exits(&run, below.high, below.low, &mut exits[1]);
    let n = edges.seeds() as i8;
    let infinite = if task == Task::Values { [0, 0] } else { [-n, n] };
    let mut numbers = infinite.map(|start| vec![start; run.degrees.len()]);
    loop {
        let mut changed = false;
        for plane in 0..2 {
            let mut children = run.children.iter();
            for (at, &degree) in run.degrees.iter().enumerate() {
                let degree = if degree == Run::OVER { 0 } else { degree.into() };
                let best =
                    children.by_ref().take(degree).map(|&child| -numbers[1 - plane][child as usize]).max();
                let number = best.unwrap_or(NO_EXIT).max(exits[plane][at]);
                changed |= number != numbers[plane][at];
                numbers[plane][at] = number;
            }
        }
        if !changed {
            return numbers;
        }
    }
}

/// The distance of every position from the values alone, wave by wave: a won position is as far as its nearest way to
/// keep its value, a lost one as its farthest.
fn distances(edges: &dyn Edges, exits: &[i8], values: &[i8]) -> Vec<u16> {
    let mut run = Run::default();
    edges.forward(0..edges.size(), true, &mut run);
    let mut distances: Vec<u16> = vec![NEVER; values.len()];
    for &(from, _) in &run.ends {
        distances[from as usize] = 0;
    }
    for wave in 1.. {
        let before = distances.clone();
        let mut children = run.children.iter();
        for (at, &degree) in run.degrees.iter().enumerate() {
            if degree == Run::OVER {
                continue;
            }
            let mine: Vec<usize> =
                children.by_ref().take(degree.into()).map(|&child| child as usize).collect();
            if before[at] != NEVER || values[at] == 0 {
                continue;
            }
            let near = |&child: &usize| before[child] != NEVER && values[child] == -values[at];
            let solved = if values[at] > 0 {
                exits[at] == values[at] || mine.iter().any(near)
            } else {
                // A child that is worth more to the other side is no way to delay this value.
                mine.iter().all(|child| near(child) || values[*child] > -values[at])
            };
            if solved {
                distances[at] = wave;
            }
        }
        if distances == before {
            break;
        }
    }
    distances
}

struct Below2 {
    tiers: [Vec<Packed>; 2],
}

impl Below2 {
    fn with<T>(&self, then: impl FnOnce(Below<'_>) -> T) -> T {
        let [low, high] = [0, 1].map(|plane| self.tiers[plane].iter().collect::<Vec<_>>());
        then(Below { low: &low, high: &high })
    }
}

fn solved(edges: &dyn Edges, unit: u32, task: Task, below: Below<'_>) -> Tier {
    let mut tier = Tier::new(edges, unit, task, &Alone);
    let (meter, stop) = (Meter::default(), AtomicBool::new(false));
    tier.solve(Means { edges, below, spread: &Alone, meter: &meter, stop: &stop }, &mut |_| {}).unwrap();
    tier
}

fn numbers(tier: &Tier, plane: usize) -> Vec<i8> {
    let packed = tier.packed(plane);
    (0..packed.len()).map(|rank| packed.get(rank)).collect()
}

/// Solves all tiers up to `most` in one pass and by sweeps. Returns how many stand-offs each tier has, by seeds.
fn same_numbers<R: Rules<P>, const P: usize>(rules: R, most: u32) -> Vec<usize> {
    let mut plain = Below2 { tiers: [Vec::new(), Vec::new()] };
    let mut forced = Below2 { tiers: [Vec::new(), Vec::new()] };
    let mut standoffs = Vec::new();
    for seeds in 0..=most {
        if seeds % R::UNIT != 0 {
            plain.tiers.iter_mut().chain(&mut forced.tiers).for_each(|tiers| tiers.push(Packed::default()));
            standoffs.push(0);
            continue;
        }
        let edges = TierEdges { rules, seeds };
        let tier = plain.with(|below| solved(&edges, R::UNIT, Task::Values, below));
        let values = numbers(&tier, 0);
        let [expected, _] = plain.with(|below| sweep(&edges, Task::Values, below));
        assert_eq!(values, expected, "values of {seeds} seeds in {P} pits");
        let mut exits = Vec::new();
        let mut run = Run::default();
        edges.forward(0..edges.size(), false, &mut run);
        plain.with(|below| best_exits(&run, below.low, below.high, &mut exits));
        let expected = distances(&edges, &exits, &values);
        assert!(
            (0..).zip(&expected).all(|(rank, &distance)| tier.distance(rank) == distance),
            "{seeds} seeds"
        );

        let by_exit = |rank: u64| tier.outcome(0, rank).by_exit;
        assert!(
            (0..).zip(&exits).all(|(rank, &exit)| by_exit(rank) == (exit == values[rank as usize])),
            "{seeds} seeds"
        );

        let forced_tier = forced.with(|below| solved(&edges, R::UNIT, Task::Forced, below));
        let [low, high] = [0, 1].map(|plane| numbers(&forced_tier, plane));
        let [expected_low, expected_high] = forced.with(|below| sweep(&edges, Task::Forced, below));
        assert_eq!(low, expected_low, "low of {seeds} seeds in {P} pits");
        assert_eq!(high, expected_high, "high of {seeds} seeds in {P} pits");
        standoffs.push(low.iter().zip(&high).filter(|(low, high)| low != high).count());
        plain.tiers[0].push(tier.packed(0));
        plain.tiers[1].push(tier.packed(0));
        forced.tiers[0].push(forced_tier.packed(0));
        forced.tiers[1].push(forced_tier.packed(1));
    }
    standoffs
}

#[test]
fn small_boards_are_worth_what_sweeps_find() {
    for rules in [AYOAYO, HOLDER, PRATT] {
        same_numbers::<_, 4>(rules, 24);
        same_numbers::<_, 6>(rules, 14);
        same_numbers::<_, 8>(rules, 10);
        same_numbers::<_, 10>(rules, 8);
    }
    for rules in [HOYITO, OPPONENT] {
        same_numbers::<_, 4>(rules, 40);
        same_numbers::<_, 6>(rules, 20);
        same_numbers::<_, 8>(rules, 12);
        same_numbers::<_, 10>(rules, 8);
    }
}

#[test]
fn ayoayo_tiers_are_worth_what_sweeps_find() {
    // RULES.md, forced interval: Ayoayo has no stand-offs up to 8 seeds.
    for rules in [HOLDER, PRATT] {
        assert_eq!(same_numbers::<_, 12>(rules, 8), [0; 9]);
    }
    assert_eq!(same_numbers::<_, 12>(AYOAYO, 11)[..9], [0; 9]);
}

#[test]
fn hoyito_tiers_are_worth_what_sweeps_find() {
    // RULES.md, forced interval.
    assert_eq!(same_numbers::<_, 12>(OPPONENT, 8)[8], 72_974);
    let standoffs = same_numbers::<_, 12>(HOYITO, 12);
    assert_eq!(standoffs[8], 2_896);
    assert!(standoffs[12] > 1_352_078 / 2, "well over half of those with 12");
    same_numbers::<_, 24>(HOYITO, 4);
}

#[test]
fn wins_draws_and_losses_are_those_of_independent_counts() {
    let counts = |tier: &Tier| {
        let values = numbers(tier, 0);
        [1, 0, -1].map(|sign| values.iter().filter(|value| value.signum() == sign).count())
    };
    fn all<R: Rules<12>>(rules: R, most: u32, mut each: impl FnMut(u32, &Tier)) {
        let mut below = Below2 { tiers: [Vec::new(), Vec::new()] };
        for seeds in 0..=most {
            let packed = if seeds % R::UNIT == 0 {
                let tier =
                    below.with(|below| solved(&TierEdges { rules, seeds }, R::UNIT, Task::Values, below));
                each(seeds, &tier);
                tier.packed(0)
            } else {
                Packed::default()
            };
            below.tiers.iter_mut().for_each(|tiers| tiers.push(packed.clone()));
        }
    }
    let mut found = HashMap::new();
    all(AYOAYO, 8, |seeds, tier| {
        found.insert(("ayoayo", seeds), counts(tier));
    });
    all(HOYITO, 12, |seeds, tier| {
        found.insert(("hoyito", seeds), counts(tier));
    });
    assert_eq!(found[&("ayoayo", 6)], [7_047, 1_031, 4_298]);
    assert_eq!(found[&("ayoayo", 7)], [20_245, 0, 11_579]);
    assert_eq!(found[&("ayoayo", 8)], [32_773, 31_071, 11_738]);
    assert_eq!(found[&("hoyito", 8)], [38_988, 2_896, 33_698]);
    assert_eq!(found[&("hoyito", 12)], [323_496, 842_672, 185_910]);
}

/// One of several holders of a tier, all in one process.
struct Holder<'a> {
    number: usize,
    common: &'a Common,
}

/// What the holders share in place of a network.
struct Common {
    bounds: Vec<u64>,
    /// For each holder what was sent to it: plane, kind, rank.
    letters: Vec<Mutex<Vec<(usize, Contribution, u64)>>>,
    passes: Mutex<Vec<(u64, u64)>>,
    busy: AtomicU64,
    meeting: Barrier,
}

impl Common {
    fn holder_of(&self, rank: u64) -> usize {
        self.bounds.partition_point(|&bound| bound <= rank) - 1
    }
}

impl Spread for Holder<'_> {
    fn held(&self, _: u64) -> Range<u64> {
        self.common.bounds[self.number]..self.common.bounds[self.number + 1]
    }

    fn send(&self, what: Delivery<'_>, _: &dyn Fn(Delivery<'_>)) {
        for &rank in what.ranks {
            let letters = &self.common.letters[self.common.holder_of(rank)];
            letters.lock().unwrap().push((what.plane, what.kind, rank));
        }
    }

    fn end_wave(&self, deliver: &dyn Fn(Delivery<'_>), busy: &dyn Fn() -> bool) -> bool {
        let common = self.common;
        common.meeting.wait();
        for (plane, kind, rank) in common.letters[self.number].lock().unwrap().drain(..) {
            deliver(Delivery { plane, kind, ranks: &[rank] });
        }
        common.busy.fetch_or(u64::from(busy()) << self.number, Relaxed);
        common.meeting.wait();
        let any = common.busy.load(Relaxed) != 0;
        common.meeting.wait();
        common.busy.fetch_and(!(1 << self.number), Relaxed);
        common.meeting.wait();
        any
    }

    fn share_passes(&self, passes: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
        let common = self.common;
        common.passes.lock().unwrap().extend(passes);
        common.meeting.wait();
        let all = common.passes.lock().unwrap();
        all.iter().copied().filter(|&(child, _)| common.holder_of(child) == self.number).collect()
    }
}

/// A tier held in three parts that only exchange contributions is the tier held by one.
fn same_in_parts<R: Rules<12>>(rules: R, most: u32, task: Task) {
    let mut below = Below2 { tiers: [Vec::new(), Vec::new()] };
    for seeds in 0..=most {
        if seeds % R::UNIT != 0 {
            below.tiers.iter_mut().for_each(|tiers| tiers.push(Packed::default()));
            continue;
        }
        let edges = TierEdges { rules, seeds };
        let whole = below.with(|below| solved(&edges, R::UNIT, task, below));
        let size = edges.size();
        let common = Common {
            bounds: vec![0, size / 5, size / 2, size],
            letters: (0..3).map(|_| Mutex::default()).collect(),
            passes: Mutex::default(),
            busy: AtomicU64::new(0),
            meeting: Barrier::new(3),
        };
        let parts: Vec<Tier> = below.with(|below| {
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..3)
                    .map(|number| {
                        let (edges, common) = (&edges, &common);
                        scope.spawn(move || {
                            let spread = Holder { number, common };
                            let (meter, stop) = (Meter::default(), AtomicBool::new(false));
                            let means = Means { edges, below, spread: &spread, meter: &meter, stop: &stop };
                            let mut tier = Tier::new(edges, R::UNIT, task, &spread);
                            // Each holder has threads of its own, as each machine would.
                            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
                            pool.install(|| tier.solve(means, &mut |_| {})).unwrap();
                            tier
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            })
        });
        for plane in 0..task.planes() {
            let joined = parts.iter().flat_map(|part| {
                (part.first..part.first + part.size()).map(|rank| part.outcome(plane, rank))
            });
            assert!(
                joined.eq((0..size).map(|rank| whole.outcome(plane, rank))),
                "{seeds} seeds, plane {plane}"
            );
        }
        below.tiers[0].push(whole.packed(0));
        below.tiers[1].push(whole.packed(task.planes() - 1));
    }
}

#[test]
fn a_tier_spread_over_holders_is_the_same() {
    same_in_parts(AYOAYO, 9, Task::Values);
    same_in_parts(HOYITO, 8, Task::Values);
    same_in_parts(HOYITO, 8, Task::Forced);
}

/// Saving and restoring at every stage leads to the same tier.
#[test]
fn a_tier_restored_at_any_stage_is_the_same() {
    for task in [Task::Values, Task::Forced] {
        let mut below = Below2 { tiers: [Vec::new(), Vec::new()] };
        for seeds in (0..=8).step_by(4) {
            let edges = TierEdges::<_, 12> { rules: HOYITO, seeds };
            let (meter, stop) = (Meter::default(), AtomicBool::new(false));
            let whole = below.with(|below| {
                let means = Means { edges: &edges, below, spread: &Alone, meter: &meter, stop: &stop };
                let mut saved: Vec<Vec<u8>> = Vec::new();
                let save = |tier: &Tier| {
                    assert!(tier.can_be_saved());
                    let mut bytes = Vec::new();
                    tier.save(&mut bytes).unwrap();
                    bytes
                };
                let mut whole = Tier::new(&edges, 4, task, &Alone);
                saved.push(save(&whole));
                whole.solve(means, &mut |tier| saved.push(save(tier))).unwrap();
                saved.push(save(&whole));
                assert!(seeds == 0 || saved.len() > 3, "a tier of {seeds} seeds has several stages");
                for bytes in &saved {
                    let mut tier = Tier::new(&edges, 4, task, &Alone);
                    tier.restore(&mut bytes.as_slice()).unwrap();
                    assert_eq!(&save(&tier), bytes);
                    tier.solve(means, &mut |_| {}).unwrap();
                    for plane in 0..task.planes() {
                        let same =
                            (0..edges.size()).all(|r| tier.outcome(plane, r) == whole.outcome(plane, r));
                        assert!(same, "{seeds} seeds");
                    }
                    // Bytes that end too soon are an error, not a tier.
                    let cut = &bytes[..bytes.len() - 1];
                    assert!(Tier::new(&edges, 4, task, &Alone).restore(&mut &*cut).is_err());
                }
                whole
            });
            below.tiers[0].push(whole.packed(0));
            below.tiers[1].push(whole.packed(task.planes() - 1));
            (1..4).for_each(|_| below.tiers.iter_mut().for_each(|tiers| tiers.push(Packed::default())));
        }
    }
}

#[test]
fn any_number_of_threads_makes_the_same_tier() {
    let of_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut below = Below2 { tiers: [Vec::new(), Vec::new()] };
            let mut bytes = Vec::new();
            for seeds in 0..=10 {
                let edges = TierEdges::<_, 12> { rules: AYOAYO, seeds };
                let tier = below.with(|below| solved(&edges, 1, Task::Values, below));
                tier.save(&mut bytes).unwrap();
                below.tiers.iter_mut().for_each(|tiers| tiers.push(tier.packed(0)));
            }
            bytes
        })
    };
    let one = of_threads(1);
    assert!([2, 3, 8].into_iter().all(|threads| of_threads(threads) == one));
}

/// Distances that a cell has no room for are kept apart, and found again.
#[test]
fn long_distances_are_kept_apart() {
    // 4 seeds in 96 codes leave few bits, so the 2x2 board with many seeds has cells that are short of room.
    let layout = Layout::new(96, 1);
    assert!(layout.long() < 128);
    for (seeds, unit) in [(0, 1), (1, 1), (8, 4), (24, 1), (28, 4), (96, 1), (96, 4)] {
        let layout = Layout::new(seeds, unit);
        let most = (seeds / unit * unit) as i32;
        for number in (-most..=most).step_by(unit as usize) {
            for by_exit in [true, false] {
                let cell = layout.solved(layout.code(number), by_exit, 5);
                let told = (layout.number_of(cell), layout.by_exit(cell), layout.distance_of(cell));
                assert_eq!(told, (number, by_exit, 5));
            }
            assert_ne!(layout.code(number), 0, "code 0 is no exit");
        }
        assert!(layout.over() > crate::rules::MAX_MOVES as u16, "a count is never taken for a finished game");
    }
}
