//! Ids of users: keyed hashes of account and name.

use crate::accounts::Account;
use crate::keys::{KeyError, SecretHash};
use meshcloak::query::UserId;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;

/// Key of user ids that are the same in later processes.
#[derive(Clone, Copy)]
pub struct UserSecret(pub [u8; 32]);

/// Prints no bits.
impl std::fmt::Debug for UserSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UserSecret(…)")
    }
}

impl UserSecret {
    /// Derives a key from a file of at least 32 bytes.
    ///
    /// # Errors
    /// The file cannot be read or is too short.
    pub fn read(path: &Path) -> Result<UserSecret, KeyError> {
        let wrong = |problem: String| KeyError::File { path: path.to_owned(), problem };
        let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
        if bytes.len() < 32 {
            return Err(wrong(format!("{} bytes; expected at least 32 random ones", bytes.len())));
        }
        Ok(UserSecret(Sha256::digest(&bytes).into()))
    }

    /// Returns a keyed hash of two texts, the first of which contains no slash.
    pub fn digest(&self, first: &str, second: &str) -> u64 {
        let hash = Sha256::new().chain_update(self.0).chain_update(first).chain_update("/");
        let hash: SecretHash = hash.chain_update(second).finalize().into();
        hash.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }
}

/// Keyed hash from (account, user name) to user ids. The key exists only in this process, unless
/// the gateway records which users it has served.
///
/// Among a million users a collision has a probability of 1 in 37 million. Two users with the same
/// id count as one, so a collision never weakens k.
#[derive(Debug, Default)]
pub struct UserIds {
    secret: RandomState,
    persistent: Option<UserSecret>,
}

impl UserIds {
    /// Creates ids that are the same in all processes with this key.
    pub fn persistent(secret: Option<UserSecret>) -> UserIds {
        UserIds { persistent: secret, ..UserIds::default() }
    }

    /// Returns the id of a user.
    pub fn user(&self, account: &Account, name: &str) -> UserId {
        self.named(account.name(), name)
    }

    /// Returns the id of a user by the name of the account.
    pub fn named(&self, account: &str, name: &str) -> UserId {
        UserId(match &self.persistent {
            Some(secret) => secret.digest(account, name),
            None => self.secret.hash_one((account, name)),
        })
    }

    /// Returns a keyed hash, equal for equal values.
    pub fn digest(&self, value: impl std::hash::Hash) -> u64 {
        self.secret.hash_one(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_user_name_in_two_accounts_has_two_ids() {
        for ids in [UserIds::default(), UserIds::persistent(Some(UserSecret([7; 32])))] {
            assert!(ids.named("a", "jo") == ids.named("a", "jo"));
            assert!(ids.named("a", "jo") != ids.named("b", "jo"));
        }
    }

    #[test]
    fn persistent_ids_depend_on_their_key_only() {
        let ids = |byte| UserIds::persistent(Some(UserSecret([byte; 32])));
        assert!(ids(7).named("a", "jo") == ids(7).named("a", "jo"));
        assert!(ids(7).named("a", "jo") != ids(8).named("a", "jo"));
        let fresh = [UserIds::default(), UserIds::default()].map(|ids| ids.named("a", "jo"));
        assert!(fresh[0] != fresh[1], "without a record ids differ between processes");
    }
}
