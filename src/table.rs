//! Endgame table files: one solved tier on disk, compressed, any position of it readable by itself.
//!
//! A tier is all boards with the same number of seeds, numbered as in [`crate::index`]. Its file
//! holds up to four *planes*, one number a position in each:
//!
//! | kind | plane | numbers | meaning |
//! | --- | --- | --- | --- |
//! | 0 | values | -128 to 127 | seeds the mover will win minus those it will lose |
//! | 1 | distances | 0 to 65535 | sowings until the value is converted; 65535: never |
//! | 2 | lower bounds | -128 to 127 | low end of the interval that can be forced |
//! | 3 | upper bounds | -128 to 127 | high end of it |
//!
//! Values and distances are always there, the two bounds both or neither. Numbers are stored as
//! *symbols*: their places in the plane's *dictionary*, the ascending list of all numbers there are.
//!
//! **Stored is not true.** Where a value or bound equals the best of the position's *exits* (captures
//! and ends, which a reader finds by the rules and the smaller tables), any number up to it may be
//! stored, whichever is shortest. A reader takes the larger of what is stored and of the best exit.
//! Distances are stored as they are.
//!
//! # Format, version 1
//! All numbers are little-endian; offsets count bytes from the beginning of the file. The file is a
//! header, the page indexes of all planes, and the pages of all planes, without a gap between or
//! a byte after them.
//!
//! **Header**
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `OJUTIER` and a zero byte |
//! | 2 | format version, 1: a reader that knows another one stops here |
//! | 4 | length of the header, from the first byte to the checksum at its end |
//! | 1 + n | name of the profile: its length, then UTF-8 |
//! | 4 | fingerprint of the rules |
//! | 1, 1, 1 | pits, seeds, seeds that all totals and values are multiples of |
//! | 8 | positions: C(seeds + pits - 1, pits - 1) |
//! | 2 | positions of a block, at least 1 |
//! | 2 | blocks of a page, at least 1; a page has at most 65,536 positions |
//! | 1 | planes: 2 or 4, described next in the order of their kinds |
//! | … | the planes |
//! | 4 | CRC-32 (that of zlib and PNG) of all bytes before |
//!
//! **Each plane in the header**
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | kind |
//! | 4 | numbers in the dictionary, d: at least 1 |
//! | d × 1 or 2 | the dictionary, ascending: signed bytes; distances: unsigned, 2 bytes each |
//! | d × 8 | how many positions truly have each number: statistics, no reader needs them |
//! | 4 + m | the parameters of the codec ([`crate::codec`]): their length, then the bytes |
//! | 8, 4 | the page index: offset, CRC-32 |
//! | 8, 8 | the pages: offset of the first, length of all |
//!
//! **Page index**: for each page its offset (8 bytes) and its CRC-32 (4 bytes). Pages follow one another
//! in order; each ends where the next begins, the last where the plane's pages end.
//!
//! **Page**: the length of each of its blocks (2 bytes each), then the blocks. Page p holds the positions
//! from p × blocks × positions of a block on; only the last page and the last block may be shorter.
//!
//! **Block**: the symbols of its positions as [`crate::codec`] writes them. The codec of distances and
//! bounds is told the *stored* symbol of each position's value as a hint, so their blocks can be read only
//! after the same block of the values.
//!
//! Every byte of a file is under a checksum: the header's own, the indexes' in the header, the pages' in the
//! indexes. [`TableFile::open`] verifies the first two, every read of a page the third.

use std::fs::{self, File};
use std::io;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use crate::codec::{Block, Model};
use crate::index;
use crate::profile::Profile;

const MAGIC: [u8; 8] = *b"OJUTIER\0";
const VERSION: u16 = 1;
/// Magic, version and header length, which every version begins with.
const PREAMBLE: usize = 14;
/// Bytes of a page index for each page.
const ENTRY: u64 = 12;
/// Positions of a page at most, which bounds what a reader allocates for one.
const MOST_PAGE_POSITIONS: usize = 1 << 16;
/// Positions the codec's parameters are fitted to.
const SAMPLE: usize = 1 << 20;
/// Pages encoded before they are written: at about 10 KB a page, a few megabytes.
const SLAB: usize = 256;

