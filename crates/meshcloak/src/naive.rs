//! Slow twins: each algorithm once more, too simple to be wrong, for tests and for reading.

use crate::map::{Position, Snapped, StreetId, StreetMap};
use crate::units::Point;

/// Twin of [`StreetMap::snap`]: looks at every piece of every street.
pub fn snap(map: &StreetMap, point: Point, limit: Option<f64>) -> Option<Snapped> {
    let all = map.streets().filter_map(|street| nearest_on(map, street, point));
    let best = all.reduce(|best, next| if next.0 < best.0 { next } else { best });
    let within = |squared: f64| limit.is_none_or(|metres| squared <= metres * metres);
    best.filter(|&(squared, _)| within(squared)).map(|(_, snapped)| snapped)
}

/// Twin of [`StreetMap::candidates`]: looks at every piece of every street.
pub fn candidates(map: &StreetMap, point: Point, radius: f64) -> Vec<Snapped> {
    let all = map.streets().filter_map(|street| nearest_on(map, street, point));
    let mut near: Vec<_> = all.filter(|&(squared, _)| squared <= radius * radius).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    near.into_iter().map(|(_, snapped)| snapped).collect()
}

/// The first of the nearest places of a street, after the square of its distance.
fn nearest_on(map: &StreetMap, street: StreetId, point: Point) -> Option<(f64, Snapped)> {
    let shape = map.shape(street);
    let whole: f64 = shape.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let mut before = 0.0;
    let mut best: Option<(f64, Snapped)> = None;
    for pair in shape.windows(2) {
        let fraction = point.nearest_fraction(pair[0], pair[1]);
        let nearest = pair[0].towards(pair[1], fraction);
        let piece = pair[0].distance(pair[1]);
        let part = if whole > 0.0 { (before + piece * fraction) / whole } else { 0.0 };
        before += piece;
        let squared = nearest.distance_squared(point);
        if best.is_none_or(|(found, _)| squared < found) {
            let position = Position { street, offset: map.street(street).length.part(part) };
            best = Some((squared, Snapped { position, distance: nearest.distance(point) }));
        }
    }
    best
}

/// Which terminal reaches which: `reachability(map)[a][b]`, by Warshall's three loops.
pub fn reachability(map: &StreetMap) -> Vec<Vec<bool>> {
    let count = map.terminal_count();
    let mut reach = vec![vec![false; count]; count];
    for terminal in map.terminals() {
        reach[terminal.index()][terminal.index()] = true;
        for arm in map.leaving(terminal) {
            reach[terminal.index()][arm.terminal.index()] = true;
        }
    }
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                reach[from][to] |= reach[from][middle] && reach[middle][to];
            }
        }
    }
    reach
}
