//! Tables that lie under right checksums, one number at a time.

use std::fs;
use std::ops::Range;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::build::{BuildOptions, build};
use crate::edges::Run;
use crate::retrograde::{NEVER, Task, best_exits};
use crate::table::{Contents, LockedDir};

static RUNNING: AtomicBool = AtomicBool::new(false);

fn built(profile: &str, seeds: u32, forced: bool) -> (Profile, TempDir) {
    let profile: Profile = profile.parse().unwrap();
    let dir = TempDir::new().unwrap();
    let options = BuildOptions {
        dir: dir.path().to_path_buf(),
        seeds,
        forced,
        memory: 1 << 30,
        disk: 1 << 30,
        save_every: Duration::from_secs(60),
    };
    build(&profile, &options, &mut (), &RUNNING).unwrap();
    (profile, dir)
}

fn deep(profile: &Profile, dir: &Path) -> Result<(usize, Option<Mismatch>), VerifyError> {
    let mut right = 0;
    let stop = AtomicBool::new(false);
    let verification = Verification::new(profile, dir, None, &stop)?;
    let found = verification.deep(&mut |_| right += 1, &|_, _, _| {})?;
    Ok((right, found))
}

/// All numbers of a tier, of which some are going to be wrong.
#[derive(Clone)]
struct Numbers {
    planes: Vec<Vec<i32>>,
    /// Best exits in values.
    exits: Vec<i8>,
}

impl Contents for Numbers {
    fn intervals(&self) -> bool {
        self.planes.len() == 4
    }

    fn fill(&self, plane: Plane, ranks: Range<u64>, numbers: &mut [i32], free: Option<&mut [bool]>) {
        numbers.copy_from_slice(&self.planes[plane as usize][ranks.start as usize..ranks.end as usize]);
        // What is written is what is stored.
        if let Some(free) = free {
            free.fill(false);
        }
    }
}

impl Numbers {
    /// The true numbers of the tier of `seeds` seeds.
    fn read(profile: &Profile, dir: &TableDir, seeds: u32) -> Self {
        let mut lower = Lower::new(true);
        for tier in tiers_of(profile, seeds) {
            while lower.next() < tier {
                lower.push_empty();
            }
            let file = dir.table(&Identity::of(profile, tier)).unwrap();
            let edges = engine::edges(profile, tier);
            let read = |plane| lower.read(&file, plane, &*edges, profile.unit(), &RUNNING).unwrap();
            let (values, low, high) = (read(Plane::Values), read(Plane::Low), read(Plane::High));
            if tier < seeds {
                lower.push(values, Some([low, high]));
                continue;
            }
            let numbers =
                |packed: &Packed| (0..file.positions()).map(|rank| packed.get(rank).into()).collect();
            let distances = crate::lower::stored(&file, Plane::Distances, 0..file.positions()).unwrap();
            let mut exits = Vec::new();
            let mut run = Run::default();
            edges.forward(0..file.positions(), false, &mut run);
            lower.with(Task::Values, |below| best_exits(&run, below.low, below.high, &mut exits));
            return Self { planes: vec![numbers(&values), distances, numbers(&low), numbers(&high)], exits };
        }
        unreachable!("the tier of {seeds} seeds is among them")
    }
}

#[test]
fn tables_as_they_are_built_are_right() {
    for (name, seeds) in [
        ("ayoayo@2x3x3", 12),
        ("ayoayo-holder@2x4x2", 9),
        ("ayoayo-pratt@2x2x6", 20),
        ("hoyito@2x3x4", 20),
        ("hoyito-opponent@2x4x2", 12),
    ] {
        for forced in [false, true] {
            let (profile, dir) = built(name, seeds, forced);
            let (right, found) = deep(&profile, dir.path()).unwrap();
            assert_eq!(found, None);
            assert_eq!(right, tiers_of(&profile, seeds).count());
        }
    }
}

