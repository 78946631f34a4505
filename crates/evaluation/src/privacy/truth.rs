//! The true queries of a run. Attacks never see them.

use crate::workload::Workload;
use meshcloak::map::Position;
use meshcloak::query::UserId;
use meshcloak::units::{Length, Speed, Time};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// A query with its user and position.
#[derive(Clone, Copy, Debug)]
pub struct TrueQuery {
    /// The user.
    pub user: UserId,
    /// Time of the query.
    pub at: Time,
    /// Position of the user.
    pub position: Position,
    /// Requested k.
    pub k: u32,
    /// Distance constraint.
    pub dc: Length,
    /// Top speed.
    pub speed: Option<Speed>,
    /// Temporal tolerance.
    pub tolerance: Duration,
    /// Number of the user's previous query.
    pub previous: Option<u32>,
}

/// All queries by number.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// Queries in order of time.
    pub queries: Vec<TrueQuery>,
}

impl Truth {
    /// Numbers the queries, given in order of time, and links each to the user's previous one.
    pub fn new(queries: impl Iterator<Item = TrueQuery>) -> Truth {
        let mut last: FxHashMap<UserId, u32> = FxHashMap::default();
        let linked = queries.enumerate().map(|(number, query)| {
            let previous = last.insert(query.user, number as u32);
            TrueQuery { previous, ..query }
        });
        Truth { queries: linked.collect() }
    }

    /// Returns the truth of a workload.
    pub(super) fn of_workload(workload: &Workload, tolerance: Duration) -> Truth {
        Truth::new((0..workload.queries.len()).map(|number| {
            let query = workload.query(number, tolerance);
            TrueQuery {
                user: query.user,
                at: query.asked_at,
                position: query.position,
                k: query.k,
                dc: query.distance_constraint,
                speed: query.speed,
                tolerance: query.temporal_tolerance,
                previous: None,
            }
        }))
    }

    /// Returns a query by its number.
    pub fn of(&self, number: u32) -> &TrueQuery {
        &self.queries[number as usize]
    }
}
