//! The true queries of a run. Attacks never see them.

use crate::workload::Workload;
use meshcloak::query::{Query, UserId};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// All queries by number, in order of time.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    queries: Vec<Query>,
    /// Number of the previous query of the same user, by query.
    previous: Vec<Option<u32>>,
}

impl Truth {
    /// Links the queries, given in order of time, to the previous ones of their users.
    pub fn new(queries: Vec<Query>) -> Truth {
        let mut last: FxHashMap<UserId, u32> = FxHashMap::default();
        let numbered = queries.iter().zip(0..);
        let previous = numbered.map(|(query, number)| last.insert(query.user, number)).collect();
        Truth { queries, previous }
    }

    /// Returns the truth of a workload.
    pub(super) fn of_workload(workload: &Workload, tolerance: Duration) -> Truth {
        let numbers = 0..workload.queries.len();
        Truth::new(numbers.map(|number| workload.query(number, tolerance)).collect())
    }

    /// Returns all queries.
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// Returns a query by its number.
    pub fn of(&self, number: u32) -> &Query {
        &self.queries[number as usize]
    }

    /// Returns the previous query of the same user.
    pub fn previous(&self, number: u32) -> Option<&Query> {
        self.previous[number as usize].map(|previous| self.of(previous))
    }
}
