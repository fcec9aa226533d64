//! Reading and writing at given places of a file, from many threads at once, on every system.

use std::fs::File;
use std::io;

use super::error::{Fault, damaged};

/// A file that is read and written at given places, from many threads at once.
#[derive(Debug)]
pub(super) struct Disk {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
}

#[cfg(unix)]
impl Disk {
    pub(super) fn new(file: File) -> Self {
        Self { file }
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, offset)
    }

    pub(super) fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, offset)
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

#[cfg(not(unix))]
impl Disk {
    pub(super) fn new(file: File) -> Self {
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

    pub(super) fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        io::Write::write_all(&mut *self.file_at(offset)?, bytes)
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file_at(0)?.sync_all()
    }
}

impl Disk {
    pub(super) fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        let mut bytes = vec![0; length];
        match self.read_exact_at(&mut bytes, offset) {
            Ok(()) => Ok(bytes),
            // The length was right when the file was opened.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => damaged("cut short while in use"),
            Err(error) => Err(Fault::Read(error)),
        }
    }
}
