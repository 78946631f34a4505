//! Past positions of users in recorded traffic, which has no intake that refuses queries.

use super::turn::needs_admission;
use crate::distance::Atlas;
use crate::guarantee::{Admission, check_travel};
use crate::history::LastPositions;
use crate::query::Query;
use crate::scheme::{Scheme, State};
use std::sync::Arc;

/// Keeps what [`turn()`](super::turn()) needs of the past of users. Does nothing for a scheme without
/// a history horizon.
///
/// A query that breaks the bound of `history` is not refused: the engine leaves it out of every set.
#[derive(Debug)]
pub struct RecordedPast(Kept);

#[derive(Debug)]
enum Kept {
    Nothing,
    Positions(LastPositions),
    Admission(Admission, Arc<Atlas>),
}

impl RecordedPast {
    /// Returns the past before the first batch.
    pub fn new(scheme: &dyn Scheme) -> RecordedPast {
        let promise = scheme.promise().filter(|_| needs_admission(scheme));
        RecordedPast(match (scheme.history_horizon(), promise) {
            (None, _) => Kept::Nothing,
            (Some(horizon), None) => Kept::Positions(LastPositions::new(horizon)),
            (Some(horizon), Some(promise)) => {
                Kept::Admission(Admission::new(promise.history_clock, horizon), promise.atlas)
            }
        })
    }

    /// Records the arrivals of the next turn. Queries are recorded in order of time.
    pub fn record(&mut self, arrivals: &[Query], state: &mut State) {
        match &mut self.0 {
            Kept::Nothing => {}
            Kept::Positions(positions) => positions.record_all(arrivals, &mut state.history),
            Kept::Admission(admission, atlas) => {
                for query in arrivals {
                    let previous = admission.previous(query.user, query.asked_at);
                    let checked = check_travel(atlas, query, previous).ok();
                    let admitted = checked.filter(|found| found.position == query.position);
                    let previous = admitted.map_or(previous, |admitted| admitted.previous);
                    admission.record(query);
                    state.history.set_previous(query.id, previous);
                }
            }
        }
    }

    /// Records the queries that a turn has served.
    pub fn leave(&mut self, served: &[(Query, u32)]) {
        if let Kept::Admission(admission, _) = &mut self.0 {
            served.iter().for_each(|(query, _)| admission.leave(query));
        }
    }
}
