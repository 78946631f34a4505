//! Coordinates as sent to services: fixed-point degrees with seven decimals, about 1 cm. Integers
//! make equal coordinates equal texts.

use meshcloak::units::LonLat;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Longitude and latitude in units of 10⁻⁷ degrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FixedLonLat {
    lon: i32,
    lat: i32,
}

const UNITS_PER_DEGREE: f64 = 1e7;

impl FixedLonLat {
    /// Rounds a coordinate.
    pub(crate) fn of(point: LonLat) -> FixedLonLat {
        let units = |degrees: f64, max: f64| (degrees.clamp(-max, max) * UNITS_PER_DEGREE).round();
        FixedLonLat { lon: units(point.lon, 180.0) as i32, lat: units(point.lat, 90.0) as i32 }
    }

    /// Longitude in degrees.
    pub(crate) fn lon(self) -> f64 {
        f64::from(self.lon) / UNITS_PER_DEGREE
    }

    /// Latitude in degrees.
    pub(crate) fn lat(self) -> f64 {
        f64::from(self.lat) / UNITS_PER_DEGREE
    }

    /// `lon lat`, as in WKT.
    pub(crate) fn lon_lat(self) -> String {
        format!("{} {}", decimal(self.lon), decimal(self.lat))
    }

    /// `lat,lon`, as in Overpass QL.
    pub(crate) fn lat_lon(self) -> String {
        format!("{},{}", decimal(self.lat), decimal(self.lon))
    }
}

/// `[lon, lat]`, as in GeoJSON.
impl Serialize for FixedLonLat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.lon(), self.lat()].serialize(serializer)
    }
}

/// Writes fixed-point degrees with all seven decimals.
fn decimal(units: i32) -> String {
    let (sign, units) = (if units < 0 { "-" } else { "" }, units.unsigned_abs());
    format!("{sign}{}.{:07}", units / 10_000_000, units % 10_000_000)
}

/// Writes a line as WKT: `lon lat,lon lat`.
pub(crate) fn wkt_points(points: impl IntoIterator<Item = FixedLonLat>) -> String {
    let texts: Vec<String> = points.into_iter().map(FixedLonLat::lon_lat).collect();
    texts.join(",")
}

/// Joins lines that share an end point into longer ones; the result depends on the lines only.
/// Every joined line has at least one point.
pub(crate) fn join_lines(lines: Vec<Vec<FixedLonLat>>) -> Vec<Vec<FixedLonLat>> {
    let ends =
        |line: &[FixedLonLat]| [line.first().copied(), line.last().copied()].into_iter().flatten();
    let mut lines_by_end: BTreeMap<FixedLonLat, Vec<usize>> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate().rev() {
        ends(line).for_each(|end| lines_by_end.entry(end).or_default().push(index));
    }
    let mut lines: Vec<Option<Vec<FixedLonLat>>> = lines.into_iter().map(Some).collect();
    let mut joined = Vec::new();
    for first in 0..lines.len() {
        let Some(mut chain) = lines.get_mut(first).and_then(Option::take) else { continue };
        while let Some(next) = chain.last().and_then(|end| pop(&mut lines_by_end, *end, &lines)) {
            let mut line = lines.get_mut(next).and_then(Option::take).unwrap_or_default();
            if line.first() != chain.last() {
                line.reverse();
            }
            chain.extend(line);
        }
        chain.dedup();
        if !chain.is_empty() {
            joined.push(chain);
        }
    }
    joined
}

/// Removes and returns the first line that ends at a point and is not yet joined.
fn pop(
    lines_by_end: &mut BTreeMap<FixedLonLat, Vec<usize>>,
    end: FixedLonLat,
    lines: &[Option<Vec<FixedLonLat>>],
) -> Option<usize> {
    let candidates = lines_by_end.get_mut(&end)?;
    while let Some(index) = candidates.pop() {
        if lines.get(index).is_some_and(Option::is_some) {
            return Some(index);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(lon: f64, lat: f64) -> FixedLonLat {
        FixedLonLat::of(LonLat { lon, lat })
    }

    #[test]
    fn coordinates_are_written_with_seven_decimals_and_sign() {
        assert_eq!(fixed(-0.00000014, 50.5).lon_lat(), "-0.0000001 50.5000000");
        assert_eq!(fixed(9.70123456, -3.0).lat_lon(), "-3.0000000,9.7012346");
        assert_eq!(fixed(180.0, 90.0).lon_lat(), "180.0000000 90.0000000");
        assert_eq!(serde_json::to_string(&fixed(9.70123456, -3.5)).unwrap(), "[9.7012346,-3.5]");
    }

    #[test]
    fn lines_that_meet_are_joined_and_none_is_lost() {
        let [a, b, c, d, e] = [1.0, 2.0, 3.0, 4.0, 5.0].map(|lon| fixed(lon, 0.0));
        let lines = vec![vec![a, b], vec![d, e], vec![c, b], vec![c, c], vec![e, d]];
        assert_eq!(join_lines(lines), [vec![a, b, c], vec![d, e, d]]);
        assert_eq!(join_lines(vec![vec![], vec![a, b, a]]), [vec![a, b, a]]);
        assert_eq!(join_lines(Vec::new()), Vec::<Vec<FixedLonLat>>::new());
    }
}
