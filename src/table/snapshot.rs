//! What tells the table files of a profile from those that come in their place.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

use super::{Identity, TableDir};
use crate::profile::Profile;

/// The table files of a profile as they are at one moment, by their seeds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Snapshot(Vec<(u8, Option<Stamp>)>);

/// Length, time of the last change, and number: a file that is renamed onto another has a number of its own. Systems without
/// numbers have the times.
type Stamp = (u64, Option<SystemTime>, u64);

impl Snapshot {
    /// The files in the directory `path`; none where it can not be read.
    pub(crate) fn of(path: &Path, profile: &Profile) -> Self {
        let Ok(dir) = TableDir::open(path) else { return Self::default() };
        let stamp = |seeds| {
            let found = fs::metadata(dir.path_of(&Identity::of(profile, u32::from(seeds)))).ok()?;
            Some((found.len(), found.modified().ok(), number(&found)))
        };
        let tiers = dir.list(&profile.to_string()).unwrap_or_default();
        Self(tiers.into_iter().map(|seeds| (seeds, stamp(seeds))).collect())
    }
}

#[cfg(unix)]
fn number(file: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(file)
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}
