//! Who may ask: accounts by the hash of their keys, with their limits, their tickets and how often
//! they have asked of late.

use crate::config::Limits;
use crate::keys::{Hash, KeyEntry, KeyFile, hash};
use crate::tickets::Tickets;
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use meshcloak::query::UserId;
use rustc_hash::FxHashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroU32;
use std::sync::Arc;
use subtle::ConstantTimeEq as _;

/// Somebody's app.
pub struct Account {
    name: Box<str>,
    limits: Limits,
    rate: DefaultDirectRateLimiter,
    people: DefaultKeyedRateLimiter<u64>,
    tickets: Arc<Tickets>,
}

/// Who it is never gets printed.
impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Account(…)")
    }
}

impl Account {
    fn new(name: &str, limits: Limits, tickets: Arc<Tickets>) -> Arc<Account> {
        let times = |number: u32| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
        // A second's worth at once, and of one person's minute a sixth.
        let people = Quota::per_minute(times(limits.person_rate))
            .allow_burst(times((limits.person_rate / 6).max(2)));
        Arc::new(Account {
            name: name.into(),
            limits,
            rate: RateLimiter::direct(Quota::per_second(times(limits.rate))),
            people: RateLimiter::keyed(people),
            tickets,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it may ask.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Its tickets.
    pub fn tickets(&self) -> &Tickets {
        &self.tickets
    }

    /// Whether it may ask once more now.
    pub fn may_ask(&self) -> bool {
        self.rate.check().is_ok()
    }

    /// Whether one of its people may.
    pub fn person_may_ask(&self, person: UserId) -> bool {
        self.people.check_key(&person.0).is_ok()
    }

    /// Forgets people who have not asked for long.
    pub fn tidy(&self) {
        self.people.retain_recent();
        self.people.shrink_to_fit();
    }
}

/// All accounts, as the file of keys had them when it was last read.
#[derive(Debug)]
pub struct Directory {
    by_hash: FxHashMap<Hash, Arc<Account>>,
    by_name: FxHashMap<Box<str>, Arc<Account>>,
    /// The account of everybody, in the demo.
    open: Option<Arc<Account>>,
}

impl Directory {
    /// Nobody may ask.
    pub fn empty() -> Directory {
        Directory { by_hash: FxHashMap::default(), by_name: FxHashMap::default(), open: None }
    }

    /// Everybody may ask, as one account.
    pub fn open_to_all(limits: Limits) -> Directory {
        let open = Account::new("demo", limits, Arc::default());
        Directory { open: Some(open), ..Directory::empty() }
    }

    /// The accounts of a file; those that were there before keep their tickets, and how often
    /// they have asked unless their limits have changed.
    pub fn of(&self, file: &KeyFile, limits: Limits) -> Directory {
        let open = self.open.as_ref().map(|open| self.renewed(&open.name, limits));
        let mut directory = Directory { open, ..Directory::empty() };
        for entry in &file.accounts {
            let account = self.renewed(&entry.name, entry.limits.over(limits));
            for hash in entry.keys.iter().filter_map(KeyEntry::hash) {
                directory.by_hash.insert(hash, Arc::clone(&account));
            }
            directory.by_name.insert(entry.name.as_str().into(), account);
        }
        directory
    }

    fn renewed(&self, name: &str, limits: Limits) -> Arc<Account> {
        let open = self.open.as_ref().filter(|open| &*open.name == name);
        match self.by_name.get(name).or(open) {
            Some(account) if account.limits == limits => Arc::clone(account),
            Some(account) => Account::new(name, limits, Arc::clone(&account.tickets)),
            None => Account::new(name, limits, Arc::default()),
        }
    }

    /// The account of a key as it was presented; in the demo, everybody's.
    pub fn account(&self, secret: Option<&str>) -> Option<&Arc<Account>> {
        let Some(secret) = secret else { return self.open.as_ref() };
        let presented = hash(secret);
        let (known, account) = self.by_hash.get_key_value(&presented)?;
        bool::from(known.ct_eq(&presented)).then_some(account)
    }

    /// The account of that name.
    pub fn named(&self, name: &str) -> Option<&Arc<Account>> {
        self.by_name.get(name).or(self.open.as_ref().filter(|open| &*open.name == name))
    }

    /// An account as it is now; `None` if it has lost its last key.
    pub fn as_it_is_now(&self, account: &Account) -> Option<&Arc<Account>> {
        self.named(&account.name)
    }

    /// Every account once.
    pub fn accounts(&self) -> impl Iterator<Item = &Arc<Account>> {
        self.by_name.values().chain(&self.open)
    }
}

/// Numbers people: (account, name) to a number that means nothing outside this process, and from
/// which nobody can get back to the name. Two people share one with a chance of 1 in 37 million
/// among a million; they would then count as one, never as two.
#[derive(Debug, Default)]
pub struct Numbers {
    secret: RandomState,
}

impl Numbers {
    /// The number of somebody.
    pub fn person(&self, account: &Account, name: &str) -> UserId {
        self.named(&account.name, name)
    }

    /// The same for whoever knows no more of the account than its name.
    pub fn named(&self, account: &str, name: &str) -> UserId {
        UserId(self.secret.hash_one((account, name)))
    }

    /// A number for what was asked, equal if the same is asked again.
    pub fn digest(&self, text: impl std::hash::Hash) -> u64 {
        self.secret.hash_one(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::keys::OwnLimits;

    #[test]
    fn a_key_opens_its_account_and_no_other_until_it_is_revoked() {
        let limits = Config::default().limits;
        let mut file = KeyFile::default();
        let one = file.add("one", OwnLimits { k_max: Some(5), ..OwnLimits::default() }).unwrap();
        let two = file.add("two", OwnLimits::default()).unwrap();
        let directory = Directory::empty().of(&file, limits);
        let account = directory.account(Some(&one.secret)).unwrap();
        assert_eq!((&*account.name, account.limits.k_max), ("one", 5));
        assert_eq!(&*directory.account(Some(&two.secret)).unwrap().name, "two");
        for secret in [None, Some(""), Some("mc_00"), Some(&*one.id)] {
            assert!(directory.account(secret).is_none());
        }
        file.revoke(&one.id).unwrap();
        let later = directory.of(&file, limits);
        assert!(later.account(Some(&one.secret)).is_none());
        assert!(later.as_it_is_now(account).is_none());
        let (before, after) =
            (directory.account(Some(&two.secret)), later.account(Some(&two.secret)));
        assert!(Arc::ptr_eq(before.unwrap(), after.unwrap()), "it keeps its tickets");
    }

    #[test]
    fn people_of_two_accounts_are_two_people() {
        let limits = Config::default().limits;
        let [a, b] = ["a", "b"].map(|name| Account::new(name, limits, Arc::default()));
        let numbers = Numbers::default();
        assert!(numbers.person(&a, "jo") == numbers.person(&a, "jo"));
        assert!(numbers.person(&a, "jo") != numbers.person(&b, "jo"));
    }
}
