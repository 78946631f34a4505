//! Radii at which a planar service is asked for the nearest objects: the radius grows until the
//! objects received prove that no object beyond it can be among the nearest of any user in the
//! region. It knows the region and the question but no user, so a radius says nothing about one.

use super::Objects;
use super::nearest_set::NearestSet;
use super::samples::{SAMPLE_RADIUS, samples};
use crate::question::Along;
use crate::walk::{Walker, boundary};
use meshcloak::map::StreetId;
use meshcloak::units::Length;

/// Search for the `count` nearest objects of every point of a region.
pub(crate) struct RadiusSearch<'a> {
    pub walker: &'a Walker,
    pub region: &'a [StreetId],
    pub count: u32,
    pub along: Along,
    /// Largest distance between an object and its street, in metres.
    pub max_street_distance: f64,
}

/// Next step of a search.
pub(crate) enum NextStep {
    /// No further object can matter, or none can be had.
    Done,
    /// Ask with this radius in metres; `None`: without limit.
    Ask(Option<f64>),
}

/// First radius in metres. There is one for each way to measure, and neither they nor their multiples
/// are radii of `within`: two kinds of question about one region are not the same request.
const FIRST_RADIUS: f64 = 240.0;
const FIRST_RADIUS_ALONG_STREETS: f64 = 260.0;

/// Factor of the next radius if too few objects are known.
const GROWTH: f64 = 4.0;

/// Largest radius in metres; a larger one is replaced by no limit.
const MAX_RADIUS: f64 = 64_000.0;

impl RadiusSearch<'_> {
    /// First radius in metres. It covers every object on the streets of the region.
    pub(crate) fn first_radius(&self) -> f64 {
        match self.along {
            Along::Plane => FIRST_RADIUS.max(self.max_street_distance + 40.0),
            Along::Streets => FIRST_RADIUS_ALONG_STREETS.max(self.max_street_distance + 60.0),
        }
    }

    /// Returns the next step after `objects` were received for `radius`.
    pub(crate) fn next_step(&self, radius: Option<f64>, objects: &Objects) -> NextStep {
        let Some(radius) = radius.filter(|_| objects.is_complete()) else {
            return NextStep::Done;
        };
        let needed = match self.along {
            Along::Plane => self.needed_in_plane(objects),
            Along::Streets => self.needed_along_streets(objects),
        };
        match needed {
            Some(needed) if needed <= radius => NextStep::Done,
            Some(needed) => NextStep::Ask(Some(needed).filter(|&needed| needed <= MAX_RADIUS)),
            None if self.along == Along::Streets && radius >= self.map_diameter() => NextStep::Done,
            None => NextStep::Ask(Some(radius * GROWTH).filter(|&wider| wider <= MAX_RADIUS)),
        }
    }

    /// Returns a radius that covers the nearest objects of every point of the region, or `None`
    /// with too few objects.
    ///
    /// At each sample, the distance of the `count`-th known object bounds the true distance from
    /// above. Other points are within [`SAMPLE_RADIUS`] of a sample, so it is added.
    fn needed_in_plane(&self, objects: &Objects) -> Option<f64> {
        let mut radius = 0.0_f64;
        for sample in samples(self.walker.map(), self.region) {
            let mut nearest = NearestSet::new(self.count);
            for (object, number) in objects.objects().iter().zip(0_u32..) {
                nearest.offer(number, object.point.distance(sample));
            }
            radius = radius.max(nearest.bound()?);
        }
        Some(radius + SAMPLE_RADIUS)
    }

    /// As [`RadiusSearch::needed_in_plane`], by distances along streets.
    ///
    /// An object outside the region that is not among the nearest at any boundary terminal is not
    /// among the nearest of any point inside. Distances along streets are upper bounds of
    /// distances in the plane, up to the distance between object and street.
    fn needed_along_streets(&self, objects: &Objects) -> Option<f64> {
        let mut longest = Length::ZERO;
        let enough = objects.by_street().len() >= self.count as usize;
        for terminal in boundary(self.walker.map(), self.region) {
            let mut nearest = NearestSet::new(self.count);
            if enough {
                let start = [(terminal, Length::ZERO)];
                self.walker.nearest(start, objects.by_street(), |_| true, &mut nearest);
            }
            longest = longest.max(nearest.bound()?);
        }
        Some(longest.as_metres() + self.max_street_distance)
    }

    /// Upper bound of the distance between a point of the map and an object with a street.
    fn map_diameter(&self) -> f64 {
        let bounds = self.walker.map().bounds();
        bounds.min.distance(bounds.max) + self.max_street_distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::RADII;
    use crate::service::PlanarSettings;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_kinds_send_the_same_radius() {
        let margin = PlanarSettings::default().max_street_distance;
        let within = RADII.iter().map(|&metres| f64::from(metres));
        let within: Vec<f64> = within.flat_map(|metres| [metres, metres + margin]).collect();
        let steps = |first: f64| {
            std::iter::successors(Some(first), |radius| Some(radius * GROWTH))
                .take_while(|radius| *radius <= MAX_RADIUS)
        };
        let nearest = [FIRST_RADIUS, FIRST_RADIUS_ALONG_STREETS].map(steps);
        let all: Vec<f64> = within.into_iter().chain(nearest.into_iter().flatten()).collect();
        let distinct: BTreeSet<u64> = all.iter().map(|radius| radius.to_bits()).collect();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
        assert!(FIRST_RADIUS >= margin + 40.0 && FIRST_RADIUS_ALONG_STREETS >= margin + 60.0);
    }
}
