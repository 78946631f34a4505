//! Points and rectangles in the plane of a map, and geographic coordinates.

/// A point in the plane of a map, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Easting in metres.
    pub x: f64,
    /// Northing in metres.
    pub y: f64,
}

impl Point {
    /// Creates a point `x` metres east and `y` metres north of the map's origin.
    pub const fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    /// Returns the straight-line distance in metres.
    pub fn distance(self, other: Point) -> f64 {
        self.distance_squared(other).sqrt()
    }

    /// Returns the square of the straight-line distance.
    pub fn distance_squared(self, other: Point) -> f64 {
        let (dx, dy) = (other.x - self.x, other.y - self.y);
        dx * dx + dy * dy
    }

    /// Interpolates linearly towards `other`; `fraction` is clamped to 0 to 1 and exact at both ends.
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

    /// Returns the fraction (0 to 1) of the segment from `a` to `b` that is nearest to this point.
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

/// An axis-aligned rectangle, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// The corner with the smallest x and y.
    pub min: Point,
    /// The corner with the largest x and y.
    pub max: Point,
}

impl Rectangle {
    /// Returns the bounding box of `points`; `None` if there are none.
    pub fn around(points: impl IntoIterator<Item = Point>) -> Option<Rectangle> {
        let mut points = points.into_iter();
        let first = points.next()?;
        let start = Rectangle { min: first, max: first };
        Some(points.fold(start, |r, p| Rectangle {
            min: Point::new(r.min.x.min(p.x), r.min.y.min(p.y)),
            max: Point::new(r.max.x.max(p.x), r.max.y.max(p.y)),
        }))
    }

    /// Returns the extent from west to east, in metres.
    pub fn width(&self) -> f64 {
        self.max.x - self.min.x
    }

    /// Returns the extent from south to north, in metres.
    pub fn height(&self) -> f64 {
        self.max.y - self.min.y
    }

    /// Returns the centre.
    pub fn centre(&self) -> Point {
        self.min.towards(self.max, 0.5)
    }

    /// Returns the point of the rectangle that is nearest to `point`.
    pub fn nearest(&self, point: Point) -> Point {
        Point::new(point.x.clamp(self.min.x, self.max.x), point.y.clamp(self.min.y, self.max.y))
    }
}

/// Geographic coordinates in degrees (WGS 84).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LonLat {
    /// Longitude, −180 to 180.
    pub lon: f64,
    /// Latitude, −90 to 90.
    pub lat: f64,
}

impl LonLat {
    /// Returns the coordinates, or `None` if they are out of range.
    pub fn new(lon: f64, lat: f64) -> Option<LonLat> {
        let is_valid = (-180.0..=180.0).contains(&lon) && (-90.0..=90.0).contains(&lat);
        is_valid.then_some(LonLat { lon, lat })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolation_is_exact_at_both_ends_of_a_segment() {
        let (a, b) = (Point::new(0.1, 0.7), Point::new(1e6 + 0.3, -2e6 + 0.1));
        assert_eq!(a.towards(b, 0.0), a);
        assert_eq!(a.towards(b, 1.0), b);
        assert_eq!(Point::new(5e6, -9e6).nearest_fraction(a, b), 1.0);
        assert_eq!(Point::new(3.0, 4.0).nearest_fraction(a, a), 0.0);
    }

    #[test]
    fn coordinates_out_of_range_are_rejected() {
        assert!(LonLat::new(9.7, 50.8).is_some());
        assert!(LonLat::new(9.7, 95.0).is_none());
        assert!(LonLat::new(f64::NAN, 50.0).is_none());
    }
}
