//! Slow twins: each algorithm once more, too simple to be wrong, for tests and for reading.

use crate::map::{Position, Snapped, StreetMap};
use crate::units::Point;

/// Twin of [`StreetMap::snap`]: looks at every piece of every street.
pub fn snap(map: &StreetMap, point: Point, limit: Option<f64>) -> Option<Snapped> {
    let mut best: Option<(f64, Snapped)> = None;
    for street in map.streets() {
        let shape = map.shape(street);
        let whole: f64 = shape.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        let mut before = 0.0;
        for pair in shape.windows(2) {
            let fraction = point.nearest_fraction(pair[0], pair[1]);
            let nearest = pair[0].towards(pair[1], fraction);
            let piece = pair[0].distance(pair[1]);
            let part = if whole > 0.0 { (before + piece * fraction) / whole } else { 0.0 };
            before += piece;
            let squared = nearest.distance_squared(point);
            if best.is_none_or(|(found, _)| squared < found) {
                let offset = map.street(street).length.part(part);
                let position = Position { street, offset };
                best = Some((squared, Snapped { position, distance: nearest.distance(point) }));
            }
        }
    }
    let within = |squared: f64| limit.is_none_or(|metres| squared <= metres * metres);
    best.filter(|&(squared, _)| within(squared)).map(|(_, snapped)| snapped)
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
