//! An output file before its final rename. Regular files are written to a temporary file; devices
//! and pipes are written directly and never replaced.

use crate::error::{FileLocation, ImportError, Problem};
use crate::output::temporary_beside;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// An output file before its final rename; the temporary file is removed when dropped before
/// [`PendingFile::finish`].
#[derive(Debug)]
pub(crate) enum PendingFile {
    /// A temporary file and its final path.
    Temporary(NamedTempFile, PathBuf),
    /// A device or pipe, written directly.
    Direct(File),
}

impl PendingFile {
    /// Opens the output for `path`. A symbolic link is kept and its target replaced.
    pub(crate) fn create(path: &Path) -> Result<PendingFile, ImportError> {
        let at = |error: io::Error| FileLocation::File.of(path, error);
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                Err(FileLocation::File.of(path, Problem::Directory))
            }
            Ok(metadata) if metadata.is_file() => {
                let path = fs::canonicalize(path).map_err(at)?;
                Ok(PendingFile::Temporary(temporary_beside(&path)?, path))
            }
            Ok(_) => OpenOptions::new().write(true).open(path).map(PendingFile::Direct).map_err(at),
            Err(_) => Ok(PendingFile::Temporary(temporary_beside(path)?, path.to_owned())),
        }
    }

    /// Renames the file to its final name.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            PendingFile::Temporary(file, path) => {
                file.persist(path).map(drop).map_err(|error| error.error)
            }
            PendingFile::Direct(_) => Ok(()),
        }
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            PendingFile::Temporary(file, _) => file.write(bytes),
            PendingFile::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            PendingFile::Temporary(file, _) => file.flush(),
            PendingFile::Direct(file) => file.flush(),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::{FileTypeExt as _, symlink};

    fn write(path: &Path, text: &str) {
        let mut copy = PendingFile::create(path).unwrap();
        copy.write_all(text.as_bytes()).unwrap();
        copy.flush().unwrap();
        copy.finish().unwrap();
    }

    #[test]
    fn a_symbolic_link_is_kept_and_its_target_replaced() {
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
    fn a_device_is_written_and_not_replaced() {
        // Through a link in a temporary folder, so that a failure cannot replace the device.
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("nothing");
        symlink("/dev/null", &link).unwrap();
        write(&link, "gone");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::metadata(&link).unwrap().file_type().is_char_device());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
