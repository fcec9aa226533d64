//! A half-solved tier on disk, so that a build can go on where it was killed.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::retrograde::Tier;
use crate::table::{Identity, TableError};

/// The file of a half-solved tier: a header, the tier of the values, that of the forced intervals where it is begun, and a CRC-32.
pub(super) struct Half<'a> {
    path: PathBuf,
    identity: Identity,
    forced: bool,
    saved: Instant,
    every: Duration,
    stop: &'a AtomicBool,
}

/// What a half-solved tier's file held.
pub(super) enum Restored {
    Nothing,
    Values,
    Forced(Tier),
}

impl<'a> Half<'a> {
    /// The file beside the table of this tier.
    pub(super) fn new(
        dir: &Path,
        identity: Identity,
        forced: bool,
        every: Duration,
        stop: &'a AtomicBool,
    ) -> Self {
        Self { path: half_path(dir, &identity), identity, forced, saved: Instant::now(), every, stop }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    const MAGIC: [u8; 8] = *b"OJUHALF1";

    /// What the file must begin with.
    fn header(&self, forced_begun: bool) -> Vec<u8> {
        let Identity { rules, pits, seeds, unit, .. } = self.identity;
        let flags = [pits, seeds, unit, u8::from(self.forced), u8::from(forced_begun)];
        [&Self::MAGIC[..], &rules.to_le_bytes(), &flags].concat()
    }

    /// Saves the tier where it is time to. That it can not be saved is no reason to stop solving, and worth one remark.
    pub(super) fn save(&mut self, values: &Tier, forced: Option<&Tier>, remark: &mut Option<String>) {
        if self.saved.elapsed() < self.every || !forced.unwrap_or(values).can_be_saved() {
            return;
        }
        if let Err(error) = self.write(values, forced)
            && !self.stop.load(Relaxed)
        {
            remark.get_or_insert_with(|| format!("{}: can not be written: {error}", self.path.display()));
        }
        self.saved = Instant::now();
    }

    fn write(&self, values: &Tier, forced: Option<&Tier>) -> io::Result<()> {
        let unfinished = self.path.with_extension("half.tmp");
        let done = (|| {
            let mut out = Checked::new(BufWriter::new(File::create(&unfinished)?), self.stop);
            out.write_all(&self.header(forced.is_some()))?;
            values.save(&mut out)?;
            if let Some(forced) = forced {
                forced.save(&mut out)?;
            }
            let crc = out.crc.clone().finalize();
            out.inner.write_all(&crc.to_le_bytes())?;
            out.inner.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            fs::rename(&unfinished, &self.path)
        })();
        if done.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        done
    }

    /// Makes `values` what was saved.
    pub(super) fn restore(
        &self,
        values: &mut Tier,
        new_forced: impl FnOnce() -> Tier,
    ) -> io::Result<Restored> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Restored::Nothing),
            Err(error) => return Err(error),
        };
        let bad = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        let mut from = Checked::new(BufReader::new(file), self.stop);
        let mut header = self.header(false);
        from.read_exact(&mut header)?;
        let forced_begun = header == self.header(true);
        if !forced_begun && header != self.header(false) {
            return Err(bad("of another build"));
        }
        values.restore(&mut from)?;
        let forced = if forced_begun {
            let mut forced = new_forced();
            forced.restore(&mut from)?;
            Some(forced)
        } else {
            None
        };
        let crc = from.crc.clone().finalize();
        let mut stored = [0; 4];
        from.inner.read_exact(&mut stored)?;
        if stored != crc.to_le_bytes() {
            return Err(bad("damaged"));
        }
        Ok(forced.map_or(Restored::Values, Restored::Forced))
    }
}

/// Where the half-solved tier of a table is saved.
pub(super) fn half_path(dir: &Path, identity: &Identity) -> PathBuf {
    dir.join(format!(".{}.half", identity.file_name()))
}

/// Removes a file, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), TableError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(TableError::Io { path: path.to_path_buf(), doing: "removed", source })
        }
        _ => Ok(()),
    }
}

/// Passes bytes on and sums them up, until it is told to stop: gigabytes take longer than who presses Ctrl-C waits.
struct Checked<'a, T> {
    inner: T,
    crc: crc32fast::Hasher,
    stop: &'a AtomicBool,
}

impl<'a, T> Checked<'a, T> {
    fn new(inner: T, stop: &'a AtomicBool) -> Self {
        Self { inner, crc: crc32fast::Hasher::new(), stop }
    }

    fn go_on(&self) -> io::Result<()> {
        if self.stop.load(Relaxed) { Err(io::Error::other("stopped")) } else { Ok(()) }
    }
}

impl<T: Write> Write for Checked<'_, T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.go_on()?;
        let written = self.inner.write(bytes)?;
        self.crc.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Checked<'_, T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.go_on()?;
        let read = self.inner.read(bytes)?;
        self.crc.update(&bytes[..read]);
        Ok(read)
    }
}
