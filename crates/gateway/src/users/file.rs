//! The file of user settings (`people.file`), readable by its owner only. It holds zones in plain
//! text; of each token it holds only the SHA-256.
//!
//! A JSON document with all users, followed by one JSON line for each later change. When the lines
//! are longer than the document, the next change replaces the file by a new document. A last line
//! that is cut off was never acknowledged and is dropped.

use super::profile::{Token, UserProfile};
use super::{SettingsBody, UserSettings};
use crate::city_map::CityMaps;
use crate::keys::{KeyError, hexadecimal, parse_hash};
use crate::private_file::replace_file;
use crate::zones::BoundarySecret;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    secret: String,
    people: Vec<Entry<SettingsBody>>,
}

#[derive(Serialize)]
struct DocumentRef<'a> {
    secret: String,
    people: Vec<Entry<&'a SettingsBody>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<S> {
    account: String,
    person: String,
    settings: S,
    /// SHA-256 of each token, hexadecimal.
    tokens: Vec<String>,
}

/// A user whose settings were deleted.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Deleted {
    account: String,
    deleted: String,
}

/// One line after the document.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Change<S> {
    Put(Entry<S>),
    Delete(Deleted),
}

/// The content of the file, checked, and the file open for changes.
pub(super) struct UserStore {
    pub secret: BoundarySecret,
    pub profiles: Vec<UserProfile>,
    pub log: Option<SettingsLog>,
}

/// Lines beyond this size and that of the document are merged into a new document, in bytes.
const MIN_LOG_LEN: u64 = 64 << 10;

/// The file, open for appending.
pub(super) struct SettingsLog {
    path: PathBuf,
    secret: BoundarySecret,
    file: File,
    /// Length of the document.
    document_len: u64,
    /// Length of the file.
    len: u64,
    /// Whether the file may end with a part of a line.
    is_damaged: bool,
}

/// Parsed content of the file.
struct Content {
    secret: BoundarySecret,
    profiles: Vec<UserProfile>,
    document_len: u64,
    /// Length without a line that was cut off.
    len: u64,
}

impl UserStore {
    /// Reads the file. A missing file is created, so that its secret survives a restart. Without
    /// a path the secret is random and lives as long as the process.
    pub fn open(path: Option<&Path>, maps: &CityMaps) -> Result<UserStore, KeyError> {
        let Some(path) = path else {
            return Ok(UserStore { secret: random_secret()?, profiles: Vec::new(), log: None });
        };
        let invalid = |problem: String| KeyError::File { path: path.to_owned(), problem };
        if let Some(content) = read(path, maps).map_err(invalid)? {
            let Content { secret, profiles, document_len, len } = content;
            let log = SettingsLog::open(path, secret, document_len, len);
            let log = Some(log.map_err(|error| invalid(error.to_string()))?);
            return Ok(UserStore { secret, profiles, log });
        }
        let secret = random_secret()?;
        let log = SettingsLog::create(path, secret).map_err(|error| invalid(error.to_string()))?;
        Ok(UserStore { secret, profiles: Vec::new(), log: Some(log) })
    }

    /// Checks the file without changing it.
    pub fn check(path: &Path, maps: &CityMaps) -> Result<(), KeyError> {
        let invalid = |problem| KeyError::File { path: path.to_owned(), problem };
        read(path, maps).map(drop).map_err(invalid)
    }
}

