//! What is being written: beside its final name if that is the name of a file, and straight to
//! what is there already if that is none: a device or a pipe is written to, never replaced.

use crate::error::{FileLocation, ImportError, Problem};
use crate::output::beside;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Something on its way to a path. Dropped before [`PendingFile::finish`], it leaves no file behind.
#[derive(Debug)]
pub(crate) enum PendingFile {
    /// To be renamed.
    Beside(NamedTempFile, PathBuf),
    /// No file: it takes what it is given.
    Straight(File),
}

impl PendingFile {
    /// Begins what will be at `path`. A link stays a link, to the new file.
    pub(crate) fn of(path: &Path) -> Result<PendingFile, ImportError> {
        let at = |error: io::Error| FileLocation::File.of(path, error);
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => Err(FileLocation::File.of(path, Problem::Directory)),
            Ok(there) if there.is_file() => {
                let path = fs::canonicalize(path).map_err(at)?;
                Ok(PendingFile::Beside(beside(&path)?, path))
            }
            Ok(_) => {
                OpenOptions::new().write(true).open(path).map(PendingFile::Straight).map_err(at)
            }
            Err(_) => Ok(PendingFile::Beside(beside(path)?, path.to_owned())),
        }
    }

    /// Gives it its name.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            PendingFile::Beside(file, path) => {
                file.persist(path).map(drop).map_err(|error| error.error)
            }
            PendingFile::Straight(_) => Ok(()),
        }
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            PendingFile::Beside(file, _) => file.write(bytes),
            PendingFile::Straight(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            PendingFile::Beside(file, _) => file.flush(),
            PendingFile::Straight(file) => file.flush(),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::{FileTypeExt as _, symlink};

    fn write(path: &Path, text: &str) {
        let mut copy = PendingFile::of(path).unwrap();
        copy.write_all(text.as_bytes()).unwrap();
        copy.flush().unwrap();
        copy.finish().unwrap();
    }

    #[test]
    fn a_link_stays_a_link_and_its_file_is_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, lost] = ["file", "link", "lost"].map(|name| folder.path().join(name));
        fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        write(&link, "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        symlink(folder.path().join("nowhere"), &lost).unwrap();
        write(&lost, "found");
        assert_eq!(fs::read_to_string(&lost).unwrap(), "found");
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        // By way of a link of ours: should it be replaced, no harm is done to the system.
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("nothing");
        symlink("/dev/null", &link).unwrap();
        write(&link, "gone");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::metadata(&link).unwrap().file_type().is_char_device());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
