//! Opening files: plain or gzipped, with errors that say what is wrong.

use crate::error::{FileLocation, ImportError, Problem};
use crate::progress::Progress;
use flate2::bufread::MultiGzDecoder;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// An opened file, unpacked on the way if it is gzipped.
pub(crate) struct Input<'a> {
    /// Where it came from, for errors.
    pub path: PathBuf,
    /// Its size on disk.
    pub size: u64,
    packed: bool,
    reader: Reader<'a>,
}

/// What every gzipped file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

impl<'a> Input<'a> {
    /// Opens a file; `progress` hears of every byte taken from disk.
    pub(crate) fn open(path: &Path, progress: &'a dyn Progress) -> Result<Input<'a>, ImportError> {
        let problem = |error: io::Error| FileLocation::File.of(path, error);
        let file = File::open(path).map_err(problem)?;
        let metadata = file.metadata().map_err(problem)?;
        if metadata.is_dir() {
            return Err(FileLocation::File.of(path, Problem::Directory));
        }
        let raw = BufReader::with_capacity(1 << 18, Counted { file, progress });
        let (packed, reader) = unpacked(raw).map_err(problem)?;
        Ok(Input { path: path.to_owned(), size: metadata.len(), packed, reader })
    }

    /// Opens a file as a stage of its own: `progress` hears of its size first.
    pub(crate) fn begin(
        path: &Path,
        stage: &'static str,
        progress: &'a dyn Progress,
    ) -> Result<Input<'a>, ImportError> {
        progress.begin(stage, fs::metadata(path).map_or(0, |metadata| metadata.len()));
        Input::open(path, progress)
    }

    /// Bytes in memory as if they were the file `path`.
    pub(crate) fn from_bytes(
        path: impl AsRef<Path>,
        bytes: impl AsRef<[u8]> + Send + 'a,
    ) -> Input<'a> {
        let size = bytes.as_ref().len() as u64;
        let (packed, reader) = unpacked(io::Cursor::new(bytes)).expect("memory can always be read");
        Input { path: path.as_ref().to_owned(), size, packed, reader }
    }

    /// The first bytes, without taking them; at least one unless the file is empty.
    pub(crate) fn peek(&mut self) -> Result<&[u8], ImportError> {
        self.peek_at(FileLocation::File)
    }

    /// The next bytes, without taking them; none at the end of the file. `location` is for errors.
    pub(crate) fn peek_at(&mut self, location: FileLocation) -> Result<&[u8], ImportError> {
        let location = self.location(location);
        self.reader.fill_buf().map_err(|error| location.of(&self.path, error))
    }

    /// This file has a problem at `location`.
    pub(crate) fn error(&self, location: FileLocation, problem: impl Into<Problem>) -> ImportError {
        self.location(location).of(&self.path, problem)
    }

    /// Readers count what they read, which in a gzipped file is not where it lies on disk.
    fn location(&self, location: FileLocation) -> FileLocation {
        match location {
            FileLocation::Byte(byte) if self.packed => FileLocation::UnpackedByte(byte),
            _ => location,
        }
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

type Reader<'a> = Box<dyn BufRead + Send + 'a>;

/// Whether `raw` is gzipped, and what it holds, unpacked if it is.
fn unpacked<'a>(mut raw: impl BufRead + Send + 'a) -> io::Result<(bool, Reader<'a>)> {
    if raw.fill_buf()?.starts_with(&GZIP) {
        Ok((true, Box::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(raw)))))
    } else {
        Ok((false, Box::new(raw)))
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
