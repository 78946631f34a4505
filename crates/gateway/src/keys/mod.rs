//! The file of accounts and keys. A key is 256 random bits and is printed once; the file holds its
//! SHA-256, is readable by its owner only, and is replaced atomically. Replacing it keeps its owner,
//! group and mode, so that the gateway can still read it after a change by root.

mod limit_overrides;

pub use limit_overrides::LimitOverrides;

use crate::private_file::{FolderLock, replace_file};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The SHA-256 of a key or token.
pub type SecretHash = [u8; 32];

/// Contents of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyFile {
    /// Accounts, ascending by name.
    pub accounts: Vec<AccountEntry>,
}

/// One account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountEntry {
    /// Name of the account; user names are unique within it.
    pub name: String,
    /// Limits that differ from the configuration.
    #[serde(default)]
    pub limits: LimitOverrides,
    /// Keys; several during a rotation.
    pub keys: Vec<KeyEntry>,
}

/// A hashed key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyEntry {
    /// Id for listing and revoking: the first 12 digits of the hash.
    pub id: String,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

/// Error of the file of keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error("{path}: {problem}")]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error.
        problem: String,
    },
    /// The system's random generator failed.
    #[error("the random generator of the system failed: {0}")]
    Randomness(getrandom::Error),
    /// The key does not exist.
    #[error("no key with id `{0}`; `meshcloak keys list` lists all")]
    NoSuchKey(String),
    /// The account name is invalid.
    #[error("invalid account name `{0}`: expected 1 to 64 letters, digits, `.`, `_` or `-`")]
    Name(String),
}

/// A new key. Not `Debug`: it holds the secret.
pub struct NewKey {
    /// Id for listing and revoking.
    pub id: String,
    /// The key. Stored nowhere.
    pub secret: String,
}

impl KeyFile {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<KeyFile, KeyError> {
        let wrong = |problem: String| KeyError::File { path: path.to_owned(), problem };
        let text = fs::read_to_string(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                wrong("no such file; `meshcloak keys add ACCOUNT` creates it".into())
            }
            _ => wrong(error.to_string()),
        })?;
        let file: KeyFile =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let keys = file.accounts.iter().flat_map(|account| &account.keys);
        match keys.into_iter().find(|key| key.hash().is_none()) {
            Some(key) => {
                Err(wrong(format!("`sha256` of key `{}` is not 64 hexadecimal digits", key.id)))
            }
            None => Ok(file),
        }
    }

    /// Changes the file under a lock, so that no concurrent change is lost. A missing file counts
    /// as empty.
    ///
    /// # Errors
    /// The file cannot be read or written, or the error of `change`. The file is unchanged then.
    pub fn update<T>(
        path: &Path,
        change: impl FnOnce(&mut KeyFile) -> Result<T, KeyError>,
    ) -> Result<T, KeyError> {
        let wrong = |problem: String| KeyError::File { path: path.to_owned(), problem };
        let _lock = FolderLock::of(path).map_err(|error| wrong(error.to_string()))?;
        let exists = path.try_exists().map_err(|error| wrong(error.to_string()))?;
        let mut file = if exists { KeyFile::read(path)? } else { KeyFile::default() };
        let changed = change(&mut file)?;
        file.write(path)?;
        Ok(changed)
    }

    /// Replaces the file atomically. A new file is readable by its owner only.
    pub fn write(&self, path: &Path) -> Result<(), KeyError> {
        let wrong = |problem: String| KeyError::File { path: path.to_owned(), problem };
        let mut text =
            serde_json::to_string_pretty(self).map_err(|error| wrong(error.to_string()))?;
        text.push('\n');
        replace_file(path, &text).map_err(|error| wrong(error.to_string()))
    }

    /// Adds a key to an account, and creates the account if needed. Limits replace those of the
    /// account unless all are `None`.
    pub fn add(&mut self, name: &str, limits: LimitOverrides) -> Result<NewKey, KeyError> {
        let valid = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if !(1..=64).contains(&name.len()) || !name.chars().all(valid) {
            return Err(KeyError::Name(name.to_owned()));
        }
        let mut bits = [0; 32];
        getrandom::fill(&mut bits).map_err(KeyError::Randomness)?;
        let secret = format!("mc_{}", hexadecimal(&bits));
        let sha256 = hexadecimal(&hash_secret(&secret));
        let id: String = sha256.chars().take(12).collect();
        let entry = KeyEntry { id: id.clone(), sha256 };
        match self.accounts.iter_mut().find(|account| account.name == name) {
            Some(account) => {
                account.keys.push(entry);
                if limits != LimitOverrides::default() {
                    account.limits = limits;
                }
            }
            None => {
                let account = AccountEntry { name: name.to_owned(), limits, keys: vec![entry] };
                self.accounts.push(account);
                self.accounts.sort_by(|a, b| a.name.cmp(&b.name));
            }
        }
        Ok(NewKey { id, secret })
    }

    /// Removes a key, and its account with the last key.
    pub fn revoke(&mut self, id: &str) -> Result<(), KeyError> {
        let mut found = false;
        for account in &mut self.accounts {
            account.keys.retain(|key| {
                found |= key.id == id;
                key.id != id
            });
        }
        self.accounts.retain(|account| !account.keys.is_empty());
        if found { Ok(()) } else { Err(KeyError::NoSuchKey(id.to_owned())) }
    }
}