/// Why a table can not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// There is no such directory.
    #[error("{}: no such directory of tables: `oju build` makes one", dir.display())]
    NoDirectory {
        /// The directory.
        dir: PathBuf,
    },
    /// There is no such file.
    #[error("{}: no such table: build it with `{build}`", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The command that builds it.
        build: String,
    },
    /// The file is not what was written.
    #[error("{}: damaged ({what}): delete it and rebuild it with `{build}`", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
        /// The command that builds it.
        build: String,
    },
    /// The file is of another version of the format.
    #[error("{}: written by format version {found}, this program reads {VERSION}: rebuild it with `{build}`", path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The file's version.
        found: u16,
        /// The command that builds it.
        build: String,
    },
    /// The file is a good one, of other rules.
    #[error(
        "{}: a table of {found} (rules {found_rules:08x}), not of {expected} (rules {expected_rules:08x}): move it away and rebuild with `{build}`",
        path.display()
    )]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The profile of the file.
        found: String,
        /// The fingerprint of its rules.
        found_rules: u32,
        /// The profile that was asked for.
        expected: String,
        /// The fingerprint of its rules.
        expected_rules: u32,
        /// The command that builds the right one.
        build: String,
    },
    /// The file is a good one, of another tier of the same rules.
    #[error(
        "{}: the table of {found} seeds, not of {expected}: give it its name back or rebuild with `{build}`",
        path.display()
    )]
    OtherTier {
        /// The file.
        path: PathBuf,
        /// The seeds of the file's tier.
        found: u8,
        /// The seeds of the tier that was asked for.
        expected: u8,
        /// The command that builds the right one.
        build: String,
    },
    /// The file is a good one, without these numbers.
    #[error("{}: holds no {plane}: it was built without them", path.display())]
    NoPlane {
        /// The file.
        path: PathBuf,
        /// What it does not hold.
        plane: &'static str,
    },
    /// Somebody else builds tables in this directory.
    #[error("{}: in use by another `oju build`: wait for its end or use another directory", dir.display())]
    InUse {
        /// The directory.
        dir: PathBuf,
    },
    /// The work was stopped before its end, as was asked.
    #[error("{}: stopped before its end", path.display())]
    Stopped {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{}: can not be {doing}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried with it: "read", "written".
        doing: &'static str,
        /// The reason.
        source: io::Error,
    },
}

/// What went wrong in a file whose name is not known here.
#[derive(Debug)]
pub(crate) enum Fault {
    Damaged(String),
    Stopped,
    Read(io::Error),
    Write(io::Error),
}

impl Fault {
    /// The error, with the name of the file and what would make it right.
    pub(crate) fn named(self, path: &Path, identity: &Identity) -> TableError {
        let path = path.to_path_buf();
        match self {
            Self::Damaged(what) => TableError::Damaged { path, what, build: identity.build() },
            Self::Stopped => TableError::Stopped { path },
            Self::Read(source) => TableError::Io { path, doing: "read", source },
            Self::Write(source) => TableError::Io { path, doing: "written", source },
        }
    }
}

fn damaged<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Damaged(what.into()))
}

/// Which tier of which game a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The profile's name.
    pub(crate) profile: String,
    /// The fingerprint of its rules, the size of the board included. It decides: equal fingerprints mean equal
    /// numbers, so a file under another profile's name is as good if its rules are the same.
    pub(crate) rules: u32,
    pub(crate) pits: u8,
    pub(crate) seeds: u8,
    /// What all totals and values are multiples of.
    pub(crate) unit: u8,
}

impl Identity {
    /// The tier of `seeds` seeds of a profile.
    pub(crate) fn of(profile: &Profile, seeds: u32) -> Self {
        Self {
            profile: profile.to_string(),
            rules: profile.fingerprint(),
            pits: (2 * profile.row()) as u8,
            seeds: u8::try_from(seeds).expect("a board holds at most 96 seeds"),
            unit: profile.unit() as u8,
        }
    }

    /// The name of the file: letters, digits, `_`, `-` and `.` only.
    pub(crate) fn file_name(&self) -> String {
        format!("{}-{:02}.oju", plain(&self.profile), self.seeds)
    }

    /// The command that builds the file.
    fn build(&self) -> String {
        format!("oju build {} --seeds {}", self.profile, self.seeds)
    }
}

/// A profile's name as file names have it: `ayoayo@2x4x3` is `ayoayo_2x4x3` there.
pub(crate) fn plain(profile: &str) -> String {
    profile.chars().map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' }).collect()
}

/// One number of each position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Plane {
    Values,
    Distances,
    /// Lower ends of the forced intervals.
    Low,
    /// Upper ends of them.
    High,
}

impl Plane {
    pub(crate) const ALL: [Self; 4] = [Self::Values, Self::Distances, Self::Low, Self::High];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Distances => "distances",
            Self::Low => "lower bounds",
            Self::High => "upper bounds",
        }
    }

    /// The numbers that can be stored.
    fn numbers(self) -> RangeInclusive<i32> {
        match self {
            Self::Distances => 0..=i32::from(u16::MAX),
            Self::Values | Self::Low | Self::High => i32::from(i8::MIN)..=i32::from(i8::MAX),
        }
    }

    /// Whether smaller numbers than the true ones may be stored where a reader can tell.
    fn may_be_free(self) -> bool {
        self != Self::Distances
    }

    /// Whether the codec is told the stored value of each position.
    fn hinted(self) -> bool {
        self != Self::Values
    }
}

/// What is to be written: the numbers of a whole tier, by rank.
pub(crate) trait Contents: Sync {
    /// Whether there are forced intervals: [`Plane::Low`] and [`Plane::High`].
    fn intervals(&self) -> bool;

