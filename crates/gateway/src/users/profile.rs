//! One user with settings.

use super::{RecentReports, UserSettings};
use crate::keys::{SecretHash, hexadecimal};
use meshcloak::private::Private;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

/// A user with settings.
#[derive(Clone)]
pub struct UserProfile {
    /// Name of the account.
    pub account: Box<str>,
    /// Name of the user within the account.
    pub name: Box<str>,
    /// Checked settings.
    pub settings: Arc<UserSettings>,
    pub(super) tokens: Vec<Token>,
    pub(super) recent_reports: Arc<Mutex<RecentReports>>,
}

/// Prints nothing that identifies the user.
impl std::fmt::Debug for UserProfile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UserProfile(…)")
    }
}

impl UserProfile {
    /// Locks the recent reports of this user's trackers.
    pub fn recent_reports(&self) -> MutexGuard<'_, RecentReports> {
        self.recent_reports.lock()
    }

    /// Returns the ids of all tokens.
    pub fn token_ids(&self) -> Vec<String> {
        self.tokens.iter().map(|token| token.id.clone()).collect()
    }

    pub(super) fn sort_key(&self) -> (&str, &str) {
        (&self.account, &self.name)
    }
}

/// A token, stored as its hash.
#[derive(Clone)]
pub(super) struct Token {
    pub id: String,
    pub hash: SecretHash,
}

impl Token {
    /// The id is the first 12 digits of the hash.
    pub fn new(hash: SecretHash) -> Token {
        let mut id = hexadecimal(&hash);
        id.truncate(12);
        Token { id, hash }
    }
}

/// A token that was just created.
#[derive(Debug)]
pub struct NewToken {
    /// Identifies the token in lists and for revocation.
    pub id: String,
    /// The token itself; it cannot be shown again.
    pub token: Private<String>,
}
