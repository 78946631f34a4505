//! Buffered input from plain or gzipped files, with located errors.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

use crate::error::{FileLocation, ImportError, Problem};
use crate::progress::Progress;
use flate2::bufread::MultiGzDecoder;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// An open file; gzip is decompressed transparently.
pub(crate) struct Input<'a> {
    /// Path, for errors.
    pub path: PathBuf,
    /// Size on disk, in bytes.
    pub size: u64,
    is_gzipped: bool,
    reader: Reader<'a>,
}

/// First bytes of every gzipped file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

impl<'a> Input<'a> {
    /// Opens a file; every byte read from disk is reported to `progress`.
    pub(crate) fn open(path: &Path, progress: &'a dyn Progress) -> Result<Input<'a>, ImportError> {
        let problem = |error: io::Error| FileLocation::File.of(path, error);
        let file = File::open(path).map_err(problem)?;
        let metadata = file.metadata().map_err(problem)?;
        if metadata.is_dir() {
            return Err(FileLocation::File.of(path, Problem::Directory));
        }
        let raw = BufReader::with_capacity(1 << 18, CountedFile { file, progress });
        let (is_gzipped, reader) = decompressed(raw).map_err(problem)?;
        Ok(Input { path: path.to_owned(), size: metadata.len(), is_gzipped, reader })
    }

    /// Opens a file and begins a progress stage of its size.
    pub(crate) fn begin(
        path: &Path,
        stage: &'static str,
        progress: &'a dyn Progress,
    ) -> Result<Input<'a>, ImportError> {
        progress.begin(stage, fs::metadata(path).map_or(0, |metadata| metadata.len()));
        Input::open(path, progress)
    }

    /// Returns an input over bytes in memory; `path` is used in errors.
    pub(crate) fn from_bytes(
        path: impl AsRef<Path>,
        bytes: impl AsRef<[u8]> + Send + 'a,
    ) -> Input<'a> {
        let size = bytes.as_ref().len() as u64;
        let (is_gzipped, reader) =
            decompressed(io::Cursor::new(bytes)).expect("reading from memory cannot fail");
        Input { path: path.as_ref().to_owned(), size, is_gzipped, reader }
    }

    /// Returns the first bytes without consuming them; at least one unless the file is empty.
    pub(crate) fn peek(&mut self) -> Result<&[u8], ImportError> {
        self.peek_at(FileLocation::File)
    }

    /// Returns the next bytes without consuming them; none at the end of the file. `location` is
    /// used in errors.
    pub(crate) fn peek_at(&mut self, location: FileLocation) -> Result<&[u8], ImportError> {
        let location = self.resolve(location);
        self.reader.fill_buf().map_err(|error| location.of(&self.path, error))
    }

    /// Reads line `number` with its line end, at most `max` bytes; false at the end of the file.
    pub(crate) fn read_line(
        &mut self,
        number: u64,
        max: u64,
        line: &mut Vec<u8>,
    ) -> Result<bool, ImportError> {
        line.clear();
        let location = FileLocation::Line(number);
        let read = self.by_ref().take(max).read_until(b'\n', line);
        let read = read.map_err(|error| self.error(location, error))?;
        if read as u64 == max && !line.ends_with(b"\n") {
            let reason = format!("the line is longer than {max} bytes");
            return Err(self.error(location, Problem::Damaged(reason)));
        }
        Ok(read > 0)
    }

    /// Returns the error for a problem at `location` of this file.
    pub(crate) fn error(&self, location: FileLocation, problem: impl Into<Problem>) -> ImportError {
        self.resolve(location).of(&self.path, problem)
    }

    /// Refuses a gzipped Parquet file: it must be read in any order.
    #[cfg(feature = "parquet")]
    pub(crate) fn refuse_gzip(&self) -> Result<(), ImportError> {
        let reason = "Parquet within gzip; Parquet compresses its own pages";
        match self.is_gzipped {
            true => Err(self.error(FileLocation::File, Problem::Unsupported(reason.into()))),
            false => Ok(()),
        }
    }

    /// Converts a byte offset of a gzipped file, which readers count after decompression.
    fn resolve(&self, location: FileLocation) -> FileLocation {
        match location {
            FileLocation::Byte(byte) if self.is_gzipped => FileLocation::DecompressedByte(byte),
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

/// Returns whether `raw` is gzipped, and a reader of its decompressed content.
fn decompressed<'a>(mut raw: impl BufRead + Send + 'a) -> io::Result<(bool, Reader<'a>)> {
    if raw.fill_buf()?.starts_with(&GZIP_MAGIC) {
        Ok((true, Box::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(raw)))))
    } else {
        Ok((false, Box::new(raw)))
    }
}

/// A file that reports the bytes read from it.
struct CountedFile<'a> {
    file: File,
    progress: &'a dyn Progress,
}

impl Read for CountedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.progress.advance(read as u64);
        Ok(read)
    }
}
