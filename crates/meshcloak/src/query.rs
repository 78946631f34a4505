//! What a person asks of the anonymizer: `q(A) = {k, t, x, y, dt, dc}` (§III-E).
//!
//! A query holds a user and a position. It cannot be serialised, and prints as its id alone.

use crate::map::{Position, StreetId};
use crate::units::{Length, Speed, Time};
use std::fmt;
use std::time::Duration;

/// A query, in the order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueryId(pub u64);

/// A person; k counts people, not queries.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(pub u64);

/// A query that was accepted.
#[derive(Clone, PartialEq, Eq)]
pub struct Query {
    /// Which query.
    pub id: QueryId,
    /// Who asks.
    pub user: UserId,
    /// When it was asked.
    pub asked_at: Time,
    /// Where from.
    pub position: Position,
    /// Among how many people, herself included, she wants to be hidden; at least 2.
    pub k: u32,
    /// How long she is willing to wait.
    pub temporal_tolerance: Duration,
    /// How far she can move between two queries.
    pub distance_constraint: Length,
    /// Her top speed, which the `history` guarantee needs.
    pub speed: Option<Speed>,
}

impl Query {
    /// Whether her patience is over: `t + dt < now` (Algorithm 4, line 5).
    pub fn has_expired(&self, now: Time) -> bool {
        self.asked_at + self.temporal_tolerance < now
    }
}

/// Where somebody is to within a street, and how far she can move: all that her mesh depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeshKey {
    /// Her street.
    pub street: StreetId,
    /// Her distance constraint.
    pub dc: Length,
}

/// Somebody who may be in a set: which query, and all that its mesh depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) id: QueryId,
    pub(crate) mesh_key: MeshKey,
}

impl Query {
    /// All that the mesh of this query depends on.
    pub fn mesh_key(&self) -> MeshKey {
        MeshKey { street: self.position.street, dc: self.distance_constraint }
    }
}

impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Query({})", self.id.0)
    }
}

/// Who somebody is never gets printed.
impl fmt::Debug for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserId(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::StreetId;

    #[test]
    fn a_query_prints_as_its_id_alone_and_waits_until_its_last_moment() {
        let query = Query {
            id: QueryId(7),
            user: UserId(4711),
            asked_at: Time::from_millis(1_000),
            position: Position { street: StreetId(99), offset: Length::metres(12.0) },
            k: 3,
            temporal_tolerance: Duration::from_secs(2),
            distance_constraint: Length::metres(100.0),
            speed: None,
        };
        assert_eq!(format!("{query:?} {:?}", query.user), "Query(7) UserId(…)");
        assert!(!query.has_expired(Time::from_millis(3_000)));
        assert!(query.has_expired(Time::from_millis(3_001)));
    }
}
