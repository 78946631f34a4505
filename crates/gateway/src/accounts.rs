//! Accounts by key hash, with their limits, rate limiters and tickets.

#[cfg(test)]
mod tests;

use crate::config::AccountLimits;
use crate::keys::{KeyEntry, KeyFile, SecretHash, hash_secret};
use crate::tickets::Tickets;
use crate::unread_bytes::{UnreadBytes, UnreadShare};
use crate::user_quota::UserQuota;
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use meshcloak::accounts::AccountId;
use meshcloak::query::UserId;
use meshcloak::units::Time;
use rustc_hash::FxHashMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use subtle::ConstantTimeEq as _;
use tokio::sync::watch;

/// A client application with its keys.
pub struct Account {
    name: Box<str>,
    limits: AccountLimits,
    rate: DefaultDirectRateLimiter,
    user_rate: DefaultKeyedRateLimiter<u64>,
    state: Arc<AccountState>,
}

/// What an account keeps when its limits change.
#[derive(Debug)]
struct AccountState {
    /// Number of the account for the engine, unique within the process.
    id: AccountId,
    tickets: Tickets,
    quota: UserQuota,
    /// Open streams, WebSockets and waiting requests.
    connections: AtomicUsize,
    /// Bytes of results in its streams and sockets.
    unread: Arc<AtomicUsize>,
}

impl Default for AccountState {
    fn default() -> AccountState {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        AccountState {
            id: AccountId(NEXT.fetch_add(1, Ordering::Relaxed)),
            tickets: Tickets::default(),
            quota: UserQuota::default(),
            connections: AtomicUsize::new(0),
            unread: Arc::default(),
        }
    }
}

/// Permit for one open stream, WebSocket or waiting request of an account.
#[derive(Debug)]
pub struct AccountConnection(Arc<AccountState>);

impl Drop for AccountConnection {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Prints no name.
impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Account(…)")
    }
}

impl Account {
    fn new(name: &str, limits: AccountLimits, state: Arc<AccountState>) -> Arc<Account> {
        let nonzero = |number: u32| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
        // Bursts: one second's worth for the account, ten seconds' worth for a user.
        let user_quota = Quota::per_minute(nonzero(limits.person_rate))
            .allow_burst(nonzero((limits.person_rate / 6).max(2)));
        Arc::new(Account {
            name: name.into(),
            limits,
            rate: RateLimiter::direct(Quota::per_second(nonzero(limits.rate))),
            user_rate: RateLimiter::keyed(user_quota),
            state,
        })
    }

    /// Name of the account.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of the account for the engine.
    pub fn id(&self) -> AccountId {
        self.state.id
    }

    /// Limits of its queries.
    pub fn limits(&self) -> &AccountLimits {
        &self.limits
    }

    /// Tickets of its queries.
    pub fn tickets(&self) -> &Tickets {
        &self.state.tickets
    }

    /// Its part of the unread bytes of all accounts.
    pub fn unread_share(&self, total: &Arc<UnreadBytes>) -> UnreadShare {
        UnreadShare::new(Arc::clone(total), Arc::clone(&self.state.unread))
    }

    /// Counts a query against the rate limit. Returns false if the limit is exceeded.
    pub fn allow_query(&self) -> bool {
        self.rate.check().is_ok()
    }

    /// Counts a query against the rate limit of one user. Returns false if it is exceeded.
    pub fn allow_user(&self, user: UserId) -> bool {
        self.user_rate.check_key(&user.0).is_ok()
    }

    /// Counts a user against `limits.people`. Returns false if the user is new and too many others
    /// asked within the last hour.
    pub fn allow_new_user(&self, user: UserId, now: Time) -> bool {
        self.state.quota.allow(user, now, self.limits.users)
    }

    /// Opens a connection; `None` if `limits.connections` are open.
    pub fn connect(&self) -> Option<AccountConnection> {
        let (count, max) = (&self.state.connections, self.limits.connections);
        let next = |open: usize| open.checked_add(1).filter(|next| *next <= max);
        count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
        Some(AccountConnection(Arc::clone(&self.state)))
    }

    /// Removes the state of users whose rate limit is full again, and of users who no longer count
    /// against `limits.people`.
    pub fn purge_idle_users(&self, now: Time) {
        self.state.quota.purge(now);
        self.user_rate.retain_recent();
        self.user_rate.shrink_to_fit();
    }
}

/// A key in use.
#[derive(Clone, Debug)]
struct ApiKey {
    account: Arc<Account>,
    /// Becomes true when the key is revoked.
    revoked: Arc<watch::Sender<bool>>,
}

/// The right to use an account: that of one key, or of the demo.
#[derive(Clone, Debug)]
pub struct Access {
    /// The account.
    pub account: Arc<Account>,
    /// Revocation of the key; `None` in the demo, which has no keys.
    revoked: Option<watch::Receiver<bool>>,
}

impl Access {
    /// Waits until the key is revoked.
    ///
    /// # Cancel safety
    /// Can be dropped and called again without missing the revocation.
    pub async fn revoked(&mut self) {
        match &mut self.revoked {
            Some(revoked) => crate::listen::until_true(revoked).await,
            None => std::future::pending().await,
        }
    }
}

