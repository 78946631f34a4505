//! Users with settings by id, token and account.

use super::profile::UserProfile;
use crate::keys::SecretHash;
use meshcloak::query::UserId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// All users with settings.
#[derive(Default)]
pub(super) struct UserIndex {
    pub by_user: FxHashMap<UserId, Arc<UserProfile>>,
    pub by_token: FxHashMap<SecretHash, UserId>,
    /// Number of users of each account.
    by_account: FxHashMap<Box<str>, usize>,
}

impl UserIndex {
    /// Whether the account may add a user. One account can fill at most three quarters of the
    /// capacity.
    pub fn has_capacity(&self, account: &str, max_users: usize) -> bool {
        let of_account = self.by_account.get(account).copied().unwrap_or(0);
        self.by_user.len() < max_users && of_account < max_users.saturating_sub(max_users / 4)
    }

    /// Replaces a user, or removes it without a new profile.
    pub fn replace(&mut self, user: UserId, new: Option<Arc<UserProfile>>) {
        self.remove(user);
        if let Some(new) = new {
            self.insert(user, new);
        }
    }

    /// Returns all users after such a replacement, ascending by name.
    pub fn profiles_with(
        &self,
        user: UserId,
        new: Option<&Arc<UserProfile>>,
    ) -> Vec<Arc<UserProfile>> {
        let others = self.by_user.iter().filter(|(known, _)| **known != user);
        let mut all: Vec<_> = others.map(|(_, profile)| profile).chain(new).cloned().collect();
        all.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
        all
    }

    fn remove(&mut self, user: UserId) {
        if let Some(profile) = self.by_user.remove(&user) {
            if let Some(count) = self.by_account.get_mut(&profile.account) {
                *count = count.saturating_sub(1);
            }
            for token in &profile.tokens {
                self.by_token.remove(&token.hash);
            }
        }
    }

    pub fn insert(&mut self, user: UserId, profile: Arc<UserProfile>) {
        let count = self.by_account.entry(profile.account.clone()).or_default();
        *count = count.saturating_add(1);
        self.by_token.extend(profile.tokens.iter().map(|token| (token.hash, user)));
        self.by_user.insert(user, profile);
    }
}
