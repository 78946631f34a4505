//! Admission check of `history`.
//!
//! `history` protects against an adversary that knows each member's previous position and top
//! speed. A query whose position is farther from the previous one than the declared speed allows
//! cannot be protected and is refused.

use super::{HistoryClock, max_travel};
use crate::distance::{Atlas, PathProbe, REACH_STEPS, probe_path};
use crate::history::{Horizon, LastPositions, PastPosition};
use crate::map::Position;
use crate::query::{Query, UserId};
use crate::units::{Length, Speed, Time};
use std::iter;

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

/// Admission check of the `history` guarantee. Keeps the position of each user's last accepted query,
/// or with [`HistoryClock::Published`] of the last one that left.
///
/// [`Admission::admit`] does all at once. A program that must not search while it holds a lock
/// calls [`Admission::previous`], [`check_travel`] without the lock, and [`Admission::record`]. After
/// each turn it calls [`Admission::leave`] for the served queries.
///
/// With the clock `published` a turn may publish the predecessor of a query while the query is
/// admitted. The promise does not depend on it: the engine determines the past of a query when the
/// query arrives in a turn, and a query whose own position breaks the bound is then in no set.
#[derive(Debug)]
pub struct Admission {
    clock: HistoryClock,
    positions: LastPositions,
}

impl Admission {
    /// Returns a check without past positions; they count for `horizon`.
    pub fn new(clock: HistoryClock, horizon: impl Into<Horizon>) -> Admission {
        Admission::with_positions(clock, LastPositions::new(horizon))
    }

    /// Returns a check that begins with past positions, such as those of a log.
    pub fn with_positions(clock: HistoryClock, positions: LastPositions) -> Admission {
        Admission { clock, positions }
    }

    /// Returns what the adversary knows of time.
    pub fn clock(&self) -> HistoryClock {
        self.clock
    }

    /// Inserts a position of the past that another engine knows, in any order of time.
    pub fn insert(&mut self, user: UserId, at: Time, position: Position, speed: Option<Speed>) {
        self.positions.insert(user, at, position, speed);
    }

    /// As [`Admission::insert`], with the position and the top speed of a query.
    pub fn insert_query(&mut self, query: &Query) {
        self.positions.insert_query(query);
    }

    /// Accepts a query and returns the user's previous position within the horizon, for
    /// [`crate::history::History::set_previous`]. Queries are admitted in order of time. The position
    /// of the query becomes the one that was found lawful ([`check_travel`]).
    ///
    /// # Errors
    /// If the query declares no speed, or its position contradicts the declared speed.
    pub fn admit(
        &mut self,
        atlas: &Atlas,
        query: &mut Query,
    ) -> Result<Option<PastPosition>, AdmissionError> {
        let previous = self.previous(query.user, query.asked_at);
        let Admitted { position, previous } = check_travel(atlas, query, previous)?;
        query.position = position;
        self.record(query);
        Ok(previous)
    }

    /// Returns the user's last position if it was recorded within the horizon before `now`.
    pub fn previous(&mut self, user: UserId, now: Time) -> Option<PastPosition> {
        self.positions.get(user, now)
    }

    /// Notes a query that [`check_travel`] has accepted.
    pub fn record(&mut self, query: &Query) {
        if self.clock == HistoryClock::Asked {
            self.positions.record(query);
        }
    }

    /// Notes a query that was published.
    pub fn leave(&mut self, query: &Query) {
        if self.clock == HistoryClock::Published {
            self.positions.insert_query(query);
        }
    }
}

/// Result of [`check_travel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// Position of the query.
    pub position: Position,
    /// Previous position of the user with a path from there.
    pub previous: Option<PastPosition>,
}

/// Checks that a query's position is reachable from the previous one at the declared speed, and
/// returns both with the path that was found. Bounded: a path beyond `dc_max` is searched in at most
/// [`REACH_STEPS`] steps. If they do not suffice, the query is accepted without a path: its user may
/// be lawful, and the engine keeps it out of all sets until it knows one.
///
/// A point at which several streets meet snaps equally well to all of them, but not all can be left
/// in every direction. If there is no path, other streets at the same point are tried, for the
/// position and for the previous one: a lawful user is not refused because of snapping. The first
/// possible street for the position is taken, so that the result stays the same if the query is
/// checked again at the position that was found.
///
/// # Errors
/// If the query declares no speed, or there is no path within the bound.
pub fn check_travel(
    atlas: &Atlas,
    query: &Query,
    previous: Option<PastPosition>,
) -> Result<Admitted, AdmissionError> {
    if query.speed.is_none() {
        return Err(AdmissionError::Speed);
    }
    let Some(previous) = previous else {
        return Ok(Admitted { position: query.position, previous: None });
    };
    let bound = max_travel(query, previous, query.asked_at);
    let ties = || {
        let (from, to) = (same_point(atlas, previous.position), same_point(atlas, query.position));
        to.into_iter().flat_map(move |to| from.clone().into_iter().map(move |from| (from, to)))
    };
    let given = (previous.position, query.position);
    for (from, position) in iter::once(given).chain(iter::once_with(ties).flatten()) {
        let probe = path_within(atlas, from, position, bound);
        if !probe.is_complete {
            return Ok(Admitted { position: query.position, previous: Some(previous) });
        }
        if probe.length.is_some() {
            let previous = PastPosition { position: from, travelled: probe.length, ..previous };
            return Ok(Admitted { position, previous: Some(previous) });
        }
    }
    Err(AdmissionError::FasterThanDeclared)
}