/// All accounts, as of the last read of the file of keys.
#[derive(Debug)]
pub struct Directory {
    by_hash: FxHashMap<SecretHash, ApiKey>,
    by_name: FxHashMap<Box<str>, Arc<Account>>,
    /// Account of requests without a key, in the demo.
    open: Option<Arc<Account>>,
}

/// Limits of requests without a key: users of the demo are simulated, and all share the account.
fn open_limits(limits: AccountLimits) -> AccountLimits {
    AccountLimits { users: usize::MAX, connections: usize::MAX, ..limits }
}

impl Directory {
    /// Creates a directory without accounts.
    pub fn empty() -> Directory {
        Directory { by_hash: FxHashMap::default(), by_name: FxHashMap::default(), open: None }
    }

    /// Creates a directory in which requests need no key and share one account.
    pub fn open_to_all(limits: AccountLimits) -> Directory {
        let open = Account::new("demo", open_limits(limits), Arc::default());
        Directory { open: Some(open), ..Directory::empty() }
    }

    /// Builds the directory of a new file of keys. Accounts that exist in `self` keep their tickets,
    /// and their rate-limit state unless their limits have changed.
    pub fn updated(&self, file: &KeyFile, limits: AccountLimits) -> Directory {
        let open =
            self.open.as_ref().map(|open| self.updated_account(&open.name, open_limits(limits)));
        let mut directory = Directory { open, ..Directory::empty() };
        for entry in &file.accounts {
            let account = self.updated_account(&entry.name, entry.limits.apply_to(limits));
            for hash in entry.keys.iter().filter_map(KeyEntry::hash) {
                let known = self.by_hash.get(&hash);
                let known = known.filter(|known| known.account.name == account.name);
                let revoked = known.map(|known| Arc::clone(&known.revoked)).unwrap_or_default();
                directory.by_hash.insert(hash, ApiKey { account: Arc::clone(&account), revoked });
            }
            directory.by_name.insert(entry.name.as_str().into(), account);
        }
        directory
    }

    /// Builds the directory of the keys that a file of keys still lists. Adds no key, and changes no
    /// limit.
    pub fn without_missing(&self, file: &KeyFile) -> Directory {
        let mut directory = Directory { open: self.open.clone(), ..Directory::empty() };
        for entry in &file.accounts {
            for hash in entry.keys.iter().filter_map(KeyEntry::hash) {
                let known = self.by_hash.get(&hash);
                if let Some(key) = known.filter(|key| *key.account.name == *entry.name) {
                    let account = Arc::clone(&key.account);
                    directory.by_name.insert(account.name.clone(), account);
                    directory.by_hash.insert(hash, key.clone());
                }
            }
        }
        directory
    }

    /// Ends all that was opened with a key that `new` does not have. Returns the number of such keys.
    pub fn revoke_missing(&self, new: &Directory) -> usize {
        let is_missing = |(hash, key): &(&SecretHash, &ApiKey)| {
            let kept = new.by_hash.get(*hash);
            kept.is_none_or(|kept| !Arc::ptr_eq(&kept.revoked, &key.revoked))
        };
        let missing: Vec<_> = self.by_hash.iter().filter(is_missing).collect();
        for (_, key) in &missing {
            key.revoked.send_replace(true);
        }
        missing.len()
    }

    fn updated_account(&self, name: &str, limits: AccountLimits) -> Arc<Account> {
        let open = self.open.as_ref().filter(|open| &*open.name == name);
        match self.by_name.get(name).or(open) {
            Some(account) if account.limits == limits => Arc::clone(account),
            Some(account) => Account::new(name, limits, Arc::clone(&account.state)),
            None => Account::new(name, limits, Arc::default()),
        }
    }

    /// Returns the account of a presented key, or without a key that of the demo.
    pub fn account(&self, secret: Option<&str>) -> Option<&Arc<Account>> {
        let Some(secret) = secret else { return self.open.as_ref() };
        Some(&self.key(secret)?.account)
    }

    /// Returns the access of a presented key, or without a key that of the demo.
    pub fn access(&self, secret: Option<&str>) -> Option<Access> {
        let Some(secret) = secret else {
            let account = Arc::clone(self.open.as_ref()?);
            return Some(Access { account, revoked: None });
        };
        let ApiKey { account, revoked } = self.key(secret)?;
        Some(Access { account: Arc::clone(account), revoked: Some(revoked.subscribe()) })
    }

    fn key(&self, secret: &str) -> Option<&ApiKey> {
        let presented = hash_secret(secret);
        let (known, key) = self.by_hash.get_key_value(&presented)?;
        bool::from(known.ct_eq(&presented)).then_some(key)
    }

    /// Returns the account with this name.
    pub fn named(&self, name: &str) -> Option<&Arc<Account>> {
        self.by_name.get(name).or(self.open.as_ref().filter(|open| &*open.name == name))
    }

    /// Returns the current version of an account; `None` if its last key was revoked.
    pub fn current(&self, account: &Account) -> Option<&Arc<Account>> {
        self.named(&account.name)
    }

    /// Iterates over all accounts.
    pub fn accounts(&self) -> impl Iterator<Item = &Arc<Account>> {
        self.by_name.values().chain(&self.open)
    }
}
