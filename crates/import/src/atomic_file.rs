//! A file that is written incrementally and appears under its name when complete.
//!
//! See `output` for sets of files that appear together.

use crate::error::{FileLocation, ImportError};
use crate::output::is_gzip_name;
use crate::pending_file::PendingFile;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file being written; nothing is left when it is dropped before [`AtomicFile::finish`].
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Plain(BufWriter<PendingFile>),
    Gzipped(Box<GzEncoder<BufWriter<PendingFile>>>),
}

impl AtomicFile {
    /// Creates the future file at `path`; gzipped if the extension is `.gz`.
    pub fn create(path: &Path) -> Result<AtomicFile, ImportError> {
        AtomicFile::with_compression(path, Compression::fast())
    }

    /// Creates the future file; `compression` applies if the extension is `.gz`.
    pub(crate) fn with_compression(
        path: &Path,
        compression: Compression,
    ) -> Result<AtomicFile, ImportError> {
        let plain = BufWriter::with_capacity(1 << 17, PendingFile::create(path)?);
        let sink = if is_gzip_name(path) {
            let gzip = GzBuilder::new().mtime(0).write(plain, compression);
            Sink::Gzipped(Box::new(gzip))
        } else {
            Sink::Plain(plain)
        };
        Ok(AtomicFile { path: path.to_owned(), sink })
    }

    /// Appends bytes.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.write_with(|out| out.write_all(bytes))
    }

    /// Appends what `write` writes.
    pub(crate) fn write_with(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), ImportError> {
        let written = match &mut self.sink {
            Sink::Plain(out) => write(out),
            Sink::Gzipped(out) => write(out),
        };
        written.map_err(|error| FileLocation::File.of(&self.path, error))
    }

    /// Completes the file and renames it to its final name.
    pub fn finish(self) -> Result<(), ImportError> {
        self.complete()?.commit()
    }

    /// Writes all buffered data; the file can then be renamed.
    pub(crate) fn complete(self) -> Result<CompleteFile, ImportError> {
        let path = self.path;
        let plain = match self.sink {
            Sink::Plain(out) => Ok(out),
            Sink::Gzipped(out) => out.finish(),
        };
        let written = plain.and_then(|out| out.into_inner().map_err(io::Error::from));
        let file = written.map_err(|error| FileLocation::File.of(&path, error))?;
        Ok(CompleteFile { file, path })
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Plain(out) => out.write(bytes),
            Sink::Gzipped(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Plain(out) => out.flush(),
            Sink::Gzipped(out) => out.flush(),
        }
    }
}

/// A complete file before its final rename.
#[derive(Debug)]
pub(crate) struct CompleteFile {
    file: PendingFile,
    path: PathBuf,
}

impl CompleteFile {
    /// Renames the file to its final name.
    pub(crate) fn commit(self) -> Result<(), ImportError> {
        self.file.finish().map_err(|error| FileLocation::File.of(&self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Read as _;

    #[test]
    fn a_file_appears_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.csv", "a.csv.gz"] {
            let path = folder.path().join(name);
            let mut file = AtomicFile::create(&path).unwrap();
            file.add(b"one,").unwrap();
            file.add(b"two").unwrap();
            assert!(!path.exists());
            file.finish().unwrap();
            let bytes = fs::read(&path).unwrap();
            let mut text = String::new();
            if name.ends_with("gz") {
                flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
            } else {
                text = String::from_utf8(bytes).unwrap();
            }
            assert_eq!(text, "one,two");
        }
    }

    #[test]
    fn an_unfinished_file_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = AtomicFile::create(&folder.path().join("a")).unwrap();
        file.add(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(AtomicFile::create(folder.path()).is_err());
    }
}
