//! Which question is asked for a request, and how far its answer is complete.
//!
//! A question is answered from the user's position on a street; the request is about the position as
//! given, `offset` metres beside it. Every object that is `r` metres from the one is at most
//! `r + offset` metres from the other. So a larger question is asked, and its answer cut:
//!
//! ```text
//! within R   ─▶ within R + offset, kept if R or less from the position of the request
//! nearest n  ─▶ nearest 30, whose last is s metres away: complete up to s − offset
//! ```
//!
//! Radii and counts are rounded up to a ladder before they leave, as for all questions.

use super::great_circle::{metres, stretch};
use crate::api::QuestionBody;
use crate::city_map::Located;
use crate::question::{Along, COUNTS, Find, RADII};
use meshcloak::map::StreetMap;
use meshcloak::units::{LonLat, Point};

/// Largest radius of a request in metres. The rest of the largest radius of a question is for the offset
/// and the projection.
pub(super) const MAX_RADIUS: f64 = 1900.0;

/// Largest number of places that are found by a question about the nearest objects.
const MAX_BY_NEAREST: usize = 10;

/// Number of objects of such a question.
pub(super) const NEAREST_COUNT: usize = COUNTS[3] as usize;

/// Rounding of coordinates, distances and lengths, in metres.
const ROUNDING: f64 = 0.1;

/// How many places a request wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// All within the radius.
    All,
    /// The nearest ones within the radius.
    Nearest(usize),
}

/// Places that a request wants.
#[derive(Clone, Debug)]
pub(super) struct NearbyWant {
    /// Category; all if `None`.
    pub category: Option<String>,
    /// Largest great-circle distance in metres; may be infinite.
    pub radius: f64,
    pub limit: Limit,
}

/// Geometry of a request. Has no `Debug`: it holds the position.
pub(super) struct NearbyPlan<'a> {
    map: &'a StreetMap,
    here: LonLat,
    point: Point,
    /// Distance between the position of the request and that on the street, in the plane.
    offset: f64,
}

impl<'a> NearbyPlan<'a> {
    pub fn new(map: &'a StreetMap, located: &Located) -> NearbyPlan<'a> {
        let point = *located.point.expose();
        let offset = point.distance(map.point(*located.position.expose()));
        NearbyPlan { map, here: *located.lon_lat.expose(), point, offset }
    }

    /// Returns the question of a want; `None` if its radius is too large.
    pub fn question(&self, want: &NearbyWant) -> Option<QuestionBody> {
        let (find, radius, count) = if want.is_by_nearest() {
            (Find::Nearest, None, Some(NEAREST_COUNT as u32))
        } else {
            let radius = want.radius * self.stretch(want.radius) + self.offset + ROUNDING;
            let max = RADII.last().copied().map(f64::from).unwrap_or_default();
            let is_possible = want.radius <= MAX_RADIUS && radius <= max;
            (Find::Within, Some(is_possible.then_some(radius)?), None)
        };
        let category = want.category.clone();
        Some(QuestionBody { find, radius, count, along: Along::Plane, category })
    }

    /// Returns the distance of an object from the position of the request.
    pub fn metres(&self, lon: f64, lat: f64) -> f64 {
        metres(self.here, LonLat { lon, lat })
    }

    /// Returns the distance up to which the answer to a question is complete. `count` is the number of
    /// its objects, `last` the distance of the last from the position on the street.
    pub fn complete_to(&self, want: &NearbyWant, count: usize, last: f64) -> f64 {
        if !want.is_by_nearest() || count < NEAREST_COUNT {
            return f64::INFINITY;
        }
        let near = last - self.offset - ROUNDING;
        if near > 0.0 { near / self.stretch(near) } else { 0.0 }
    }

    fn stretch(&self, reach: f64) -> f64 {
        self.map.frame().map_or(f64::INFINITY, |frame| stretch(frame, self.point, reach))
    }
}

impl NearbyWant {
    /// Whether the question is about the nearest objects.
    pub fn is_by_nearest(&self) -> bool {
        match self.limit {
            Limit::All => false,
            Limit::Nearest(count) => count <= MAX_BY_NEAREST || self.radius.is_infinite(),
        }
    }
}
