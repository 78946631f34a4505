//! What is promised to whom (SPEC §6), and the door of the `history` guarantee: whoever claims to
//! be faster than she says cannot be hidden from somebody who knows where she was.

use crate::distance::{Arcs, Atlas, Search};
use crate::history::PastPosition;
use crate::query::{Query, UserId};
use crate::units::{Length, Time};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Duration;

/// What is promised to whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guarantee {
    /// Algorithm 4 as printed: each takes a largest clique of her own; sets may overlap.
    #[default]
    Paper,
    /// Sets are disjoint, every member's k is met, and all of them publish the same region.
    Reciprocal,
    /// And of every member's set at least k could have come from where that member was before.
    History,
}

/// For how long it matters where somebody was: ten minutes.
pub const DEFAULT_HORIZON: Duration = Duration::from_secs(600);

/// How far somebody can have come since she last asked: `v · (t − t_prev)`, by her own speed;
/// nowhere if she did not give one.
pub fn max_travel(query: &Query, before: PastPosition) -> Length {
    query.speed.map_or(Length::ZERO, |speed| speed * (query.asked_at - before.at))
}

/// Why the `history` guarantee cannot be given to a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdmissionError {
    /// It does not say how fast its user is.
    Speed,
    /// Its user cannot have come here from where she was, as fast as she says she is.
    FasterThanDeclared,
}

/// The door of the `history` guarantee. Remembers where everyone accepted was, for a horizon.
#[derive(Debug)]
pub struct Admission {
    horizon: Duration,
    last: FxHashMap<UserId, (Time, crate::map::Position)>,
    order: VecDeque<(Time, UserId)>,
    ways: Arcs,
    search: Search,
}

impl Admission {
    /// A door through which nobody has come yet.
    pub fn new(atlas: &Atlas, horizon: Duration) -> Admission {
        let ways = Arcs::forward(atlas.map());
        let search = Search::new(ways.terminal_count());
        Admission { horizon, last: FxHashMap::default(), order: VecDeque::new(), ways, search }
    }

    /// Lets a query in, or says why not; queries come in order of time.
    pub fn admit(&mut self, atlas: &Atlas, query: &Query) -> Result<(), AdmissionError> {
        if query.speed.is_none() {
            return Err(AdmissionError::Speed);
        }
        self.forget(query.asked_at);
        if let Some(&(at, position)) = self.last.get(&query.user) {
            let before = PastPosition { at, position };
            if !self.can_have_come(atlas, query, before) {
                return Err(AdmissionError::FasterThanDeclared);
            }
        }
        self.last.insert(query.user, (query.asked_at, query.position));
        self.order.push_back((query.asked_at, query.user));
        Ok(())
    }

    /// Whether somebody can have come to where she is from where she was.
    fn can_have_come(&mut self, atlas: &Atlas, query: &Query, before: PastPosition) -> bool {
        let (from, to) = (before.position, query.position);
        let farthest = max_travel(query, before);
        if let Some(length) = atlas.distance(from, to) {
            return length <= farthest;
        }
        let map = atlas.map();
        let plane = map.point(from).distance(map.point(to));
        // The plane is measured in floating point: a millimetre is left to it.
        if farthest <= atlas.dc_max() || plane > farthest.as_metres() + 0.001 {
            return false;
        }
        let mut can = map.along(from, to).is_some_and(|length| length <= farthest);
        let Admission { ways, search, .. } = self;
        search.run_while(ways, map.exits(from), farthest, |terminal, length| {
            let mut entered = map.entrances(to).filter(|(entrance, _)| *entrance == terminal);
            can |= entered.any(|(_, more)| length + more <= farthest);
            // Any way will do: who says she is very fast does not have the whole map searched.
            if can { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        can
    }

    fn forget(&mut self, now: Time) {
        let horizon = self.horizon;
        while let Some(&(at, user)) = self.order.front().filter(|(at, _)| *at + horizon < now) {
            self.order.pop_front();
            if self.last.get(&user).is_some_and(|last| last.0 == at) {
                self.last.remove(&user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::LARGEST_DC_MAX;
    use crate::naive;
    use crate::query::QueryId;
    use crate::town::Town;
    use crate::units::Speed;
    use rand::RngExt as _;

    #[test]
    fn who_is_faster_than_she_says_is_refused_and_nobody_else() {
        let (mut refused, mut let_in) = (0, 0);
        for seed in 0..400 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let dc_max = [LARGEST_DC_MAX, Length::metres(100.0)][seed as usize % 2];
            let atlas = Atlas::new(town.map.clone(), dc_max);
            let table = naive::terminal_distances(&town.map);
            let mut door = Admission::new(&atlas, Duration::from_secs(60));
            let mut crowd = town.crowd(&mut random, 12);
            crowd.sort_by_key(|query| query.asked_at);
            let mut last: Option<Query> = None;
            for (number, query) in crowd.iter_mut().enumerate() {
                query.id = QueryId(number as u64);
                query.user = UserId(1);
                query.asked_at = Time::from_millis(number as u64 * 25_000 * (1 + seed % 4));
                query.speed = Some(Speed::metres_per_second(random.random_range(0.0..60.0)));
                let span = last.as_ref().map(|last| query.asked_at - last.asked_at);
                let expected = last.as_ref().is_none_or(|last| {
                    let length = naive::distance(&town.map, &table, last.position, query.position);
                    let most = query.speed.unwrap_or_default() * (query.asked_at - last.asked_at);
                    length.is_some_and(|length| length <= most)
                }) || span.is_some_and(|span| span > Duration::from_secs(60));
                let found = door.admit(&atlas, query);
                assert_eq!(found.is_ok(), expected, "seed {seed} {query:?}\n{town}");
                if expected {
                    let_in += 1;
                    last = Some(query.clone());
                } else {
                    assert_eq!(found, Err(AdmissionError::FasterThanDeclared));
                    refused += 1;
                }
            }
            let mute = Query { speed: None, ..crowd[0].clone() };
            assert_eq!(door.admit(&atlas, &mute), Err(AdmissionError::Speed));
        }
        assert!(refused > 500 && let_in > 500, "{refused} refused, {let_in} let in");
    }
}
