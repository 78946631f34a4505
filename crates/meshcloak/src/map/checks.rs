//! What must hold of each thing that is added to a map: a place on Earth, a length, room for it.

use super::raw::{MapError, RawStreet};
use crate::units::{Length, Point};

/// Points of each kind a map has room for. With the most cells that a street passes through on
/// average, the grid can still be counted in 32 bits.
pub(super) const MOST_POINTS: usize = 200_000_000;

/// The circumference of the Earth in metres: beyond it, coordinates are a mistake.
const FARTHEST: f64 = 4e7;

/// Refuses coordinates that are not numbers, or absurd.
pub(super) fn check_place(label: &str, point: Point) -> Result<(), MapError> {
    let Point { x, y } = point;
    if x.abs() <= FARTHEST && y.abs() <= FARTHEST {
        return Ok(());
    }
    Err(MapError::NotAPlace { label: label.to_owned(), x, y })
}

/// The length to use: as written unless the shape is longer, as measured if none is written.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_coordinates_within_the_size_of_the_earth_are_a_place() {
        for good in [0.0, -4e7, 4e7] {
            assert_eq!(check_place("a", Point::new(good, 0.0)), Ok(()));
        }
        for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 4e7_f64.next_up()] {
            for point in [Point::new(bad, 0.0), Point::new(0.0, bad)] {
                let error = check_place("a", point).unwrap_err();
                assert!(matches!(error, MapError::NotAPlace { .. }), "{error}");
            }
        }
    }
}
