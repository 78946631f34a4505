//! People who have told the gateway once how they want to be treated: k, patience, a standing
//! question, places, and the tokens of their phones. In memory; in a file too, if there is one.

mod file;
mod recent;
mod routes;
mod settings;
mod tokens;

pub use recent::{Recent, Said};
pub use routes::{AnswerBody, routes};
pub use settings::{CircleBody, Settings, SettingsBody, StandingQuestion, ZoneBody};
pub use tokens::{TokenBody, TokensBody};

use crate::accounts::UserIds;
use crate::clock::Clock;
use crate::config::PeopleConfig;
use crate::error::Refusal;
use crate::keys::{Hash, KeyError, hash, hexadecimal};
use crate::places::{Care, Edge, Rule, Secret, Zone, strictest};
use file::Book;
use meshcloak::map::StreetMap;
use meshcloak::query::UserId;
use meshcloak::units::{Point, Time};
use parking_lot::{Mutex, MutexGuard, RwLock};
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::Arc;
use subtle::ConstantTimeEq as _;

/// Tokens of one person at most.
const MOST_TOKENS: usize = 16;

/// A token begins with it, so that it can be told from a key.
pub const TOKEN: &str = "mp_";

/// Somebody who has settings.
#[derive(Clone)]
pub struct Person {
    /// The account she belongs to, by name.
    pub account: Box<str>,
    /// Who she is within it.
    pub name: Box<str>,
    /// How she wants to be treated.
    pub settings: Arc<Settings>,
    tokens: Vec<Token>,
    recent: Arc<Mutex<Recent>>,
}

/// Who it is never gets printed.
impl std::fmt::Debug for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Person(…)")
    }
}

impl Person {
    /// What her phone did of late, for as long as the lock is held.
    pub fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock()
    }

    /// By what her tokens are listed.
    pub fn token_ids(&self) -> Vec<String> {
        self.tokens.iter().map(|token| token.id.clone()).collect()
    }

    fn key(&self) -> (&str, &str) {
        (&self.account, &self.name)
    }
}

/// A token, of which nothing but the hash is known.
#[derive(Clone)]
struct Token {
    id: String,
    hash: Hash,
}

/// Everybody who has settings.
pub struct People {
    secret: Secret,
    blur: f64,
    most: usize,
    file: Option<PathBuf>,
    /// One change after the other: each writes the whole file.
    changing: tokio::sync::Mutex<()>,
    inside: RwLock<Inside>,
}

/// Who is in it never gets printed.
impl std::fmt::Debug for People {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("People(…)")
    }
}

#[derive(Default)]
struct Inside {
    by_user: FxHashMap<UserId, Arc<Person>>,
    by_token: FxHashMap<Hash, UserId>,
    /// How many belong to each account.
    by_account: FxHashMap<Box<str>, usize>,
}

impl People {
    /// Everybody who is in the file; nobody, if there is none.
    pub fn open(
        config: &PeopleConfig,
        map: &StreetMap,
        user_ids: &UserIds,
    ) -> Result<People, KeyError> {
        let book = Book::open(config.file.as_deref(), map)?;
        let mut inside = Inside::default();
        for person in book.people {
            inside.put(user_ids.named(&person.account, &person.name), Arc::new(person));
        }
        Ok(People {
            secret: book.secret,
            blur: config.blur,
            most: config.max_count,
            file: config.file.clone(),
            changing: tokio::sync::Mutex::default(),
            inside: RwLock::new(inside),
        })
    }

