//! Guarantees (docs/SPEC.md §6), and the admission check of `history`.

mod admission;

pub use admission::{Admission, AdmissionError, Admitted, check_travel};

use crate::history::PastPosition;
use crate::query::Query;
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
    /// previous position at its top speed and lie in its strongly connected component.
    History,
}

impl Guarantee {
    /// Whether a newer query of a user replaces the waiting one (docs/SPEC.md §6). `paper` lets
    /// them wait side by side, as printed.
    pub fn has_one_query_per_user(self) -> bool {
        self != Guarantee::Paper
    }
}

/// What the adversary of `history` knows of time (docs/SPEC.md §6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HistoryClock {
    /// When each member asked; the past is the last accepted query.
    #[default]
    Asked,
    /// The time of publication only; the past is the last query that left.
    Published,
}

impl HistoryClock {
    /// Returns the time until which the user of a query can have moved, in a batch at `now`.
    pub fn until(self, query: &Query, now: Time) -> Time {
        match self {
            HistoryClock::Asked => query.asked_at,
            HistoryClock::Published => now,
        }
    }
}

/// Default time for which a previous position counts: ten minutes.
pub const DEFAULT_HORIZON: Duration = Duration::from_secs(600);

/// Returns the largest distance that the user of a query can have travelled from a previous position
/// until a time ([`HistoryClock::until`]), `v · (until − t_prev)`; zero without a declared speed.
pub fn max_travel(query: &Query, previous: PastPosition, until: Time) -> Length {
    query.speed.map_or(Length::ZERO, |speed| speed * (until - previous.at))
}
