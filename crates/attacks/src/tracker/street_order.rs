//! Where in a region its users are: streets in order of their distance from the centre, and the share
//! of users by that order. Meshes and discs have their users near the centre, the smallest rectangles
//! near the boundary, cells anywhere.

use super::region_stream::RegionStream;
use super::scheme_model::Example;
use crate::possible_streets::PossibleStreets;
use crate::view::RegionDependence;
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::{Length, Point};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Number of classes of streets of a region, by the share of publications that are nearer to the
/// centre.
const CLASSES: usize = 16;
/// Largest number of publications to learn from.
const MAX_EXAMPLES: usize = 4_000;
/// Number of examples that evenly spread users count for in every class.
const EVEN_WEIGHT: f64 = 4.0;

/// Relative frequency of users by class; 1 in all classes if users are anywhere.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StreetOrder {
    classes: [f64; CLASSES],
    /// Share of users who are inside their region; below 1 for random regions.
    pub(super) inside: f64,
}

impl Default for StreetOrder {
    fn default() -> StreetOrder {
        StreetOrder { classes: [1.0; CLASSES], inside: 1.0 }
    }
}

impl StreetOrder {
    /// Learns from publications of other users; `shares` are those of all publications by street.
    pub(super) fn learn(
        atlas: &Arc<Atlas>,
        dependence: RegionDependence,
        shares: &[f64],
        stream: &RegionStream,
        published: &[Example],
    ) -> StreetOrder {
        let map = atlas.map();
        let mut found = [EVEN_WEIGHT; CLASSES];
        let mut expected = [EVEN_WEIGHT; CLASSES];
        let mut by_dc: FxHashMap<Length, Option<PossibleStreets>> = FxHashMap::default();
        let mut outside = 0.0;
        let step = published.len().div_ceil(MAX_EXAMPLES).max(1);
        for one in published.iter().step_by(step) {
            let Some(region) = stream.regions(one.tick).get(one.region) else { continue };
            let possible = by_dc
                .entry(one.dc)
                .or_insert_with(|| PossibleStreets::new(atlas, dependence, one.dc));
            let streets = region.streets(map);
            let left = possible_of(possible.as_mut(), &streets);
            let positions = positions(map, shares, &streets, &left);
            let Ok(at) = left.binary_search(&one.street) else {
                outside += 1.0;
                continue;
            };
            found[class(positions[at])] += 1.0;
            let all: f64 = left.iter().map(|street| shares[street.index()]).sum();
            for (street, position) in left.iter().zip(positions) {
                expected[class(position)] += shares[street.index()] / all;
            }
        }
        let classes = std::array::from_fn(|class| found[class] / expected[class]);
        let all: f64 = found.iter().sum();
        StreetOrder { classes, inside: all / (all + outside) }
    }

    /// Relative frequency of users at a position in the order, from 0 to 1.
    pub(super) fn frequency(&self, position: f64) -> f64 {
        self.classes[class(position)]
    }

    /// Returns for each of the possible streets of a region the number of its users, relative to the
    /// usual number of publications on the street; the sum of it times `shares` is 1.
    pub(super) fn weights(
        &self,
        map: &StreetMap,
        shares: &[f64],
        streets: &[StreetId],
        left: &[StreetId],
    ) -> Vec<f64> {
        let positions = positions(map, shares, streets, left);
        let mut weights: Vec<f64> = positions.into_iter().map(|at| self.frequency(at)).collect();
        let usual = left.iter().map(|street| shares[street.index()]);
        let sum: f64 = weights.iter().zip(usual).map(|(weight, share)| weight * share).sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        weights
    }
}

/// Streets of a region on which a member can be.
pub(super) fn possible_of(
    possible: Option<&mut PossibleStreets>,
    streets: &[StreetId],
) -> Vec<StreetId> {
    let left = possible.and_then(|possible| possible.of(streets));
    left.filter(|left| !left.is_empty()).unwrap_or_else(|| streets.to_vec())
}

/// Returns the position of each possible street: the share of publications that are nearer to the
/// centre of the region than its middle.
fn positions(map: &StreetMap, shares: &[f64], streets: &[StreetId], left: &[StreetId]) -> Vec<f64> {
    let centre = centre(map, streets);
    let distance = |(at, &street): (usize, &StreetId)| (middle(map, street).distance(centre), at);
    let mut order: Vec<(f64, usize)> = left.iter().enumerate().map(distance).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let all: f64 = left.iter().map(|street| shares[street.index()]).sum();
    let mut positions = vec![0.0; left.len()];
    let mut passed = 0.0;
    for (_, at) in order {
        let share = shares[left[at].index()] / all;
        positions[at] = passed + share / 2.0;
        passed += share;
    }
    positions
}

fn class(position: f64) -> usize {
    ((position * CLASSES as f64) as usize).min(CLASSES - 1)
}

/// Mean of the middles of streets, weighted by length.
fn centre(map: &StreetMap, streets: &[StreetId]) -> Point {
    let (mut x, mut y, mut all) = (0.0, 0.0, 0.0);
    for &street in streets {
        let (middle, metres) = (middle(map, street), map.metres(street).max(1.0));
        (x, y, all) = (x + metres * middle.x, y + metres * middle.y, all + metres);
    }
    Point::new(x / all, y / all)
}

pub(super) fn middle(map: &StreetMap, street: StreetId) -> Point {
    let offset = Length::from_units(map.street(street).length.units() / 2);
    map.point(Position { street, offset })
}