impl KeyEntry {
    /// Returns the hash as bytes; `None` if it is malformed.
    pub fn hash(&self) -> Option<SecretHash> {
        parse_hash(&self.sha256)
    }
}

/// Parses 64 hexadecimal digits.
pub(crate) fn parse_hash(text: &str) -> Option<SecretHash> {
    let digits = text.as_bytes();
    let mut hash = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        let digits = str::from_utf8(pair).ok().filter(|pair| !pair.starts_with('+'))?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(hash)
}

/// Returns the SHA-256 of a key or token.
pub fn hash_secret(secret: &str) -> SecretHash {
    Sha256::digest(secret.as_bytes()).into()
}

/// Formats bytes in hexadecimal.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn the_file_holds_only_hashes_and_is_readable_by_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        assert!(KeyFile::read(&path).is_err(), "a missing file is an error");
        let mut file = KeyFile::default();
        let first = file
            .add("city-app", LimitOverrides { rate: Some(7), ..LimitOverrides::default() })
            .unwrap();
        let second = file.add("city-app", LimitOverrides::default()).unwrap();
        file.write(&path).unwrap();
        assert_ne!(first.secret, second.secret);
        assert_eq!(first.secret.len(), 3 + 64);
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains(&first.secret[3..]) && text.contains(&first.id));
        let read = KeyFile::read(&path).unwrap();
        assert_eq!(read, file);
        assert_eq!(read.accounts[0].keys[0].hash(), Some(hash_secret(&first.secret)));
        assert_eq!(
            read.accounts[0].limits.rate,
            Some(7),
            "adding a key without limits keeps those of the account"
        );
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        file.revoke(&first.id).unwrap();
        file.revoke(&second.id).unwrap();
        assert!(file.accounts.is_empty() && file.revoke(&first.id).is_err());
    }

    #[test]
    fn an_invalid_file_or_name_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        for text in
            ["{", "{\"accounts\":[{\"name\":\"a\",\"keys\":[{\"id\":\"1\",\"sha256\":\"zz\"}]}]}"]
        {
            fs::write(&path, text).unwrap();
            assert!(KeyFile::read(&path).unwrap_err().to_string().contains("keys.json"));
        }
        let mut file = KeyFile::default();
        for name in ["", "a b", "ä", &"x".repeat(65)] {
            assert!(matches!(file.add(name, LimitOverrides::default()), Err(KeyError::Name(_))));
        }
    }

    #[test]
    fn concurrent_changes_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..10 {
                        let name = format!("a{thread}-{number}");
                        KeyFile::update(path, |file| file.add(&name, LimitOverrides::default()))
                            .unwrap();
                    }
                });
            }
        });
        assert_eq!(KeyFile::read(&path).unwrap().accounts.len(), 80);
    }
}
