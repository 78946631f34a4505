//! Recorded queries as a workload, so that a scheme can be run and attacked on them.

use crate::workload::Workload;
use import::{Coordinates, ImportError, QueryReader, QueryRecord};
use meshcloak::map::StreetMap;
use rustc_hash::FxHashMap;
use std::time::Duration;
use traffic::SimulatedQuery;

/// Why recorded queries are not a workload.
#[derive(Debug, thiserror::Error)]
pub enum RecordedWorkloadError {
    /// The queries cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A query that no run of a scheme can contain.
    #[error("query `{query}`: {problem}")]
    Query {
        /// Id of the query.
        query: String,
        /// What is wrong with it, and what to do.
        problem: &'static str,
    },
}

impl Workload {
    /// Reads queries in order of time. All must ask, with one temporal tolerance, which is returned.
    /// Malformed rows and queries off the map are left out.
    ///
    /// # Errors
    /// If the queries cannot be read, or one of them cannot be part of a workload.
    pub fn of_rows(
        map: &StreetMap,
        mut reader: QueryReader<'_>,
    ) -> Result<(Workload, Duration), RecordedWorkloadError> {
        let mut numbers: FxHashMap<String, (u32, u32)> = FxHashMap::default();
        let mut queries: Vec<SimulatedQuery> = Vec::new();
        let mut tolerance = None;
        while let Some(row) = reader.next_row()? {
            let Ok(record) = row.query else { continue };
            let next = numbers.len() as u32;
            let (user, number) = numbers.entry(record.user.clone()).or_insert((next, 0));
            let latest = queries.last().map_or(0, |query| query.asked_at);
            let same = *tolerance.get_or_insert(record.temporal_tolerance);
            let query = simulated(map, &record, latest, same)
                .map_err(|problem| RecordedWorkloadError::Query { query: record.query, problem })?;
            let Some(query) = query else { continue };
            queries.push(SimulatedQuery { user: *user, number: *number, ..query });
            *number += 1;
        }
        let users = numbers.len();
        let tolerance = Duration::from_millis(tolerance.unwrap_or(0));
        Ok((Workload { queries, users, ..Workload::default() }, tolerance))
    }
}

/// Converts a row; `None` if it is off the map. User and number are left 0.
fn simulated(
    map: &StreetMap,
    record: &QueryRecord,
    latest: u64,
    tolerance: u64,
) -> Result<Option<SimulatedQuery>, &'static str> {
    let point = match (record.coordinates, map.frame()) {
        (Coordinates::Metres(point), _) => point,
        (Coordinates::Degrees(lon_lat), Some(frame)) => frame.point(lon_lat),
        (Coordinates::Degrees(_), None) => return Err("lon/lat on a map without an origin"),
    };
    if !record.asks {
        return Err("a presence report; a scheme is attacked on queries that ask");
    }
    if record.asked_at < latest {
        return Err("earlier than the row before it; expected ascending times");
    }
    if record.temporal_tolerance != tolerance {
        return Err("another dt than the first query; expected one dt for all");
    }
    let speed = record.speed.ok_or("no `speed`, which attacks need")?;
    let Some(snapped) = map.snap(point, None) else { return Ok(None) };
    Ok(Some(SimulatedQuery {
        user: 0,
        number: 0,
        asked_at: record.asked_at,
        position: snapped.position,
        k: record.k,
        temporal_tolerance: u32::try_from(tolerance).map_err(|_| "dt is over 49 days")?,
        distance_constraint: record.distance_constraint,
        speed,
        query_interval: record.query_interval.unwrap_or(0),
    }))
}