#[test]
fn every_kind_of_wrong_number_is_found_wherever_it_is() {
    let mut lies = 0;
    for (name, seeds) in [("ayoayo@2x3x3", 7), ("hoyito@2x3x4", 8), ("ayoayo@2x2x4", 9)] {
        let (profile, temporary) = built(name, seeds, true);
        let dir = TableDir::open(temporary.path()).unwrap();
        let truth = Numbers::read(&profile, &dir, seeds);
        let locked = LockedDir::lock(temporary.path()).unwrap();
        let identity = Identity::of(&profile, seeds);
        let write = |numbers: &Numbers| locked.write(&identity, numbers, &RUNNING, &|_, _| {}).unwrap();
        write(&truth);
        assert_eq!(deep(&profile, temporary.path()).unwrap().1, None, "the truth written anew");

        let size = truth.exits.len();
        let unit = profile.unit() as i32;
        for plane in Plane::ALL {
            for rank in [0, 1, size / 3, size / 2, size - 2, size - 1] {
                let number = truth.planes[plane as usize][rank];
                let lying = match plane {
                    Plane::Distances => vec![number + 1, number - 1, 0, 1, 2, i32::from(NEVER)],
                    _ => vec![number + unit, number - unit, -number, 0, seeds as i32, -(seeds as i32)],
                };
                for lie in lying {
                    let possible = match plane {
                        Plane::Distances => (0..=i32::from(NEVER)).contains(&lie),
                        // A bound below what an exit gives is stored, not meant; those exits are not at hand here.
                        Plane::Low | Plane::High => lie > number && lie <= seeds as i32,
                        Plane::Values => lie.abs() <= seeds as i32 && lie > truth.exits[rank].into(),
                    };
                    if lie == number || !possible {
                        continue;
                    }
                    let mut numbers = truth.clone();
                    numbers.planes[plane as usize][rank] = lie;
                    write(&numbers);
                    let (right, found) = deep(&profile, temporary.path()).unwrap();
                    let found =
                        found.unwrap_or_else(|| panic!("{name}, {}, rank {rank}: {lie}", plane.name()));
                    assert_eq!(right, tiers_of(&profile, seeds).count() - 1, "the tiers below are right");
                    assert_eq!(found.path, dir.path_of(&identity));
                    lies += 1;
                    // A value may make another position wrong before it, a distance only those that rest on it.
                    if rank == 0 {
                        let first = info::position_text(&profile, seeds, 0);
                        assert_eq!(found.position.as_deref(), Some(&first[..]), "{found}");
                        assert!(found.to_string().contains(&format!("position {first}: ")), "{found}");
                    }
                }
            }
        }
    }
    assert!(lies > 150, "{lies} lies");
}

/// Values that satisfy every equation and are not right: claims that only rest on one another.
fn unfounded(run: &Run, truth: &Numbers, unit: i32) -> Option<Vec<i32>> {
    let starts: Vec<usize> = run
        .degrees
        .iter()
        .scan(0, |at, &degree| {
            let start = *at;
            *at += if degree == Run::OVER { 0 } else { usize::from(degree) };
            Some(start)
        })
        .chain([run.children.len()])
        .collect();
    (1..30u64).find_map(|seed| {
        let mut values = truth.planes[0].clone();
        let mut mixed = seed;
        for value in values.iter_mut().filter(|value| **value == 0) {
            mixed = mixed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *value = if mixed >> 63 == 0 { unit } else { -unit };
        }
        for _ in 0..60 {
            let mut changed = false;
            for at in 0..values.len() {
                let children = run.children[starts[at]..starts[at + 1]].iter();
                let best = children.map(|&child| -values[child as usize]).max().unwrap_or(i32::MIN);
                let value = best.max(truth.exits[at].into());
                changed |= value != values[at];
                values[at] = value;
            }
            if !changed {
                return Some(values).filter(|values| *values != truth.planes[0]);
            }
        }
        None
    })
}

#[test]
fn claims_that_only_stand_on_one_another_are_found() {
    let (profile, temporary) = built("hoyito@2x3x4", 8, true);
    let dir = TableDir::open(temporary.path()).unwrap();
    let truth = Numbers::read(&profile, &dir, 8);
    let mut run = Run::default();
    engine::edges(&profile, 8).forward(0..truth.exits.len() as u64, true, &mut run);
    let values = unfounded(&run, &truth, 4).unwrap();
    let locked = LockedDir::lock(temporary.path()).unwrap();
    // With "never", or with any number for a distance: no values disagree, but the distances do.
    for distance in [i32::from(NEVER), 1, 2, 7] {
        let mut lie = truth.clone();
        lie.planes[0].clone_from(&values);
        // Without intervals, which would give the lie away.
        lie.planes.truncate(2);
        for (at, &value) in values.iter().enumerate().filter(|&(at, &value)| value != truth.planes[0][at]) {
            lie.planes[1][at] = if value == 0 { NEVER.into() } else { distance };
        }
        locked.write(&Identity::of(&profile, 8), &lie, &RUNNING, &|_, _| {}).unwrap();
        let found = deep(&profile, temporary.path()).unwrap().1.unwrap();
        assert_eq!(found.what, "distance", "{found}");
    }
}

