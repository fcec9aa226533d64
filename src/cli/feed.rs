//! An input that is read ahead on a thread of its own, so that Ctrl-C ends a command that waits for it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::Context;

/// Bytes read at once, and how many such pieces may wait.
const PIECE: usize = 1 << 16;
const PIECES: usize = 4;

/// Time between two looks at whether the input is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// What is read from a file or from stdin. Once `stop` is raised it seems to have ended.
pub(super) struct Feed<'a> {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    at: usize,
    stop: &'a AtomicBool,
}

impl<'a> Feed<'a> {
    /// Opens a file, `-` for stdin; also tells its length where that is known.
    pub(super) fn open(path: &Path, stop: &'a AtomicBool) -> anyhow::Result<(Self, Option<u64>)> {
        let mut length = None;
        let mut source: Box<dyn Read + Send> = if path == Path::new("-") {
            Box::new(io::stdin())
        } else {
            let what = || format!("{}: the input can not be read", path.display());
            let metadata = std::fs::metadata(path).with_context(what)?;
            if metadata.is_dir() {
                return Err(anyhow::Error::new(io::Error::from(io::ErrorKind::IsADirectory)).context(what()));
            }
            length = metadata.is_file().then_some(metadata.len());
            Box::new(File::open(path).with_context(what)?)
        };
        let (send, pieces) = mpsc::sync_channel(PIECES);
        // Nobody waits for this thread: it may wait for its input for ever.
        std::thread::spawn(move || {
            loop {
                let mut piece = vec![0; PIECE];
                let read = match source.read(&mut piece) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let ended = !matches!(read, Ok(1..));
                let sent = send.send(read.map(|length| {
                    piece.truncate(length);
                    piece
                }));
                if ended || sent.is_err() {
                    return;
                }
            }
        });
        Ok((Self { pieces, piece: Vec::new(), at: 0, stop }, length))
    }
}

impl Read for Feed<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            match self.pieces.recv_timeout(LOOK) {
                Ok(piece) => (self.piece, self.at) = (piece?, 0),
                Err(RecvTimeoutError::Timeout) if !self.stop.load(Relaxed) => continue,
                Err(_) => return Ok(0),
            }
            if self.piece.is_empty() {
                return Ok(0);
            }
        }
        let length = out.len().min(self.piece.len() - self.at);
        out[..length].copy_from_slice(&self.piece[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}
