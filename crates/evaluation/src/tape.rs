//! What a crowd asks, kept so that every scheme gets the same: people and places are the same
//! however long people wait, so one tape serves every `dt`.

use meshcloak::query::{Query, QueryId};
use std::time::Duration;

/// Everything that is asked, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tape {
    /// In order of time, then of person.
    pub queries: Vec<traffic::SimulatedQuery>,
    /// How many people ask.
    pub users: usize,
}

impl Tape {
    /// The query of that number, by somebody who is willing to wait that long.
    pub fn query(&self, number: usize, tolerance: Duration) -> Query {
        let mut query = self.queries[number].as_query(QueryId(number as u64));
        query.temporal_tolerance = tolerance;
        query
    }

    /// Bytes of memory that a tape of so many queries takes.
    pub fn bytes(queries: usize) -> usize {
        queries * size_of::<traffic::SimulatedQuery>()
    }
}
