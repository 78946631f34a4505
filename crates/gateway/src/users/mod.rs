//! Users with stored settings: k, dt, a standing question, zones, and the tokens of their trackers.
//!
//! Kept in memory and, if `people.file` is set, in a file (`file`). A change is first written to
//! the file and then applied, so a change that was acknowledged survives a restart.

mod file;
mod recent;
mod routes;
mod settings;
mod tokens;

pub use recent::{RecentReports, ReportOutcome};
pub use routes::{AnswerBody, routes};
pub use settings::{CircleBody, SettingsBody, UserSettings, ZoneBody};
pub use tokens::{TokenBody, TokensBody};

use crate::accounts::UserIds;
use crate::clock::Clock;
use crate::config::UsersConfig;
use crate::error::Refusal;
use crate::keys::{KeyError, SecretHash, hash_secret, hexadecimal};
use crate::zones::{
    BlurredBoundary, BoundaryKey, BoundarySecret, Zone, ZoneMinimum, ZoneRule, strictest_rule,
};
use file::UserStore;
use meshcloak::map::StreetMap;
use meshcloak::private::Private;
use meshcloak::query::UserId;
use meshcloak::units::{Point, Time};
use parking_lot::{Mutex, MutexGuard, RwLock};
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::Arc;
use subtle::ConstantTimeEq as _;

/// Largest number of tokens of one user.
const MAX_TOKENS: usize = 16;

/// Prefix that distinguishes a token from an API key.
pub const TOKEN_PREFIX: &str = "mp_";

/// A user with settings.
#[derive(Clone)]
pub struct UserProfile {
    /// Name of the account.
    pub account: Box<str>,
    /// Name of the user within the account.
    pub name: Box<str>,
    /// Checked settings.
    pub settings: Arc<UserSettings>,
    tokens: Vec<Token>,
    recent_reports: Arc<Mutex<RecentReports>>,
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

    fn sort_key(&self) -> (&str, &str) {
        (&self.account, &self.name)
    }
}

/// A token, stored as its hash.
#[derive(Clone)]
struct Token {
    id: String,
    hash: SecretHash,
}

/// A token that was just created.
#[derive(Debug)]
pub struct NewToken {
    /// Identifies the token in lists and for revocation.
    pub id: String,
    /// The token itself; it cannot be shown again.
    pub token: Private<String>,
}

/// All users with settings.
pub struct Users {
    secret: BoundarySecret,
    blur: f64,
    max_users: usize,
    file: Option<PathBuf>,
    /// Serialises changes: each writes the whole file.
    change_lock: tokio::sync::Mutex<()>,
    index: RwLock<UserIndex>,
}

/// Prints no users.
impl std::fmt::Debug for Users {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Users(…)")
    }
}

#[derive(Default)]
struct UserIndex {
    by_user: FxHashMap<UserId, Arc<UserProfile>>,
    by_token: FxHashMap<SecretHash, UserId>,
    /// Number of users of each account.
    by_account: FxHashMap<Box<str>, usize>,
}

impl Users {
    /// Reads all users from the file; empty without one.
    pub fn open(
        config: &UsersConfig,
        map: &StreetMap,
        user_ids: &UserIds,
    ) -> Result<Users, KeyError> {
        let store = UserStore::open(config.file.as_deref(), map)?;
        let mut index = UserIndex::default();
        for profile in store.profiles {
            index.insert(user_ids.named(&profile.account, &profile.name), Arc::new(profile));
        }
        Ok(Users {
            secret: store.secret,
            blur: config.blur,
            max_users: config.max_count,
            file: config.file.clone(),
            change_lock: tokio::sync::Mutex::default(),
            index: RwLock::new(index),
        })
    }

