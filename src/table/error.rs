//! What can go wrong with a table file.

use std::io;
use std::path::{Path, PathBuf};

use super::Identity;
use super::header::VERSION;

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
pub(super) enum Fault {
    Damaged(String),
    Stopped,
    Read(io::Error),
    Write(io::Error),
}

impl Fault {
    /// The error, with the name of the file and what would make it right.
    pub(super) fn named(self, path: &Path, identity: &Identity) -> TableError {
        let path = path.to_path_buf();
        match self {
            Self::Damaged(what) => TableError::Damaged { path, what, build: identity.build() },
            Self::Stopped => TableError::Stopped { path },
            Self::Read(source) => TableError::Io { path, doing: "read", source },
            Self::Write(source) => TableError::Io { path, doing: "written", source },
        }
    }
}

pub(super) fn damaged<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Damaged(what.into()))
}
