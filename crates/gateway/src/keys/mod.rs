//! The file of accounts and their keys: a key is 256 random bits, shown once; the file holds its
//! SHA-256 alone, is readable for its owner alone, and is replaced as a whole.

mod limit_overrides;

pub use limit_overrides::LimitOverrides;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The SHA-256 of a key.
pub type Hash = [u8; 32];

/// Everything in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyFile {
    /// By name.
    pub accounts: Vec<AccountEntry>,
}

/// One account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountEntry {
    /// Its name; people are told apart within it.
    pub name: String,
    /// What it may, where that is not what everybody may.
    #[serde(default)]
    pub limits: LimitOverrides,
    /// Its keys: more than one while they are being changed.
    pub keys: Vec<KeyEntry>,
}

/// A key, of which nothing but the hash is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyEntry {
    /// What it is listed and revoked by: the beginning of its hash.
    pub id: String,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// It cannot be read or written.
    #[error("{path}: {problem}")]
    File {
        /// Where it is.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The system has no randomness to give.
    #[error("no randomness: {0}")]
    Randomness(getrandom::Error),
    /// There is no such key.
    #[error("no key `{0}`")]
    NoSuchKey(String),
    /// The name cannot be one.
    #[error("`{0}` cannot be the name of an account: 1 to 64 letters, digits, `.`, `_` or `-`")]
    Name(String),
}

/// A key that was just made, and what it is listed by.
#[derive(Debug)]
pub struct NewKey {
    /// What it is listed and revoked by.
    pub id: String,
    /// The key itself; not kept anywhere.
    pub secret: String,
}

impl KeyFile {
    /// Reads the file; one that is not there is empty.
    pub fn read(path: &Path) -> Result<KeyFile, KeyError> {
        let wrong = |problem: String| KeyError::File { path: path.to_owned(), problem };
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(KeyFile::default());
            }
            Err(error) => return Err(wrong(error.to_string())),
        };
        let file: KeyFile =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let keys = file.accounts.iter().flat_map(|account| &account.keys);
        match keys.into_iter().find(|key| key.hash().is_none()) {
            Some(key) => Err(wrong(format!("key `{}` has no SHA-256 of 64 digits", key.id))),
            None => Ok(file),
        }
    }

    /// Replaces the file by this one, readable for its owner alone.
    pub fn write(&self, path: &Path) -> Result<(), KeyError> {
        let wrong = |problem: String| KeyError::File { path: path.to_owned(), problem };
        let mut text =
            serde_json::to_string_pretty(self).map_err(|error| wrong(error.to_string()))?;
        text.push('\n');
        replace(path, &text).map_err(|error| wrong(error.to_string()))
    }

    /// Makes a key for an account, which gets these limits if any are given.
    pub fn add(&mut self, name: &str, limits: LimitOverrides) -> Result<NewKey, KeyError> {
        let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if !(1..=64).contains(&name.len()) || !name.chars().all(fits) {
            return Err(KeyError::Name(name.to_owned()));
        }
        let mut bits = [0; 32];
        getrandom::fill(&mut bits).map_err(KeyError::Randomness)?;
        let secret = format!("mc_{}", hexadecimal(&bits));
        let sha256 = hexadecimal(&hash(&secret));
        let id = sha256[..12].to_owned();
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

    /// Takes a key away; an account without one is gone.
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
    /// Its hash as bytes, if it is one.
    pub fn hash(&self) -> Option<Hash> {
        bytes(&self.sha256)
    }
}

/// The 32 bytes of 64 hexadecimal digits.
pub(crate) fn bytes(text: &str) -> Option<Hash> {
    let digits = text.as_bytes();
    let mut hash = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
    }
    Some(hash)
}

/// The hash of a key as it was presented.
pub fn hash(secret: &str) -> Hash {
    Sha256::digest(secret.as_bytes()).into()
}

/// Replaces a file as a whole by one that is readable for its owner alone.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    // A link stays a link, to the new file.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let beside = path.with_extension("new");
    // A file left behind by a crash may be open to others, and would keep its permissions.
    fs::remove_file(&beside).ok();
    let written = private_file(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    written.inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// Bytes in hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(unix)]
fn private_file(path: &Path) -> std::io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn private_file(path: &Path) -> std::io::Result<fs::File> {
    fs::OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_once_and_its_hash_kept_for_the_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        let mut file = KeyFile::read(&path).unwrap();
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
        assert_eq!(read.accounts[0].keys[0].hash(), Some(hash(&first.secret)));
        assert_eq!(read.accounts[0].limits.rate, Some(7), "a second key changes no limits");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        file.revoke(&first.id).unwrap();
        file.revoke(&second.id).unwrap();
        assert!(file.accounts.is_empty() && file.revoke(&first.id).is_err());
    }

    #[test]
    fn a_file_that_is_not_one_is_named() {
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
}
