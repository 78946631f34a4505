//! Rectangles around a junction and the streets that lie inside.

use meshcloak::map::StreetMap;
use meshcloak::units::{Length, Point};
use traffic::TrafficModel;
use traffic::{Direction, Leg};

/// A rectangle, given by the distances of its sides from the junction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JunctionRectangle {
    /// The junction.
    pub centre: Point,
    /// Distances of the east, north, west and south side, in metres.
    pub sides: [f64; 4],
}

/// Largest ratio of a shifted side to the half side of the square, and its inverse.
const MAX_SHIFT: f64 = 4.0;

impl JunctionRectangle {
    /// Square of half side `half_side` metres.
    pub fn square(centre: Point, half_side: f64) -> JunctionRectangle {
        JunctionRectangle { centre, sides: [half_side; 4] }
    }

    /// Moves each side in proportion to the mean speed of the legs that enter through it, so that the
    /// junction is reached in about the same time from every side.
    pub fn shifted(
        self,
        map: &StreetMap,
        arriving: &[Leg],
        model: &TrafficModel,
    ) -> JunctionRectangle {
        let mut speeds = [(0.0, 0.0); 4];
        for &leg in arriving {
            let side = self.side_of(map, leg);
            speeds[side].0 += model.speed(leg).mean;
            speeds[side].1 += 1.0;
        }
        let total = speeds.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let mean = total.0 / total.1;
        let mut sides = self.sides;
        for (side, (sum, count)) in sides.iter_mut().zip(speeds) {
            if count > 0.0 {
                *side *= (sum / count / mean).clamp(1.0 / MAX_SHIFT, MAX_SHIFT);
            }
        }
        JunctionRectangle { sides, ..self }
    }

    /// Side through which a leg that ends at the junction enters.
    fn side_of(&self, map: &StreetMap, leg: Leg) -> usize {
        let points = outwards(map, leg, LegEnd::Head);
        let outside = |point: &&Point| self.excess(**point) > 1.0;
        let end = points.iter().find(outside).unwrap_or(&points[points.len() - 1]);
        let (x, y) = (end.x - self.centre.x, end.y - self.centre.y);
        match (x.abs() >= y.abs(), x >= 0.0, y >= 0.0) {
            (true, true, _) => 0,
            (true, false, _) => 2,
            (false, _, true) => 1,
            (false, _, false) => 3,
        }
    }

    /// Distance of a point from the junction relative to the rectangle: 1 on its boundary.
    pub fn excess(&self, point: Point) -> f64 {
        let [east, north, west, south] = self.sides;
        let (x, y) = (point.x - self.centre.x, point.y - self.centre.y);
        let across = if x >= 0.0 { x / east } else { -x / west };
        let along = if y >= 0.0 { y / north } else { -y / south };
        across.max(along)
    }

    /// Length of a leg from one of its ends, which lies inside, to where it first leaves the
    /// rectangle; `None` if it does not.
    pub fn hidden(&self, map: &StreetMap, leg: Leg, end: LegEnd) -> Option<Length> {
        let points = outwards(map, leg, end);
        let whole: f64 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        let mut inside = 0.0;
        for pair in points.windows(2) {
            let length = pair[0].distance(pair[1]);
            if self.excess(pair[1]) > 1.0 {
                let fraction = (inside + length * self.exit(pair[0], pair[1])) / whole;
                return Some(map.street(leg.street()).length.part(fraction.clamp(0.0, 1.0)));
            }
            inside += length;
        }
        None
    }

    /// Fraction of the line from `a` to `b`, outside, at which it leaves the rectangle.
    fn exit(&self, a: Point, b: Point) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            let is_inside = self.excess(a.towards(b, middle)) <= 1.0;
            if is_inside { low = middle } else { high = middle }
        }
        low
    }
}

/// An end of a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegEnd {
    /// Where it begins.
    Tail,
    /// Where it ends.
    Head,
}

/// Points of the street of a leg, from one of its ends.
fn outwards(map: &StreetMap, leg: Leg, end: LegEnd) -> Vec<Point> {
    let mut points = map.shape(leg.street()).to_vec();
    if (leg.direction() == Direction::Forward) == (end == LegEnd::Head) {
        points.reverse();
    }
    points
}
