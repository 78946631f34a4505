//! Opening files: plain or gzipped, with errors that say what is wrong.

use crate::error::{ImportError, Place, Problem};
use crate::progress::Progress;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// An opened file, unpacked on the way if it is gzipped.
pub(crate) struct Input<'a> {
    /// Where it came from, for errors.
    pub path: PathBuf,
    /// Its size on disk.
    pub size: u64,
    reader: Box<dyn BufRead + Send + 'a>,
}

/// What every gzipped file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

impl<'a> Input<'a> {
    /// Opens a file; `progress` hears of every byte taken from disk.
    pub(crate) fn open(path: &Path, progress: &'a dyn Progress) -> Result<Input<'a>, ImportError> {
        let problem = |error: io::Error| Place::File.of(path, error);
        let file = File::open(path).map_err(problem)?;
        let metadata = file.metadata().map_err(problem)?;
        if metadata.is_dir() {
            return Err(Place::File.of(path, Problem::Directory));
        }
        let mut raw = BufReader::with_capacity(1 << 18, Counted { file, progress });
        let gzipped = raw.fill_buf().map_err(problem)?.starts_with(&GZIP);
        let reader: Box<dyn BufRead + Send> = if gzipped {
            Box::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(raw)))
        } else {
            Box::new(raw)
        };
        Ok(Input { path: path.to_owned(), size: metadata.len(), reader })
    }

    /// Bytes in memory as if they were the file `path`.
    pub(crate) fn from_bytes(path: &Path, bytes: &'a [u8]) -> Input<'a> {
        let reader: Box<dyn BufRead + Send> = if bytes.starts_with(&GZIP) {
            Box::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(bytes)))
        } else {
            Box::new(bytes)
        };
        Input { path: path.to_owned(), size: bytes.len() as u64, reader }
    }

    /// The first bytes, without taking them; at least one unless the file is empty.
    pub(crate) fn peek(&mut self) -> Result<&[u8], ImportError> {
        self.reader.fill_buf().map_err(|error| Place::File.of(&self.path, error))
    }

    /// This file has a problem at `place`.
    pub(crate) fn error(&self, place: Place, problem: impl Into<Problem>) -> ImportError {
        place.of(&self.path, problem)
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl BufRead for Input<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume(amount);
    }
}

struct Counted<'a> {
    file: File,
    progress: &'a dyn Progress,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.progress.advance(read as u64);
        Ok(read)
    }
}
