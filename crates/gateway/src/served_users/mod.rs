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
//! | neither key nor record exists | none: the first start of this gateway |
//! | key and record are complete | users in the record |
//! | one of them is missing, or the record is corrupt | all users |
//! | no file is configured | all users |
//! | a file cannot be read or written | the gateway does not start |

mod file;
#[cfg(test)]
mod tests;

use crate::error::Refusal;
use crate::keys::KeyError;
use crate::user_ids::UserSecret;
use file::RecordFile;
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
    /// Opens the record at `path`. Without a path no user is recorded and all are refused.
    ///
    /// # Errors
    /// A file cannot be read or written, or another process uses it.
    pub fn open(path: Option<&Path>, horizon: Duration) -> Result<ServedUsers, KeyError> {
        let Some(path) = path else {
            let known = RwLock::new(KnownUsers::All);
            return Ok(ServedUsers { horizon, known, record: None, secret: None });
        };
        let wrong = |error: io::Error| KeyError::File {
            path: path.to_owned(),
            problem: format!("`engine.record`: {error}"),
        };
        let opened = RecordFile::open(path).map_err(wrong)?;
        if opened.known == KnownUsers::All {
            tracing::warn!(
                "the record of served users (engine.record) is incomplete: all users are refused \
                 for one engine.horizon"
            );
        }
        let record = Record { file: opened.file, rotate_at: after(Time::default(), horizon) };
        Ok(ServedUsers {
            horizon,
            known: RwLock::new(opened.known),
            record: Some(Mutex::new(record)),
            secret: Some(opened.secret),
        })
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

/// Returns the time one horizon later.
#[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
fn after(now: Time, horizon: Duration) -> Time {
    now + horizon
}
