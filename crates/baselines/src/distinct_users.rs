//! Selection of one waiting query per user: k counts users, so only the oldest query of each user
//! takes part in a batch.

use meshcloak::query::{Query, UserId};
use rustc_hash::FxHashSet;

/// Selects the oldest waiting query of each user.
#[derive(Clone, Debug, Default)]
pub(crate) struct DistinctUsers {
    users: FxHashSet<UserId>,
    indices: Vec<u32>,
}

impl DistinctUsers {
    /// Returns the waiting indices of the selected queries, ascending.
    pub(crate) fn select(&mut self, waiting: &[Query]) -> &[u32] {
        self.users.clear();
        self.indices.clear();
        for (index, query) in waiting.iter().enumerate() {
            if self.users.insert(query.user) {
                self.indices.push(index as u32);
            }
        }
        &self.indices
    }
}
