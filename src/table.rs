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
//! | 1 + n | name of the profile: its length, then UTF-8 without control characters |
//! | 4 | fingerprint of the rules |
//! | 1, 1, 1 | pits, seeds, seeds that all totals and values are multiples of |
//! | 8 | positions: C(seeds + pits - 1, pits - 1) |
//! | 2 | positions of a block, at least 1 |
//! | 2 | blocks of a page, at least 1; a page has at most 65,536 positions |
//! | 1 | planes: 2 or 4, described next in the order of their kinds |
//! | … | the planes |
//! | 8, 8 | only with 4 planes: the number of stand-offs, and the smallest rank of one (2^64 - 1: none is there) |
//! | 4 | CRC-32 (that of zlib and PNG) of all bytes before |
//!
//! A *stand-off* is a position whose bounds differ. What the header counts are statistics: they are of the true
//! numbers, and no reader needs them for a number.
//!
//! **Each plane in the header**
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | kind |
//! | 4 | numbers in the dictionary, d: at least 1 |
//! | d × 1 or 2 | the dictionary, ascending: signed bytes; distances: unsigned, 2 bytes each |
//! | d × (8, 8) | for each number how many positions truly have it, and the smallest rank of one |
//! | 4 + m | the parameters of the codec ([`crate::codec`]): their length, then the bytes |
//! | 8, 4 | the page index: offset, CRC-32 |
//! | 8, 8 | the pages: offset of the first, length of all |
//!
//! **Page index**: for each page its offset (8 bytes) and its CRC-32 (4 bytes). Pages follow one another
//! in order; each ends where the next begins, the last where the plane's pages end.
//!
//! **Page**: the length of each of its blocks, then the blocks. A length is the sum of its bytes, of which the last and
//! only the last is below 255. Page p holds the positions from p × blocks × positions of a block on; only the last page
//! and the last block may be shorter.
//!
//! **Block**: the symbols of its positions as [`crate::codec`] writes them, who may be told something of each position, its
//! *hint*. Of the values it is 8 × min(y, 7) + min(x, 7), with y seeds in the position's last pit and x in the last but one.
//! Of distances and bounds it is the *stored* symbol of the position's value, so their blocks can be read only
//! after the same block of the values.
//!
//! Every byte of a file is under a checksum: the header's own, the indexes' in the header, the pages' in the
//! indexes. [`TableFile::open`] verifies the first two, every read of a page the third.

mod dir;
mod disk;
mod error;
mod header;
mod hints;
mod page;
mod passes;
mod read;
#[cfg(feature = "explore")]
mod snapshot;
mod statistics;
mod write;

use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;

use crate::codec;
use crate::index;
use crate::profile::Profile;

pub(crate) use dir::{LockedDir, TableDir};
pub use error::TableError;
pub(crate) use read::TableFile;
#[cfg(feature = "explore")]
pub(crate) use snapshot::Snapshot;

/// Positions of a page at most, which bounds what a reader allocates for one.
const MOST_PAGE_POSITIONS: usize = 1 << 16;

/// The files of tiers of more positions than this are made small, those of others quick to probe.
const LARGE: u128 = 1 << 24;

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

    /// Positions of the tier.
    fn positions(&self) -> u128 {
        index::tier_size(self.pits.into(), self.seeds.into())
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
    #[cfg(test)]
    pub(crate) const USUAL: Self = Self { block: codec::BLOCK, blocks: 32 };

    /// The usual one, with longer blocks in large tiers: there bytes count for more, and a probe may still take its time twice.
    fn of(tier: &Identity) -> Self {
        let block = if tier.positions() <= LARGE { codec::BLOCK } else { 2 * codec::BLOCK };
        Self { block, blocks: 32 }
    }

    fn page(self) -> usize {
        usize::from(self.block) * usize::from(self.blocks)
    }
}

#[cfg(test)]
mod tests;
