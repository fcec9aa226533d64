//! Pages: where they are in a tier and in a file, how they are read, decoded and encoded.

use std::ops::Range;

use super::disk::Disk;
use super::error::{Fault, damaged};
use super::statistics::Tally;
use super::{Plane, Shape};
use crate::codec::{Block, Model};

/// Bytes of a page index for each page.
pub(super) const ENTRY: u64 = 12;

/// Where each position is: all arithmetic of ranks, blocks and pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) positions: u64,
    pub(super) shape: Shape,
}

impl Grid {
    pub(super) fn pages(self) -> u64 {
        self.positions.div_ceil(self.shape.page() as u64)
    }

    pub(super) fn blocks(self) -> u64 {
        self.positions.div_ceil(u64::from(self.shape.block))
    }

    pub(super) fn page_ranks(self, page: u64) -> Range<u64> {
        self.ranks(page, self.shape.page() as u64)
    }

    pub(super) fn block_ranks(self, block: u64) -> Range<u64> {
        self.ranks(block, u64::from(self.shape.block))
    }

    fn ranks(self, number: u64, size: u64) -> Range<u64> {
        let first = number * size;
        first..self.positions.min(first.saturating_add(size))
    }

    pub(super) fn positions_of(self, page: u64) -> usize {
        let ranks = self.page_ranks(page);
        (ranks.end - ranks.start) as usize
    }

    pub(super) fn blocks_of(self, page: u64) -> usize {
        self.positions_of(page).div_ceil(usize::from(self.shape.block))
    }
}

/// A page on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) offset: u64,
    pub(super) crc: u32,
}

/// All about a plane that a reader keeps in memory.
pub(super) struct Stored {
    pub(super) plane: Plane,
    /// The numbers there are, ascending.
    pub(super) dictionary: Vec<i32>,
    /// Which positions truly have each.
    pub(super) tallies: Vec<Tally>,
    pub(super) model: Model,
    pub(super) pages: Vec<Entry>,
    /// Where the last page ends.
    pub(super) end: u64,
}

/// A page as it is on disk, verified.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) number: u64,
    /// Where each block begins, and where the last ends.
    bounds: Vec<usize>,
    bytes: Vec<u8>,
}

impl Page {
    /// A page of so many blocks, unless they do not fill it.
    fn new(number: u64, blocks: usize, bytes: Vec<u8>) -> Option<Self> {
        let mut lengths = bytes.iter();
        let mut bounds = Vec::with_capacity(blocks + 1);
        let mut end = 0;
        bounds.push(end);
        for _ in 0..blocks {
            let mut byte = u8::MAX;
            while byte == u8::MAX {
                byte = *lengths.next()?;
                end += usize::from(byte);
            }
            bounds.push(end);
        }
        let start = bytes.len() - lengths.as_slice().len();
        bounds.iter_mut().for_each(|bound| *bound += start);
        (start + end == bytes.len()).then_some(Self { number, bounds, bytes })
    }

    fn block(&self, block: usize) -> &[u8] {
        &self.bytes[self.bounds[block]..self.bounds[block + 1]]
    }
}

impl Stored {
    fn damage<T>(&self, page: u64, what: &str) -> Result<T, Fault> {
        damaged(format!("page {page} of {}: {what}", self.plane.name()))
    }

    pub(super) fn read(&self, disk: &Disk, grid: Grid, number: u64) -> Result<Page, Fault> {
        let at = number as usize;
        let Entry { offset, crc } = self.pages[at];
        let end = self.pages.get(at + 1).map_or(self.end, |next| next.offset);
        // Both verified against the length of the file.
        let bytes = disk.read(offset, (end - offset) as usize)?;
        if crc32fast::hash(&bytes) != crc {
            return self.damage(number, "wrong checksum");
        }
        match Page::new(number, grid.blocks_of(number), bytes) {
            Some(page) => Ok(page),
            None => self.damage(number, "its blocks do not fill it"),
        }
    }

