//! A place as it is written down for a service: degrees with seven decimals, about a centimetre.
//! Whole numbers, so that equal places are equal texts.

use meshcloak::units::LonLat;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// A place in units of 10⁻⁷ degrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    lon: i32,
    lat: i32,
}

/// Units in a degree.
const PER_DEGREE: f64 = 1e7;

impl Spot {
    /// The spot nearest to a place.
    pub(crate) fn of(place: LonLat) -> Spot {
        let units = |degrees: f64, most: f64| (degrees.clamp(-most, most) * PER_DEGREE).round();
        Spot { lon: units(place.lon, 180.0) as i32, lat: units(place.lat, 90.0) as i32 }
    }

    /// Degrees east.
    pub(crate) fn lon(self) -> f64 {
        f64::from(self.lon) / PER_DEGREE
    }

    /// Degrees north.
    pub(crate) fn lat(self) -> f64 {
        f64::from(self.lat) / PER_DEGREE
    }

    /// `lon lat`, as in WKT.
    pub(crate) fn lon_lat(self) -> impl fmt::Display {
        Pair(self.lon, ' ', self.lat)
    }

    /// `lat,lon`, as in Overpass QL.
    pub(crate) fn lat_lon(self) -> impl fmt::Display {
        Pair(self.lat, ',', self.lon)
    }
}

/// As in GeoJSON.
impl Serialize for Spot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.lon(), self.lat()].serialize(serializer)
    }
}

struct Pair(i32, char, i32);

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Pair(first, between, second) = self;
        write!(f, "{}{between}{}", Degrees(first), Degrees(second))
    }
}

struct Degrees(i32);

impl fmt::Display for Degrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, units) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        write!(f, "{sign}{}.{:07}", units / 10_000_000, units % 10_000_000)
    }
}

/// The same lines, end to end where they meet: fewer and longer ones, in an order that depends on
/// the lines alone. Each has one spot or more.
pub(crate) fn chained(lines: Vec<Vec<Spot>>) -> Vec<Vec<Spot>> {
    let ends = |line: &[Spot]| [line.first().copied(), line.last().copied()].into_iter().flatten();
    let mut meeting: BTreeMap<Spot, Vec<usize>> = BTreeMap::new();
    for (number, line) in lines.iter().enumerate().rev() {
        ends(line).for_each(|end| meeting.entry(end).or_default().push(number));
    }
    let mut lines: Vec<Option<Vec<Spot>>> = lines.into_iter().map(Some).collect();
    let mut chains = Vec::new();
    for first in 0..lines.len() {
        let Some(mut chain) = lines[first].take() else { continue };
        while let Some(next) = chain.last().and_then(|end| pop(&mut meeting, *end, &lines)) {
            let mut line = lines[next].take().unwrap_or_default();
            if line.first() != chain.last() {
                line.reverse();
            }
            chain.extend(line);
        }
        chain.dedup();
        if !chain.is_empty() {
            chains.push(chain);
        }
    }
    chains
}

/// The first line that ends at a spot and is in no chain yet.
fn pop(
    meeting: &mut BTreeMap<Spot, Vec<usize>>,
    end: Spot,
    lines: &[Option<Vec<Spot>>],
) -> Option<usize> {
    let here = meeting.get_mut(&end)?;
    while let Some(number) = here.pop() {
        if lines[number].is_some() {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(lon: f64, lat: f64) -> Spot {
        Spot::of(LonLat { lon, lat })
    }

    #[test]
    fn a_spot_is_written_with_seven_decimals_whatever_its_sign() {
        assert_eq!(spot(-0.00000014, 50.5).lon_lat().to_string(), "-0.0000001 50.5000000");
        assert_eq!(spot(9.70123456, -3.0).lat_lon().to_string(), "-3.0000000,9.7012346");
        assert_eq!(spot(180.0, 90.0).lon_lat().to_string(), "180.0000000 90.0000000");
        assert_eq!(serde_json::to_string(&spot(9.70123456, -3.5)).unwrap(), "[9.7012346,-3.5]");
    }

    #[test]
    fn lines_that_meet_become_one_and_nothing_is_lost() {
        let [a, b, c, d, e] = [1.0, 2.0, 3.0, 4.0, 5.0].map(|lon| spot(lon, 0.0));
        let lines = vec![vec![a, b], vec![d, e], vec![c, b], vec![c, c], vec![e, d]];
        assert_eq!(chained(lines), [vec![a, b, c], vec![d, e, d]]);
        assert_eq!(chained(vec![vec![], vec![a, b, a]]), [vec![a, b, a]]);
        assert_eq!(chained(Vec::new()), Vec::<Vec<Spot>>::new());
    }
}
