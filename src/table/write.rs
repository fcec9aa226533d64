//! A table file written.

use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use super::disk::Disk;
use super::error::Fault;
use super::header::{Header, Sections};
use super::hints;
use super::page::{ENTRY, Entry, Grid, Stored, index_bytes};
use super::passes::{Passes, each};
use super::statistics::{Counted, count};
use super::{Contents, Identity, LARGE, MOST_PAGE_POSITIONS, Plane, Progress, Shape};
use crate::codec::{Block, Closeness, Model};

/// Positions the codec's parameters are fitted to: so many, but a 32nd of a large tier, whose buffers are then small beside
/// the tier itself, and not more than so many.
const SAMPLE: RangeInclusive<u64> = 1 << 20..=1 << 24;

/// Buffers of one thread.
#[derive(Default)]
struct Buffers {
    numbers: Vec<i32>,
    free: Vec<bool>,
    symbols: Vec<u16>,
    hints: Vec<u16>,
    /// What the codec of the values is told.
    of_values: Vec<u16>,
}

impl Buffers {
    /// The numbers of `ranks` and, where they can be free, whether they are.
    fn fill(&mut self, contents: &dyn Contents, plane: Plane, ranks: Range<u64>) {
        let count = (ranks.end - ranks.start) as usize;
        self.numbers.clear();
        self.numbers.resize(count, 0);
        self.free.clear();
        self.free.resize(count, false);
        let free = plane.may_be_free().then_some(&mut self.free[..]);
        contents.fill(plane, ranks, &mut self.numbers, free);
    }

    /// The symbols of the numbers.
    fn translate(&mut self, symbols: &Symbols) {
        self.symbols.clear();
        self.symbols.extend(self.numbers.iter().map(|&number| symbols.of(number)));
    }

    fn free(&self, plane: Plane) -> Option<&[bool]> {
        plane.may_be_free().then_some(&self.free[..])
    }
}

/// Finds the symbols of numbers.
struct Symbols {
    least: i32,
    symbols: Vec<u16>,
}

impl Symbols {
    fn new(dictionary: &[i32]) -> Self {
        let (least, most) = (dictionary[0], dictionary[dictionary.len() - 1]);
        let mut symbols = vec![0; (most - least) as usize + 1];
        for (symbol, &number) in dictionary.iter().enumerate() {
            symbols[(number - least) as usize] = symbol as u16;
        }
        Self { least, symbols }
    }

    fn of(&self, number: i32) -> u16 {
        self.symbols[(number - self.least) as usize]
    }
}

/// Writes a file, all of it, from its beginning on. The bytes do not depend on the number of threads.
///
/// Asks the contents twice for each number: in one pass over all planes that counts the numbers there are, then
/// plane by plane to encode them. Both go slab by slab, so that memory does not grow with the tier. Between
/// them it asks for a sample, which is all of a small tier.
///
/// # Panics
/// Where the tier has 2^64 positions or more, or the contents say numbers that their plane can not hold or not
/// the same each time.
pub(super) fn write_to(
    disk: &Disk,
    identity: &Identity,
    shape: Shape,
    contents: &dyn Contents,
    stop: &AtomicBool,
    progress: Progress<'_>,
) -> Result<(u64, Vec<(Plane, u64)>), Fault> {
    assert!(shape.block <= 8192 && (1..=MOST_PAGE_POSITIONS).contains(&shape.page()), "{shape:?}");
    let positions = identity.positions();
    let positions = u64::try_from(positions).expect("such a tier fits no disk");
    let grid = Grid { positions, shape };
    let planes = if contents.intervals() { &Plane::ALL[..] } else { &Plane::ALL[..2] };
    let todo = positions.saturating_mul(2 * planes.len() as u64);
    let mut passes = Passes { stop, progress, done: 0, todo };

    let (numbers, standoffs) = count(grid, planes, contents, &mut passes)?;
    let tier = Tier { grid, identity, contents };
    let planes = fit(tier, numbers);
    let mut header = Header { length: 0, identity: identity.clone(), grid, planes, standoffs };

    // The lengths of header and indexes are known by now, what is in them only at the end.
    header.length = header.to_bytes().len() as u64;
    let index = grid.pages() * ENTRY;
    let mut at = header.length + index * header.planes.len() as u64;
    for i in 0..header.planes.len() {
        let (written, rest) = header.planes.split_at_mut(i);
        let (stored, sections) = &mut rest[0];
        sections.data = at;
        let values = written.first().map(|(values, _)| values);
        stored.pages = encode(disk, at, tier, stored, values, &mut passes)?;
        at = stored.pages.pop().expect("the end is there too").offset;
        stored.end = at;
        sections.length = at - sections.data;
        let bytes = index_bytes(&stored.pages);
        sections.index = header.length + index * i as u64;
        sections.index_crc = crc32fast::hash(&bytes);
        disk.write_all_at(&bytes, sections.index).map_err(Fault::Write)?;
    }
    disk.write_all_at(&header.to_bytes(), 0).map_err(Fault::Write)?;
    let sizes = header.planes.iter().map(|(stored, sections)| (stored.plane, index + sections.length));
    Ok((at, sizes.collect()))
}

