//! Queries of simulated agents as rows of a file.

use import::{Coordinates, QueryRecord};
use meshcloak::map::StreetMap;
use traffic::SimulatedQuery;

/// Converts a query to a row of a file; `user` is the name of its user.
pub fn simulated_record(map: &StreetMap, query: &SimulatedQuery, user: &str) -> QueryRecord {
    QueryRecord {
        query: format!("{user}.{}", query.number),
        user: user.to_owned(),
        asked_at: query.asked_at,
        coordinates: Coordinates::Metres(map.point(query.position)),
        k: query.k,
        temporal_tolerance: query.temporal_tolerance.into(),
        distance_constraint: query.distance_constraint,
        speed: Some(query.speed),
        query_interval: Some(query.query_interval),
        asks: true,
    }
}
