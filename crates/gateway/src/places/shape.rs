//! A circle or a polygon in the plane of the map.

use meshcloak::units::Point;

/// Where a place is.
#[derive(Clone, PartialEq)]
pub enum Shape {
    /// All within a radius.
    Circle {
        /// Its middle.
        centre: Point,
        /// In metres.
        radius: f64,
    },
    /// All inside a ring of at least three corners, whichever way round; the last is joined to
    /// the first.
    Polygon(Box<[Point]>),
}

/// Where a place is never gets printed.
impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shape(…)")
    }
}

impl Shape {
    /// All its numbers, for whoever draws lots by it.
    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        let (centre, radius, ring) = match self {
            Shape::Circle { centre, radius } => (Some(*centre), Some(*radius), &[][..]),
            Shape::Polygon(ring) => (None, None, &**ring),
        };
        let points = centre.into_iter().chain(ring.iter().copied());
        points.flat_map(|point| [point.x, point.y]).chain(radius)
    }

    /// How far a point is outside; 0 inside.
    pub fn distance(&self, point: Point) -> f64 {
        match self {
            Shape::Circle { centre, radius } => (point.distance(*centre) - radius).max(0.0),
            Shape::Polygon(ring) if encloses(ring, point) => 0.0,
            Shape::Polygon(ring) => sides(ring).fold(f64::INFINITY, |least, (a, b)| {
                let nearest = a.towards(b, point.nearest_fraction(a, b));
                least.min(point.distance(nearest))
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
    fn a_polygon_may_have_a_bay() {
        //  ┌──┐  ┌──┐
        //  │  └──┘  │   the bay is 10 wide and 10 deep
        //  └────────┘
        let corners = [(0, 0), (30, 0), (30, 20), (20, 20), (20, 10), (10, 10), (10, 20), (0, 20)];
        let mut ring: Vec<Point> =
            corners.iter().map(|&(x, y)| Point::new(f64::from(x), f64::from(y))).collect();
        for _ in 0..2 {
            let shape = Shape::Polygon(ring.clone().into());
            let distance = |x, y| shape.distance(Point::new(x, y));
            assert_eq!((distance(5.0, 15.0), distance(15.0, 5.0)), (0.0, 0.0));
            assert_eq!((distance(15.0, 14.0), distance(15.0, 19.0)), (4.0, 5.0));
            assert_eq!((distance(-3.0, -4.0), distance(40.0, 10.0)), (5.0, 10.0));
            ring.reverse();
        }
    }

    #[test]
    fn a_ring_without_area_is_a_line() {
        let shape = Shape::Polygon([Point::new(0.0, 0.0); 3].into());
        assert_eq!(shape.distance(Point::new(3.0, 4.0)), 5.0);
    }
}
