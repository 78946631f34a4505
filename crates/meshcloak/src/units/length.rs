//! Lengths along streets, and speeds: both in whole units of 1/32 m.

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
}