    /// Gives the true numbers of `ranks`. Where `free` is there, says of each whether its position's best
    /// exit alone gives it, so that any smaller number may be stored; never asked of distances.
    ///
    /// Called from many threads at once, more than once for each rank, and must always say the same.
    fn fill(&self, plane: Plane, ranks: Range<u64>, numbers: &mut [i32], free: Option<&mut [bool]>);
}

/// Told of progress: positions done, and positions to do, over all passes.
pub(crate) type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// The file.
    pub(crate) path: PathBuf,
    /// Its length.
    pub(crate) bytes: u64,
    /// The share of each plane: its pages and their index.
    pub(crate) planes: Vec<(Plane, u64)>,
}

/// How positions are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Positions of a block, which is decoded from its beginning for each position looked up.
    pub(crate) block: u16,
    /// Blocks of a page, which is read whole.
    pub(crate) blocks: u16,
}

impl Shape {
    pub(crate) const USUAL: Self = Self { block: 512, blocks: 32 };

    fn page(self) -> usize {
        usize::from(self.block) * usize::from(self.blocks)
    }
}

/// Where each position is: all arithmetic of ranks, blocks and pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Grid {
    positions: u64,
    shape: Shape,
}

impl Grid {
    fn pages(self) -> u64 {
        self.positions.div_ceil(self.shape.page() as u64)
    }

    fn blocks(self) -> u64 {
        self.positions.div_ceil(u64::from(self.shape.block))
    }

    fn page_ranks(self, page: u64) -> Range<u64> {
        self.ranks(page, self.shape.page() as u64)
    }

    fn block_ranks(self, block: u64) -> Range<u64> {
        self.ranks(block, u64::from(self.shape.block))
    }

    fn ranks(self, number: u64, size: u64) -> Range<u64> {
        let first = number * size;
        first..self.positions.min(first.saturating_add(size))
    }

    fn positions_of(self, page: u64) -> usize {
        let ranks = self.page_ranks(page);
        (ranks.end - ranks.start) as usize
    }

    fn blocks_of(self, page: u64) -> usize {
        self.positions_of(page).div_ceil(usize::from(self.shape.block))
    }
}

/// A file that is read and written at given places, from many threads at once.
#[derive(Debug)]
pub(crate) struct Disk {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
}

#[cfg(unix)]
impl Disk {
    pub(crate) fn new(file: File) -> Self {
        Self { file }
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, offset)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, offset)
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

#[cfg(not(unix))]
impl Disk {
    pub(crate) fn new(file: File) -> Self {
        Self { file: file.into() }
    }

    fn file_at(&self, offset: u64) -> io::Result<std::sync::MutexGuard<'_, File>> {
        use std::io::Seek;
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(io::SeekFrom::Start(offset))?;
        Ok(file)
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        io::Read::read_exact(&mut *self.file_at(offset)?, bytes)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        io::Write::write_all(&mut *self.file_at(offset)?, bytes)
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file_at(0)?.sync_all()
    }
}

impl Disk {
    fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        let mut bytes = vec![0; length];
        match self.read_exact_at(&mut bytes, offset) {
            Ok(()) => Ok(bytes),
            // The length was right when the file was opened.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => damaged("cut short while in use"),
            Err(error) => Err(Fault::Read(error)),
        }
    }
}

/// A page on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    offset: u64,
    crc: u32,
}

/// All about a plane that a reader keeps in memory.
struct Stored {
    plane: Plane,
    /// The numbers there are, ascending.
    dictionary: Vec<i32>,
    /// Positions that truly have each.
    counts: Vec<u64>,
    model: Model,
    pages: Vec<Entry>,
    /// Where the last page ends.
    end: u64,
}

/// A page as it is on disk, verified; to be kept by those who look up more than one position of it.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    plane: Plane,
    number: u64,
    blocks: usize,
    bytes: Vec<u8>,
}

impl Page {
    /// Bytes of memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    fn lengths(&self) -> impl Iterator<Item = usize> {
        self.bytes[..2 * self.blocks].chunks_exact(2).map(|n| usize::from(u16::from_le_bytes([n[0], n[1]])))
    }

    fn block(&self, block: usize) -> &[u8] {
        let start = 2 * self.blocks + self.lengths().take(block).sum::<usize>();
        let length = self.lengths().nth(block).unwrap_or(0);
        &self.bytes[start..start + length]
    }
}

impl Stored {
    fn damage<T>(&self, page: u64, what: &str) -> Result<T, Fault> {
        damaged(format!("page {page} of {}: {what}", self.plane.name()))
    }

    fn read(&self, disk: &Disk, grid: Grid, number: u64) -> Result<Page, Fault> {
        let at = number as usize;
        let Entry { offset, crc } = self.pages[at];
        let end = self.pages.get(at + 1).map_or(self.end, |next| next.offset);
        // Both verified against the length of the file.
        let bytes = disk.read(offset, (end - offset) as usize)?;
        if crc32fast::hash(&bytes) != crc {
            return self.damage(number, "wrong checksum");
        }
        let page = Page { plane: self.plane, number, blocks: grid.blocks_of(number), bytes };
        if 2 * page.blocks > page.bytes.len()
            || 2 * page.blocks + page.lengths().sum::<usize>() != page.bytes.len()
        {
            return self.damage(number, "its blocks do not fill it");
        }
        Ok(page)
    }

