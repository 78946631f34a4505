//! Guarantees (docs/SPEC.md §6), and the admission check of `history`.
//!
//! `history` protects against an adversary that knows each member's previous position and top
//! speed. A query whose position is farther from the previous one than the declared speed allows
//! cannot be protected and is refused.

use crate::distance::{Arcs, Atlas, Search};
use crate::history::{LastPositions, PastPosition};
use crate::query::Query;
use crate::units::Length;
use std::ops::ControlFlow;
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
#[derive(Debug)]
pub struct Admission {
    positions: LastPositions,
    arcs: Arcs,
    search: Search,
}

impl Admission {
    /// Returns a check without past positions; they count for `horizon`.
    pub fn new(atlas: &Atlas, horizon: Duration) -> Admission {
        let arcs = Arcs::forward(atlas.map());
        let search = Search::new(arcs.terminal_count());
        Admission { positions: LastPositions::new(horizon), arcs, search }
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
        if query.speed.is_none() {
            return Err(AdmissionError::Speed);
        }
        if let Some(previous) = self.positions.get(query.user, query.asked_at)
            && !self.is_reachable(atlas, query, previous)
        {
            return Err(AdmissionError::FasterThanDeclared);
        }
        Ok(self.positions.record(query))
    }

    /// Whether the query's position is reachable from the previous one in time.
    fn is_reachable(&mut self, atlas: &Atlas, query: &Query, previous: PastPosition) -> bool {
        let (from, to) = (previous.position, query.position);
        let bound = max_travel(query, previous);
        if let Some(length) = atlas.distance(from, to) {
            return length <= bound;
        }
        let map = atlas.map();
        let plane = map.point(from).distance(map.point(to));
        // The plane distance is a floating-point number: one millimetre of tolerance.
        if bound <= atlas.dc_max() || plane > bound.as_metres() + 0.001 {
            return false;
        }
        let mut found = map.along(from, to).is_some_and(|length| length <= bound);
        let Admission { arcs, search, .. } = self;
        search.run_while(arcs, map.exits(from), bound, |terminal, length| {
            let mut entered = map.entrances(to).filter(|(entrance, _)| *entrance == terminal);
            found |= entered.any(|(_, rest)| length + rest <= bound);
            // Stops at the first path: a high declared speed must not cost a search of the map.
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::MAX_DC_MAX;
    use crate::naive;
    use crate::query::{QueryId, UserId};
    use crate::town::Town;
    use crate::units::{Speed, Time};
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
            let mut admission = Admission::new(&atlas, Duration::from_secs(60));
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
