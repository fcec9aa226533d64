//! The header and the page indexes, written, read, and believed in nothing.

use super::disk::Disk;
use super::error::{Fault, damaged};
use super::page::{ENTRY, Entry, Grid, Stored, index_entries};
use super::statistics::Tally;
use super::{Identity, MOST_PAGE_POSITIONS, Plane, Shape};
use crate::codec::Model;

const MAGIC: [u8; 8] = *b"OJUTIER\0";
pub(super) const VERSION: u16 = 1;
/// Magic, version and header length, which every version begins with.
const PREAMBLE: usize = 14;

/// What a header says of a plane, besides [`Stored`].
pub(super) struct Sections {
    pub(super) index: u64,
    pub(super) index_crc: u32,
    pub(super) data: u64,
    pub(super) length: u64,
}

/// The header of a file.
pub(super) struct Header {
    /// Its own.
    pub(super) length: u64,
    pub(super) identity: Identity,
    pub(super) grid: Grid,
    /// Their pages are not known to the header.
    pub(super) planes: Vec<(Stored, Sections)>,
    /// Positions whose bounds differ, where there are bounds.
    pub(super) standoffs: Option<Tally>,
}

impl Header {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
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
            bytes.extend(stored.tallies.iter().flat_map(|tally| tally.to_bytes()));
            let model = stored.model.to_bytes();
            bytes.extend(u32::try_from(model.len()).expect("parameters are short").to_le_bytes());
            bytes.extend(model);
            bytes.extend(sections.index.to_le_bytes());
            bytes.extend(sections.index_crc.to_le_bytes());
            bytes.extend(sections.data.to_le_bytes());
            bytes.extend(sections.length.to_le_bytes());
        }
        bytes.extend(self.standoffs.iter().flat_map(|tally| tally.to_bytes()));
        let length = u32::try_from(bytes.len() + 4).expect("headers are short");
        bytes[10..PREAMBLE].copy_from_slice(&length.to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a header whose checksum is right; still nothing it says is relied on.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, Fault> {
        let mut fields = Fields(&bytes[PREAMBLE..bytes.len() - 4]);
        let length = fields.u8()?;
        // Errors quote it.
        let profile = String::from_utf8(fields.take(length.into())?.to_vec()).ok();
        let Some(profile) = profile.filter(|name| !name.chars().any(char::is_control)) else {
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
        let standoffs = if count == 4 { Some(fields.standoffs(positions)?) } else { None };
        if !fields.0.is_empty() {
            return damaged("its header is too long");
        }
        Ok(Self { length: bytes.len() as u64, identity, grid: Grid { positions, shape }, planes, standoffs })
    }

    /// Verifies that the sections fill the file, and so that nothing of them is larger than it.
    pub(super) fn verify_lengths(&self, file: u64) -> Result<(), Fault> {
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

    fn standoffs(&mut self, positions: u64) -> Result<Tally, Fault> {
        let tally = Tally::from_bytes(self.take(Tally::BYTES)?);
        if tally.can_be(positions) { Ok(tally) } else { damaged("its statistics of stand-offs can not be") }
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
        let tallies: Vec<Tally> =
            self.many(count, Tally::BYTES)?.chunks_exact(Tally::BYTES).map(Tally::from_bytes).collect();
        if tallies.iter().try_fold(0, |sum: u64, tally| sum.checked_add(tally.positions)) != Some(positions) {
            return damaged(format!("its statistics of {} are not of all positions", plane.name()));
        }
        // Readers look the examples up.
        if !tallies.iter().all(|tally| tally.positions > 0 && tally.can_be(positions)) {
            return damaged(format!("its examples of {} can not be", plane.name()));
        }
        let length = self.u32()?;
        let Ok(model) = Model::from_bytes(self.many(length, 1)?) else {
            return damaged(format!("the parameters of its {} can not be", plane.name()));
        };
        let sections =
            Sections { index: self.u64()?, index_crc: self.u32()?, data: self.u64()?, length: self.u64()? };
        // Not beyond 2^64: else `verify_lengths` says so.
        let end = sections.data.saturating_add(sections.length);
        Ok((Stored { plane, dictionary, tallies, model, pages: Vec::new(), end }, sections))
    }
}

/// Why a header can not be read.
pub(super) enum Problem {
    Fault(Fault),
    OtherVersion(u16),
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

pub(super) fn read_header(disk: &Disk, file: u64) -> Result<Header, Problem> {
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
pub(super) fn read_indexes(
    disk: &Disk,
    header: &Header,
    expected: &Identity,
    file: u64,
) -> Result<Vec<Vec<Entry>>, Fault> {
    let Header { identity, grid, planes, .. } = header;
    if (identity.pits, identity.unit) != (expected.pits, expected.unit) {
        return damaged(format!("{} pits, unit {}: not so in these rules", identity.pits, identity.unit));
    }
    let size = expected.positions();
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
