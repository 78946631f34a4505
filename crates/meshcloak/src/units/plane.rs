//! Points and rectangles of the plane of a map, and places on Earth.

/// A point of the plane of a map, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Metres to the east.
    pub x: f64,
    /// Metres to the north.
    pub y: f64,
}

impl Point {
    /// The point `x` metres east and `y` metres north of the map's own zero.
    pub const fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    /// Straight-line distance in metres.
    pub fn distance(self, other: Point) -> f64 {
        self.distance_squared(other).sqrt()
    }

    /// Square of the straight-line distance.
    pub fn distance_squared(self, other: Point) -> f64 {
        let (dx, dy) = (other.x - self.x, other.y - self.y);
        dx * dx + dy * dy
    }

    /// The point that lies the part `fraction` of the way to `other`; exact at both ends.
    pub fn towards(self, other: Point, fraction: f64) -> Point {
        if fraction <= 0.0 {
            self
        } else if fraction >= 1.0 {
            other
        } else {
            let Point { x, y } = self;
            Point::new(x + (other.x - x) * fraction, y + (other.y - y) * fraction)
        }
    }

    /// Where between `a` and `b` (0 to 1) the segment comes nearest to this point.
    pub fn nearest_fraction(self, a: Point, b: Point) -> f64 {
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let squared = dx * dx + dy * dy;
        if squared > 0.0 {
            (((self.x - a.x) * dx + (self.y - a.y) * dy) / squared).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }
}

/// A rectangle with sides along the axes, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// The corner with the smallest x and y.
    pub min: Point,
    /// The corner with the largest x and y.
    pub max: Point,
}

impl Rectangle {
    /// The smallest rectangle around `points`; `None` if there are none.
    pub fn around(points: impl IntoIterator<Item = Point>) -> Option<Rectangle> {
        let mut points = points.into_iter();
        let first = points.next()?;
        let start = Rectangle { min: first, max: first };
        Some(points.fold(start, |r, p| Rectangle {
            min: Point::new(r.min.x.min(p.x), r.min.y.min(p.y)),
            max: Point::new(r.max.x.max(p.x), r.max.y.max(p.y)),
        }))
    }

    /// Extent from west to east, in metres.
    pub fn width(&self) -> f64 {
        self.max.x - self.min.x
    }

    /// Extent from south to north, in metres.
    pub fn height(&self) -> f64 {
        self.max.y - self.min.y
    }

    /// The point in the middle.
    pub fn centre(&self) -> Point {
        self.min.towards(self.max, 0.5)
    }

    /// The point of the rectangle nearest to `point`.
    pub fn nearest(&self, point: Point) -> Point {
        Point::new(point.x.clamp(self.min.x, self.max.x), point.y.clamp(self.min.y, self.max.y))
    }
}

/// A place on Earth, in degrees (WGS 84).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LonLat {
    /// Degrees east, −180 to 180.
    pub lon: f64,
    /// Degrees north, −90 to 90.
    pub lat: f64,
}

impl LonLat {
    /// The place at these degrees, if there is one on Earth.
    pub fn new(lon: f64, lat: f64) -> Option<LonLat> {
        let on_earth = (-180.0..=180.0).contains(&lon) && (-90.0..=90.0).contains(&lat);
        on_earth.then_some(LonLat { lon, lat })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_segment_are_met_exactly() {
        let (a, b) = (Point::new(0.1, 0.7), Point::new(1e6 + 0.3, -2e6 + 0.1));
        assert_eq!(a.towards(b, 0.0), a);
        assert_eq!(a.towards(b, 1.0), b);
        assert_eq!(Point::new(5e6, -9e6).nearest_fraction(a, b), 1.0);
        assert_eq!(Point::new(3.0, 4.0).nearest_fraction(a, a), 0.0);
    }

    #[test]
    fn only_places_on_earth_are_lon_lat() {
        assert!(LonLat::new(9.7, 50.8).is_some());
        assert!(LonLat::new(9.7, 95.0).is_none());
        assert!(LonLat::new(f64::NAN, 50.0).is_none());
    }
}
