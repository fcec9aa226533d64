//! What a header says of a whole tier, against a plain count.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::*;
use crate::index;

/// By number: how many positions have it, and the first of them.
fn plain_count(numbers: &[i32]) -> Vec<(i32, u64, u64)> {
    let mut found = BTreeMap::new();
    for (rank, &number) in numbers.iter().enumerate() {
        let (count, _) = found.entry(number).or_insert((0, rank as u64));
        *count += 1;
    }
    found.into_iter().map(|(number, (count, first))| (number, count, first)).collect()
}

fn assert_counted(table: &TableFile, contents: &Numbers) {
    for (&plane, numbers) in Plane::ALL.iter().zip(&contents.numbers) {
        assert_eq!(table.counts(plane).collect::<Vec<_>>(), plain_count(numbers), "{plane:?}");
    }
    let [_, _, low, high] = &contents.numbers[..] else {
        assert_eq!(table.standoffs(), None);
        return;
    };
    let differ: Vec<usize> = (0..low.len()).filter(|&rank| low[rank] != high[rank]).collect();
    let first = differ.first().map(|&rank| rank as u64);
    assert_eq!(table.standoffs(), Some((differ.len() as u64, first)));
}

#[test]
fn statistics_are_those_of_a_plain_count() {
    let dir = tempfile::tempdir().unwrap();
    for (shape, pits, seeds) in [
        (SMALL, 2, 0),
        (SMALL, 2, 23),
        (SMALL, 2, 24),
        (SMALL, 2, 96),
        // Many slabs; many parts of one slab.
        (SMALL, 12, 7),
        (Shape { block: 32, blocks: 8 }, 12, 8),
        (Shape::USUAL, 12, 8),
    ] {
        let identity = Identity { pits, seeds, ..tiny(0) };
        let positions = index::tier_size(pits.into(), seeds.into()) as u64;
        for (seed, intervals) in [(20, false), (21, true), (22, true)] {
            let mut contents = Numbers::new(positions, intervals, seed);
            // Numbers that few positions have, the last one among them.
            contents.numbers[0][positions as usize - 1] = 77;
            for nth in [2, 3] {
                contents.numbers[1][positions as usize * nth / 4] = 12_345;
            }
            let path = write(dir.path(), shape, &identity, &contents);
            assert_counted(&TableFile::open(&path, &identity).unwrap(), &contents);
        }
    }
}

#[test]
fn stand_offs_are_none_few_and_all() {
    let dir = tempfile::tempdir().unwrap();
    let mut contents = Numbers::new(91, true, 23);
    let standoffs = |contents: &Numbers| {
        let path = write(dir.path(), SMALL, &tiny(90), contents);
        TableFile::open(&path, &tiny(90)).unwrap().standoffs()
    };
    contents.numbers[3] = contents.numbers[2].clone();
    assert_eq!(standoffs(&contents), Some((0, None)));
    contents.numbers[3][90] += 1;
    assert_eq!(standoffs(&contents), Some((1, Some(90))));
    contents.numbers[3][50] += 4;
    assert_eq!(standoffs(&contents), Some((2, Some(50))));
    contents.numbers[3] = contents.numbers[2].iter().map(|low| low + 1).collect();
    assert_eq!(standoffs(&contents), Some((91, Some(0))));
    contents.numbers.truncate(2);
    assert_eq!(standoffs(&contents), None);
}

/// The places of the statistics in a file of four planes, read by the format's description alone.
fn statistics_of(bytes: &[u8]) -> (Vec<usize>, usize) {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let mut at = 14 + 1 + usize::from(bytes[14]) + 4 + 3 + 8 + 2 + 2;
    assert_eq!(bytes[at], 4);
    at += 1;
    let mut planes = Vec::new();
    for kind in 0..4 {
        assert_eq!(bytes[at], kind);
        let numbers = number(at + 1);
        at += 5 + numbers * if kind == 1 { 2 } else { 1 };
        planes.push(at);
        at += numbers * 16;
        at += 4 + number(at) + 12 + 16;
    }
    assert_eq!(at + 16 + 4, number(10));
    (planes, at)
}

#[test]
fn statistics_are_where_the_format_has_them_and_under_the_checksum() {
    let dir = tempfile::tempdir().unwrap();
    let (path, good) = small(dir.path());
    let contents = Numbers::new(61, true, 6);
    let (planes, standoffs) = statistics_of(&good);
    let pair = |at: usize| [at, at + 8].map(|at| u64::from_le_bytes(good[at..at + 8].try_into().unwrap()));
    let mut places: Vec<usize> = (standoffs..standoffs + 16).collect();
    for (&at, numbers) in planes.iter().zip(&contents.numbers) {
        for (i, (_, count, first)) in plain_count(numbers).into_iter().enumerate() {
            assert_eq!(pair(at + 16 * i), [count, first]);
            places.extend(at + 16 * i..at + 16 * i + 16);
        }
    }
    let (count, first) = TableFile::open(&path, &tiny(60)).unwrap().standoffs().unwrap();
    assert_eq!(pair(standoffs), [count, first.unwrap()]);
    for at in places {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        let error = TableFile::open(&path, &tiny(60)).err().unwrap();
        assert!(matches!(error, TableError::Damaged { .. }), "byte {at}: {error}");
    }

    // No stand-offs: the largest number of all in the place of a rank.
    let mut contents = contents;
    contents.numbers[3] = contents.numbers[2].clone();
    let good = fs::read(write(dir.path(), SMALL, &tiny(60), &contents)).unwrap();
    let (_, standoffs) = statistics_of(&good);
    assert_eq!(good[standoffs..standoffs + 16], [[0; 8], [0xff; 8]].concat());
}

/// Keeps account of what was asked.
struct Asked {
    numbers: Numbers,
    /// By plane and rank: how often without and with asking what is free.
    times: Mutex<Vec<Vec<[u8; 2]>>>,
}

impl Contents for Asked {
    fn intervals(&self) -> bool {
        self.numbers.intervals()
    }

    fn fill(&self, plane: Plane, ranks: Range<u64>, numbers: &mut [i32], free: Option<&mut [bool]>) {
        let with_free = usize::from(free.is_some());
        for rank in ranks.clone() {
            self.times.lock().unwrap()[plane as usize][rank as usize][with_free] += 1;
        }
        self.numbers.fill(plane, ranks, numbers, free);
    }
}

#[test]
fn contents_are_asked_once_to_count_and_once_to_encode() {
    let dir = tempfile::tempdir().unwrap();
    let identity = Identity { pits: 12, seeds: 8, ..tiny(0) };
    let positions = 75_582;
    let times = Mutex::new(vec![vec![[0; 2]; positions]; 4]);
    let asked = Asked { numbers: Numbers::new(positions as u64, true, 24), times };
    let locked = LockedDir::lock(dir.path()).unwrap();
    locked.write(&identity, &asked, &running(), &|_, _| ()).unwrap();
    for (plane, times) in Plane::ALL.iter().zip(asked.times.into_inner().unwrap()) {
        // The sample is all of so small a tier.
        let right = if *plane == Plane::Distances { [3, 0] } else { [1, 2] };
        assert!(times.iter().all(|&times| times == right), "{plane:?}");
    }
}