/// Searches for a path of at most `bound`.
fn path_within(atlas: &Atlas, from: Position, to: Position, bound: Length) -> PathProbe {
    let decided = |length| PathProbe { length, steps: 0, is_complete: true };
    match atlas.distance(from, to) {
        Some(length) => decided(Some(length).filter(|length| *length <= bound)),
        None if bound <= atlas.dc_max() => decided(None),
        None => probe_path(atlas.map(), from, to, bound, REACH_STEPS),
    }
}

/// Most streets at one point that are tried.
const MAX_TIES: usize = 12;

/// Returns the positions to which the point of a position snaps equally well, up to the resolution of
/// lengths; the position itself first.
fn same_point(atlas: &Atlas, position: Position) -> Vec<Position> {
    let map = atlas.map();
    let near = map.candidates(map.point(position), Length::UNIT.as_metres());
    let near = near.into_iter().map(|near| near.position);
    let others = near.filter(|near| near.street != position.street);
    iter::once(position).chain(others).take(MAX_TIES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::MAX_DC_MAX;
    use crate::naive;
    use crate::query::QueryId;
    use crate::town::{Town, town};
    use rand::RngExt as _;
    use std::time::Duration;

    /// The position, and the nearest ones on other streets at the same point.
    fn ties(town: &Town, position: Position) -> Vec<Position> {
        let near = naive::candidates(&town.map, town.map.point(position), 1.0 / 32.0);
        let others = near.into_iter().map(|near| near.position);
        let others = others.filter(|other| other.street != position.street);
        iter::once(position).chain(others).collect()
    }

    #[test]
    fn a_user_at_a_junction_is_lawful_on_any_of_its_streets() {
        // One-way streets into and out of B: the end of C>B is 400 m from A-B, the point is the same.
        let town = town("A 0,0  B 100,0  C 100,100  D 200,0 | C>B A-B B>D D>C");
        let atlas = Atlas::new(town.map.clone(), MAX_DC_MAX);
        let mut admission = Admission::new(HistoryClock::Asked, Duration::from_secs(60));
        let at = |number: u64, position| {
            Query::builder(UserId(1), position)
                .at(Time::from_millis(number * 1_000))
                .speed(Speed::metres_per_second(20.0))
                .build_unchecked()
        };
        let mut first = at(0, town.at("A-B", 90.0));
        assert_eq!(admission.admit(&atlas, &mut first), Ok(None));
        let mut junction = at(1, town.at("C>B", 100.0));
        assert!(admission.admit(&atlas, &mut junction).is_ok());
        assert_ne!(junction.position.street, town.street("C>B"), "another street at B");
        // From the start of B>D there is no way back to A-B, but from B there is.
        let mut start = at(2, town.at("B>D", 0.0));
        assert!(admission.admit(&atlas, &mut start).is_ok());
        let mut back = at(3, town.at("A-B", 90.0));
        let previous = admission.admit(&atlas, &mut back).expect("10 m from B").expect("a past");
        assert_eq!(town.map.point(previous.position), town.map.point(start.position));
        let mut far = at(4, town.at("C>B", 50.0));
        assert_eq!(admission.admit(&atlas, &mut far), Err(AdmissionError::FasterThanDeclared));
    }

    #[test]
    fn a_walker_is_without_a_past_after_the_horizon_unless_a_distance_extends_it() {
        let town = town("A 0,0  B 1000,0 | A-B");
        let atlas = Atlas::new(town.map.clone(), MAX_DC_MAX);
        let at = |second: u64, metres: f64, speed: f64| {
            Query::builder(UserId(1), town.at("A-B", metres))
                .at(Time::from_millis(second * 1_000))
                .speed(Speed::metres_per_second(speed))
                .build_unchecked()
        };
        let time = Horizon::from(Duration::from_secs(600));
        let distance = Horizon { distance: Length::metres(3_000.0), ..time };
        for clock in [HistoryClock::Asked, HistoryClock::Published] {
            for (horizon, speed, has_past) in
                [(time, 1.0, false), (distance, 1.0, true), (distance, 20.0, false)]
            {
                let mut admission = Admission::new(clock, horizon);
                let mut first = at(0, 0.0, speed);
                assert_eq!(admission.admit(&atlas, &mut first), Ok(None));
                admission.leave(&first);
                let previous = admission.admit(&atlas, &mut at(601, 595.0, speed));
                assert_eq!(previous.map(|past| past.is_some()), Ok(has_past), "{clock:?} {speed}");
            }
        }
    }

    #[test]
    fn exactly_the_queries_beyond_the_declared_speed_are_refused() {
        let (mut refused, mut admitted) = (0, 0);
        for seed in 0..400 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let dc_max = [MAX_DC_MAX, Length::metres(100.0)][seed as usize % 2];
            let atlas = Atlas::new(town.map.clone(), dc_max);
            let table = naive::terminal_distances(&town.map);
            let mut admission = Admission::new(HistoryClock::Asked, Duration::from_secs(60));
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
                    let bound = query.speed.unwrap_or_default() * (query.asked_at - last.asked_at);
                    let is_near = |from, to| {
                        let length = naive::distance(&town.map, &table, from, to);
                        length.is_some_and(|length| length <= bound)
                    };
                    let (from, to) = (ties(&town, last.position), ties(&town, query.position));
                    from.iter().any(|&from| to.iter().any(|&to| is_near(from, to)))
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
            let mut without_speed = Query { speed: None, ..queries[0].clone() };
            assert_eq!(admission.admit(&atlas, &mut without_speed), Err(AdmissionError::Speed));
        }
        assert!(refused > 500 && admitted > 500, "{refused} refused, {admitted} admitted");
    }
}
