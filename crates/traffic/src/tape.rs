//! What people ask, in order: by time, then by person.

use meshcloak::map::Position;
use meshcloak::query::{QueryId, UserId};
use meshcloak::units::{Length, Speed, Time};
use std::time::Duration;

/// One question of one person: where, when and under which constraints (SPEC §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// The person, from 0.
    pub user: u32,
    /// Which of that person's queries, from 0.
    pub number: u32,
    /// When it is asked, in milliseconds.
    pub asked_at: u64,
    /// Where the person is.
    pub position: Position,
    /// Among how many the person wants to be.
    pub k: u32,
    /// How long the person waits, in milliseconds.
    pub temporal_tolerance: u32,
    /// Never less than own speed × interval, rounded down.
    pub distance_constraint: Length,
    /// The person's top speed, in millimetres per second; of one who stands, what the distance
    /// constraint allows.
    pub speed: u32,
    /// Between two queries of this person, in milliseconds.
    pub query_interval: u32,
}

impl Query {
    /// This question as the engine takes it.
    pub fn as_query(&self, id: QueryId) -> meshcloak::query::Query {
        meshcloak::query::Query {
            id,
            user: UserId(u64::from(self.user)),
            asked_at: Time::from_millis(self.asked_at),
            position: self.position,
            k: self.k,
            temporal_tolerance: Duration::from_millis(u64::from(self.temporal_tolerance)),
            distance_constraint: self.distance_constraint,
            speed: Some(Speed::metres_per_second(f64::from(self.speed) / 1000.0)),
        }
    }
}

/// What was asked within one second, its end included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The second that has just ended.
    pub second: u32,
    /// In order of time, then of person.
    pub queries: Vec<Query>,
    /// How many people there are at its end.
    pub present: u32,
    /// How many of them stand still.
    pub standing: u32,
}

impl Batch {
    /// Queries of chunks of people, each chunk and the chunks in order of person.
    pub(crate) fn of(second: u32, chunks: &[Vec<Query>]) -> Batch {
        let mut queries = chunks.concat();
        // A stable sort: people stay in order among those who ask at the same time.
        queries.sort_by_key(|query| query.asked_at);
        Batch { second, queries, present: 0, standing: 0 }
    }
}