    fn verify(&self, page: u64, symbols: &[u16]) -> Result<(), Fault> {
        match symbols.iter().max() {
            Some(&most) if usize::from(most) >= self.dictionary.len() => {
                self.damage(page, "a symbol that is not in the dictionary")
            }
            _ => Ok(()),
        }
    }

    /// The symbols of a whole page; `hints` are those of the same page of the values.
    fn decode(
        &self,
        grid: Grid,
        page: &Page,
        hints: Option<&[u16]>,
        out: &mut Vec<u16>,
    ) -> Result<(), Fault> {
        out.clear();
        out.resize(grid.positions_of(page.number), 0);
        let block = usize::from(grid.shape.block);
        let mut rest = &page.bytes[2 * page.blocks..];
        for ((i, out), length) in out.chunks_mut(block).enumerate().zip(page.lengths()) {
            let hints = hints.map(|hints| &hints[i * block..][..out.len()]);
            let (bytes, after) = rest.split_at(length);
            if self.model.decode(bytes, hints, out).is_err() {
                return self.damage(page.number, &format!("block {i} does not decode"));
            }
            rest = after;
        }
        self.verify(page.number, out)
    }

    /// The first `count` symbols of a block.
    fn decode_prefix(
        &self,
        page: &Page,
        block: usize,
        hints: Option<&[u16]>,
        count: usize,
    ) -> Result<Vec<u16>, Fault> {
        let mut symbols = vec![0; count];
        self.model.decode_prefix(page.block(block), hints, &mut symbols);
        self.verify(page.number, &symbols)?;
        Ok(symbols)
    }

    /// The bytes of a page.
    fn encode(&self, grid: Grid, symbols: &[u16], free: Option<&[bool]>, hints: Option<&[u16]>) -> Vec<u8> {
        let size = usize::from(grid.shape.block);
        let blocks = symbols.len().div_ceil(size);
        let mut page = vec![0; 2 * blocks];
        for (i, symbols) in symbols.chunks(size).enumerate() {
            let part = i * size..i * size + symbols.len();
            let block = Block {
                symbols,
                free: free.map(|free| &free[part.clone()]),
                hints: hints.map(|hints| &hints[part]),
            };
            let stored = self.model.fill(&block);
            let mut pairs = stored.iter().zip(symbols).enumerate();
            assert!(
                pairs.all(|(i, (stored, symbol))| stored == symbol
                    || stored < symbol && block.free.is_some_and(|free| free[i])),
                "only free numbers may be stored smaller than they are"
            );
            let bytes = self.model.encode(&stored, block.hints);
            let length = u16::try_from(bytes.len()).expect("a block of 8192 symbols at most is below 64 KB");
            page[2 * i..][..2].copy_from_slice(&length.to_le_bytes());
            page.extend_from_slice(&bytes);
        }
        page
    }
}

/// What a header says of a plane, besides [`Stored`].
struct Sections {
    index: u64,
    index_crc: u32,
    data: u64,
    length: u64,
}

/// The header of a file.
struct Header {
    /// Its own.
    length: u64,
    identity: Identity,
    grid: Grid,
    /// Their pages are not known to the header.
    planes: Vec<(Stored, Sections)>,
}

