//! The files of the record: two generations of hashes and their key.
//!
//! ```text
//! PATH      users of this generation        PATH.old  users of the one before
//!   header  "MCserved", check u64           check: hash of key and horizon
//!   frame   count u32, crc32 u32, count × u64
//!   …
//! PATH.key  256 bits, hexadecimal
//! ```
//!
//! Integers are little-endian. A frame is one batch. A last frame that is cut off was not synced, so
//! that its users were not published: it is dropped. A file that is cut between two frames cannot be
//! told from a shorter one. Any other damage is corruption, and so is a file of another horizon, which
//! holds users of that time only. The files grow
//! to at most [`MAX_USERS`] hashes each; beyond it one hash stands for all users.

use super::KnownUsers;
use crate::config::AfterStart;
use crate::keys::{hexadecimal, parse_hash};
use crate::private_file::{create_private, replace_file, sync_folder, with_suffix};
use crate::user_ids::UserSecret;
use meshcloak::query::UserId;
use rustc_hash::FxHashSet;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

const MAGIC: &[u8; 8] = b"MCserved";
const HEADER_LEN: usize = 16;

/// Largest number of users of a generation: 32 MB.
const MAX_USERS: usize = 1 << 22;

/// Stands for all users.
const ALL_USERS: UserId = UserId(u64::MAX);

/// The record of this generation, open for appending.
pub(super) struct RecordFile {
    path: PathBuf,
    check: u64,
    file: File,
    /// Synced length in bytes.
    len: u64,
    recorded: FxHashSet<UserId>,
    /// Locked as long as this process uses the record.
    _lock: File,
}

/// An opened record.
pub(super) struct Opened {
    pub file: RecordFile,
    pub known: KnownUsers,
    pub secret: UserSecret,
}

/// Content of one file.
struct Generation {
    users: FxHashSet<UserId>,
    /// Length without a frame that was cut off.
    len: u64,
}

impl RecordFile {
    /// Opens the record, or creates it. A created one stands for all users, unless there was no file
    /// and [`AfterStart::New`] declares that this is the first start.
    pub fn open(path: &Path, horizon: Duration, after_start: AfterStart) -> io::Result<Opened> {
        let (key_path, old_path) = (with_suffix(path, ".key"), with_suffix(path, ".old"));
        let exists = key_path.try_exists()? || path.try_exists()? || old_path.try_exists()?;
        let is_first = !exists && after_start == AfterStart::New;
        let (secret, lock) = open_key(&key_path)?;
        let check = secret.digest("check", &horizon.as_millis().to_string());
        let (current, old) = (read(path, check)?, read(&old_path, check)?);
        if let (Some(current), Some(old)) = (current, old) {
            let all: FxHashSet<UserId> = current.users.union(&old.users).copied().collect();
            let known = match all.contains(&ALL_USERS) {
                true => KnownUsers::All,
                false => KnownUsers::Listed(all),
            };
            let file = append_to(path, current.len)?;
            let Generation { users: recorded, len } = current;
            let file =
                RecordFile { path: path.to_owned(), check, file, len, recorded, _lock: lock };
            return Ok(Opened { file, known, secret });
        }
        for path in [path, &old_path] {
            create_generation(path, check)?;
        }
        let (file, len) = (append_to(path, HEADER_LEN as u64)?, HEADER_LEN as u64);
        let recorded = FxHashSet::default();
        let mut file =
            RecordFile { path: path.to_owned(), check, file, len, recorded, _lock: lock };
        if is_first {
            return Ok(Opened { file, known: KnownUsers::Listed(FxHashSet::default()), secret });
        }
        // A start after this one must refuse all users too.
        file.append([ALL_USERS].into_iter())?;
        Ok(Opened { file, known: KnownUsers::All, secret })
    }

    /// Appends the users that this generation does not hold yet, and waits until they are on disk.
    pub fn append(&mut self, users: impl Iterator<Item = UserId>) -> io::Result<()> {
        if self.recorded.contains(&ALL_USERS) {
            return Ok(());
        }
        let mut new: FxHashSet<UserId> =
            users.filter(|user| !self.recorded.contains(user)).collect();
        if new.is_empty() {
            return Ok(());
        }
        if self.recorded.len().saturating_add(new.len()) > MAX_USERS {
            tracing::warn!("engine.record is full: after a start all users will be refused");
            new = FxHashSet::from_iter([ALL_USERS]);
        }
        let frame = frame(&new);
        let written = self.file.write_all(&frame).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // Removes a part of the frame, which would look like corruption later.
            self.file.set_len(self.len)?;
            return Err(error);
        }
        self.len = self.len.saturating_add(frame.len() as u64);
        self.recorded.extend(new);
        Ok(())
    }

    /// Lets all later writes fail.
    #[cfg(test)]
    pub fn fill_disk(&mut self) {
        self.file = OpenOptions::new().append(true).open("/dev/full").unwrap();
    }

    /// Starts a new generation; the one before the present is dropped.
    pub fn rotate(&mut self) -> io::Result<()> {
        let (new, old) = (with_suffix(&self.path, ".new"), with_suffix(&self.path, ".old"));
        create_generation(&new, self.check)?;
        fs::rename(&self.path, old)?;
        fs::rename(&new, &self.path)?;
        sync_folder(&self.path)?;
        self.len = HEADER_LEN as u64;
        self.file = append_to(&self.path, self.len)?;
        self.recorded.clear();
        Ok(())
    }
}

