//! Data association: which of the regions of a tick has the target, if it is published at all.
//!
//! Let a scheme publish usually `μ(s)` users on street `s` in a tick. A region `r` has `n(r)` users, of
//! which `n(r) h(s | r)` are on `s`. Users are exchangeable, so that for a target who is published from
//! `s` the hypothesis "the target is in the set of `r`" has the likelihood
//!
//! ```text
//! P(regions, target in r | target published from s) / P(regions) = n(r) h(s | r) / μ(s)
//! ```
//!
//! Nothing links regions of different ticks, so only the sum over the regions matters: the *density* of
//! the street, its number of publications relative to the usual one. With the hypothesis "published
//! nothing" it becomes the mixture of [`Tracker::observe`](super::Tracker::observe). `h` follows the
//! order of streets in regions (`street_order.rs`), restricted to the streets on which a member with
//! the target's dc can be. Reference: `naive.rs`, which enumerates all associations.

use super::calibration::calibrate;
use super::region_stream::RegionStream;
use super::scheme_model::{Example, SchemeModel};
use super::street_order::possible_of;
use meshcloak::map::StreetId;
use meshcloak::units::Length;

/// Densities of all streets by tick, for targets with one dc.
#[derive(Clone, Debug)]
pub struct Associations {
    first_tick: usize,
    densities: Vec<Vec<f32>>,
}

impl Associations {
    /// Computes the densities of all ticks of a stream for targets with a dc; `None`: any dc. `kind` is
    /// the probability that a user of a region, given by tick, index and expected number of users,
    /// asks what the target asks, relative to all users; 1 if the adversary does not know it.
    pub fn new(
        model: &SchemeModel,
        stream: &RegionStream,
        dc: Option<Length>,
        kind: impl Fn(usize, usize, f64) -> f64,
    ) -> Associations {
        let map = model.atlas.map();
        let mut possible = dc.and_then(|dc| model.possible(dc));
        let mut densities = vec![vec![0.0; map.street_count()]; stream.window().len()];
        for (tick, densities) in stream.window().zip(&mut densities) {
            let mut outside = 0.0;
            for (index, region) in stream.regions(tick).iter().enumerate() {
                let streets = region.streets(map);
                let members = model.members(model.usual(tick, &streets));
                let users = members * kind(tick, index, members) / model.volume(tick);
                if users <= 0.0 || streets.is_empty() {
                    continue;
                }
                let left = possible_of(possible.as_mut(), &streets);
                let weights = model.order.weights(map, &model.shares, &streets, &left);
                for (street, weight) in left.iter().zip(weights) {
                    densities[street.index()] += (users * model.order.inside * weight) as f32;
                }
                outside += users * (1.0 - model.order.inside);
            }
            densities.iter_mut().for_each(|density| *density += outside as f32);
        }
        Associations { first_tick: stream.window().start, densities }
    }

    /// Corrects the densities by the publications of other users with the same dc and question: at
    /// streets of density 2 there are twice as many as usual. Unchanged without any.
    pub fn calibrated(mut self, model: &SchemeModel, examples: &[Example]) -> Associations {
        if !examples.is_empty() {
            calibrate(model, self.first_tick, &mut self.densities, examples);
        }
        self
    }

    /// Number of publications on a street in a tick, relative to the usual one.
    pub fn density(&self, tick: usize, street: StreetId) -> f64 {
        let densities = tick.checked_sub(self.first_tick).and_then(|at| self.densities.get(at));
        densities.map_or(0.0, |densities| f64::from(densities[street.index()]))
    }

    /// Likelihood of the regions of a tick for a target published from a street. With probability
    /// `1 − confidence` the regions tell nothing.
    pub fn likelihood(&self, tick: usize, street: StreetId, confidence: f64) -> f64 {
        1.0 - confidence + confidence * self.density(tick, street)
    }
}