#[test]
fn statistics_are_counted_again() {
    let (profile, temporary) = built("ayoayo@2x3x3", 6, true);
    let path = temporary.path().join("ayoayo_2x3x3-06.oju");
    let good = fs::read(&path).unwrap();
    let length = u32::from_le_bytes(good[10..14].try_into().unwrap()) as usize;
    let forge = |change: &dyn Fn(&mut [u8])| {
        let mut bytes = good.clone();
        change(&mut bytes[..length - 4]);
        let crc = crc32fast::hash(&bytes[..length - 4]);
        bytes[length - 4..length].copy_from_slice(&crc.to_le_bytes());
        fs::write(&path, bytes).unwrap();
        deep(&profile, temporary.path()).unwrap().1.map(|found| found.to_string())
    };
    let add = |bytes: &mut [u8], at: usize, more: i64| {
        let number = i64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        bytes[at..at + 8].copy_from_slice(&(number + more).to_le_bytes());
    };
    // The format as src/table.rs describes it: the first plane, its dictionary, then how many and which one.
    let plane = 14 + 1 + usize::from(good[14]) + 4 + 3 + 8 + 2 + 2 + 1;
    let numbers = u32::from_le_bytes(good[plane + 1..plane + 5].try_into().unwrap()) as usize;
    let tallies = plane + 5 + numbers;
    assert_eq!(forge(&|_| {}), None);
    let found = forge(&|bytes| {
        add(bytes, tallies, -1);
        add(bytes, tallies + 16, 1);
    });
    assert!(found.unwrap().contains("statistics of value -6: the table says"));
    let found = forge(&|bytes| add(bytes, tallies + 8, 1));
    assert!(found.unwrap().contains("statistics of value -6"));
    let standoffs = length - 4 - 16;
    let found = forge(&|bytes| {
        add(bytes, standoffs, 1);
        bytes[standoffs + 8..standoffs + 16].fill(0);
    });
    assert!(found.unwrap().contains("statistics of stand-offs"));
    // A value that no position can have.
    let found = forge(&|bytes| bytes[plane + 5 + numbers - 1] = 100);
    assert!(
        found.unwrap().contains("list of values: the table says +100, with 6 seeds there is none beyond 6")
    );
}

#[test]
fn what_is_missing_is_said() {
    let (profile, dir) = built("ayoayo@2x3x3", 6, true);
    fs::remove_file(dir.path().join("ayoayo_2x3x3-03.oju")).unwrap();
    let error = deep(&profile, dir.path()).unwrap_err();
    assert!(matches!(error, VerifyError::Table(TableError::Missing { .. })), "{error}");
    assert!(!error.is_damage());
    // Tier 3 without intervals, below tiers that have them.
    let (_, other) = built("ayoayo@2x3x3", 3, false);
    fs::copy(other.path().join("ayoayo_2x3x3-03.oju"), dir.path().join("ayoayo_2x3x3-03.oju")).unwrap();
    let error = deep(&profile, dir.path()).unwrap_err();
    assert!(
        error.to_string().contains("03.oju: holds no forced intervals, which those of 6 seeds rest on"),
        "{error}"
    );
    let hoyito: Profile = "hoyito".parse().unwrap();
    let error = deep(&hoyito, dir.path()).unwrap_err();
    assert!(error.to_string().contains("no tables of hoyito: build them with `oju build hoyito --seeds 8`"));
}

#[test]
fn a_sample_finds_a_value_that_no_search_finds() {
    let (profile, temporary) = built("ayoayo@2x3x3", 7, true);
    let sample = |count, seed| {
        let stop = AtomicBool::new(false);
        let verification = Verification::new(&profile, temporary.path(), None, &stop).unwrap();
        verification.sample(count, seed, Duration::from_secs(10), 1, &|_, _, _| {}).unwrap()
    };
    let good = sample(60, 1);
    assert_eq!((good.positions, good.undecided, good.mismatch), (60, 0, None));
    assert_eq!(sample(1, 1).positions, 8, "each tier");
    // Every value but the largest is one too large.
    let dir = TableDir::open(temporary.path()).unwrap();
    let mut numbers = Numbers::read(&profile, &dir, 7);
    numbers.planes[0].iter_mut().for_each(|value| *value = (*value + 1).min(7));
    let locked = LockedDir::lock(temporary.path()).unwrap();
    locked.write(&Identity::of(&profile, 7), &numbers, &RUNNING, &|_, _| {}).unwrap();
    let found = sample(30, 1).mismatch.unwrap();
    assert!(found.what == "value" && found.right.starts_with("a search "), "{found}");
}