/// Reads the file; `None` if there is none.
fn read(path: &Path, maps: &CityMaps) -> Result<Option<Content>, String> {
    match fs::read_to_string(path) {
        Ok(text) => parse(&text, maps).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Error texts never quote the file: it holds zones.
fn parse(text: &str, maps: &CityMaps) -> Result<Content, String> {
    let mut documents = serde_json::Deserializer::from_str(text).into_iter::<Document>();
    let document = documents.next().ok_or("the file is empty")?.map_err(|error| {
        format!("line {}, column {}: not a file of user settings", error.line(), error.column())
    })?;
    let document_len = documents.byte_offset();
    let secret = parse_hash(&document.secret).ok_or("`secret` must have 64 hexadecimal digits")?;
    let mut profiles = BTreeMap::new();
    for (number, entry) in document.people.into_iter().enumerate() {
        let profile = profile(entry, maps)
            .map_err(|problem| format!("entry {}: {problem}", number.saturating_add(1)))?;
        profiles.insert((profile.account.clone(), profile.name.clone()), profile);
    }
    let changes = text.get(document_len..).unwrap_or("");
    // Bytes after the last line break are a line that was cut off.
    let whole = changes.rfind('\n').map_or(0, |end| end.saturating_add(1));
    for (number, line) in changes.get(..whole).unwrap_or("").split('\n').enumerate() {
        let invalid = |problem: &str| format!("change {number}: {problem}");
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(line).map_err(|_| invalid("not a change of user settings"))? {
            Change::Put(entry) => {
                let profile = profile(entry, maps).map_err(|problem| invalid(&problem))?;
                profiles.insert((profile.account.clone(), profile.name.clone()), profile);
            }
            Change::Delete(Deleted { account, deleted }) => {
                profiles.remove(&(account.into(), deleted.into()));
            }
        }
    }
    Ok(Content {
        secret: BoundarySecret(secret),
        profiles: profiles.into_values().collect(),
        document_len: document_len as u64,
        len: document_len.saturating_add(whole) as u64,
    })
}

fn profile(entry: Entry<SettingsBody>, maps: &CityMaps) -> Result<UserProfile, String> {
    let settings =
        UserSettings::new(entry.settings, maps).map_err(|refusal| refusal.to_string())?;
    let mut profile = UserProfile::new(&entry.account, &entry.person, settings);
    for digits in &entry.tokens {
        let hash = parse_hash(digits).ok_or("each token must have 64 hexadecimal digits")?;
        profile.tokens.push(Token::new(hash));
    }
    Ok(profile)
}

fn entry(profile: &UserProfile) -> Entry<&SettingsBody> {
    Entry {
        account: profile.account.to_string(),
        person: profile.name.to_string(),
        settings: &profile.settings.body,
        tokens: profile.tokens.iter().map(|token| hexadecimal(&token.hash)).collect(),
    }
}

impl SettingsLog {
    /// Opens a file whose first `len` bytes are valid.
    fn open(
        path: &Path,
        secret: BoundarySecret,
        document_len: u64,
        len: u64,
    ) -> io::Result<SettingsLog> {
        let file = OpenOptions::new().append(true).open(path)?;
        file.set_len(len)?;
        // A document without a line break at its end must be replaced before a line is appended.
        let is_damaged = len == document_len;
        let path = path.to_owned();
        Ok(SettingsLog { path, secret, file, document_len, len, is_damaged })
    }

    /// Creates a file without users.
    fn create(path: &Path, secret: BoundarySecret) -> io::Result<SettingsLog> {
        let len = write_document(path, secret, &[])?;
        SettingsLog::open(path, secret, len.saturating_sub(1), len)
    }

    /// Whether the next change must replace the file: it is long or damaged, or the path names
    /// another file, so that appended lines would be lost.
    pub fn needs_document(&self) -> bool {
        let same = |open: Metadata, named: Metadata| open.ino() == named.ino();
        let is_named =
            self.file.metadata().and_then(|open| Ok(same(open, fs::metadata(&self.path)?)));
        self.is_damaged
            || self.len > self.document_len.saturating_mul(2).saturating_add(MIN_LOG_LEN)
            || !is_named.unwrap_or(false)
    }

    /// Appends the new settings of a user, and waits until they are on disk.
    pub fn put(&mut self, profile: &UserProfile) -> io::Result<()> {
        self.append(&Change::Put(entry(profile)))
    }

    /// Appends the deletion of a user's settings, and waits until it is on disk.
    pub fn delete(&mut self, profile: &UserProfile) -> io::Result<()> {
        let (account, deleted) = (profile.account.to_string(), profile.name.to_string());
        self.append(&Change::Delete(Deleted { account, deleted }))
    }

    fn append(&mut self, change: &Change<&SettingsBody>) -> io::Result<()> {
        let mut line = serde_json::to_vec(change)?;
        line.push(b'\n');
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            self.is_damaged = self.file.set_len(self.len).is_err();
            return Err(error);
        }
        self.len = self.len.saturating_add(line.len() as u64);
        Ok(())
    }

    /// Replaces the file by a document with these users.
    pub fn replace(&mut self, profiles: &[Arc<UserProfile>]) -> io::Result<()> {
        let len = write_document(&self.path, self.secret, profiles)?;
        *self = SettingsLog::open(&self.path, self.secret, len.saturating_sub(1), len)?;
        Ok(())
    }
}

/// Replaces the file atomically. Returns its length, a line break at its end included.
fn write_document(
    path: &Path,
    secret: BoundarySecret,
    profiles: &[Arc<UserProfile>],
) -> io::Result<u64> {
    let people = profiles.iter().map(|profile| entry(profile)).collect();
    let document = DocumentRef { secret: hexadecimal(&secret.0), people };
    let mut text = serde_json::to_string_pretty(&document)?;
    text.push('\n');
    replace_file(path, &text)?;
    Ok(text.len() as u64)
}

fn random_secret() -> Result<BoundarySecret, KeyError> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(KeyError::Randomness)?;
    Ok(BoundarySecret(secret))
}
