//! What the headers of table files say: sizes, and how many positions have which value.

use std::path::Path;

use serde::Serialize;

use crate::index;
use crate::profile::Profile;
use crate::retrograde::NEVER;
use crate::table::{Identity, Plane, TableDir, TableError, TableFile};

/// The profiles that a directory holds files of, and the seeds of their tiers, ascending: the named profiles in their usual order,
/// custom boards after them by name. Files are not opened; those without the name of a table are passed over.
///
/// # Errors
/// Where the directory can not be read.
pub fn tables_in(dir: &Path) -> Result<Vec<(Profile, Vec<u32>)>, TableError> {
    let dir = TableDir::open(dir)?;
    let mut profiles = Vec::new();
    for name in dir.profiles()? {
        // The only character of a profile's name that file names do not have.
        let parsed = name.parse().or_else(|_| name.replacen('_', "@", 1).parse::<Profile>());
        profiles.extend(parsed.ok());
    }
    let place =
        |profile: &Profile| Profile::ALL.iter().position(|named| named == profile).unwrap_or(usize::MAX);
    profiles.sort_by_cached_key(|profile| (place(profile), profile.to_string()));
    let tiers = |profile: Profile| Ok((profile, tiers_of(&dir, &profile)?));
    profiles
        .into_iter()
        .map(tiers)
        .filter(|tiers| !matches!(tiers, Ok((_, tiers)) if tiers.is_empty()))
        .collect()
}

/// The tiers of a profile that there are files of, without those that no game of it meets.
pub(crate) fn tiers_of(dir: &TableDir, profile: &Profile) -> Result<Vec<u32>, TableError> {
    let mut tiers: Vec<u32> = dir.list(&profile.to_string())?.into_iter().map(u32::from).collect();
    tiers.retain(|&seeds| seeds <= profile.seeds() && seeds % profile.unit() == 0);
    Ok(tiers)
}

/// A position as its counts, the side to move first: a text that reads as a position with South to move.
pub(crate) fn position_text(profile: &Profile, seeds: u32, rank: u64) -> String {
    let mut counts = vec![0; 2 * profile.row()];
    index::unrank_counts(seeds, rank, &mut counts);
    counts.iter().map(u8::to_string).collect::<Vec<_>>().join("-")
}

/// A number, how many positions have it, and one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The number; `None` for a distance of a value that is never converted.
    pub number: Option<i32>,
    /// Positions that have it.
    pub positions: u64,
    /// The first of them, as counts with South to move.
    pub example: String,
}

/// Bytes, or bits a position, of the parts of a table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Parts<T> {
    /// The values.
    pub values: T,
    /// The distances.
    pub distances: T,
    /// Both ends of the forced intervals, where they are there.
    pub forced: Option<T>,
}

/// What the header of a table says.
#[derive(Clone, Debug, Serialize)]
pub struct TableInfo {
    /// The profile.
    pub profile: String,
    /// The fingerprint of its rules, eight hexadecimal digits.
    pub rules: String,
    /// Seeds on the board.
    pub seeds: u32,
    /// Positions of the tier.
    pub positions: u64,
    /// Positions that the side to move wins, from there on.
    pub wins: u64,
    /// Positions of value 0.
    pub draws: u64,
    /// Positions that the side to move loses.
    pub losses: u64,
    /// Positions whose forced interval is not one number, where the table holds intervals.
    pub standoffs: Option<u64>,
    /// One of them.
    pub standoff_example: Option<String>,
    /// The largest number of sowings until a value is converted.
    pub deepest: Option<i32>,
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of its parts.
    pub part_bytes: Parts<u64>,
    /// Bits a position of its parts, to a thousandth.
    pub bits: Parts<f64>,
    /// All values there are, ascending.
    pub values: Vec<Count>,
    /// All distances there are, ascending, "never" last.
    pub distances: Vec<Count>,
}

/// Reads what the header of a table says.
///
/// # Errors
/// Where there is no such table, or not one of this profile.
pub fn table_info(profile: &Profile, dir: &Path, seeds: u32) -> Result<TableInfo, TableError> {
    let identity = Identity::of(profile, seeds);
    let file = TableDir::open(dir)?.table(&identity)?;
    let text = |rank| position_text(profile, seeds, rank);
    let counts = |plane| -> Vec<Count> {
        let never = |number| plane == Plane::Distances && number == i32::from(NEVER);
        let count = |(number, positions, example)| Count {
            number: Some(number).filter(|&number| !never(number)),
            positions,
            example: text(example),
        };
        file.counts(plane).filter(|&(_, positions, _)| positions > 0).map(count).collect()
    };
    let values = counts(Plane::Values);
    let distances = counts(Plane::Distances);
    let sum = |which: fn(i32) -> bool| {
        values.iter().filter(|count| count.number.is_some_and(which)).map(|count| count.positions).sum()
    };
    let forced = file.has(Plane::Low);
    let part_bytes = Parts {
        values: file.bytes_of(Plane::Values),
        distances: file.bytes_of(Plane::Distances),
        forced: forced.then(|| file.bytes_of(Plane::Low) + file.bytes_of(Plane::High)),
    };
    let bits = |bytes: u64| (bytes as f64 * 8e3 / file.positions() as f64).round() / 1e3;
    Ok(TableInfo {
        profile: profile.to_string(),
        rules: format!("{:08x}", identity.rules),
        seeds,
        positions: file.positions(),
        wins: sum(|value| value > 0),
        draws: sum(|value| value == 0),
        losses: sum(|value| value < 0),
        standoffs: file.standoffs().map(|(positions, _)| positions),
        standoff_example: file.standoffs().and_then(|(_, example)| example).map(text),
        deepest: distances.iter().filter_map(|count| count.number).max(),
        bytes: size(&file)?,
        part_bytes,
        bits: Parts {
            values: bits(part_bytes.values),
            distances: bits(part_bytes.distances),
            forced: part_bytes.forced.map(bits),
        },
        values,
        distances,
    })
}

/// Bytes of a table file.
pub(crate) fn size(file: &TableFile) -> Result<u64, TableError> {
    match std::fs::metadata(file.path()) {
        Ok(metadata) => Ok(metadata.len()),
        Err(source) => Err(TableError::Io { path: file.path().to_path_buf(), doing: "read", source }),
    }
}
