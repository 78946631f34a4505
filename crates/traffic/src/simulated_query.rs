//! Queries of agents, ordered by time, then by agent.

use meshcloak::map::Position;
use meshcloak::query::{QueryId, UserId};
use meshcloak::units::{Length, Speed, Time};
use std::time::Duration;

/// A query of an agent (docs/SPEC.md §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedQuery {
    /// Number of the agent, from 0.
    pub user: u32,
    /// Number of the query among the agent's queries, from 0.
    pub number: u32,
    /// Time of the query in milliseconds.
    pub asked_at: u64,
    /// Position of the agent.
    pub position: Position,
    /// Required size of the anonymity set.
    pub k: u32,
    /// dt in milliseconds.
    pub temporal_tolerance: u32,
    /// dc: at least speed × interval, rounded down.
    pub distance_constraint: Length,
    /// Top speed of the agent in millimetres per second; for standing agents dc / interval.
    pub speed: u32,
    /// Time between two queries of the agent in milliseconds.
    pub query_interval: u32,
}

impl SimulatedQuery {
    /// Converts to a query of the engine.
    pub fn as_query(&self, id: QueryId) -> meshcloak::Query {
        meshcloak::Query::builder(UserId(u64::from(self.user)), self.position)
            .id(id)
            .at(Time::from_millis(self.asked_at))
            .k(self.k)
            .dt(Duration::from_millis(u64::from(self.temporal_tolerance)))
            .dc(self.distance_constraint)
            .speed(Speed::metres_per_second(f64::from(self.speed) / 1000.0))
            .build_unchecked()
    }
}

/// Queries of one second, its end included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedBatch {
    /// End of the second.
    pub second: u32,
    /// Ordered by time, then by agent.
    pub queries: Vec<SimulatedQuery>,
    /// Number of agents on the map at its end.
    pub present: u32,
    /// Number of standing agents among them.
    pub standing: u32,
}

impl SimulatedBatch {
    /// Merges the queries of chunks of agents, given in order of agent.
    pub(crate) fn merge(second: u32, chunks: &[Vec<SimulatedQuery>]) -> SimulatedBatch {
        let mut queries = chunks.concat();
        // The sort is stable, so queries of the same time stay ordered by agent.
        queries.sort_by_key(|query| query.asked_at);
        SimulatedBatch { second, queries, present: 0, standing: 0 }
    }
}
