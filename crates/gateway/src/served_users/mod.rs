//! Refusal of known users after a start under `history`.
//!
//! A start forgets the previous positions of all users: a user's next query would be answered
//! without one (`history: new`), even after an impossible jump. For one horizon after a start, users
//! whose queries an earlier process accepted are therefore refused. Afterwards their previous
//! positions are older than the horizon and no longer count.
//!
//! Known users are in a file of 64-bit keyed hashes, without names, positions or times; its key is
//! in a second file. A Bloom filter would be smaller, but each batch would change random pages of it
//! and a torn page is not detectable; appended frames with a checksum are, and 8 bytes per user and
//! horizon are small enough. Users of a batch are on disk before the batch can publish any of them.
//!
//! | at the start | refused for one horizon |
//! |---|---|
//! | key and record are complete | users in the record |
//! | a file is missing or corrupt, as at a first start, or of another `engine.horizon` | all users |
//! | no file is configured | all users |
//! | a file cannot be read or written | the gateway does not start |
//!
//! A missing record counts as a lost one: a gateway may have served users without a record, under
//! other settings or at another path. With `engine.after_start = "new"` no user is refused, but users
//! are recorded for later starts; this is how an operator declares a first start. A gateway without
//! `history` removes the record, which would be incomplete.

mod file;
#[cfg(test)]
mod tests;

use crate::config::AfterStart;
use crate::error::Refusal;
use crate::keys::KeyError;
use crate::user_ids::UserSecret;
use file::{Opened, RecordFile};
use meshcloak::query::UserId;
use meshcloak::units::Time;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashSet;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Users served by earlier processes, and the record for later ones.
pub struct ServedUsers {
    horizon: Duration,
    known: RwLock<KnownUsers>,
    record: Option<Mutex<Record>>,
    secret: Option<UserSecret>,
}

/// The open record.
struct Record {
    file: RecordFile,
    /// Time of the next generation.
    rotate_at: Time,
}

/// Users that an earlier process has served.
#[derive(Debug, PartialEq)]
enum KnownUsers {
    /// Any user may have been served.
    All,
    /// Exactly these users.
    Listed(FxHashSet<UserId>),
}

/// Prints no user.
impl std::fmt::Debug for ServedUsers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ServedUsers(…)")
    }
}

impl ServedUsers {
    /// Opens the record at `path`. Without a path no user is recorded, and every user counts as known.
    ///
    /// # Errors
    /// A file cannot be read or written, or another process uses it.
    pub fn open(
        path: Option<&Path>,
        horizon: Duration,
        after_start: AfterStart,
    ) -> Result<ServedUsers, KeyError> {
        let opened = path.map(|path| {
            RecordFile::open(path, horizon, after_start).map_err(|error| file_error(path, &error))
        });
        let (known, record, secret) = match opened.transpose()? {
            Some(Opened { file, known, secret }) => (known, Some(file), Some(secret)),
            None => (KnownUsers::All, None, None),
        };
        let known = match after_start {
            AfterStart::Refuse => known,
            AfterStart::New => KnownUsers::Listed(FxHashSet::default()),
        };
        if known == KnownUsers::All {
            tracing::warn!(
                "the record of served users (engine.record) is missing or incomplete: all users \
                 are refused for one engine.horizon; at the first start of an installation \
                 engine.after_start = \"new\" admits them"
            );
        }
        let record = record.map(|file| {
            let rotate_at = after(Time::default(), horizon);
            Mutex::new(Record { file, rotate_at })
        });
        Ok(ServedUsers { horizon, known: RwLock::new(known), record, secret })
    }

    /// Removes a record that this gateway does not continue, because it does not run under
    /// `history`. A record that another process uses stays.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn discard(path: &Path) -> Result<(), KeyError> {
        file::discard(path).map_err(|error| file_error(path, &error))
    }

    /// Key of the user ids, the same for all processes that use the record.
    pub fn secret(&self) -> Option<UserSecret> {
        self.secret
    }

    /// Refuses a known user until one horizon after the start.
    pub fn admit(&self, user: UserId, now: Time) -> Result<(), Refusal> {
        let left = after(Time::default(), self.horizon).as_millis().saturating_sub(now.as_millis());
        if left == 0 {
            return Ok(());
        }
        let is_known = match &*self.known.read() {
            KnownUsers::All => true,
            KnownUsers::Listed(users) => users.contains(&user),
        };
        let seconds = u32::try_from(left.div_ceil(1000)).unwrap_or(u32::MAX);
        if is_known { Err(Refusal::AfterStart(seconds)) } else { Ok(()) }
    }

    /// Writes the users of a batch to disk. They must not be published before it returns.
    ///
    /// Cost: one synced write (about 4 ms) in batches with users that are new in this horizon, none
    /// otherwise.
    ///
    /// # Errors
    /// The file cannot be written. Nothing of the batch may be published then.
    pub fn record(&self, users: impl Iterator<Item = UserId>, now: Time) -> io::Result<()> {
        let Some(record) = &self.record else { return Ok(()) };
        let mut record = record.lock();
        if now >= record.rotate_at {
            record.rotate_at = after(now, self.horizon);
            // Of no use any more.
            *self.known.write() = KnownUsers::Listed(FxHashSet::default());
            if let Err(error) = record.file.rotate() {
                tracing::error!(%error, "cannot start a new engine.record; the old one grows");
            }
        }
        record.file.append(users)
    }
}

fn file_error(path: &Path, error: &io::Error) -> KeyError {
    KeyError::File { path: path.to_owned(), problem: format!("`engine.record`: {error}") }
}

/// Returns the time one horizon later.
#[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
fn after(now: Time, horizon: Duration) -> Time {
    now + horizon
}
