//! Files readable by their owner only: atomic, durable replacement, and an advisory lock.

use rustix::fs::{FlockOperation, flock};
use rustix::process::geteuid;
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};

/// Replaces a file atomically and durably. The new file keeps owner, group and mode of the old one.
/// Without an old one it is readable by its owner only.
///
/// # Errors
/// Owner or group cannot be kept, or an error of the file system. The old file is unchanged then.
pub(crate) fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    // Resolves symbolic links, so that the target is replaced and not the link.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let temporary = with_suffix(path, ".new");
    // A file left behind by a crash may have wrong permissions, which it would keep.
    fs::remove_file(&temporary).ok();
    let written = write_new(&temporary, path, text.as_bytes())
        .and_then(|()| verify(&temporary, path, text))
        .and_then(|()| fs::rename(&temporary, path))
        .and_then(|()| sync_folder(path));
    written.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

/// Checks that a new file can be read, has the right content, and owner, group and mode of the old
/// one: a file system may ignore a change of the owner.
fn verify(temporary: &Path, path: &Path, text: &str) -> io::Result<()> {
    if fs::read(temporary)? != text.as_bytes() {
        return Err(io::Error::other("the new file does not hold what was written"));
    }
    let facts = |data: &Metadata| (data.uid(), data.gid(), data.mode());
    match fs::metadata(path) {
        Ok(old) if facts(&old) != facts(&fs::metadata(temporary)?) => {
            Err(io::Error::other("the new file does not have owner, group and mode of the old one"))
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn write_new(temporary: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = create_private(temporary)?;
    match fs::metadata(path) {
        Ok(old) => {
            set_owner(&file, &old)?;
            file.set_permissions(old.permissions())?;
        }
        // A file created by root belongs to the owner of its folder, which is the gateway's user.
        Err(error) if error.kind() == io::ErrorKind::NotFound && geteuid().is_root() => {
            set_owner(&file, &fs::metadata(folder_of(path))?)?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// Gives a file the owner and group of another.
fn set_owner(file: &File, wanted: &Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    let (uid, gid) = (wanted.uid(), wanted.gid());
    if (now.uid(), now.gid()) == (uid, gid) {
        return Ok(());
    }
    fchown(file, Some(uid), Some(gid)).map_err(|error| {
        let problem = format!(
            "cannot keep the owner {uid} and group {gid} of the file ({error}); run the command as \
             that user or as root"
        );
        io::Error::new(error.kind(), problem)
    })
}

/// Creates a file that its owner alone can read. An existing file is an error.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Makes the creation or renaming of a file durable.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().unwrap_or(Path::new("/"));
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// Appends a suffix to the name of a file.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// Exclusive advisory lock on the folder of a file, held until it is dropped. The file itself cannot
/// be locked: its replacement is another file.
#[derive(Debug)]
pub(crate) struct FolderLock(#[expect(dead_code, reason = "closing the file unlocks it")] File);

impl FolderLock {
    /// Waits for the lock.
    pub fn of(path: &Path) -> io::Result<FolderLock> {
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = File::open(folder_of(path))?;
        flock(&folder, FlockOperation::LockExclusive)?;
        Ok(FolderLock(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_replaced_file_keeps_owner_group_and_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        replace_file(&path, "old").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        // Only root can give a file away. Without root owner and group are compared with themselves.
        let [user, group] = [1234, 5678].map(|id| geteuid().is_root().then_some(id));
        std::os::unix::fs::chown(&path, user, group).unwrap();
        let before = fs::metadata(&path).unwrap();
        replace_file(&path, "new").unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_ne!(before.ino(), after.ino(), "the file was replaced");
        let facts = |data: &Metadata| (data.uid(), data.gid(), data.mode());
        assert_eq!(facts(&before), facts(&after));
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