/// Removes the users of this generation, unless a process uses the record: the next start counts it
/// as incomplete.
pub(super) fn discard(path: &Path) -> io::Result<()> {
    // On a read-only file system the removal of a missing file fails.
    if !path.try_exists()? {
        return Ok(());
    }
    match File::open(with_suffix(path, ".key")) {
        Ok(key) if flock(&key, FlockOperation::NonBlockingLockExclusive).is_err() => Ok(()),
        _ => fs::remove_file(path),
    }
}

/// Reads the key, or creates one if it is missing or malformed. Locks it.
fn open_key(path: &Path) -> io::Result<(UserSecret, File)> {
    let stored = match fs::read_to_string(path) {
        Ok(text) => parse_hash(text.trim()),
        Err(error) if [ErrorKind::NotFound, ErrorKind::InvalidData].contains(&error.kind()) => None,
        Err(error) => return Err(error),
    };
    let key = match stored {
        Some(key) => key,
        None => {
            let mut key = [0; 32];
            getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
            replace_file(path, &hexadecimal(&key))?;
            key
        }
    };
    let file = File::open(path)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| io::Error::other("another process uses it"))?;
    Ok((UserSecret(key), file))
}

/// Reads one generation; `None` if it is missing or corrupt.
fn read(path: &Path, check: u64) -> io::Result<Option<Generation>> {
    // Twice the capacity: an overfull file is corrupt and is not read into memory.
    const MAX_LEN: u64 = MAX_USERS as u64 * 16 * 2;
    match fs::metadata(path) {
        Ok(data) if data.len() > MAX_LEN => return Ok(None),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    Ok(parse(&fs::read(path)?, check))
}

fn parse(bytes: &[u8], check: u64) -> Option<Generation> {
    let mut rest = bytes.strip_prefix(&header(check)[..])?;
    let mut users = FxHashSet::default();
    while let Some((head, tail)) = rest.split_at_checked(8) {
        let count = u32::from_le_bytes(head.first_chunk().copied()?) as usize;
        let crc = u32::from_le_bytes(head.last_chunk().copied()?);
        if count == 0 || count > MAX_USERS {
            return None;
        }
        let Some((hashes, tail)) = tail.split_at_checked(count.saturating_mul(8)) else { break };
        if checksum(hashes) != crc {
            return None;
        }
        users.extend(hashes.as_chunks().0.iter().map(|&hash| UserId(u64::from_le_bytes(hash))));
        rest = tail;
    }
    Some(Generation { users, len: bytes.len().saturating_sub(rest.len()) as u64 })
}

/// Builds a frame. Sorted, so that the order of arrival is not stored.
fn frame(users: &FxHashSet<UserId>) -> Vec<u8> {
    let mut sorted: Vec<u64> = users.iter().map(|user| user.0).collect();
    sorted.sort_unstable();
    let hashes: Vec<u8> = sorted.into_iter().flat_map(u64::to_le_bytes).collect();
    let count = u32::try_from(users.len()).unwrap_or(u32::MAX);
    [&count.to_le_bytes(), &checksum(&hashes).to_le_bytes(), &hashes[..]].concat()
}

fn checksum(hashes: &[u8]) -> u32 {
    crc32fast::hash(hashes)
}

fn header(check: u64) -> [u8; HEADER_LEN] {
    let mut header = [0; HEADER_LEN];
    header[..8].copy_from_slice(MAGIC);
    header[8..].copy_from_slice(&check.to_le_bytes());
    header
}

/// Creates a file without users in place of an existing one.
fn create_generation(path: &Path, check: u64) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = create_private(path)?;
    file.write_all(&header(check))?;
    file.sync_all()?;
    sync_folder(path)
}

/// Opens a file for appending after its first `len` bytes.
fn append_to(path: &Path, len: u64) -> io::Result<File> {
    let file = OpenOptions::new().append(true).open(path)?;
    file.set_len(len)?;
    Ok(file)
}
