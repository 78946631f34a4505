//! Checks of items added to a map: coordinates, lengths, capacity.

use super::raw::{MapError, RawStreet};
use super::texts::DistinctTexts;
use crate::units::{Length, Point};

/// Largest number of points of each kind. Keeps the entries of the grid within 32 bits.
pub(super) const MAX_POINTS: usize = 200_000_000;

/// Largest absolute coordinate in metres: the circumference of the Earth.
const MAX_METRES: f64 = 4e7;

/// Checks that coordinates are finite and within range.
pub(super) fn check_point(label: &str, point: Point) -> Result<(), MapError> {
    let Point { x, y } = point;
    if x.abs() <= MAX_METRES && y.abs() <= MAX_METRES {
        return Ok(());
    }
    Err(MapError::BadCoordinates { label: label.to_owned(), x, y })
}

/// Returns the larger of the given and the measured length; the measured one if none is given.
pub(super) fn checked_metres(raw: &RawStreet, measured: f64) -> Result<f64, MapError> {
    let label = || raw.label.to_owned();
    if let Some(metres) = raw.written_metres
        && !(metres > 0.0 && metres.is_finite())
    {
        return Err(MapError::BadLength { label: label(), metres });
    }
    let metres = raw.written_metres.map_or(measured, |written| written.max(measured));
    if Length::metres(metres) == Length::MAX {
        return Err(MapError::TooLong { label: label(), metres });
    }
    Ok(metres)
}

/// Returns the row of a class or category; adds it if necessary.
pub(super) fn class_row(classes: &mut DistinctTexts, class: &str) -> Result<u16, MapError> {
    let row = classes.row_of(class);
    u16::try_from(row).map_err(|_| MapError::TooManyClasses(class.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_must_be_finite_and_within_40_000_km() {
        for good in [0.0, -4e7, 4e7] {
            assert_eq!(check_point("a", Point::new(good, 0.0)), Ok(()));
        }
        for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 4e7_f64.next_up()] {
            for point in [Point::new(bad, 0.0), Point::new(0.0, bad)] {
                let error = check_point("a", point).unwrap_err();
                assert!(matches!(error, MapError::BadCoordinates { .. }), "{error}");
            }
        }
    }
}