    fn read(&self) -> parking_lot::RwLockReadGuard<'_, Inside> {
        self.inside.read()
    }

    /// Somebody, if she has settings.
    pub fn find(&self, user: UserId) -> Option<Arc<Person>> {
        self.read().by_user.get(&user).cloned()
    }

    /// Whose phone has that token.
    pub fn of_token(&self, token: &str) -> Option<Arc<Person>> {
        let presented = hash(token);
        let inside = self.read();
        let (known, user) = inside.by_token.get_key_value(&presented)?;
        let person = inside.by_user.get(user).cloned();
        person.filter(|_| bool::from(known.ct_eq(&presented)))
    }

    /// How much more care somebody wants at these points; refused where she wants nothing sent.
    pub fn heed(&self, user: UserId, clock: &Clock, points: [Point; 2]) -> Result<Care, Refusal> {
        let inside = self.read();
        let Some(person) = inside.by_user.get(&user) else { return Ok(Care::default()) };
        let zones = &person.settings.zones;
        if zones.is_empty() {
            return Ok(Care::default());
        }
        // No account has a slash in its name.
        let who = format!("{}/{}", person.account, person.name);
        let now = clock.unix_millis();
        let edge = |zone: &Zone| Edge::of(self.secret, (&who, &zone.shape), self.blur, now);
        match strictest(zones, points, edge) {
            Rule::Never => Err(Refusal::Never),
            Rule::Care(care) => Ok(care),
        }
    }

    /// Somebody wants to be treated so from now on.
    pub async fn settle(&self, user: UserId, new: Person) -> Result<(), Refusal> {
        let _one = self.changing.lock().await;
        let known = self.find(user);
        if known.is_none() && !self.read().has_room(&new.account, self.most) {
            return Err(Refusal::Busy);
        }
        let new = match known {
            Some(known) => Person { settings: new.settings, ..Person::clone(&known) },
            None => new,
        };
        self.change(user, Some(new)).await
    }

    /// Everything of somebody is forgotten: settings, tokens, last answer.
    pub async fn forget(&self, user: UserId) -> Result<(), Refusal> {
        let _one = self.changing.lock().await;
        self.find(user).ok_or(Refusal::NoSettings)?;
        self.change(user, None).await
    }

    /// A new token for somebody's phone, shown once, and what it is listed by.
    pub async fn add_token(&self, user: UserId) -> Result<(String, String), Refusal> {
        let _one = self.changing.lock().await;
        let mut person = Person::clone(&*self.find(user).ok_or(Refusal::NoSettings)?);
        if person.tokens.len() >= MOST_TOKENS {
            return Err(Refusal::Zone(format!("a person has at most {MOST_TOKENS} tokens")));
        }
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(|_| Refusal::NotKept)?;
        let token = format!("{TOKEN}{}", hexadecimal(&bits));
        let hash = hash(&token);
        let id = hexadecimal(&hash[..6]);
        person.tokens.push(Token { id: id.clone(), hash });
        self.change(user, Some(person)).await?;
        Ok((id, token))
    }

    /// A token is taken away.
    pub async fn revoke(&self, user: UserId, id: &str) -> Result<(), Refusal> {
        let _one = self.changing.lock().await;
        let mut person = Person::clone(&*self.find(user).ok_or(Refusal::NoSettings)?);
        let before = person.tokens.len();
        person.tokens.retain(|token| token.id != id);
        if person.tokens.len() == before {
            return Err(Refusal::Unknown);
        }
        self.change(user, Some(person)).await
    }

    /// Writes the file as it is to be, then makes the change: one that cannot be kept is not made.
    async fn change(&self, user: UserId, new: Option<Person>) -> Result<(), Refusal> {
        let new = new.map(Arc::new);
        if let Some(path) = self.file.clone() {
            let mut all: Vec<Arc<Person>> = {
                let inside = self.read();
                let others = inside.by_user.iter().filter(|(known, _)| **known != user);
                others.map(|(_, person)| Arc::clone(person)).chain(new.clone()).collect()
            };
            all.sort_by(|a, b| a.key().cmp(&b.key()));
            let secret = self.secret;
            let written = tokio::task::spawn_blocking(move || file::write(&path, secret, &all));
            if !matches!(written.await, Ok(Ok(()))) {
                tracing::error!("people.file cannot be written");
                return Err(Refusal::NotKept);
            }
        }
        let mut inside = self.inside.write();
        inside.take(user);
        if let Some(new) = new {
            inside.put(user, new);
        }
        Ok(())
    }

    /// Forgets what phones did that is too old.
    pub fn tidy(&self, now: Time) {
        self.read().by_user.values().for_each(|person| person.recent().forget(now));
    }
}

impl Inside {
    /// Whether one more of an account may have settings. Nobody gets the last quarter alone.
    fn has_room(&self, account: &str, most: usize) -> bool {
        let hers = self.by_account.get(account).copied().unwrap_or(0);
        self.by_user.len() < most && hers < most - most / 4
    }

    fn take(&mut self, user: UserId) {
        if let Some(person) = self.by_user.remove(&user) {
            if let Some(count) = self.by_account.get_mut(&person.account) {
                *count -= 1;
            }
            for token in &person.tokens {
                self.by_token.remove(&token.hash);
            }
        }
    }

    fn put(&mut self, user: UserId, person: Arc<Person>) {
        *self.by_account.entry(person.account.clone()).or_default() += 1;
        self.by_token.extend(person.tokens.iter().map(|token| (token.hash, user)));
        self.by_user.insert(user, person);
    }
}
