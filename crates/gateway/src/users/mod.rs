//! Users with stored settings: k, dt, a standing question, zones, and the tokens of their trackers.
//!
//! Kept in memory and, if `people.file` is set, in a file (`file`). A change is first written to
//! the file and then applied, so a change that was acknowledged survives a restart.

mod file;
mod index;
mod path_user;
mod profile;
mod recent;
mod routes;
mod settings;
mod tokens;

pub use profile::{NewToken, UserProfile};
pub use recent::{RecentReports, ReportOutcome};
pub use routes::{AnswerBody, routes};
pub use settings::{CircleBody, CityZones, SettingsBody, UserSettings, ZoneBody};
pub use tokens::{TokenBody, TokensBody};

use crate::city::CityId;
use crate::city_map::CityMaps;
use crate::clock::Clock;
use crate::config::UsersConfig;
use crate::error::Refusal;
use crate::keys::{KeyError, hash_secret, hexadecimal};
use crate::user_ids::UserIds;
use crate::zones::{
    BlurredBoundary, BoundaryKey, BoundarySecret, Zone, ZoneMinimum, ZoneRule, strictest_rule,
};
use file::{SettingsLog, UserStore};
use index::UserIndex;
use meshcloak::private::Private;
use meshcloak::query::UserId;
use meshcloak::units::{Point, Time};
use parking_lot::RwLock;
use profile::Token;
use std::io;
use std::path::Path;
use std::sync::Arc;
use subtle::ConstantTimeEq as _;
use tokio::sync::OwnedMutexGuard;

/// Largest number of tokens of one user.
const MAX_TOKENS: usize = 16;

/// Prefix that distinguishes a token from an API key.
pub const TOKEN_PREFIX: &str = "mp_";

/// All users with settings.
pub struct Users {
    secret: BoundarySecret,
    blur: f64,
    max_users: usize,
    /// The file, if there is one. The lock serialises changes.
    log: Arc<tokio::sync::Mutex<Option<SettingsLog>>>,
    index: Arc<RwLock<UserIndex>>,
}

/// Prints no users.
impl std::fmt::Debug for Users {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Users(…)")
    }
}

impl Users {
    /// Reads all users from the file; empty without one.
    pub fn open(
        config: &UsersConfig,
        maps: &CityMaps,
        user_ids: &UserIds,
    ) -> Result<Users, KeyError> {
        let store = UserStore::open(config.file.as_deref(), maps)?;
        let mut index = UserIndex::default();
        for profile in store.profiles {
            index.insert(user_ids.named(&profile.account, &profile.name), Arc::new(profile));
        }
        Ok(Users {
            secret: store.secret,
            blur: config.blur,
            max_users: config.max_count,
            log: Arc::new(tokio::sync::Mutex::new(store.log)),
            index: Arc::new(RwLock::new(index)),
        })
    }

    /// Checks a file of settings without changing it.
    pub fn check(path: &Path, maps: &CityMaps) -> Result<(), KeyError> {
        UserStore::check(path, maps)
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

    /// Returns the strictest minimum of the user's zones that contain one of the points. `points`
    /// returns them in the plane of a city; `None` if they are not on it.
    ///
    /// # Errors
    /// [`Refusal::Never`] inside a `never` zone.
    pub fn zone_minimum(
        &self,
        user: UserId,
        clock: &Clock,
        points: impl Fn(CityId) -> Option<[Point; 2]>,
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
        let mut minimum = ZoneMinimum::default();
        for CityZones { city, zones } in zones {
            let Some(points) = points(*city) else { continue };
            match strictest_rule(zones, points, boundary) {
                ZoneRule::Never => return Err(Refusal::Never),
                ZoneRule::AtLeast(other) => minimum = minimum.max(other),
            }
        }
        Ok(minimum)
    }

    /// Replaces the settings of a user and keeps the tokens and recent reports.
    pub async fn put_settings(&self, user: UserId, new: UserProfile) -> Result<(), Refusal> {
        let log = Arc::clone(&self.log).lock_owned().await;
        let known = self.find(user);
        if known.is_none() && !self.read().has_capacity(&new.account, self.max_users) {
            return Err(Refusal::Busy);
        }
        let new = match known {
            Some(known) => UserProfile { settings: new.settings, ..UserProfile::clone(&known) },
            None => new,
        };
        self.change(log, user, Some(new)).await
    }

    /// Deletes all data of a user: settings, tokens, last answer.
    pub async fn delete(&self, user: UserId) -> Result<(), Refusal> {
        let log = Arc::clone(&self.log).lock_owned().await;
        self.find(user).ok_or(Refusal::NoSettings)?;
        self.change(log, user, None).await
    }

    /// Creates a token for a tracker of the user. The token itself is not stored.
    pub async fn add_token(&self, user: UserId) -> Result<NewToken, Refusal> {
        let log = Arc::clone(&self.log).lock_owned().await;
        let mut profile = UserProfile::clone(&*self.find(user).ok_or(Refusal::NoSettings)?);
        if profile.tokens.len() >= MAX_TOKENS {
            return Err(Refusal::Zone(format!(
                "a user has at most {MAX_TOKENS} tokens: delete one first"
            )));
        }
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(|_| Refusal::NotKept)?;
        let token = format!("{TOKEN_PREFIX}{}", hexadecimal(&bits));
        let stored = Token::new(hash_secret(&token));
        let id = stored.id.clone();
        profile.tokens.push(stored);
        self.change(log, user, Some(profile)).await?;
        Ok(NewToken { id, token: Private::new(token) })
    }

    /// Revokes a token by its id.
    pub async fn revoke(&self, user: UserId, id: &str) -> Result<(), Refusal> {
        let log = Arc::clone(&self.log).lock_owned().await;
        let mut profile = UserProfile::clone(&*self.find(user).ok_or(Refusal::NoSettings)?);
        let before = profile.tokens.len();
        profile.tokens.retain(|token| token.id != id);
        if profile.tokens.len() == before {
            return Err(Refusal::Unknown);
        }
        self.change(log, user, Some(profile)).await
    }

    /// Writes the change to the file, then applies it in memory. If the file cannot be written,
    /// nothing changes. Runs to its end even if the caller is dropped.
    async fn change(
        &self,
        mut log: OwnedMutexGuard<Option<SettingsLog>>,
        user: UserId,
        new: Option<UserProfile>,
    ) -> Result<(), Refusal> {
        let (index, new) = (Arc::clone(&self.index), new.map(Arc::new));
        let changed = tokio::task::spawn_blocking(move || {
            if let Some(log) = &mut *log {
                store(log, &index, user, new.as_ref())?;
            }
            index.write().replace(user, new);
            io::Result::Ok(())
        });
        if matches!(changed.await, Ok(Ok(()))) {
            return Ok(());
        }
        tracing::error!("cannot write the user settings (people.file): the change was refused");
        Err(Refusal::NotKept)
    }

    /// Drops recent reports that are older than their retention time.
    pub fn remove_expired(&self, now: Time) {
        self.read()
            .by_user
            .values()
            .for_each(|profile| profile.recent_reports().remove_expired(now));
    }
}

/// Makes a change durable.
fn store(
    log: &mut SettingsLog,
    index: &RwLock<UserIndex>,
    user: UserId,
    new: Option<&Arc<UserProfile>>,
) -> io::Result<()> {
    if log.needs_document() {
        let all = index.read().profiles_with(user, new);
        return log.replace(&all);
    }
    let known = index.read().by_user.get(&user).cloned();
    match (new, known) {
        (Some(new), _) => log.put(new),
        (None, Some(known)) => log.delete(&known),
        (None, None) => Ok(()),
    }
}