    fn read(&self) -> parking_lot::RwLockReadGuard<'_, UserIndex> {
        self.index.read()
    }

    /// Returns the profile of a user, if there are settings.
    pub fn find(&self, user: UserId) -> Option<Arc<UserProfile>> {
        self.read().by_user.get(&user).cloned()
    }

    /// Returns the user that a token belongs to.
    pub fn find_by_token(&self, token: &str) -> Option<Arc<UserProfile>> {
        let presented = hash_secret(token);
        let index = self.read();
        let (known, user) = index.by_token.get_key_value(&presented)?;
        let profile = index.by_user.get(user).cloned();
        profile.filter(|_| bool::from(known.ct_eq(&presented)))
    }

    /// Returns the strictest minimum of the user's zones that contain one of the points.
    ///
    /// # Errors
    /// [`Refusal::Never`] inside a `never` zone.
    pub fn zone_minimum(
        &self,
        user: UserId,
        clock: &Clock,
        points: [Point; 2],
    ) -> Result<ZoneMinimum, Refusal> {
        let index = self.read();
        let Some(profile) = index.by_user.get(&user) else { return Ok(ZoneMinimum::default()) };
        let zones = &profile.settings.zones;
        if zones.is_empty() {
            return Ok(ZoneMinimum::default());
        }
        // Unambiguous: account names contain no slash.
        let owner = format!("{}/{}", profile.account, profile.name);
        let now = clock.unix_millis();
        let boundary = |zone: &Zone| {
            let key = BoundaryKey {
                secret: self.secret,
                owner: Private::new(&*owner),
                shape: &zone.shape,
            };
            BlurredBoundary::new(key, self.blur, now)
        };
        match strictest_rule(zones, points, boundary) {
            ZoneRule::Never => Err(Refusal::Never),
            ZoneRule::AtLeast(minimum) => Ok(minimum),
        }
    }

    /// Replaces the settings of a user and keeps the tokens and recent reports.
    pub async fn put_settings(&self, user: UserId, new: UserProfile) -> Result<(), Refusal> {
        let _change = self.change_lock.lock().await;
        let known = self.find(user);
        if known.is_none() && !self.read().has_capacity(&new.account, self.max_users) {
            return Err(Refusal::Busy);
        }
        let new = match known {
            Some(known) => UserProfile { settings: new.settings, ..UserProfile::clone(&known) },
            None => new,
        };
        self.change(user, Some(new)).await
    }

    /// Deletes all data of a user: settings, tokens, last answer.
    pub async fn delete(&self, user: UserId) -> Result<(), Refusal> {
        let _change = self.change_lock.lock().await;
        self.find(user).ok_or(Refusal::NoSettings)?;
        self.change(user, None).await
    }

    /// Creates a token for a tracker of the user. The token itself is not stored.
    pub async fn add_token(&self, user: UserId) -> Result<NewToken, Refusal> {
        let _change = self.change_lock.lock().await;
        let mut profile = UserProfile::clone(&*self.find(user).ok_or(Refusal::NoSettings)?);
        if profile.tokens.len() >= MAX_TOKENS {
            return Err(Refusal::Zone(format!(
                "a user has at most {MAX_TOKENS} tokens: delete one first"
            )));
        }
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(|_| Refusal::NotKept)?;
        let token = format!("{TOKEN_PREFIX}{}", hexadecimal(&bits));
        let hash = hash_secret(&token);
        let id = hexadecimal(&hash[..6]);
        profile.tokens.push(Token { id: id.clone(), hash });
        self.change(user, Some(profile)).await?;
        Ok(NewToken { id, token: Private::new(token) })
    }

    /// Revokes a token by its id.
    pub async fn revoke(&self, user: UserId, id: &str) -> Result<(), Refusal> {
        let _change = self.change_lock.lock().await;
        let mut profile = UserProfile::clone(&*self.find(user).ok_or(Refusal::NoSettings)?);
        let before = profile.tokens.len();
        profile.tokens.retain(|token| token.id != id);
        if profile.tokens.len() == before {
            return Err(Refusal::Unknown);
        }
        self.change(user, Some(profile)).await
    }

    /// Writes the file with the change, then applies the change in memory. If the file cannot be
    /// written, nothing changes.
    async fn change(&self, user: UserId, new: Option<UserProfile>) -> Result<(), Refusal> {
        let new = new.map(Arc::new);
        if let Some(path) = self.file.clone() {
            let mut all: Vec<Arc<UserProfile>> = {
                let index = self.read();
                let others = index.by_user.iter().filter(|(known, _)| **known != user);
                others.map(|(_, profile)| Arc::clone(profile)).chain(new.clone()).collect()
            };
            all.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
            let secret = self.secret;
            let written = tokio::task::spawn_blocking(move || file::write(&path, secret, &all));
            if !matches!(written.await, Ok(Ok(()))) {
                tracing::error!(
                    "cannot write the user settings (people.file): the change was refused"
                );
                return Err(Refusal::NotKept);
            }
        }
        let mut index = self.index.write();
        index.remove(user);
        if let Some(new) = new {
            index.insert(user, new);
        }
        Ok(())
    }

    /// Drops recent reports that are older than their retention time.
    pub fn remove_expired(&self, now: Time) {
        self.read()
            .by_user
            .values()
            .for_each(|profile| profile.recent_reports().remove_expired(now));
    }
}

impl UserIndex {
    /// Whether the account may add a user. One account can fill at most three quarters of the
    /// capacity.
    fn has_capacity(&self, account: &str, max_users: usize) -> bool {
        let of_account = self.by_account.get(account).copied().unwrap_or(0);
        self.by_user.len() < max_users && of_account < max_users - max_users / 4
    }

    fn remove(&mut self, user: UserId) {
        if let Some(profile) = self.by_user.remove(&user) {
            if let Some(count) = self.by_account.get_mut(&profile.account) {
                *count -= 1;
            }
            for token in &profile.tokens {
                self.by_token.remove(&token.hash);
            }
        }
    }

    fn insert(&mut self, user: UserId, profile: Arc<UserProfile>) {
        *self.by_account.entry(profile.account.clone()).or_default() += 1;
        self.by_token.extend(profile.tokens.iter().map(|token| (token.hash, user)));
        self.by_user.insert(user, profile);
    }
}
