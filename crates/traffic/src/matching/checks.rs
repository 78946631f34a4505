//! Assertions about routes for tests.

use super::route::Route;
use meshcloak::map::{Position, StreetMap, TerminalId};
use meshcloak::units::Length;

/// Terminal at a position, if any.
pub(crate) fn terminal_at(map: &StreetMap, position: Position) -> Option<TerminalId> {
    let street = map.street(position.street);
    match position.offset {
        Length::ZERO => Some(street.from),
        offset if offset == street.length => Some(street.to),
        _ => None,
    }
}

/// Panics unless the route starts at `from`, its sections join, and no one-way street is travelled
/// backwards.
pub(crate) fn assert_drivable(map: &StreetMap, from: Position, route: &Route) {
    let mut here = from;
    for section in route.sections() {
        let start = Position { street: section.street, offset: section.from };
        let corner = terminal_at(map, here);
        let joined = start == here || (corner.is_some() && corner == terminal_at(map, start));
        assert!(joined, "from {here:?} to {start:?}");
        assert!(
            section.from <= section.to || !map.street(section.street).one_way,
            "{section:?} is one-way"
        );
        assert!(section.from.max(section.to) <= map.street(section.street).length);
        here = Position { street: section.street, offset: section.to };
    }
}
