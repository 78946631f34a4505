//! Viterbi: the likeliest sequence of places, one for each sighting.
//!
//! Columns of states in flat arrays; a state is a place, the logarithm of its likelihood, and the
//! state it came from. Sums and squares only, so that every machine finds the same way.

use super::search::Search;
use super::{MatchSettings, Sighting};
use meshcloak::map::Snapped;

/// The columns so far.
#[derive(Default)]
pub(super) struct Lattice {
    states: Vec<State>,
    /// Where each column begins in `states`.
    starts: Vec<usize>,
}

#[derive(Clone, Copy)]
struct State {
    place: Snapped,
    /// Logarithm of the likelihood of the best way here; minus infinity if there is none.
    score: f64,
    /// Row of the state before; its own row in the first column.
    before: usize,
}

impl Lattice {
    pub(super) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.states.clear();
        self.starts.clear();
    }

    /// Makes a first column of the places `near` a sighting; none if there are none.
    pub(super) fn begin(&mut self, near: &[Snapped], sigma: f64) {
        self.clear();
        if near.is_empty() {
            return;
        }
        self.starts.push(0);
        for (before, &place) in near.iter().enumerate() {
            self.states.push(State { place, score: emission(place, sigma), before });
        }
    }

    /// Adds a column for the second of two sightings; `false`, and no column, if no way leads
    /// from any place of the last column to any of the new one.
    pub(super) fn extend(
        &mut self,
        search: &mut Search,
        settings: &MatchSettings,
        (from, to): (&Sighting, &Sighting),
        near: &[Snapped],
    ) -> bool {
        let last = self.starts[self.starts.len() - 1];
        let begin = self.states.len();
        let unreached = |place| State { place, score: f64::NEG_INFINITY, before: 0 };
        self.states.extend(near.iter().copied().map(unreached));
        self.add_stays(search, settings.radius, to, (last, begin));
        let bound = settings.bound(from, to);
        let straight = from.point.distance(to.point);
        search.aim_at(self.states[begin..].iter().map(|state| state.place.position));
        let (old, new) = self.states.split_at_mut(begin);
        for (row, state) in old.iter().enumerate().skip(last) {
            if state.score == f64::NEG_INFINITY {
                continue;
            }
            let here = state.place.position;
            search.run(here, bound);
            for next in new.iter_mut() {
                if let Some(way) = search.distance(here, next.place.position, bound) {
                    let excess = (way.as_metres() - straight).abs();
                    let emission = emission(next.place, settings.sigma);
                    let score = state.score - excess / settings.beta + emission;
                    if score > next.score {
                        (next.score, next.before) = (score, row);
                    }
                }
            }
        }
        if new.iter().all(|state| state.score == f64::NEG_INFINITY) {
            self.states.truncate(begin);
            return false;
        }
        self.starts.push(begin);
        true
    }

    /// Someone who stands in a one-way street is seen now ahead and now behind, and the way back
    /// leads round the block. So where a new place lies behind an old one of its street, the old
    /// one, the likeliest if there are several, is a place for the new sighting too.
    fn add_stays(
        &mut self,
        search: &Search,
        radius: f64,
        to: &Sighting,
        (last, begin): (usize, usize),
    ) {
        let map = search.map();
        for row in begin..self.states.len() {
            let new = self.states[row].place;
            if !map.street(new.position.street).one_way {
                continue;
            }
            let is_ahead = |state: &&State| {
                state.place.position.street == new.position.street
                    && state.place.position.offset > new.position.offset
                    && state.score > f64::NEG_INFINITY
            };
            let ahead = self.states[last..begin].iter().filter(is_ahead);
            if let Some(old) = ahead.reduce(|a, b| if b.score > a.score { b } else { a }) {
                let position = old.place.position;
                let distance = map.point(position).distance(to.point);
                if distance > radius {
                    continue;
                }
                let place = Snapped { position, distance };
                self.states.push(State { place, score: f64::NEG_INFINITY, before: 0 });
            }
        }
    }

    /// The likeliest place for each column, in order.
    pub(super) fn likeliest(&self) -> Vec<Snapped> {
        let Some(&last) = self.starts.last() else {
            return Vec::new();
        };
        let better =
            |a: usize, b: usize| if self.states[b].score > self.states[a].score { b } else { a };
        let mut row = (last..self.states.len()).reduce(better).unwrap_or(last);
        let mut places = Vec::with_capacity(self.starts.len());
        for _ in 0..self.starts.len() {
            places.push(self.states[row].place);
            row = self.states[row].before;
        }
        places.reverse();
        places
    }
}

/// Logarithm of how likely a sighting is at that distance from the truth.
fn emission(place: Snapped, sigma: f64) -> f64 {
    let deviations = place.distance / sigma;
    -0.5 * deviations * deviations
}