/// What is written, and how it is cut into blocks.
#[derive(Clone, Copy)]
struct Tier<'a> {
    grid: Grid,
    identity: &'a Identity,
    contents: &'a dyn Contents,
}

/// Fits the codec's parameters of all planes to evenly spread blocks.
fn fit(Tier { grid, identity, contents }: Tier<'_>, counted: Vec<Counted>) -> Vec<(Stored, Sections)> {
    let sample = (grid.positions / 32).clamp(*SAMPLE.start(), *SAMPLE.end());
    let take = grid.blocks().min((sample / u64::from(grid.shape.block)).max(1));
    let nth = |i: u64| (u128::from(i) * u128::from(grid.blocks()) / u128::from(take)) as u64;
    let large = identity.positions() > LARGE;
    let closeness = if large { Closeness::CLOSE } else { Closeness::QUICK };
    // Those of each sampled block, and their alphabet: first of the values, then what is stored of them.
    let of_values = |i| {
        let mut hints = Vec::new();
        hints::fill(identity, grid.block_ranks(nth(i)), &mut hints);
        hints
    };
    let mut hints: (usize, Vec<Vec<u16>>) =
        (if large { hints::ALPHABET } else { 1 }, (0..take).into_par_iter().map(of_values).collect());
    let mut planes = Vec::new();
    for Counted { plane, dictionary, tallies } in counted {
        let symbols = Symbols::new(&dictionary);
        let sample: Vec<Buffers> = (0..take)
            .into_par_iter()
            .map(|i| {
                let mut buffers = Buffers::default();
                buffers.fill(contents, plane, grid.block_ranks(nth(i)));
                buffers.translate(&symbols);
                buffers.numbers = Vec::new();
                buffers
            })
            .collect();
        let alphabet = hints.0;
        let blocks: Vec<Block<'_>> = sample
            .iter()
            .zip(&hints.1)
            .map(|(buffers, hints)| Block {
                symbols: &buffers.symbols,
                free: buffers.free(plane),
                hints: (alphabet > 1).then_some(hints),
            })
            .collect();
        let model = Model::fit(dictionary.len(), alphabet, &blocks, closeness);
        if plane == Plane::Values {
            hints = (dictionary.len(), blocks.par_iter().map(|block| model.fill(block)).collect());
        }
        let stored = Stored { plane, dictionary, tallies, model, pages: Vec::new(), end: 0 };
        planes.push((stored, Sections { index: 0, index_crc: 0, data: 0, length: 0 }));
    }
    planes
}

/// Writes the pages of a plane from `offset` on, and returns where they are, with one more entry for the end.
/// `values` has been written before, and is read back for the hints.
fn encode(
    disk: &Disk,
    mut offset: u64,
    Tier { grid, identity, contents }: Tier<'_>,
    stored: &Stored,
    values: Option<&Stored>,
    passes: &mut Passes<'_>,
) -> Result<Vec<Entry>, Fault> {
    let stop = passes.stop;
    let symbols = Symbols::new(&stored.dictionary);
    let mut entries = Vec::new();
    let mut out = Vec::new();
    passes.run(grid, 1, |slab| {
        let pages = each(slab).map_init(Buffers::default, |buffers, page| {
            if stop.load(Relaxed) {
                return Err(Fault::Stopped);
            }
            buffers.fill(contents, stored.plane, grid.page_ranks(page));
            buffers.translate(&symbols);
            let Buffers { hints, of_values, .. } = buffers;
            hints::fill(identity, grid.page_ranks(page), of_values);
            match values {
                Some(values) => values.decode(grid, &values.read(disk, grid, page)?, of_values, hints)?,
                None => std::mem::swap(hints, of_values),
            }
            let bytes = stored.encode(grid, &buffers.symbols, buffers.free(stored.plane), &buffers.hints);
            Ok((crc32fast::hash(&bytes), bytes))
        });
        let pages: Vec<(u32, Vec<u8>)> = pages.collect::<Result<_, Fault>>()?;
        out.clear();
        for (crc, bytes) in pages {
            entries.push(Entry { offset: offset + out.len() as u64, crc });
            out.extend(bytes);
        }
        disk.write_all_at(&out, offset).map_err(Fault::Write)?;
        offset += out.len() as u64;
        Ok(())
    })?;
    entries.push(Entry { offset, crc: 0 });
    Ok(entries)
}
