//! Enumeration of all paths and associations, for movements in which every leg takes one second and
//! the target is in its middle at each tick.

use super::RegionStream;
use super::movement::{Movement, street_of};
use super::scheme_model::SchemeModel;
use super::street_order::middle;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::region::Region;
use meshcloak::units::Point;
use std::collections::BTreeMap;

/// A path with an association for each tick.
#[derive(Clone, Copy, Debug)]
struct Hypothesis {
    leg: u32,
    asked: StreetId,
    is_waiting: bool,
    weight: f64,
}

/// All hypotheses, none merged.
pub struct Enumeration<'a> {
    pub movement: &'a Movement,
    pub model: &'a SchemeModel,
    pub stream: &'a RegionStream,
    pub confidence: f64,
    hypotheses: Vec<Hypothesis>,
}

impl<'a> Enumeration<'a> {
    pub fn new(
        movement: &'a Movement,
        model: &'a SchemeModel,
        stream: &'a RegionStream,
        confidence: f64,
        start: StreetId,
    ) -> Enumeration<'a> {
        let both = [2 * start.0, 2 * start.0 + 1];
        let allowed: Vec<u32> = both.into_iter().filter(|&leg| movement.is_allowed(leg)).collect();
        let weight = 1.0 / allowed.len() as f64;
        let hypothesis = |leg| Hypothesis { leg, asked: start, is_waiting: true, weight };
        let hypotheses = allowed.into_iter().map(hypothesis).collect();
        Enumeration { movement, model, stream, confidence, hypotheses }
    }

    pub fn advance(&mut self) {
        let movement = self.movement;
        let next = |before: Hypothesis| {
            let turns = movement.turn_probabilities(before.leg);
            let turns = if turns.is_empty() { vec![(before.leg, 1.0)] } else { turns };
            turns.into_iter().map(move |(leg, share)| Hypothesis {
                leg,
                weight: before.weight * share,
                ..before
            })
        };
        self.hypotheses = std::mem::take(&mut self.hypotheses).into_iter().flat_map(next).collect();
    }

    pub fn ask(&mut self) {
        for one in &mut self.hypotheses {
            (one.asked, one.is_waiting) = (street_of(one.leg as usize), true);
        }
    }

    /// Lists for each hypothesis that waits: nothing is published, it is in each of the regions that
    /// hold its street, or anywhere.
    pub fn observe(&mut self, tick: usize, waited: usize, kinds: impl Fn(usize) -> f64) {
        let mut all = Vec::new();
        for before in std::mem::take(&mut self.hypotheses) {
            if !before.is_waiting {
                all.push(before);
                continue;
            }
            let odds = self.model.odds(waited, before.asked);
            all.push(Hypothesis { weight: before.weight * (1.0 - odds), ..before });
            let mut publish = |likelihood: f64| {
                let weight = before.weight * odds * likelihood;
                all.push(Hypothesis { is_waiting: false, weight, ..before });
            };
            publish(1.0 - self.confidence);
            for (index, region) in self.stream.regions(tick).iter().enumerate() {
                let [inside, outside] = self.likelihoods(tick, region, before.asked);
                publish(self.confidence * inside * kinds(index));
                publish(self.confidence * outside * kinds(index));
            }
        }
        self.hypotheses = all;
    }

    /// Likelihood of a region as that of a target on a street: inside it, and outside.
    fn likelihoods(&self, tick: usize, region: &Region<'_>, street: StreetId) -> [f64; 2] {
        let SchemeModel { atlas, shares, order, .. } = self.model;
        let map = atlas.map();
        let streets = region.streets(map);
        let share = |street: StreetId| shares[street.index()];
        let usual: f64 = streets.iter().map(|&street| share(street)).sum();
        let volume = self.model.volume(tick);
        let users = self.model.members(usual * volume);
        let outside = users * (1.0 - order.inside) / volume;
        if !streets.contains(&street) {
            return [0.0, outside];
        }
        let frequency = |street: StreetId| order.frequency(position(map, shares, &streets, street));
        let all: f64 = streets.iter().map(|&one| share(one) * frequency(one)).sum();
        [users * order.inside * frequency(street) / all / volume, outside]
    }

    pub fn streets(&self) -> BTreeMap<StreetId, f64> {
        let sum: f64 = self.hypotheses.iter().map(|one| one.weight).sum();
        let mut streets = BTreeMap::new();
        for one in &self.hypotheses {
            *streets.entry(street_of(one.leg as usize)).or_insert(0.0) += one.weight / sum;
        }
        streets
    }
}

/// Share of the publications of a region that are nearer to its centre than the middle of a street.
fn position(map: &StreetMap, shares: &[f64], streets: &[StreetId], street: StreetId) -> f64 {
    let mut weights: Vec<(Point, f64)> =
        streets.iter().map(|&one| (middle(map, one), map.metres(one).max(1.0))).collect();
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    weights.iter_mut().for_each(|(_, weight)| *weight /= sum);
    let x = weights.iter().map(|(point, weight)| point.x * weight).sum();
    let y = weights.iter().map(|(point, weight)| point.y * weight).sum();
    let distance = |street| middle(map, street).distance(Point::new(x, y));
    let is_nearer = |one: &&StreetId| {
        let (own, other) = (distance(street), distance(**one));
        other + 1e-9 < own || ((other - own).abs() <= 1e-9 && **one < street)
    };
    let share = |street: &StreetId| shares[street.index()];
    let nearer: f64 = streets.iter().filter(is_nearer).map(share).sum();
    let all: f64 = streets.iter().map(share).sum();
    (nearer + share(&street) / 2.0) / all
}
