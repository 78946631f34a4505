//! Time of the distance matrix by the number of terminals, on parts of one map.
//!
//! Two series of five sizes: the map *cut* to windows around its centre, in which the density stays
//! the same, and *thinned* to its main streets, in which the area stays the same. Only the matrix of
//! Algorithm 1 is timed, without the rows of streets that the engine adds.

use crate::load::{RunLoad, repeat_until_quiet};
use crate::maps::DC_MAX;
use crate::results::{MatrixRow, rounded};
use meshcloak::distance::DistanceMatrix;
use meshcloak::map::{Extent, MapBuilder, MapError, RawStreet, StreetId, StreetMap, TerminalId};
use meshcloak::units::{Length, Point};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::time::Instant;

/// Parts of the map, in ascending order.
const SHARES: [f64; 5] = [0.0625, 0.125, 0.25, 0.5, 1.0];

/// Selects the streets of a part of a map by its share.
type Selection = fn(&StreetMap, f64) -> Vec<StreetId>;

/// Number of computations of each matrix.
const REPETITIONS: usize = 3;

/// Times the matrix of all parts of `map`, on the threads of the current pool.
///
/// # Errors
/// If a part has no street that can be left and entered.
pub fn matrix_growth(name: &str, map: &StreetMap) -> Result<Vec<MatrixRow>, MapError> {
    let methods: [(&str, Selection); 2] = [("cut", cut), ("thinned", thinned)];
    let mut rows = Vec::new();
    for (method, select) in methods {
        for share in SHARES {
            let part = part(map, &select(map, share))?;
            let (map, method) = (name.to_owned(), method.to_owned());
            rows.push(MatrixRow { map, method, share, ..timed(&part) });
        }
    }
    Ok(rows)
}

fn timed(map: &StreetMap) -> MatrixRow {
    let attempt = || Ok::<_, Infallible>(RunLoad::around(|| fill(map)));
    let Ok(((pairs, matrix_ms), load, _)) = repeat_until_quiet(attempt);
    MatrixRow {
        terminals: map.terminal_count(),
        streets: map.street_count(),
        pairs,
        matrix_ms: rounded(matrix_ms),
        load_during: load.during.map(rounded),
        ..MatrixRow::default()
    }
}

/// Returns the entries of the matrix, and the fastest time of several computations in milliseconds.
fn fill(map: &StreetMap) -> (usize, f64) {
    let mut fastest = f64::INFINITY;
    let mut pairs = 0;
    for _ in 0..REPETITIONS {
        let begun = Instant::now();
        let matrix = DistanceMatrix::new(map, Length::metres(DC_MAX));
        matrix.fill();
        fastest = fastest.min(begun.elapsed().as_secs_f64() * 1000.0);
        pairs = matrix.pair_count();
    }
    (pairs, fastest)
}

/// Selects the streets between the terminals nearest to the centre, by the larger of both distances
/// along the axes: a square window that grows with `share`.
fn cut(map: &StreetMap, share: f64) -> Vec<StreetId> {
    let mut terminals: Vec<TerminalId> = map.terminals().collect();
    let centre = centre(map);
    let distance = |&terminal: &TerminalId| {
        let point = map.terminal(terminal);
        (point.x - centre.x).abs().max((point.y - centre.y).abs())
    };
    terminals.sort_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)));
    terminals.truncate(kept(terminals.len(), share));
    let inside: BTreeSet<TerminalId> = terminals.into_iter().collect();
    let is_inside = |&street: &StreetId| {
        let street = map.street(street);
        inside.contains(&street.from) && inside.contains(&street.to)
    };
    map.streets().filter(is_inside).collect()
}

/// Median of both coordinates.
fn centre(map: &StreetMap) -> Point {
    let median = |axis: fn(Point) -> f64| {
        let mut values: Vec<f64> = map.terminals().map(|u| axis(map.terminal(u))).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    Point { x: median(|point| point.x), y: median(|point| point.y) }
}

/// Selects the streets of the highest ranks, which stay connected over the whole area.
fn thinned(map: &StreetMap, share: f64) -> Vec<StreetId> {
    let mut streets: Vec<StreetId> = map.streets().collect();
    streets.sort_by_key(|&street| (map.rank(street), street));
    streets.truncate(kept(streets.len(), share));
    streets
}

fn kept(count: usize, share: f64) -> usize {
    (count as f64 * share).ceil() as usize
}

/// Builds the largest strongly connected part of the given streets.
fn part(map: &StreetMap, streets: &[StreetId]) -> Result<StreetMap, MapError> {
    let mut builder = MapBuilder::new();
    for &id in streets {
        let street = map.street(id);
        let mut terminal = |old: TerminalId| match builder.find_terminal(map.terminal_label(old)) {
            Some(known) => Ok(known),
            None => builder.terminal(map.terminal_label(old), map.terminal(old)),
        };
        let (from, to) = (terminal(street.from)?, terminal(street.to)?);
        let shape = map.shape(id);
        builder.street(RawStreet {
            one_way: street.one_way,
            // The builder sets lengths of 0 that are not written to one unit.
            written_metres: Some(map.metres(id)).filter(|&metres| metres > 0.0),
            bends: shape.get(1..shape.len().saturating_sub(1)).unwrap_or_default(),
            ..RawStreet::new(map.street_label(id), from, to)
        })?;
    }
    builder.build(Extent::LargestPart).map(|built| built.map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::MapPlan;

    #[test]
    fn parts_grow_to_the_whole_map_and_count_the_pairs_within_reach() {
        let map = MapPlan::of("city:500:7", None).unwrap().read().unwrap().map;
        let rows = matrix_growth("city", &map).unwrap();
        let methods: Vec<&str> = rows.iter().map(|row| row.method.as_str()).collect();
        assert_eq!(methods[..6], ["cut", "cut", "cut", "cut", "cut", "thinned"]);
        for series in rows.chunks(SHARES.len()) {
            assert!(series.is_sorted_by_key(|row| row.terminals), "{series:?}");
            let whole = &series[SHARES.len() - 1];
            assert_eq!(whole.terminals, map.terminal_count());
            assert_eq!(whole.streets, map.street_count());
            let matrix = DistanceMatrix::new(&map, Length::metres(DC_MAX));
            assert_eq!(whole.pairs, matrix.pair_count());
            assert!(series[0].terminals * 4 < whole.terminals, "{series:?}");
        }
    }

    #[test]
    fn streets_of_length_0_are_in_all_parts() {
        let mut builder = MapBuilder::new();
        let mut last = None;
        for number in 0..40_u32 {
            // The last two terminals are at one point.
            let at = Point::new(50.0 * f64::from(number.min(38)), 0.0);
            let terminal = builder.terminal(&number.to_string(), at).unwrap();
            if let Some(last) = last.replace(terminal) {
                builder.street(RawStreet::new(&number.to_string(), last, terminal)).unwrap();
            }
        }
        let map = builder.build(Extent::LargestPart).unwrap().map;
        assert!(map.streets().any(|street| map.metres(street) == 0.0));
        let rows = matrix_growth("dots", &map).unwrap();
        assert!(rows.iter().any(|row| row.streets == 39), "{rows:?}");
    }
}
