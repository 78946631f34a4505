//! Accounts of waiting queries. An account is a party that names users, such as an app, and could
//! invent them.

use crate::query::{Query, QueryId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(pub u32);

/// Account of each waiting query. Queries without an entry belong to account 0.
#[derive(Clone, Debug, Default)]
pub struct Accounts(FxHashMap<QueryId, AccountId>);

/// Number of entries of departed queries that are kept.
const MAX_DEPARTED: usize = 1 << 12;

impl Accounts {
    /// Sets the account of a query, before the turn with which it arrives.
    pub fn set(&mut self, query: QueryId, account: AccountId) {
        if account != AccountId::default() {
            self.0.insert(query, account);
        }
    }

    /// Returns the account of a query.
    pub fn of(&self, query: QueryId) -> AccountId {
        self.0.get(&query).copied().unwrap_or_default()
    }

    /// Removes departed queries when they are many.
    pub(crate) fn purge(&mut self, waiting: &[Query]) {
        if self.0.len() > waiting.len() + MAX_DEPARTED {
            let waiting: FxHashSet<QueryId> = waiting.iter().map(|query| query.id).collect();
            self.0.retain(|id, _| waiting.contains(id));
        }
    }
}

/// Whether `k` is met by the `counted` members after those of any one account other than `own` are
/// removed. For the guard; the grouping has its own count.
pub(crate) fn is_met_without_any(
    k: u32,
    own: AccountId,
    counted: impl Iterator<Item = AccountId>,
) -> bool {
    let mut accounts: Vec<AccountId> = counted.collect();
    accounts.sort_unstable();
    let runs = accounts.chunk_by(|a, b| a == b).filter(|run| run[0] != own);
    let largest = runs.map(<[AccountId]>::len).max().unwrap_or(0);
    accounts.len() - largest >= k as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_other_account_does_not_count() {
        let met = |k, own, accounts: &[u32]| {
            is_met_without_any(k, AccountId(own), accounts.iter().copied().map(AccountId))
        };
        assert!(met(3, 0, &[0, 0, 0]) && !met(4, 0, &[0, 0, 0]));
        assert!(!met(2, 0, &[0, 1, 1, 1]), "invented users of another account");
        assert!(met(2, 1, &[0, 1, 1, 1]), "the own account is not removed");
        assert!(met(2, 0, &[0, 1, 2]) && !met(3, 0, &[0, 1, 2]));
    }
}
