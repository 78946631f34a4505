//! The JSON file of user settings (`people.file`), readable by its owner only and always replaced
//! as a whole. It holds zones in plain text; of each token it holds only the SHA-256.

use super::{SettingsBody, Token, UserProfile, UserSettings};
use crate::keys::{KeyError, hexadecimal, parse_hash};
use crate::private_file::replace_file;
use crate::zones::BoundarySecret;
use meshcloak::map::StreetMap;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsFile {
    secret: String,
    people: Vec<FileEntry<SettingsBody>>,
}

#[derive(Serialize)]
struct SettingsFileRef<'a> {
    secret: String,
    people: Vec<FileEntry<&'a SettingsBody>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEntry<S> {
    account: String,
    person: String,
    settings: S,
    /// SHA-256 of each token, hexadecimal.
    tokens: Vec<String>,
}

/// The content of the file, checked.
pub(super) struct UserStore {
    pub secret: BoundarySecret,
    pub profiles: Vec<UserProfile>,
}

impl UserStore {
    /// Reads the file. A missing file is created, so that its secret survives a restart. Without
    /// a path the secret is random and lives as long as the process.
    pub fn open(path: Option<&Path>, map: &StreetMap) -> Result<UserStore, KeyError> {
        let Some(path) = path else {
            return Ok(UserStore { secret: random_secret()?, profiles: Vec::new() });
        };
        let invalid = |problem: String| KeyError::File { path: path.to_owned(), problem };
        match fs::read_to_string(path) {
            Ok(text) => UserStore::parse(&text, map).map_err(invalid),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let secret = random_secret()?;
                write(path, secret, &[]).map_err(|error| invalid(error.to_string()))?;
                Ok(UserStore { secret, profiles: Vec::new() })
            }
            Err(error) => Err(invalid(error.to_string())),
        }
    }

    /// Error texts give line and column and never quote the file: it holds zones.
    fn parse(text: &str, map: &StreetMap) -> Result<UserStore, String> {
        let file: SettingsFile = serde_json::from_str(text).map_err(|error| {
            format!("line {}, column {}: not a file of user settings", error.line(), error.column())
        })?;
        let secret = parse_hash(&file.secret).ok_or("`secret` must have 64 hexadecimal digits")?;
        let profiles = file.people.into_iter().enumerate().map(|(number, entry)| {
            let invalid = |problem: &str| format!("entry {}: {problem}", number + 1);
            let settings = UserSettings::new(entry.settings, map)
                .map_err(|refusal| invalid(&refusal.to_string()))?;
            let mut profile = UserProfile::new(&entry.account, &entry.person, settings);
            for digits in &entry.tokens {
                let hash = parse_hash(digits)
                    .ok_or_else(|| invalid("each token must have 64 hexadecimal digits"))?;
                profile.tokens.push(Token { id: hexadecimal(&hash[..6]), hash });
            }
            Ok(profile)
        });
        Ok(UserStore {
            secret: BoundarySecret(secret),
            profiles: profiles.collect::<Result<_, String>>()?,
        })
    }
}

/// Replaces the file atomically.
pub(super) fn write(
    path: &Path,
    secret: BoundarySecret,
    profiles: &[Arc<UserProfile>],
) -> io::Result<()> {
    let people = profiles.iter().map(|profile| FileEntry {
        account: profile.account.to_string(),
        person: profile.name.to_string(),
        settings: &profile.settings.body,
        tokens: profile.tokens.iter().map(|token| hexadecimal(&token.hash)).collect(),
    });
    let file = SettingsFileRef { secret: hexadecimal(&secret.0), people: people.collect() };
    let mut text = serde_json::to_string_pretty(&file)?;
    text.push('\n');
    replace_file(path, &text)
}

fn random_secret() -> Result<BoundarySecret, KeyError> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(KeyError::Randomness)?;
    Ok(BoundarySecret(secret))
}
