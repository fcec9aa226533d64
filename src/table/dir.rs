//! A directory of table files.
//!
//! Files have the names of [`Identity::file_name`]. A builder holds the lock of `.lock` in the directory, an
//! operating system's lock: it ends with the process however that ends, and the file itself says nothing and
//! may stay. Readers need no lock, since a file appears under its name only when it is complete and is never
//! changed: a builder writes `.<name>.tmp`, brings it to the disk and renames it. A killed builder leaves
//! that file behind, and the next one that holds the lock removes it.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::disk::Disk;
use super::error::{Fault, TableError};
use super::read::TableFile;
use super::write::write_to;
use super::{Contents, Identity, Progress, Shape, Written, plain};

const LOCK: &str = ".lock";
/// What the names of unfinished files end with: tables, and half-solved tiers.
const UNFINISHED: [&str; 2] = [".oju.tmp", ".oju.half.tmp"];

fn failed(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> TableError {
    move |source| TableError::Io { path: path.to_path_buf(), doing, source }
}

/// A directory of tables that is read.
#[derive(Clone, Debug)]
pub(crate) struct TableDir {
    path: PathBuf,
}

impl TableDir {
    /// The tables in the directory `path`, which must be there.
    pub(crate) fn open(path: &Path) -> Result<Self, TableError> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Ok(Self { path: path.to_path_buf() }),
            Ok(_) => Err(failed(path, "read")(io::ErrorKind::NotADirectory.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(TableError::NoDirectory { dir: path.to_path_buf() })
            }
            Err(error) => Err(failed(path, "read")(error)),
        }
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the table of this tier is, or would be.
    pub(crate) fn path_of(&self, identity: &Identity) -> PathBuf {
        self.path.join(identity.file_name())
    }

    /// Opens the table of this tier.
    pub(crate) fn table(&self, identity: &Identity) -> Result<TableFile, TableError> {
        TableFile::open(&self.path_of(identity), identity)
    }

    /// The names of all profiles that there are files of, as file names have them, without repetition.
    pub(crate) fn profiles(&self) -> Result<Vec<String>, TableError> {
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(&self.path).map_err(failed(&self.path, "read"))? {
            let name = entry.map_err(failed(&self.path, "read"))?.file_name();
            let name = name.to_str().and_then(|name| name.strip_suffix(".oju")?.rsplit_once('-'));
            names.extend(name.map(|(profile, _)| profile.to_string()));
        }
        Ok(names.into_iter().collect())
    }

    /// The tiers of a profile that there are files of, in seeds, ascending. The files are not opened.
    pub(crate) fn list(&self, profile: &str) -> Result<Vec<u8>, TableError> {
        let start = format!("{}-", plain(profile));
        let mut tiers = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(failed(&self.path, "read"))? {
            let name = entry.map_err(failed(&self.path, "read"))?.file_name();
            let seeds = name.to_str().and_then(|name| name.strip_prefix(&start)?.strip_suffix(".oju"));
            if let Some(seeds) = seeds.filter(|s| s.len() == 2 && s.bytes().all(|b| b.is_ascii_digit())) {
                tiers.extend(seeds.parse::<u8>());
            }
        }
        tiers.sort_unstable();
        Ok(tiers)
    }
}

/// A directory of tables that nobody else writes to.
#[derive(Debug)]
pub(crate) struct LockedDir {
    dir: TableDir,
    /// Holds the lock until it is closed.
    _lock: File,
}

impl LockedDir {
    /// Takes the directory `path`, which is made where there is none, for building. Fails at once where
    /// another builder has it. Removes what a killed builder has left unfinished.
    pub(crate) fn lock(path: &Path) -> Result<Self, TableError> {
        fs::create_dir_all(path).map_err(failed(path, "created"))?;
        let file = path.join(LOCK);
        let lock = File::options().write(true).create(true).truncate(false).open(&file);
        let lock = lock.map_err(failed(&file, "written, so no table can be built here"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(TableError::InUse { dir: path.to_path_buf() }),
            Err(TryLockError::Error(error)) => return Err(failed(&file, "locked")(error)),
        }
        for entry in fs::read_dir(path).map_err(failed(path, "read"))? {
            let entry = entry.map_err(failed(path, "read"))?;
            let name = entry.file_name();
            if name
                .to_str()
                .is_some_and(|name| name.starts_with('.') && UNFINISHED.iter().any(|end| name.ends_with(end)))
            {
                fs::remove_file(entry.path()).map_err(failed(&entry.path(), "removed"))?;
            }
        }
        Ok(Self { dir: TableDir { path: path.to_path_buf() }, _lock: lock })
    }

    /// The directory, for reading.
    pub(crate) fn dir(&self) -> &TableDir {
        &self.dir
    }

    /// Writes the table of a tier, in the place of the one that was there. After an error, a panic of the
    /// contents or a stop there is no new file.
    pub(crate) fn write(
        &self,
        identity: &Identity,
        contents: &dyn Contents,
        stop: &AtomicBool,
        progress: Progress<'_>,
    ) -> Result<Written, TableError> {
        self.write_shaped(Shape::of(identity), identity, contents, stop, progress)
    }

    /// [`Self::write`] with other blocks and pages than usual.
    pub(crate) fn write_shaped(
        &self,
        shape: Shape,
        identity: &Identity,
        contents: &dyn Contents,
        stop: &AtomicBool,
        progress: Progress<'_>,
    ) -> Result<Written, TableError> {
        let path = self.dir.path_of(identity);
        let fault = |fault: Fault| fault.named(&path, identity);
        let unfinished = self.dir.path.join(format!(".{}.tmp", identity.file_name()));
        // A new one: where two threads build the same table, the second must not write into the first's.
        let file = File::options().read(true).write(true).create_new(true).open(&unfinished);
        let file = file.map_err(failed(&unfinished, "created"))?;
        let mut unfinished = Unfinished { path: unfinished, removed: false };
        let disk = Disk::new(file);
        let (bytes, planes) = write_to(&disk, identity, shape, contents, stop, progress).map_err(fault)?;
        disk.sync().map_err(|error| fault(Fault::Write(error)))?;
        drop(disk);
        fs::rename(&unfinished.path, &path).map_err(|error| fault(Fault::Write(error)))?;
        unfinished.removed = true;
        sync_directory(&self.dir.path).map_err(failed(&self.dir.path, "written"))?;
        Ok(Written { path, bytes, planes })
    }
}

/// An unfinished file, removed when its building ends otherwise than by its getting its name.
struct Unfinished {
    path: PathBuf,
    removed: bool,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.removed {
            // If not now, then by the next builder.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Brings the names in a directory to the disk.
#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    match File::open(path)?.sync_all() {
        // Some network file systems can not do this for directories.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        done => done,
    }
}

/// Elsewhere directories can not be opened, and names are brought to the disk with their files.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
