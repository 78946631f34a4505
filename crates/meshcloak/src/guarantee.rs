//! Guarantees (docs/SPEC.md §6), and the admission check of `history`.
//!
//! `history` protects against an adversary that knows each member's previous position and top
//! speed. A query whose position is farther from the previous one than the declared speed allows
//! cannot be protected and is refused.

use crate::distance::{Atlas, REACH_STEPS, probe_path};
use crate::history::{LastPositions, PastPosition};
use crate::map::Position;
use crate::query::{Query, UserId};
use crate::units::{Length, Time};
use std::time::Duration;

/// Properties that published sets have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guarantee {
    /// Algorithm 4 as printed: each query is published with a largest clique that contains it.
    /// Sets may overlap; nothing is checked by the guard.
    Paper,
    /// Disjoint sets; every member's `k` is met and all members publish the same region.
    #[default]
    Reciprocal,
    /// `Reciprocal`, and at least `k` members of each member's set are reachable from that member's
    /// previous position at its top speed.
    History,
}

impl Guarantee {
    /// Whether a newer query of a user replaces the waiting one (docs/SPEC.md §6). `paper` lets
    /// them wait side by side, as printed.
    pub fn has_one_query_per_user(self) -> bool {
        self != Guarantee::Paper
    }
}

/// Default time for which a previous position counts: ten minutes.
pub const DEFAULT_HORIZON: Duration = Duration::from_secs(600);

/// Returns the largest distance since the previous query, `v · (t − t_prev)`; zero without a
/// declared speed.
pub fn max_travel(query: &Query, previous: PastPosition) -> Length {
    query.speed.map_or(Length::ZERO, |speed| speed * (query.asked_at - previous.at))
}

/// Reason for which `history` refuses a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdmissionError {
    /// The query declares no top speed.
    #[error("the `history` guarantee needs the top speed of the user; the query has none")]
    Speed,
    /// The position is farther from the previous one than the declared speed allows.
    #[error("the position cannot be reached from the previous one at the declared speed")]
    FasterThanDeclared,
}

/// Admission check of the `history` guarantee. Keeps each user's last accepted position.
///
/// [`Admission::admit`] does all at once. A program that must not search while it holds a lock
/// calls [`Admission::previous`], [`check_travel`] without the lock, and [`Admission::record`].
#[derive(Debug)]
pub struct Admission {
    positions: LastPositions,
}

impl Admission {
    /// Returns a check without past positions; they count for `horizon`.
    pub fn new(horizon: Duration) -> Admission {
        Admission { positions: LastPositions::new(horizon) }
    }

    /// Returns a check that begins with past positions, such as those of a log.
    pub fn with_positions(positions: LastPositions) -> Admission {
        Admission { positions }
    }

    /// Inserts a position that another engine accepted, in any order of time.
    pub fn insert(&mut self, user: UserId, at: Time, position: Position) {
        self.positions.insert(user, at, position);
    }

    /// Accepts a query and returns the user's previous position within the horizon, for
    /// [`crate::history::History::set_previous`]. Queries are admitted in order of time.
    ///
    /// # Errors
    /// If the query declares no speed, or its position contradicts the declared speed.
    pub fn admit(
        &mut self,
        atlas: &Atlas,
        query: &Query,
    ) -> Result<Option<PastPosition>, AdmissionError> {
        let previous = self.previous(query.user, query.asked_at);
        let checked = check_travel(atlas, query, previous)?;
        self.record(query);
        Ok(checked)
    }

    /// Returns the user's last position if it was recorded within the horizon before `now`.
    pub fn previous(&mut self, user: UserId, now: Time) -> Option<PastPosition> {
        self.positions.get(user, now)
    }

    /// Records the position of a query that [`check_travel`] has accepted.
    pub fn record(&mut self, query: &Query) {
        self.positions.record(query);
    }
}

/// Checks that a query's position is reachable from the previous one at the declared speed, and
/// returns the previous position with the path that was found. Bounded: a path beyond `dc_max` is
/// searched in at most [`REACH_STEPS`] steps, and counts as missing if they do not suffice.
///
/// # Errors
/// If the query declares no speed, or no path within the bound is found.
pub fn check_travel(
    atlas: &Atlas,
    query: &Query,
    previous: Option<PastPosition>,
) -> Result<Option<PastPosition>, AdmissionError> {
    if query.speed.is_none() {
        return Err(AdmissionError::Speed);
    }
    let Some(previous) = previous else { return Ok(None) };
    let (from, to) = (previous.position, query.position);
    let bound = max_travel(query, previous);
    let travelled = match atlas.distance(from, to) {
        Some(length) => Some(length).filter(|length| *length <= bound),
        None if bound <= atlas.dc_max() => None,
        None => probe_path(atlas.map(), from, to, bound, REACH_STEPS).length,
    };
    match travelled {
        Some(_) => Ok(Some(PastPosition { travelled, ..previous })),
        None => Err(AdmissionError::FasterThanDeclared),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::MAX_DC_MAX;
    use crate::naive;
    use crate::query::QueryId;
    use crate::town::Town;
    use crate::units::Speed;
    use rand::RngExt as _;

    #[test]
    fn exactly_the_queries_beyond_the_declared_speed_are_refused() {
        let (mut refused, mut admitted) = (0, 0);
        for seed in 0..400 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let dc_max = [MAX_DC_MAX, Length::metres(100.0)][seed as usize % 2];
            let atlas = Atlas::new(town.map.clone(), dc_max);
            let table = naive::terminal_distances(&town.map);
            let mut admission = Admission::new(Duration::from_secs(60));
            let mut queries = town.random_queries(&mut random, 12);
            queries.sort_by_key(|query| query.asked_at);
            let mut last: Option<Query> = None;
            for (number, query) in queries.iter_mut().enumerate() {
                query.id = QueryId(number as u64);
                query.user = UserId(1);
                query.asked_at = Time::from_millis(number as u64 * 25_000 * (1 + seed % 4));
                query.speed = Some(Speed::metres_per_second(random.random_range(0.0..60.0)));
                let span = last.as_ref().map(|last| query.asked_at - last.asked_at);
                let expected = last.as_ref().is_none_or(|last| {
                    let length = naive::distance(&town.map, &table, last.position, query.position);
                    let bound = query.speed.unwrap_or_default() * (query.asked_at - last.asked_at);
                    length.is_some_and(|length| length <= bound)
                }) || span.is_some_and(|span| span > Duration::from_secs(60));
                let found = admission.admit(&atlas, query);
                assert_eq!(found.is_ok(), expected, "seed {seed} {query:?}\n{town}");
                if expected {
                    admitted += 1;
                    last = Some(query.clone());
                } else {
                    assert_eq!(found, Err(AdmissionError::FasterThanDeclared));
                    refused += 1;
                }
            }
            let without_speed = Query { speed: None, ..queries[0].clone() };
            assert_eq!(admission.admit(&atlas, &without_speed), Err(AdmissionError::Speed));
        }
        assert!(refused > 500 && admitted > 500, "{refused} refused, {admitted} admitted");
    }
}
