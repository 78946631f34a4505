//! What a route must obey, for the tests of matching and of what is built on it.

use super::route::Route;
use meshcloak::map::{Position, StreetMap, TerminalId};
use meshcloak::units::Length;

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
