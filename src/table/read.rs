//! A table file open for reading.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use super::disk::Disk;
use super::error::{Fault, TableError};
use super::header::{Header, Problem, read_header, read_indexes};
use super::hints;
use super::page::{ENTRY, Grid, Page, Stored};
use super::passes::{SLAB, each};
use super::statistics::Tally;
use super::{Identity, Plane, Progress};

/// A table file that is open for reading. All its numbers are *stored* ones: see the module.
pub(crate) struct TableFile {
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
    pub(super) grid: Grid,
    pub(super) disk: Disk,
    pub(super) planes: Vec<Stored>,
    pub(super) standoffs: Option<Tally>,
}

impl TableFile {
    /// Opens the table `path`, which should be `expected`. Verifies the header, the indexes and the length
    /// of the file, not the pages.
    pub(crate) fn open(path: &Path, expected: &Identity) -> Result<Self, TableError> {
        let fault = |fault: Fault| fault.named(path, expected);
        let missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        // Asked before opening: to open what is not a file may wait for ever.
        match fs::metadata(path) {
            Err(error) if missing(&error) => {
                return Err(TableError::Missing { path: path.to_path_buf(), build: expected.build() });
            }
            Err(error) => return Err(fault(Fault::Read(error))),
            Ok(metadata) if !metadata.is_file() => {
                return Err(fault(Fault::Damaged("not a file".to_string())));
            }
            Ok(_) => {}
        }
        let file = File::open(path).map_err(|error| fault(Fault::Read(error)))?;
        let length = file.metadata().map_err(|error| fault(Fault::Read(error)))?.len();
        let disk = Disk::new(file);
        let header = read_header(&disk, length).map_err(|problem| match problem {
            Problem::Fault(problem) => fault(problem),
            Problem::OtherVersion(found) => {
                TableError::OtherVersion { path: path.to_path_buf(), found, build: expected.build() }
            }
        })?;

        let found = &header.identity;
        if found.rules != expected.rules {
            return Err(TableError::OtherRules {
                path: path.to_path_buf(),
                found: found.profile.clone(),
                found_rules: found.rules,
                expected: expected.profile.clone(),
                expected_rules: expected.rules,
                build: expected.build(),
            });
        }
        if found.seeds != expected.seeds {
            return Err(TableError::OtherTier {
                path: path.to_path_buf(),
                found: found.seeds,
                expected: expected.seeds,
                build: expected.build(),
            });
        }
        let planes = read_indexes(&disk, &header, expected, length).map_err(fault)?;
        let Header { grid, identity, planes: described, standoffs, .. } = header;
        let planes = described.into_iter().zip(planes);
        let planes = planes.map(|((stored, _), pages)| Stored { pages, ..stored }).collect();
        Ok(Self { path: path.to_path_buf(), identity, grid, disk, planes, standoffs })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Positions of the tier.
    pub(crate) fn positions(&self) -> u64 {
        self.grid.positions
    }

    /// Whether it holds this plane.
    pub(crate) fn has(&self, plane: Plane) -> bool {
        self.planes.len() > plane as usize
    }

    /// The true numbers of a plane, ascending, how many positions have each, and the smallest rank of one that
    /// has it. Empty where there is no such plane.
    pub(crate) fn counts(&self, plane: Plane) -> impl Iterator<Item = (i32, u64, u64)> {
        let numbers = self.planes.get(plane as usize).into_iter();
        let numbers = numbers.flat_map(|stored| stored.dictionary.iter().zip(&stored.tallies));
        numbers.map(|(&number, tally)| (number, tally.positions, tally.first))
    }

    /// How many positions are stand-offs, those whose bounds differ, and the smallest rank of one, if there is
    /// any. Nothing where the bounds are not there.
    pub(crate) fn standoffs(&self) -> Option<(u64, Option<u64>)> {
        self.standoffs.map(|tally| (tally.positions, (tally.positions > 0).then_some(tally.first)))
    }

    /// Bytes of a plane in the file: its pages and their index. 0 where there is no such plane.
    pub(crate) fn bytes_of(&self, plane: Plane) -> u64 {
        self.planes.get(plane as usize).map_or(0, |stored| {
            let first = stored.pages.first().map_or(stored.end, |page| page.offset);
            stored.end - first + ENTRY * stored.pages.len() as u64
        })
    }

    /// Pages of each plane.
    pub(crate) fn pages(&self) -> u64 {
        self.grid.pages()
    }

    /// The page of this rank.
    pub(crate) fn page_of(&self, rank: u64) -> u64 {
        rank / self.grid.shape.page() as u64
    }

    /// The ranks of a page.
    pub(crate) fn page_ranks(&self, page: u64) -> Range<u64> {
        self.grid.page_ranks(page)
    }

    fn plane(&self, plane: Plane) -> Result<&Stored, TableError> {
        let missing = || TableError::NoPlane { path: self.path.clone(), plane: plane.name() };
        self.planes.get(plane as usize).ok_or_else(missing)
    }

    fn fault(&self, fault: Fault) -> TableError {
        fault.named(&self.path, &self.identity)
    }

    /// Positions of a block, but of the last one: what is decoded together.
    pub(crate) fn block_length(&self) -> u64 {
        self.grid.shape.block.into()
    }

    /// Blocks of each plane.
    pub(crate) fn blocks(&self) -> u64 {
        self.positions().div_ceil(self.block_length())
    }

    /// The first `most` numbers stored in a block, or all where it has no more.
    ///
    /// # Panics
    /// Where there is no such block in the tier.
    pub(crate) fn stored_block(&self, plane: Plane, block: u64, most: usize) -> Result<Vec<i32>, TableError> {
        let first = block * self.block_length();
        assert!(first < self.positions(), "block {block} is not in the table");
        let count = (self.positions() - first).min(self.block_length()).min(most as u64);
        self.stored_numbers(plane, first..first + count, Stored::decode_prefix)
    }

    /// The numbers stored in a block and in the next one, which takes less than twice as long as one. `None` where they are not whole blocks of
    /// one page.
    pub(crate) fn stored_pair(&self, plane: Plane, block: u64) -> Result<Option<Vec<i32>>, TableError> {
        let length = self.block_length();
        let ranks = block * length..(block + 2) * length;
        if ranks.end > self.positions() || self.page_of(ranks.start) != self.page_of(ranks.end - 1) {
            return Ok(None);
        }
        self.stored_numbers(plane, ranks, Stored::decode_pair).map(Some)
    }

    /// The numbers stored for ranks of a page that begin with a block: `decode` makes symbols of a page, a block and hints.
    fn stored_numbers(
        &self,
        plane: Plane,
        ranks: Range<u64>,
        decode: impl Fn(&Stored, &Page, usize, &[u16]) -> Result<Vec<u16>, Fault>,
    ) -> Result<Vec<i32>, TableError> {
        let number = self.page_of(ranks.start);
        let within = ((ranks.start - self.page_ranks(number).start) / self.block_length()) as usize;
        let symbols = |plane: Plane, hints: &[u16]| {
            let stored = self.plane(plane)?;
            let page = stored.read(&self.disk, self.grid, number).map_err(|fault| self.fault(fault))?;
            decode(stored, &page, within, hints).map_err(|fault| self.fault(fault))
        };
        let mut hints = self.hints(ranks);
        if plane != Plane::Values {
            hints = symbols(Plane::Values, &hints)?;
        }
        let symbols = symbols(plane, &hints)?;
        let dictionary = &self.plane(plane)?.dictionary;
        Ok(symbols.into_iter().map(|symbol| dictionary[usize::from(symbol)]).collect())
    }

    /// The number stored for `rank`, read from disk.
    ///
    /// # Panics
    /// Where there is no such rank in the tier.
    #[cfg(test)]
    pub(crate) fn stored(&self, plane: Plane, rank: u64) -> Result<i32, TableError> {
        let within = (rank % self.block_length()) as usize;
        Ok(self.stored_block(plane, rank / self.block_length(), within + 1)?[within])
    }

    /// All numbers stored in a page, in the order of their ranks.
    ///
    /// # Panics
    /// Where there is no such page in the tier.
    pub(crate) fn stored_run(&self, plane: Plane, page: u64) -> Result<Vec<i32>, TableError> {
        assert!(page < self.pages(), "page {page} is not in the table");
        let stored = self.plane(plane)?;
        let symbols = self.symbols(plane, page).map_err(|fault| self.fault(fault))?;
        Ok(symbols.into_iter().map(|symbol| stored.dictionary[usize::from(symbol)]).collect())
    }

    /// What the codec of the values is told of these positions; zeros, which are quicker, where it does not listen.
    fn hints(&self, ranks: Range<u64>) -> Vec<u16> {
        let mut hints = Vec::new();
        match self.plane(Plane::Values) {
            Ok(values) if values.model.hinted() => hints::fill(&self.identity, ranks, &mut hints),
            _ => hints.resize((ranks.end - ranks.start) as usize, 0),
        }
        hints
    }

    fn symbols(&self, plane: Plane, page: u64) -> Result<Vec<u16>, Fault> {
        let hints = if plane == Plane::Values {
            self.hints(self.grid.page_ranks(page))
        } else {
            self.symbols(Plane::Values, page)?
        };
        self.symbols_hinted(plane, page, &hints)
    }

    fn symbols_hinted(&self, plane: Plane, page: u64, hints: &[u16]) -> Result<Vec<u16>, Fault> {
        let stored = &self.planes[plane as usize];
        let mut symbols = Vec::new();
        let page = stored.read(&self.disk, self.grid, page)?;
        stored.decode(self.grid, &page, hints, &mut symbols)?;
        Ok(symbols)
    }

    /// Reads everything and verifies all that can be verified without the rules.
    pub(crate) fn check(&self, stop: &AtomicBool, progress: Progress<'_>) -> Result<(), TableError> {
        let todo = self.grid.positions;
        for first in (0..self.pages()).step_by(SLAB) {
            let slab = first..self.pages().min(first + SLAB as u64);
            let end = self.grid.page_ranks(slab.end - 1).end;
            let faults = each(slab).map(|page| {
                if stop.load(Relaxed) {
                    return Err(Fault::Stopped);
                }
                let values = self.symbols(Plane::Values, page)?;
                self.planes[1..]
                    .iter()
                    .try_for_each(|stored| self.symbols_hinted(stored.plane, page, &values).map(|_| ()))
            });
            // The first, so that the same file always gives the same error.
            if let Some(Err(fault)) = faults.find_first(|result| result.is_err()) {
                return Err(self.fault(fault));
            }
            progress(end, todo);
        }
        Ok(())
    }
}
