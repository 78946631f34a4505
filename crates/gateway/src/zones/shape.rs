//! Shape of a zone: a circle or a polygon in map coordinates.

use meshcloak::units::Point;

/// Shape of a zone.
#[derive(Clone, PartialEq)]
pub enum ZoneShape {
    /// A disc.
    Circle {
        /// Centre.
        centre: Point,
        /// Radius in metres.
        radius: f64,
    },
    /// The inside of a ring of at least three corners, in either orientation. The last corner
    /// connects to the first.
    Polygon(Box<[Point]>),
}

/// Prints no coordinates.
impl std::fmt::Debug for ZoneShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ZoneShape(…)")
    }
}

impl ZoneShape {
    /// Returns all coordinates and the radius, as seed of the boundary.
    pub(super) fn coordinates(&self) -> impl Iterator<Item = f64> + '_ {
        let (centre, radius, ring) = match self {
            ZoneShape::Circle { centre, radius } => (Some(*centre), Some(*radius), &[][..]),
            ZoneShape::Polygon(ring) => (None, None, &**ring),
        };
        let points = centre.into_iter().chain(ring.iter().copied());
        points.flat_map(|point| [point.x, point.y]).chain(radius)
    }

    /// Returns the distance of a point from the shape, in metres; 0 inside.
    pub fn distance(&self, point: Point) -> f64 {
        match self {
            ZoneShape::Circle { centre, radius } => (point.distance(*centre) - radius).max(0.0),
            ZoneShape::Polygon(ring) if encloses(ring, point) => 0.0,
            ZoneShape::Polygon(ring) => sides(ring).fold(f64::INFINITY, |min, (a, b)| {
                let nearest = a.towards(b, point.nearest_fraction(a, b));
                min.min(point.distance(nearest))
            }),
        }
    }
}

fn sides(ring: &[Point]) -> impl Iterator<Item = (Point, Point)> + '_ {
    let next = ring.iter().cycle().skip(1);
    ring.iter().copied().zip(next.copied())
}

/// Whether a ray to the east crosses the ring an odd number of times.
fn encloses(ring: &[Point], point: Point) -> bool {
    let crossed = |(a, b): &(Point, Point)| {
        (a.y > point.y) != (b.y > point.y)
            && point.x < a.x + (b.x - a.x) * (point.y - a.y) / (b.y - a.y)
    };
    sides(ring).filter(crossed).count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_to_a_concave_polygon_is_right_in_either_orientation() {
        //  ┌──┐  ┌──┐
        //  │  └──┘  │   the bay is 10 wide and 10 deep
        //  └────────┘
        let corners = [(0, 0), (30, 0), (30, 20), (20, 20), (20, 10), (10, 10), (10, 20), (0, 20)];
        let mut ring: Vec<Point> =
            corners.iter().map(|&(x, y)| Point::new(f64::from(x), f64::from(y))).collect();
        for _ in 0..2 {
            let shape = ZoneShape::Polygon(ring.clone().into());
            let distance = |x, y| shape.distance(Point::new(x, y));
            assert_eq!((distance(5.0, 15.0), distance(15.0, 5.0)), (0.0, 0.0));
            assert_eq!((distance(15.0, 14.0), distance(15.0, 19.0)), (4.0, 5.0));
            assert_eq!((distance(-3.0, -4.0), distance(40.0, 10.0)), (5.0, 10.0));
            ring.reverse();
        }
    }

    #[test]
    fn the_distance_to_a_degenerate_ring_is_that_to_its_points() {
        let shape = ZoneShape::Polygon([Point::new(0.0, 0.0); 3].into());
        assert_eq!(shape.distance(Point::new(3.0, 4.0)), 5.0);
    }
}
