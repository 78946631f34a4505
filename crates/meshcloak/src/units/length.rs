//! Lengths along streets and speeds, in integer units of 1/32 m.

use std::fmt;
use std::iter::Sum;
use std::num::NonZeroU32;
use std::ops::{Add, AddAssign, Mul, Sub};
use std::time::Duration;

/// A length along streets, in integer units of 1/32 m.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Length(u32);

impl Length {
    /// Zero.
    pub const ZERO: Length = Length(0);
    /// The smallest length of a street: 1/32 m.
    pub const UNIT: Length = Length(1);
    /// The largest length, about 134,000 km.
    pub const MAX: Length = Length(u32::MAX);
    /// Units per metre.
    pub const UNITS_PER_METRE: f64 = 32.0;

    /// Rounds `metres` up to the next unit, as for street lengths on import.
    ///
    /// Saturates at zero and at [`Length::MAX`]; NaN becomes zero.
    pub fn metres(metres: f64) -> Length {
        Length((metres * Self::UNITS_PER_METRE).ceil() as u32)
    }

    /// Rounds `metres` down to a unit, as for distance constraints. Saturates as [`Length::metres`].
    pub fn metres_down(metres: f64) -> Length {
        Length((metres * Self::UNITS_PER_METRE).floor() as u32)
    }

    /// Returns `fraction` (0 to 1) of this length, rounded to the nearest unit.
    pub fn part(self, fraction: f64) -> Length {
        Length(((f64::from(self.0) * fraction).round() as u32).min(self.0))
    }

    /// Creates a length from units of 1/32 m.
    pub const fn from_units(units: u32) -> Length {
        Length(units)
    }

    /// Returns this length in units of 1/32 m.
    pub const fn units(self) -> u32 {
        self.0
    }

    /// Returns this length in metres, exactly.
    pub fn as_metres(self) -> f64 {
        f64::from(self.0) / Self::UNITS_PER_METRE
    }

    /// Returns the difference, or `None` if it is negative.
    pub fn checked_sub(self, other: Length) -> Option<Length> {
        self.0.checked_sub(other.0).map(Length)
    }
}

/// Saturates at [`Length::MAX`], so that an overlong path is never mistaken for a short one.
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

/// Saturates at zero; panics in debug builds if `other` is larger. See [`Length::checked_sub`].
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

/// A maximum speed, in integer units of 1/32 m per second.
///
/// The number of units plus one is stored, so that `Option<Speed>` takes four bytes and a query one
/// cache line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Speed(NonZeroU32);

impl Speed {
    /// Rounds `metres` per second down to a unit.
    pub fn metres_per_second(metres: f64) -> Speed {
        Speed::from_units(Length::metres_down(metres).units())
    }

    /// Returns this speed in metres per second, exactly.
    pub fn as_metres_per_second(self) -> f64 {
        Length(self.units()).as_metres()
    }

    /// Creates a speed from units of 1/32 m per second; the largest is `u32::MAX - 1`.
    pub const fn from_units(units: u32) -> Speed {
        Speed(NonZeroU32::MIN.saturating_add(units))
    }

    /// Returns this speed in units of 1/32 m per second.
    pub const fn units(self) -> u32 {
        self.0.get() - 1
    }
}

/// Standstill.
impl Default for Speed {
    fn default() -> Speed {
        Speed(NonZeroU32::MIN)
    }
}

impl fmt::Debug for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Speed").field(&self.units()).finish()
    }
}

impl Mul<Duration> for Speed {
    type Output = Length;
    /// Returns the distance travelled in that time, rounded down: `dc = v × Δt` (§III-E).
    fn mul(self, span: Duration) -> Length {
        let units = u128::from(self.units()) * span.as_millis() / 1000;
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
    fn a_speed_times_a_duration_is_a_length_rounded_down() {
        let ten = Speed::metres_per_second(10.0);
        assert_eq!(ten * Duration::from_secs(10), Length::metres(100.0));
        assert_eq!((ten * Duration::from_millis(1)).units(), 0);
        assert_eq!(ten * Duration::from_secs(u64::MAX), Length::MAX);
    }

    #[test]
    fn sums_saturate_at_the_largest_length() {
        let (nearly, two) = (Length::from_units(u32::MAX - 1), Length::from_units(2));
        assert_eq!(nearly + Length::UNIT, Length::MAX);
        assert_eq!(nearly + two, Length::MAX);
        assert_eq!([nearly, two, two].into_iter().sum::<Length>(), Length::MAX);
        assert_eq!(two.checked_sub(nearly), None);
    }
}
