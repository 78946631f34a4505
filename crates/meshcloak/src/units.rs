//! Lengths, points and rectangles: the arithmetic everything else is written in.
//!
//! A street length is a whole number of units of 1/32 m, so sums are exact and `≤ dc` never
//! flips between two ways of computing the same distance. Geometry (`Point`) stays in `f64`.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};
use std::time::Duration;

/// A length along streets, in whole units of 1/32 m.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Length(u32);

impl Length {
    /// No length at all.
    pub const ZERO: Length = Length(0);
    /// The smallest length a street can have.
    pub const UNIT: Length = Length(1);
    /// The longest length that can be written, about 134,000 km.
    pub const MAX: Length = Length(u32::MAX);
    /// How many units make a metre.
    pub const UNITS_PER_METRE: f64 = 32.0;

    /// The shortest length that is not below `metres`; how streets are measured on import.
    ///
    /// Saturates at zero and at [`Length::MAX`]; a NaN gives zero.
    pub fn metres(metres: f64) -> Length {
        Length((metres * Self::UNITS_PER_METRE).ceil() as u32)
    }

    /// The longest length that is not above `metres`; how a distance constraint is read.
    pub fn metres_down(metres: f64) -> Length {
        Length((metres * Self::UNITS_PER_METRE).floor() as u32)
    }

    /// The part `fraction` (0 to 1) of this length, rounded to the nearest unit.
    pub fn part(self, fraction: f64) -> Length {
        Length(((f64::from(self.0) * fraction).round() as u32).min(self.0))
    }

    /// A length of that many units of 1/32 m.
    pub const fn from_units(units: u32) -> Length {
        Length(units)
    }

    /// This length in units of 1/32 m.
    pub const fn units(self) -> u32 {
        self.0
    }

    /// This length in metres, exactly.
    pub fn as_metres(self) -> f64 {
        f64::from(self.0) / Self::UNITS_PER_METRE
    }

    /// The difference if it is not negative.
    pub fn checked_sub(self, other: Length) -> Option<Length> {
        self.0.checked_sub(other.0).map(Length)
    }
}

/// Stops at [`Length::MAX`]: a way too long to be written is never taken for a short one.
impl Add for Length {
    type Output = Length;
    fn add(self, other: Length) -> Length {
        Length(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Length {
    fn add_assign(&mut self, other: Length) {
        *self = *self + other;
    }
}

/// Stops at zero; who does not know which length is longer asks [`Length::checked_sub`].
impl Sub for Length {
    type Output = Length;
    fn sub(self, other: Length) -> Length {
        debug_assert!(self >= other, "{self} is shorter than {other}");
        Length(self.0.saturating_sub(other.0))
    }
}

impl Sum for Length {
    fn sum<I: Iterator<Item = Length>>(lengths: I) -> Length {
        lengths.fold(Length::ZERO, Add::add)
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} m", self.as_metres())
    }
}

/// A top speed, in whole units of 1/32 m per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Speed(u32);

impl Speed {
    /// The highest speed that is not above `metres` per second.
    pub fn metres_per_second(metres: f64) -> Speed {
        Speed(Length::metres_down(metres).units())
    }

    /// This speed in metres per second, exactly.
    pub fn as_metres_per_second(self) -> f64 {
        Length(self.0).as_metres()
    }
}

impl Mul<Duration> for Speed {
    type Output = Length;
    /// How far one comes in that span, rounded down: `dc = v × Δt` (§III-E).
    fn mul(self, span: Duration) -> Length {
        let units = u128::from(self.0) * span.as_millis() / 1000;
        Length(u32::try_from(units).unwrap_or(u32::MAX))
    }
}

/// An instant, in milliseconds from the beginning of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The last instant there is.
    pub(crate) const MAX: Time = Time(u64::MAX);

    /// The instant that many milliseconds after the beginning.
    pub const fn from_millis(millis: u64) -> Time {
        Time(millis)
    }

    /// Milliseconds since the beginning.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Seconds since the beginning.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, span: Duration) -> Time {
        Time(self.0.saturating_add(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))
    }
}

impl Sub for Time {
    type Output = Duration;
    /// The span since an earlier instant; none if that is later.
    fn sub(self, earlier: Time) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

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
    fn street_lengths_round_up_and_constraints_round_down() {
        assert_eq!(Length::metres(100.0).units(), 3200);
        assert_eq!(Length::metres(100.001).units(), 3201);
        assert_eq!(Length::metres_down(100.001).units(), 3200);
        assert_eq!(Length::metres(0.0), Length::ZERO);
        assert_eq!(Length::metres(f64::INFINITY), Length::MAX);
        assert_eq!(Length::metres(-3.0), Length::ZERO);
    }

    #[test]
    fn a_part_rounds_to_nearest_and_never_exceeds_the_whole() {
        let seven = Length::from_units(7);
        assert_eq!(seven.part(0.5).units(), 4);
        assert_eq!(seven.part(0.49).units(), 3);
        assert_eq!(seven.part(1.0), seven);
        assert_eq!(seven.part(1.1), seven);
    }

    #[test]
    fn a_speed_times_a_span_is_a_length_rounded_down() {
        let ten = Speed::metres_per_second(10.0);
        assert_eq!(ten * Duration::from_secs(10), Length::metres(100.0));
        assert_eq!((ten * Duration::from_millis(1)).units(), 0);
        assert_eq!(ten * Duration::from_secs(u64::MAX), Length::MAX);
    }

    #[test]
    fn sums_stop_at_the_longest_length() {
        let (nearly, two) = (Length::from_units(u32::MAX - 1), Length::from_units(2));
        assert_eq!(nearly + Length::UNIT, Length::MAX);
        assert_eq!(nearly + two, Length::MAX);
        assert_eq!([nearly, two, two].into_iter().sum::<Length>(), Length::MAX);
        assert_eq!(two.checked_sub(nearly), None);
    }

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
