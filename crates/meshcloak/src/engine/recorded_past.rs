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

    /// Records the arrivals of the next turn, in order of time. A query whose point is lawful only on
    /// another street is moved there, as at admission.
    pub fn record(&mut self, arrivals: &mut [Query], state: &mut State) {
        match &mut self.0 {
            Kept::Nothing => {}
            Kept::Positions(positions) => positions.record_all(arrivals, &mut state.history),
            Kept::Admission(admission, atlas) => {
                for query in arrivals {
                    let mut previous = admission.previous(query.user, query.asked_at);
                    if let Ok(admitted) = check_travel(atlas, query, previous) {
                        (query.position, previous) = (admitted.position, admitted.previous);
                    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::MAX_DC_MAX;
    use crate::engine::{Batch, turn};
    use crate::guarantee::{Guarantee, HistoryClock};
    use crate::map::Position;
    use crate::mesh_cloak::{MeshCloak, Settings};
    use crate::query::{QueryId, UserId};
    use crate::town::town;
    use crate::units::{Length, Speed, Time};

    #[test]
    fn users_at_a_junction_are_published_from_any_of_its_streets() {
        // One-way streets into and out of B: the end of C>B is 400 m from A-B, the point is the same.
        let town = town("A 0,0  B 100,0  C 100,100  D 200,0 | C>B A-B B>D D>C");
        let atlas = Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX));
        for history_clock in [HistoryClock::Asked, HistoryClock::Published] {
            let guarantee = Guarantee::History;
            let settings = Settings { guarantee, history_clock, ..Settings::default() };
            let mut scheme = MeshCloak::new(Arc::clone(&atlas), settings);
            let (mut state, mut past) = (State::default(), RecordedPast::new(&scheme));
            let mut publish = |second: u64, position: Position| {
                let query = |user| {
                    Query::builder(UserId(user), position)
                        .id(QueryId(10 * second + user))
                        .at(Time::from_millis(second * 1_000))
                        .k(2)
                        .dc(Length::metres(100.0))
                        .speed(Speed::metres_per_second(20.0))
                        .build_unchecked()
                };
                let mut arrivals = vec![query(1), query(2)];
                past.record(&mut arrivals, &mut state);
                let now = Time::from_millis(second * 1_000);
                let batch = Batch { now, arrivals, cancelled: Vec::new() };
                let served = turn(&mut scheme, &mut state, batch, &mut ()).served;
                past.leave(&served);
                served.len()
            };
            assert_eq!(publish(0, town.at("A-B", 90.0)), 2);
            assert_eq!(publish(1, town.at("C>B", 100.0)), 2, "{history_clock:?}");
            assert_eq!(publish(2, town.at("C>B", 50.0)), 0, "there is no way in time");
        }
    }
}
