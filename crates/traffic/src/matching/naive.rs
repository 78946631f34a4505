//! Slow twins for the tests of matching: distances by three loops, and what a route must obey.

use super::route::Route;
use meshcloak::map::{Position, StreetMap, TerminalId};
use meshcloak::units::Length;

/// Shortest ways between all terminals, by Floyd and Warshall.
pub(crate) fn distances(map: &StreetMap) -> Vec<Vec<Option<u64>>> {
    let count = map.terminal_count();
    let mut best = vec![vec![None; count]; count];
    for terminal in map.terminals() {
        best[terminal.index()][terminal.index()] = Some(0);
        for arm in map.leaving(terminal) {
            let length = u64::from(map.street(arm.street).length.units());
            let slot: &mut Option<u64> = &mut best[terminal.index()][arm.terminal.index()];
            *slot = Some(slot.map_or(length, |known| known.min(length)));
        }
    }
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                if let (Some(a), Some(b)) = (best[from][middle], best[middle][to]) {
                    let slot = &mut best[from][to];
                    *slot = Some(slot.map_or(a + b, |known| known.min(a + b)));
                }
            }
        }
    }
    best
}

/// `d(from, to)` as SPEC §2 defines it.
pub(crate) fn distance(
    map: &StreetMap,
    between: &[Vec<Option<u64>>],
    from: Position,
    to: Position,
) -> Option<Length> {
    let mut ways: Vec<u64> =
        map.along(from, to).map(|way| way.units().into()).into_iter().collect();
    for (exit, leave) in map.exits(from) {
        for (entrance, arrive) in map.entrances(to) {
            if let Some(across) = between[exit.index()][entrance.index()] {
                ways.push(u64::from(leave.units()) + across + u64::from(arrive.units()));
            }
        }
    }
    ways.into_iter().min().and_then(|way| u32::try_from(way).ok()).map(Length::from_units)
}

/// The terminal a position lies on, if it lies on one.
pub(crate) fn terminal_at(map: &StreetMap, position: Position) -> Option<TerminalId> {
    let street = map.street(position.street);
    match position.offset {
        Length::ZERO => Some(street.from),
        offset if offset == street.length => Some(street.to),
        _ => None,
    }
}

/// Panics unless the route begins at `from`, every leg begins where the last ended, and no
/// one-way street is travelled backwards.
pub(crate) fn assert_drivable(map: &StreetMap, from: Position, route: &Route) {
    let mut here = from;
    for leg in route.legs() {
        let start = Position { street: leg.street, offset: leg.from };
        let corner = terminal_at(map, here);
        let joined = start == here || (corner.is_some() && corner == terminal_at(map, start));
        assert!(joined, "from {here:?} to {start:?}");
        assert!(leg.from <= leg.to || !map.street(leg.street).one_way, "{leg:?} is one-way");
        assert!(leg.from.max(leg.to) <= map.street(leg.street).length);
        here = Position { street: leg.street, offset: leg.to };
    }
}
