//! Queries as the anonymizer receives them: `q(A) = {k, t, x, y, dt, dc}` (§III-E).
//!
//! A query holds a user and a position. It cannot be serialised, and prints its id alone.

use crate::map::{Position, StreetId};
use crate::units::{Length, Speed, Time};
use std::fmt;
use std::time::Duration;

/// Number of a query, in order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueryId(pub u64);

/// A user; `k` counts users, not queries. Prints as a placeholder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(pub u64);

/// A query of a user. [`Query::builder`] makes one and checks its values.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive] // no literals outside this crate: they would skip the check
pub struct Query {
    /// Number of the query.
    pub id: QueryId,
    /// The user.
    pub user: UserId,
    /// Time of the query.
    pub asked_at: Time,
    /// Position of the user.
    pub position: Position,
    /// Required size of the anonymity set, the user included; at least 2, or 1 without a question.
    pub k: u32,
    /// Longest acceptable wait (dt).
    pub temporal_tolerance: Duration,
    /// Largest distance that the user moves between two queries (dc).
    pub distance_constraint: Length,
    /// Top speed of the user; required by the `history` guarantee.
    pub speed: Option<Speed>,
    /// Whether the user has a question; otherwise the query is a presence report. A set in which no
    /// member has a question is not published.
    pub asks: bool,
}

/// A value of a query that is out of range: such a query would wait until it expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// `k` of a query with a question is less than 2.
    #[error("k is {0}; expected at least 2")]
    K(u32),
    /// `k` of a presence report is 0.
    #[error("k of a presence report is 0; expected at least 1")]
    PresentK,
    /// The distance constraint is zero or above the limit of the map.
    #[error("dc is {} m; expected more than 0 and at most {} m", dc.as_metres(), dc_max.as_metres())]
    DistanceConstraint {
        /// The given value.
        dc: Length,
        /// The largest distance that the map is prepared for.
        dc_max: Length,
    },
}

impl Query {
    /// Returns a builder for a query of `user` at `position`, with `k` = 2, time 0, no tolerance,
    /// and a distance constraint that must be set.
    pub fn builder(user: UserId, position: Position) -> QueryBuilder {
        QueryBuilder(Query {
            id: QueryId(0),
            user,
            asked_at: Time::default(),
            position,
            k: 2,
            temporal_tolerance: Duration::ZERO,
            distance_constraint: Length::ZERO,
            speed: None,
            asks: true,
        })
    }

    /// Checks `k ≥ 2`, without a question `k ≥ 1`, and `0 < dc ≤ dc_max` (docs/SPEC.md §3, §6).
    ///
    /// # Errors
    /// If one of them does not hold; `k` is checked first.
    pub fn check(&self, dc_max: Length) -> Result<(), QueryError> {
        let dc = self.distance_constraint;
        if self.asks && self.k < 2 {
            return Err(QueryError::K(self.k));
        }
        if self.k == 0 {
            return Err(QueryError::PresentK);
        }
        if dc == Length::ZERO || dc > dc_max {
            return Err(QueryError::DistanceConstraint { dc, dc_max });
        }
        Ok(())
    }

    /// Whether the temporal tolerance has ended: `t + dt < now` (Algorithm 4, line 5).
    pub fn has_expired(&self, now: Time) -> bool {
        self.asked_at + self.temporal_tolerance < now
    }

    /// Returns everything that the mesh of this query depends on.
    pub fn mesh_key(&self) -> MeshKey {
        MeshKey { street: self.position.street, dc: self.distance_constraint }
    }
}

/// Builds a [`Query`] and checks it.
///
/// ```
/// use meshcloak::{Length, Position, Query, StreetId, UserId};
///
/// let position = Position { street: StreetId(0), offset: Length::ZERO };
/// let query = Query::builder(UserId(1), position).k(1).dc(Length::metres(300.0));
/// let error = query.build(Length::metres(2_000.0)).expect_err("k is too small");
/// assert_eq!(error.to_string(), "k is 1; expected at least 2");
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct QueryBuilder(Query);