impl Header {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.push(u8::try_from(self.identity.profile.len()).expect("names of profiles are short"));
        bytes.extend(self.identity.profile.as_bytes());
        bytes.extend(self.identity.rules.to_le_bytes());
        bytes.extend([self.identity.pits, self.identity.seeds, self.identity.unit]);
        bytes.extend(self.grid.positions.to_le_bytes());
        bytes.extend(self.grid.shape.block.to_le_bytes());
        bytes.extend(self.grid.shape.blocks.to_le_bytes());
        bytes.push(self.planes.len() as u8);
        for (stored, sections) in &self.planes {
            bytes.push(stored.plane as u8);
            bytes.extend((stored.dictionary.len() as u32).to_le_bytes());
            for &number in &stored.dictionary {
                match stored.plane {
                    Plane::Distances => bytes.extend((number as u16).to_le_bytes()),
                    Plane::Values | Plane::Low | Plane::High => bytes.extend((number as i8).to_le_bytes()),
                }
            }
            bytes.extend(stored.counts.iter().flat_map(|count| count.to_le_bytes()));
            let model = stored.model.to_bytes();
            bytes.extend(u32::try_from(model.len()).expect("parameters are short").to_le_bytes());
            bytes.extend(model);
            bytes.extend(sections.index.to_le_bytes());
            bytes.extend(sections.index_crc.to_le_bytes());
            bytes.extend(sections.data.to_le_bytes());
            bytes.extend(sections.length.to_le_bytes());
        }
        let length = u32::try_from(bytes.len() + 4).expect("headers are short");
        bytes[10..PREAMBLE].copy_from_slice(&length.to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a header whose checksum is right; still nothing it says is relied on.
    fn from_bytes(bytes: &[u8]) -> Result<Self, Fault> {
        let mut fields = Fields(&bytes[PREAMBLE..bytes.len() - 4]);
        let length = fields.u8()?;
        let Ok(profile) = String::from_utf8(fields.take(length.into())?.to_vec()) else {
            return damaged("the name of its profile is not text");
        };
        let identity = Identity {
            profile,
            rules: fields.u32()?,
            pits: fields.u8()?,
            seeds: fields.u8()?,
            unit: fields.u8()?,
        };
        let positions = fields.u64()?;
        let shape = Shape { block: fields.u16()?, blocks: fields.u16()? };
        if !(1..=MOST_PAGE_POSITIONS).contains(&shape.page()) {
            return damaged(format!(
                "pages of {} blocks of {} positions can not be",
                shape.blocks, shape.block
            ));
        }
        let count = usize::from(fields.u8()?);
        if count != 2 && count != 4 {
            return damaged(format!("{count} planes, 2 or 4 are possible"));
        }
        let mut planes = Vec::new();
        for &plane in &Plane::ALL[..count] {
            planes.push(fields.plane(plane, positions)?);
        }
        if !fields.0.is_empty() {
            return damaged("its header is too long");
        }
        Ok(Self { length: bytes.len() as u64, identity, grid: Grid { positions, shape }, planes })
    }

    /// Verifies that the sections fill the file, and so that nothing of them is larger than it.
    fn verify_lengths(&self, file: u64) -> Result<(), Fault> {
        let mut at = Some(self.length);
        let mut gap = false;
        let index = self.grid.pages().checked_mul(ENTRY);
        for (_, sections) in &self.planes {
            gap |= Some(sections.index) != at;
            at = at.zip(index).and_then(|(at, length)| at.checked_add(length));
        }
        for (_, sections) in &self.planes {
            gap |= Some(sections.data) != at;
            at = at.and_then(|at| at.checked_add(sections.length));
        }
        match at {
            Some(end) if gap => damaged(format!("its parts do not follow one another up to byte {end}")),
            Some(end) if end > file => damaged(format!("{file} bytes, it should have {end}: cut short")),
            Some(end) if end < file => damaged(format!("{file} bytes, it should have {end}: too long")),
            Some(_) => Ok(()),
            None => damaged("its header speaks of more bytes than a file can have"),
        }
    }
}

/// Reads fields from the front of bytes.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let Some((field, rest)) = self.0.split_at_checked(count) else {
            return damaged("its header is too short");
        };
        self.0 = rest;
        Ok(field)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        Ok(self.take(N)?.try_into().expect("so many were taken"))
    }

    fn u8(&mut self) -> Result<u8, Fault> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    fn u16(&mut self) -> Result<u16, Fault> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, Fault> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A length that is followed by so many things of `size` bytes.
    fn many(&mut self, count: u32, size: usize) -> Result<&'a [u8], Fault> {
        self.take((count as usize).saturating_mul(size))
    }

    fn plane(&mut self, plane: Plane, positions: u64) -> Result<(Stored, Sections), Fault> {
        let kind = self.u8()?;
        if kind != plane as u8 {
            return damaged(format!("a plane of kind {kind} in the place of its {}", plane.name()));
        }
        let count = self.u32()?;
        let dictionary: Vec<i32> = match plane {
            Plane::Distances => {
                let numbers = self.many(count, 2)?.chunks_exact(2);
                numbers.map(|n| i32::from(u16::from_le_bytes([n[0], n[1]]))).collect()
            }
            Plane::Values | Plane::Low | Plane::High => {
                self.many(count, 1)?.iter().map(|&n| i32::from(n as i8)).collect()
            }
        };
        if dictionary.is_empty() || !dictionary.is_sorted_by(|a, b| a < b) {
            return damaged(format!("its list of {} is not in order", plane.name()));
        }
        let counts = self.many(count, 8)?.chunks_exact(8);
        let counts: Vec<u64> =
            counts.map(|n| u64::from_le_bytes(n.try_into().expect("eight bytes"))).collect();
        if counts.iter().try_fold(0, |sum: u64, &n| sum.checked_add(n)) != Some(positions) {
            return damaged(format!("its statistics of {} are not of all positions", plane.name()));
        }
        let length = self.u32()?;
        let Ok(model) = Model::from_bytes(self.many(length, 1)?) else {
            return damaged(format!("the parameters of its {} can not be", plane.name()));
        };
        let sections =
            Sections { index: self.u64()?, index_crc: self.u32()?, data: self.u64()?, length: self.u64()? };
        // Not beyond 2^64: else `verify_lengths` says so.
        let end = sections.data.saturating_add(sections.length);
        Ok((Stored { plane, dictionary, counts, model, pages: Vec::new(), end }, sections))
    }
}

