//! Files written, read back, and damaged in every way that can be thought of.

mod damage;
mod dir;
mod far;
mod kept;
mod statistics;

#[path = "../../tests/random/mod.rs"]
mod random;

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use random::Random;

use super::header::Header;
use super::*;

/// Numbers from a fixed seed, spread as those of real tiers are: few different ones, in runs.
struct Numbers {
    /// By plane.
    numbers: Vec<Vec<i32>>,
    free: Vec<Vec<bool>>,
}

impl Numbers {
    fn new(positions: u64, intervals: bool, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let planes = if intervals { &Plane::ALL[..] } else { &Plane::ALL[..2] };
        let numbers = planes.iter().map(|&plane| {
            let one = |random: &mut Random| match plane {
                Plane::Distances if random.below(5) == 0 => 65535,
                Plane::Distances => (random.below(20) * random.below(20)) as i32,
                Plane::Values | Plane::Low | Plane::High => random.below(23) as i32 - 11,
            };
            let mut last = 0;
            let mut next = |_| {
                last = if random.below(3) == 0 { last } else { one(&mut random) };
                last
            };
            (0..positions).map(&mut next).collect()
        });
        let numbers = numbers.collect();
        let free = planes.iter().map(|_| (0..positions).map(|_| random.below(3) == 0).collect()).collect();
        Self { numbers, free }
    }
}

impl Contents for Numbers {
    fn intervals(&self) -> bool {
        self.numbers.len() == 4
    }

    fn fill(&self, plane: Plane, ranks: Range<u64>, numbers: &mut [i32], free: Option<&mut [bool]>) {
        let ranks = ranks.start as usize..ranks.end as usize;
        numbers.copy_from_slice(&self.numbers[plane as usize][ranks.clone()]);
        if let Some(free) = free {
            assert!(plane != Plane::Distances);
            free.copy_from_slice(&self.free[plane as usize][ranks]);
        }
    }
}

/// Blocks and pages so small that a tier of few positions has many.
const SMALL: Shape = Shape { block: 8, blocks: 3 };

/// Two pits do not make a board, but tiers of every size: `seeds` + 1 positions.
fn tiny(seeds: u8) -> Identity {
    Identity { profile: "ayoayo@2x1x9".to_string(), rules: 0x1234_5678, pits: 2, seeds, unit: 1 }
}

fn running() -> AtomicBool {
    AtomicBool::new(false)
}

fn write(dir: &Path, shape: Shape, identity: &Identity, contents: &Numbers) -> PathBuf {
    let dir = LockedDir::lock(dir).unwrap();
    let written = dir.write_shaped(shape, identity, contents, &running(), &|_, _| ()).unwrap();
    assert_eq!(written.path, dir.dir().path_of(identity));
    assert_eq!(written.bytes, fs::metadata(&written.path).unwrap().len());
    written.path
}

/// Opens and checks.
fn verify(path: &Path, identity: &Identity) -> Result<TableFile, TableError> {
    let table = TableFile::open(path, identity)?;
    table.check(&running(), &|_, _| ())?;
    Ok(table)
}

fn is_damaged<T>(result: &Result<T, TableError>) -> bool {
    matches!(result, Err(TableError::Damaged { .. }))
}

/// What there is in a directory, in order.
fn names(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// A small file of four planes, with its contents.
fn small(dir: &Path) -> (PathBuf, Vec<u8>) {
    let path = write(dir, SMALL, &tiny(60), &Numbers::new(61, true, 6));
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() < 3000);
    (path, bytes)
}

fn all_stored(path: &Path) -> Vec<Vec<i32>> {
    let table = TableFile::open(path, &tiny(60)).unwrap();
    let run = |page, plane| table.stored_run(plane, page).unwrap();
    Plane::ALL.map(|plane| (0..table.pages()).flat_map(|page| run(page, plane)).collect()).to_vec()
}

/// The header of a good file.
fn header_of(bytes: &[u8]) -> Header {
    let length = u32::from_le_bytes(bytes[10..14].try_into().unwrap()) as usize;
    Header::from_bytes(&bytes[..length]).ok().unwrap()
}