impl QueryBuilder {
    /// Sets the number of the query. [`crate::Engine::submit`] numbers queries itself.
    pub fn id(mut self, id: QueryId) -> QueryBuilder {
        self.0.id = id;
        self
    }

    /// Sets the time of the query.
    pub fn at(mut self, time: Time) -> QueryBuilder {
        self.0.asked_at = time;
        self
    }

    /// Sets the required size of the anonymity set.
    pub fn k(mut self, k: u32) -> QueryBuilder {
        self.0.k = k;
        self
    }

    /// Sets the longest acceptable wait.
    pub fn dt(mut self, temporal_tolerance: Duration) -> QueryBuilder {
        self.0.temporal_tolerance = temporal_tolerance;
        self
    }

    /// Sets the largest distance that the user moves between two queries.
    pub fn dc(mut self, distance_constraint: Length) -> QueryBuilder {
        self.0.distance_constraint = distance_constraint;
        self
    }

    /// Sets the top speed of the user; `None` if it is unknown.
    pub fn speed(mut self, speed: impl Into<Option<Speed>>) -> QueryBuilder {
        self.0.speed = speed.into();
        self
    }

    /// Sets whether the user has a question; `false` is a presence report, which only adds to the
    /// sets of others.
    pub fn asks(mut self, asks: bool) -> QueryBuilder {
        self.0.asks = asks;
        self
    }

    /// Returns the query. `dc_max` is the limit of the map, [`crate::Atlas::dc_max`].
    ///
    /// # Errors
    /// If `k` is less than 2, or the distance constraint is zero or above `dc_max`.
    pub fn build(self, dc_max: Length) -> Result<Query, QueryError> {
        self.0.check(dc_max)?;
        Ok(self.0)
    }

    /// Returns the query without a check, for queries that were checked before: recorded or
    /// simulated traffic, and tests. A query out of range is not served; it waits until it expires.
    pub fn build_unchecked(self) -> Query {
        self.0
    }
}

/// Street and distance constraint of a query: all that its mesh depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeshKey {
    /// Street of the position.
    pub street: StreetId,
    /// Distance constraint.
    pub dc: Length,
}

/// A query that may be in a set, with its mesh key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) id: QueryId,
    pub(crate) mesh_key: MeshKey,
}

impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Query({})", self.id.0)
    }
}

impl fmt::Debug for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserId(…)")
    }
}

impl fmt::Debug for MeshKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MeshKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builder() -> QueryBuilder {
        let position = Position { street: StreetId(99), offset: Length::metres(12.0) };
        Query::builder(UserId(4711), position).at(Time::from_millis(1_000)).k(3)
    }

    #[test]
    fn a_query_prints_its_id_alone_and_expires_after_its_tolerance() {
        let dc = Length::metres(100.0);
        let query = builder().dt(Duration::from_secs(2)).dc(dc).build(dc).expect("in range");
        let printed = format!("{query:?} {:?} {:?}", query.user, query.mesh_key());
        assert_eq!(printed, "Query(0) UserId(…) MeshKey(…)");
        assert!(!query.has_expired(Time::from_millis(3_000)));
        assert!(query.has_expired(Time::from_millis(3_001)));
    }

    #[test]
    fn a_query_fits_one_cache_line() {
        assert_eq!(size_of::<Query>(), 64);
    }

    #[test]
    fn a_query_out_of_range_is_not_built() {
        let dc_max = Length::metres(100.0);
        assert_eq!(builder().k(1).dc(dc_max).build(dc_max), Err(QueryError::K(1)));
        for dc in [Length::ZERO, Length::metres(101.0)] {
            let error = QueryError::DistanceConstraint { dc, dc_max };
            assert_eq!(builder().dc(dc).build(dc_max), Err(error));
        }
    }
}