fn index_bytes(pages: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(pages.len() * ENTRY as usize);
    for page in pages {
        bytes.extend(page.offset.to_le_bytes());
        bytes.extend(page.crc.to_le_bytes());
    }
    bytes
}

/// The page index, verified to say pages that follow one another from `data` to `end`.
fn index_entries(bytes: &[u8], data: u64, end: u64) -> Option<Vec<Entry>> {
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

/// A table file that is open for reading. All its numbers are *stored* ones: see the module.
pub(crate) struct TableFile {
    path: PathBuf,
    identity: Identity,
    grid: Grid,
    disk: Disk,
    planes: Vec<Stored>,
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
        let Header { grid, identity, planes: described, .. } = header;
        let planes = described.into_iter().zip(planes);
        let planes = planes.map(|((stored, _), pages)| Stored { pages, ..stored }).collect();
        Ok(Self { path: path.to_path_buf(), identity, grid, disk, planes })
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

    /// The true numbers of a plane, ascending, and how many positions have each. Empty where there is no such
    /// plane.
    pub(crate) fn counts(&self, plane: Plane) -> impl Iterator<Item = (i32, u64)> {
        let stored = self.planes.get(plane as usize).into_iter();
        stored.flat_map(|stored| stored.dictionary.iter().copied().zip(stored.counts.iter().copied()))
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

    /// Reads a page and verifies its checksum.
    ///
    /// # Panics
    /// Where there is no such page in the tier.
    pub(crate) fn read_page(&self, plane: Plane, page: u64) -> Result<Page, TableError> {
        assert!(page < self.pages(), "page {page} is not in the table");
        self.plane(plane)?.read(&self.disk, self.grid, page).map_err(|fault| self.fault(fault))
    }

    /// The number that `page` has stored for `rank`. Pages of other planes than values need the page of the
    /// values too.
    ///
    /// # Panics
    /// Where the pages are not those of `rank`, or the values are needed and not there.
    pub(crate) fn look_up(&self, page: &Page, values: Option<&Page>, rank: u64) -> Result<i32, TableError> {
        assert!(
            rank < self.grid.positions && page.number == self.page_of(rank),
            "not the page of rank {rank}"
        );
        let stored = self.plane(page.plane)?;
        let within = (rank - self.grid.page_ranks(page.number).start) as usize;
        let size = usize::from(self.grid.shape.block);
        let (block, count) = (within / size, within % size + 1);
        let hints = page.plane.hinted().then(|| {
            let values = values.expect("numbers other than values need the page of the values");
            assert!(
                values.plane == Plane::Values && values.number == page.number,
                "not the page of the values"
            );
            self.planes[0].decode_prefix(values, block, None, count).map_err(|fault| self.fault(fault))
        });
        let hints = hints.transpose()?;
        let symbols =
            stored.decode_prefix(page, block, hints.as_deref(), count).map_err(|fault| self.fault(fault))?;
        Ok(stored.dictionary[usize::from(symbols[count - 1])])
    }

    /// The number stored for `rank`, read from disk.
    ///
    /// # Panics
    /// Where there is no such rank in the tier.
    pub(crate) fn stored(&self, plane: Plane, rank: u64) -> Result<i32, TableError> {
        let page = self.read_page(plane, self.page_of(rank))?;
        let values = plane.hinted().then(|| self.read_page(Plane::Values, page.number)).transpose()?;
        self.look_up(&page, values.as_ref(), rank)
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

    fn symbols(&self, plane: Plane, page: u64) -> Result<Vec<u16>, Fault> {
        let hints = plane.hinted().then(|| self.symbols(Plane::Values, page)).transpose()?;
        self.symbols_hinted(plane, page, hints.as_deref())
    }

    fn symbols_hinted(&self, plane: Plane, page: u64, hints: Option<&[u16]>) -> Result<Vec<u16>, Fault> {
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
                let values = self.symbols_hinted(Plane::Values, page, None)?;
                self.planes[1..]
                    .iter()
                    .try_for_each(|stored| self.symbols_hinted(stored.plane, page, Some(&values)).map(|_| ()))
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

/// Why a header can not be read.
enum Problem {
    Fault(Fault),
    OtherVersion(u16),
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

fn read_header(disk: &Disk, file: u64) -> Result<Header, Problem> {
    let start = disk.read(0, file.min(PREAMBLE as u64) as usize)?;
    if !start.starts_with(&MAGIC) {
        let what = match file {
            0 => "empty",
            _ if MAGIC.starts_with(&start) => "cut short",
            _ => "not a table: it does not begin like one",
        };
        return Err(Fault::Damaged(what.to_string()).into());
    }
    let mut fields = Fields(&start[MAGIC.len()..]);
    let (Ok(version), Ok(length)) = (fields.u16(), fields.u32()) else {
        return Err(Fault::Damaged(format!("{file} bytes: cut short in its header")).into());
    };
    if version != VERSION {
        return Err(Problem::OtherVersion(version));
    }
    if (length as usize) < PREAMBLE + 4 || u64::from(length) > file {
        return Err(Fault::Damaged(format!("{file} bytes, a header of {length} can not be")).into());
    }
    let bytes = disk.read(0, length as usize)?;
    let (fields, crc) = bytes.split_at(bytes.len() - 4);
    if crc != crc32fast::hash(fields).to_le_bytes() {
        return Err(Fault::Damaged("header: wrong checksum".to_string()).into());
    }
    Ok(Header::from_bytes(&bytes)?)
}

/// The page indexes of all planes, from a file of the expected rules and tier.
fn read_indexes(
    disk: &Disk,
    header: &Header,
    expected: &Identity,
    file: u64,
) -> Result<Vec<Vec<Entry>>, Fault> {
    let Header { identity, grid, planes, .. } = header;
    if (identity.pits, identity.unit) != (expected.pits, expected.unit) {
        return damaged(format!("{} pits, unit {}: not so in these rules", identity.pits, identity.unit));
    }
    let size = index::tier_size(expected.pits.into(), expected.seeds.into());
    if u128::from(grid.positions) != size {
        return damaged(format!("{} positions, the tier has {size}", grid.positions));
    }
    header.verify_lengths(file)?;
    let mut indexes = Vec::new();
    for (stored, sections) in planes {
        let name = stored.plane.name();
        let bytes = disk.read(sections.index, (grid.pages() * ENTRY) as usize)?;
        if crc32fast::hash(&bytes) != sections.index_crc {
            return damaged(format!("page index of {name}: wrong checksum"));
        }
        let Some(pages) = index_entries(&bytes, sections.data, stored.end) else {
            return damaged(format!("page index of {name}: its pages do not follow one another"));
        };
        indexes.push(pages);
    }
    Ok(indexes)
}

/// The pages of a slab, in parallel.
fn each(slab: Range<u64>) -> impl IndexedParallelIterator<Item = u64> {
    let count = (slab.end - slab.start) as usize;
    (0..count).into_par_iter().map(move |i| slab.start + i as u64)
}

/// Counts what was done, of all passes.
struct Passes<'a> {
    stop: &'a AtomicBool,
    progress: Progress<'a>,
    done: u64,
    todo: u64,
}

impl Passes<'_> {
    /// One pass over all positions: `work` does the pages of a slab.
    fn run(
        &mut self,
        grid: Grid,
        mut work: impl FnMut(Range<u64>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let before = self.done;
        for first in (0..grid.pages()).step_by(SLAB) {
            let slab = first..grid.pages().min(first + SLAB as u64);
            let end = grid.page_ranks(slab.end - 1).end;
            work(slab)?;
            self.done = before.saturating_add(end);
            (self.progress)(self.done, self.todo);
        }
        Ok(())
    }
}

/// Buffers of one thread.
#[derive(Default)]
struct Buffers {
    numbers: Vec<i32>,
    free: Vec<bool>,
    symbols: Vec<u16>,
    hints: Vec<u16>,
}

impl Buffers {
    /// The numbers of `ranks` and, where they can be free, whether they are.
    fn fill(&mut self, contents: &impl Contents, plane: Plane, ranks: Range<u64>, with_free: bool) {
        let count = (ranks.end - ranks.start) as usize;
        self.numbers.clear();
        self.numbers.resize(count, 0);
        self.free.clear();
        self.free.resize(count, false);
        let free = (with_free && plane.may_be_free()).then_some(&mut self.free[..]);
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
/// Makes two passes over the contents for each plane: one that counts the numbers there are, one that encodes
/// them slab by slab, so that memory does not grow with the tier.
///
/// # Panics
/// Where the tier has 2^64 positions or more, or the contents say numbers that their plane can not hold or not
/// the same each time.
pub(crate) fn write_to(
    disk: &Disk,
    identity: &Identity,
    shape: Shape,
    contents: &impl Contents,
    stop: &AtomicBool,
    progress: Progress<'_>,
) -> Result<(u64, Vec<(Plane, u64)>), Fault> {
    assert!(shape.block <= 8192 && (1..=MOST_PAGE_POSITIONS).contains(&shape.page()), "{shape:?}");
    let positions = index::tier_size(identity.pits.into(), identity.seeds.into());
    let positions = u64::try_from(positions).expect("such a tier fits no disk");
    let grid = Grid { positions, shape };
    let planes = if contents.intervals() { &Plane::ALL[..] } else { &Plane::ALL[..2] };
    let todo = positions.saturating_mul(2 * planes.len() as u64);
    let mut passes = Passes { stop, progress, done: 0, todo };

    let mut counts = Vec::new();
    for &plane in planes {
        counts.push(count(grid, plane, contents, &mut passes)?);
    }
    let planes = fit(grid, contents, counts);
    let mut header = Header { length: 0, identity: identity.clone(), grid, planes };

    // The lengths of header and indexes are known by now, what is in them only at the end.
    header.length = header.to_bytes().len() as u64;
    let index = grid.pages() * ENTRY;
    let mut at = header.length + index * header.planes.len() as u64;
    for i in 0..header.planes.len() {
        let (written, rest) = header.planes.split_at_mut(i);
        let (stored, sections) = &mut rest[0];
        sections.data = at;
        let values = written.first().map(|(values, _)| values);
        stored.pages = encode(disk, at, grid, contents, stored, values, &mut passes)?;
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

/// The numbers there are in a plane, and how many positions have each.
fn count(
    grid: Grid,
    plane: Plane,
    contents: &impl Contents,
    passes: &mut Passes<'_>,
) -> Result<(Plane, Vec<i32>, Vec<u64>), Fault> {
    let stop = passes.stop;
    let (least, most) = plane.numbers().into_inner();
    let none = || vec![0u64; (most - least) as usize + 1];
    let mut counts = none();
    passes.run(grid, |slab| {
        let slab = each(slab).with_min_len(16).try_fold(
            || (none(), Buffers::default()),
            |(mut counts, mut buffers), page| {
                if stop.load(Relaxed) {
                    return Err(Fault::Stopped);
                }
                buffers.fill(contents, plane, grid.page_ranks(page), false);
                for number in &buffers.numbers {
                    assert!(plane.numbers().contains(number), "{number} can not be among {}", plane.name());
                    counts[(number - least) as usize] += 1;
                }
                Ok((counts, buffers))
            },
        );
        let add = |mut sums: Vec<u64>, more: Vec<u64>| {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            Ok(sums)
        };
        let slab = slab.map(|counts| Ok(counts?.0)).try_reduce(none, add)?;
        counts.iter_mut().zip(slab).for_each(|(sum, more)| *sum += more);
        Ok(())
    })?;
    let present = (least..=most).zip(counts).filter(|&(_, count)| count > 0);
    let (dictionary, counts) = present.unzip();
    Ok((plane, dictionary, counts))
}

/// Fits the codec's parameters of all planes to evenly spread blocks.
fn fit(
    grid: Grid,
    contents: &impl Contents,
    counts: Vec<(Plane, Vec<i32>, Vec<u64>)>,
) -> Vec<(Stored, Sections)> {
    let take = grid.blocks().min((SAMPLE / usize::from(grid.shape.block)).max(1) as u64);
    let nth = |i: u64| (u128::from(i) * u128::from(grid.blocks()) / u128::from(take)) as u64;
    // What is stored of the values of each sampled block, and of how many numbers.
    let mut values: Option<(usize, Vec<Vec<u16>>)> = None;
    let mut planes = Vec::new();
    for (plane, dictionary, counts) in counts {
        let symbols = Symbols::new(&dictionary);
        let sample: Vec<Buffers> = (0..take)
            .into_par_iter()
            .map(|i| {
                let mut buffers = Buffers::default();
                buffers.fill(contents, plane, grid.block_ranks(nth(i)), true);
                buffers.translate(&symbols);
                buffers.numbers = Vec::new();
                buffers
            })
            .collect();
        let hints = |i: usize| values.as_ref().map(|(_, values)| &values[i][..]);
        let blocks: Vec<Block<'_>> = sample
            .iter()
            .enumerate()
            .map(|(i, buffers)| Block {
                symbols: &buffers.symbols,
                free: buffers.free(plane),
                hints: hints(i),
            })
            .collect();
        let hint_alphabet = values.as_ref().map_or(1, |(alphabet, _)| *alphabet);
        let model = Model::fit(dictionary.len(), hint_alphabet, &blocks);
        if plane == Plane::Values {
            values = Some((dictionary.len(), blocks.par_iter().map(|block| model.fill(block)).collect()));
        }
        let stored = Stored { plane, dictionary, counts, model, pages: Vec::new(), end: 0 };
        planes.push((stored, Sections { index: 0, index_crc: 0, data: 0, length: 0 }));
    }
    planes
}

/// Writes the pages of a plane from `offset` on, and returns where they are, with one more entry for the end.
/// `values` has been written before, and is read back for the hints.
fn encode(
    disk: &Disk,
    mut offset: u64,
    grid: Grid,
    contents: &impl Contents,
    stored: &Stored,
    values: Option<&Stored>,
    passes: &mut Passes<'_>,
) -> Result<Vec<Entry>, Fault> {
    let stop = passes.stop;
    let symbols = Symbols::new(&stored.dictionary);
    let mut entries = Vec::new();
    let mut out = Vec::new();
    passes.run(grid, |slab| {
        let pages = each(slab).map_init(Buffers::default, |buffers, page| {
            if stop.load(Relaxed) {
                return Err(Fault::Stopped);
            }
            buffers.fill(contents, stored.plane, grid.page_ranks(page), true);
            buffers.translate(&symbols);
            if let Some(values) = values {
                values.decode(grid, &values.read(disk, grid, page)?, None, &mut buffers.hints)?;
            }
            let hints = values.map(|_| &buffers.hints[..]);
            let bytes = stored.encode(grid, &buffers.symbols, buffers.free(stored.plane), hints);
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

#[cfg(test)]
mod tests;
