//! The people of a batch: k counts people, so of somebody who waits with several queries only the
//! one that has waited longest takes part; the others wait their turn.

use meshcloak::query::{Query, UserId};
use rustc_hash::FxHashSet;

/// One query of each user.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowd {
    users: FxHashSet<UserId>,
    places: Vec<u32>,
}

impl Crowd {
    /// The places in the waiting list of those who take part, ascending.
    pub(crate) fn gather(&mut self, waiting: &[Query]) -> &[u32] {
        self.users.clear();
        self.places.clear();
        for (place, query) in waiting.iter().enumerate() {
            if self.users.insert(query.user) {
                self.places.push(place as u32);
            }
        }
        &self.places
    }
}
