//! Atomic output of one or more files: each is written to a temporary file in the same folder and
//! renamed at the end.
//!
//! All files of a map are written before the first is renamed. Devices and pipes are written
//! directly ([`crate::pending_file`]). Names with the extension `.gz` are gzipped without a time
//! stamp, so that equal maps give equal bytes.

use crate::atomic_file::{AtomicFile, CompleteFile};
use crate::error::{FileLocation, ImportError, Problem};
use flate2::Compression;
use parking_lot::Mutex;
use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Files written but not yet renamed; removed when dropped.
#[derive(Debug, Default)]
pub(crate) struct Output {
    written: Vec<CompleteFile>,
}

impl Output {
    /// Returns an output without files.
    pub(crate) fn new() -> Output {
        Output::default()
    }

    /// Writes the content of the future file at `path`.
    pub(crate) fn file(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), ImportError> {
        let mut file = AtomicFile::with_compression(path, Compression::default())?;
        file.write_with(write)?;
        self.written.push(file.complete()?);
        Ok(())
    }

    /// Renames all files to their final names.
    pub(crate) fn commit(self) -> Result<(), ImportError> {
        self.written.into_iter().try_for_each(CompleteFile::commit)
    }
}

/// Writes `bytes` to the file at `path` atomically.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ImportError> {
    let mut output = Output::new();
    output.file(path, |file| file.write_all(bytes))?;
    output.commit()
}

/// Creates a temporary file in the folder of `path`, with the default permissions of new files.
pub(crate) fn temporary_beside(path: &Path) -> Result<NamedTempFile, ImportError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".writing-").permissions(Permissions::from_mode(0o666));
    let mut unfinished = UNFINISHED.lock();
    let file = builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(|error| {
        let problem = match error.kind() {
            io::ErrorKind::NotFound => {
                Problem::Io(io::Error::new(error.kind(), "the folder does not exist"))
            }
            _ => error.into(),
        };
        FileLocation::File.of(path, problem)
    })?;
    unfinished.retain(|path| path.exists());
    unfinished.push(file.path().to_owned());
    Ok(file)
}

/// Temporary files to remove if the process exits without running destructors.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes all temporary files, for a process that exits immediately after an interrupt.
///
/// The lock stays held: threads that create a file afterwards block until the process exits.
pub fn discard_unfinished() {
    let mut unfinished = UNFINISHED.lock();
    for path in unfinished.drain(..) {
        // Fails if the file has been renamed, which is fine.
        std::fs::remove_file(path).ok();
    }
    std::mem::forget(unfinished);
}

/// Returns whether a file name has the extension `.gz`.
pub(crate) fn is_gzip_name(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_appear_together_and_complete() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b.gz"].map(|name| folder.path().join(name));
        let mut output = Output::new();
        output.file(&a, |out| out.write_all(b"one")).unwrap();
        output.file(&b, |out| out.write_all(b"two")).unwrap();
        assert!(!a.exists() && !b.exists());
        output.commit().unwrap();
        assert_eq!(names(folder.path()), ["a", "b.gz"]);
        assert_eq!(fs::read(&a).unwrap(), b"one");
        let packed = fs::read(&b).unwrap();
        assert_eq!(packed[..2], [0x1f, 0x8b]);
        assert_eq!(packed[4..8], [0; 4], "no time stamp");
        let mut text = String::new();
        let mut unpacked = flate2::read::GzDecoder::new(&packed[..]);
        io::Read::read_to_string(&mut unpacked, &mut text).unwrap();
        assert_eq!(text, "two");
    }

    #[test]
    fn a_write_error_keeps_the_old_file_and_removes_temporary_files() {
        let folder = tempfile::tempdir().unwrap();
        let a = folder.path().join("a");
        fs::write(&a, "old").unwrap();
        let mut output = Output::new();
        output.file(&a, |out| out.write_all(b"new")).unwrap();
        let failed = output.file(&folder.path().join("b"), |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("disk failure"))
        });
        assert!(failed.unwrap_err().to_string().ends_with("b: disk failure"));
        drop(output);
        assert_eq!(names(folder.path()), ["a"]);
        assert_eq!(fs::read(&a).unwrap(), b"old");
    }

    #[test]
    fn a_path_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let message = |path: &Path| Output::new().file(path, |_| Ok(())).unwrap_err().to_string();
        let lost = folder.path().join("nowhere/a");
        assert_eq!(message(&lost), format!("{}: the folder does not exist", lost.display()));
        let taken = folder.path();
        assert_eq!(message(taken), format!("{}: is a directory; expected a file", taken.display()));
    }
}