    fn verify(&self, page: u64, symbols: &[u16]) -> Result<(), Fault> {
        match symbols.iter().max() {
            Some(&most) if usize::from(most) >= self.dictionary.len() => {
                self.damage(page, "a symbol that is not in the dictionary")
            }
            _ => Ok(()),
        }
    }

    /// The symbols of a whole page; `hints` are those of its positions.
    pub(super) fn decode(
        &self,
        grid: Grid,
        page: &Page,
        hints: &[u16],
        out: &mut Vec<u16>,
    ) -> Result<(), Fault> {
        out.clear();
        out.resize(grid.positions_of(page.number), 0);
        let block = usize::from(grid.shape.block);
        for (i, out) in out.chunks_mut(block).enumerate() {
            let hints = &hints[i * block..][..out.len()];
            if self.model.decode(page.block(i), Some(hints), out).is_err() {
                return self.damage(page.number, &format!("block {i} does not decode"));
            }
        }
        self.verify(page.number, out)
    }

    /// The first symbols of a block, as many as `hints`.
    pub(super) fn decode_prefix(&self, page: &Page, block: usize, hints: &[u16]) -> Result<Vec<u16>, Fault> {
        let mut symbols = vec![0; hints.len()];
        self.model.decode_prefix(page.block(block), Some(hints), &mut symbols);
        self.verify(page.number, &symbols)?;
        Ok(symbols)
    }

    /// The symbols of a block and of the next one, both of the same length; `hints` are those of their positions.
    pub(super) fn decode_pair(&self, page: &Page, block: usize, hints: &[u16]) -> Result<Vec<u16>, Fault> {
        let mut symbols = vec![0; hints.len()];
        let middle = hints.len() / 2;
        let (first, second) = symbols.split_at_mut(middle);
        self.model.decode_pair(
            [page.block(block), page.block(block + 1)],
            [&hints[..middle], &hints[middle..]].map(Some),
            [first, second],
        );
        self.verify(page.number, &symbols)?;
        Ok(symbols)
    }

    /// The bytes of a page.
    pub(super) fn encode(
        &self,
        grid: Grid,
        symbols: &[u16],
        free: Option<&[bool]>,
        hints: &[u16],
    ) -> Vec<u8> {
        let size = usize::from(grid.shape.block);
        let (mut page, mut blocks) = (Vec::new(), Vec::new());
        for (i, symbols) in symbols.chunks(size).enumerate() {
            let part = i * size..i * size + symbols.len();
            let block =
                Block { symbols, free: free.map(|free| &free[part.clone()]), hints: Some(&hints[part]) };
            let stored = self.model.fill(&block);
            let mut pairs = stored.iter().zip(symbols).enumerate();
            assert!(
                pairs.all(|(i, (stored, symbol))| stored == symbol
                    || stored < symbol && block.free.is_some_and(|free| free[i])),
                "only free numbers may be stored smaller than they are"
            );
            let bytes = self.model.encode(&stored, block.hints);
            page.extend(std::iter::repeat_n(u8::MAX, bytes.len() / 255));
            page.push((bytes.len() % 255) as u8);
            blocks.extend(bytes);
        }
        page.extend(blocks);
        page
    }
}

pub(super) fn index_bytes(pages: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(pages.len() * ENTRY as usize);
    for page in pages {
        bytes.extend(page.offset.to_le_bytes());
        bytes.extend(page.crc.to_le_bytes());
    }
    bytes
}

/// The page index, verified to say pages that follow one another from `data` to `end`.
pub(super) fn index_entries(bytes: &[u8], data: u64, end: u64) -> Option<Vec<Entry>> {
    let pages: Vec<Entry> = bytes
        .chunks_exact(ENTRY as usize)
        .map(|entry| Entry {
            offset: u64::from_le_bytes(entry[..8].try_into().expect("eight bytes")),
            crc: u32::from_le_bytes(entry[8..].try_into().expect("four bytes")),
        })
        .collect();
    let follow = pages.first().is_some_and(|first| first.offset == data)
        && pages.is_sorted_by(|a, b| a.offset < b.offset)
        && pages.last().is_some_and(|last| last.offset < end);
    follow.then_some(pages)
}
