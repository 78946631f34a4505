//! The file of people's settings: readable for its owner alone, replaced as a whole. It holds
//! where people live and work in their own words, and of tokens the SHA-256 alone.

use super::{Person, Settings, SettingsBody, Token};
use crate::keys::{KeyError, bytes, hexadecimal, replace};
use crate::places::Secret;
use meshcloak::map::StreetMap;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    secret: String,
    people: Vec<Entry<SettingsBody>>,
}

#[derive(Serialize)]
struct PageRef<'a> {
    secret: String,
    people: Vec<Entry<&'a SettingsBody>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<S> {
    account: String,
    person: String,
    settings: S,
    /// SHA-256 in hexadecimal digits.
    tokens: Vec<String>,
}

/// Everything that is in it.
pub(super) struct Book {
    pub secret: Secret,
    pub people: Vec<Person>,
}

impl Book {
    /// Reads the file; one that is not there is begun, so that its secret lasts. Without a file
    /// there is a secret for as long as the process lives.
    pub fn open(path: Option<&Path>, map: &StreetMap) -> Result<Book, KeyError> {
        let Some(path) = path else {
            return Ok(Book { secret: random()?, people: Vec::new() });
        };
        let wrong = |problem: String| KeyError::File { path: path.to_owned(), problem };
        match fs::read_to_string(path) {
            Ok(text) => Book::parse(&text, map).map_err(wrong),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let secret = random()?;
                write(path, secret, &[]).map_err(|error| wrong(error.to_string()))?;
                Ok(Book { secret, people: Vec::new() })
            }
            Err(error) => Err(wrong(error.to_string())),
        }
    }

    /// What is wrong is told without quoting it.
    fn parse(text: &str, map: &StreetMap) -> Result<Book, String> {
        let page: Page = serde_json::from_str(text).map_err(|error| {
            format!("line {}, column {}: not a file of settings", error.line(), error.column())
        })?;
        let secret = bytes(&page.secret).ok_or("the secret has not 64 hexadecimal digits")?;
        let people = page.people.into_iter().enumerate().map(|(number, entry)| {
            let wrong = |what: &str| format!("entry {}: {what}", number + 1);
            let settings =
                Settings::of(entry.settings, map).map_err(|refusal| wrong(&refusal.to_string()))?;
            let mut person = Person::new(&entry.account, &entry.person, settings);
            for digits in &entry.tokens {
                let hash = bytes(digits).ok_or_else(|| wrong("a token has no SHA-256"))?;
                person.tokens.push(Token { id: hexadecimal(&hash[..6]), hash });
            }
            Ok(person)
        });
        Ok(Book { secret: Secret(secret), people: people.collect::<Result<_, String>>()? })
    }
}

/// Replaces the file.
pub(super) fn write(path: &Path, secret: Secret, people: &[Arc<Person>]) -> io::Result<()> {
    let people = people.iter().map(|person| Entry {
        account: person.account.to_string(),
        person: person.name.to_string(),
        settings: &person.settings.body,
        tokens: person.tokens.iter().map(|token| hexadecimal(&token.hash)).collect(),
    });
    let page = PageRef { secret: hexadecimal(&secret.0), people: people.collect() };
    let mut text = serde_json::to_string_pretty(&page)?;
    text.push('\n');
    replace(path, &text)
}

fn random() -> Result<Secret, KeyError> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(KeyError::Randomness)?;
    Ok(Secret(secret))
}
