//! Viterbi search for the most likely sequence of positions, one per sighting.
//!
//! Columns of states in flat arrays; a state is a position, its log-likelihood and its predecessor.
//! Only sums and squares are used, so results are identical on all machines.

use super::path_search::PathSearch;
use super::{MatchSettings, Sighting};
use meshcloak::map::Snapped;
use std::ops::Range;

/// Two consecutive sightings.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub from: &'a Sighting,
    pub to: &'a Sighting,
}

/// Columns of states.
#[derive(Default)]
pub(super) struct Lattice {
    states: Vec<LatticeState>,
    /// Start of each column in `states`.
    starts: Vec<usize>,
}

#[derive(Clone, Copy)]
struct LatticeState {
    snapped: Snapped,
    /// Log-likelihood of the best path to this state; minus infinity if there is none.
    score: f64,
    /// Index of the predecessor; own index in the first column.
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

    /// Starts with a column of the candidates of a sighting; empty if there are none.
    pub(super) fn begin(&mut self, near: &[Snapped], sigma: f64) {
        self.clear();
        if near.is_empty() {
            return;
        }
        self.starts.push(0);
        for (before, &snapped) in near.iter().enumerate() {
            let score = emission(snapped, sigma);
            self.states.push(LatticeState { snapped, score, before });
        }
    }

    /// Adds a column for the second sighting; `false`, without a column, if no path leads to it from
    /// the last column.
    pub(super) fn extend(
        &mut self,
        search: &mut PathSearch,
        settings: &MatchSettings,
        step: Step<'_>,
        near: &[Snapped],
    ) -> bool {
        let Step { from, to } = step;
        let last = self.starts[self.starts.len() - 1];
        let begin = self.states.len();
        let unreached = |snapped| LatticeState { snapped, score: f64::NEG_INFINITY, before: 0 };
        self.states.extend(near.iter().copied().map(unreached));
        self.add_stays(search, settings.radius, to, last..begin);
        let bound = settings.bound(from, to);
        let straight = from.point.distance(to.point);
        search.set_targets(self.states[begin..].iter().map(|state| state.snapped.position));
        let (old, new) = self.states.split_at_mut(begin);
        for (row, state) in old.iter().enumerate().skip(last) {
            if state.score == f64::NEG_INFINITY {
                continue;
            }
            let start = state.snapped.position;
            search.run(start, bound);
            for next in new.iter_mut() {
                if let Some(length) = search.distance(start, next.snapped.position, bound) {
                    let excess = (length.as_metres() - straight).abs();
                    let emission = emission(next.snapped, settings.sigma);
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

    /// A standing object on a one-way street is seen alternately ahead and behind, and the path back
    /// leads around the block. So if a new candidate lies behind a previous one on its street, the
    /// most likely previous one becomes a candidate for the new sighting.
    fn add_stays(
        &mut self,
        search: &PathSearch,
        radius: f64,
        to: &Sighting,
        previous: Range<usize>,
    ) {
        let map = search.map();
        for row in previous.end..self.states.len() {
            let new = self.states[row].snapped;
            if !map.street(new.position.street).one_way {
                continue;
            }
            let is_ahead = |state: &&LatticeState| {
                state.snapped.position.street == new.position.street
                    && state.snapped.position.offset > new.position.offset
                    && state.score > f64::NEG_INFINITY
            };
            let ahead = self.states[previous.clone()].iter().filter(is_ahead);
            if let Some(old) = ahead.reduce(|a, b| if b.score > a.score { b } else { a }) {
                let position = old.snapped.position;
                let distance = map.point(position).distance(to.point);
                if distance > radius {
                    continue;
                }
                let snapped = Snapped { position, distance };
                self.states.push(LatticeState { snapped, score: f64::NEG_INFINITY, before: 0 });
            }
        }
    }

    /// Most likely position of each column, in order.
    pub(super) fn most_likely(&self) -> Vec<Snapped> {
        let Some(&last) = self.starts.last() else {
            return Vec::new();
        };
        let better =
            |a: usize, b: usize| if self.states[b].score > self.states[a].score { b } else { a };
        let mut row = (last..self.states.len()).reduce(better).unwrap_or(last);
        let mut positions = Vec::with_capacity(self.starts.len());
        for _ in 0..self.starts.len() {
            positions.push(self.states[row].snapped);
            row = self.states[row].before;
        }
        positions.reverse();
        positions
    }
}

/// Log-likelihood of a sighting at that distance.
fn emission(snapped: Snapped, sigma: f64) -> f64 {
    let deviations = snapped.distance / sigma;
    -0.5 * deviations * deviations
}
