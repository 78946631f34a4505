//! Directed streets.

use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::units::Length;

/// Micrometres in a unit of street length (1/32 m), exactly.
pub(crate) const MICROMETRES: u64 = 31_250;

/// Direction of travel along a street.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From its `from` terminal to its `to` terminal.
    Forward,
    /// From `to` to `from`; not allowed on one-way streets.
    Backward,
}

/// A street travelled in one direction. Index = 2 × street + direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leg(u32);

impl Leg {
    /// Creates the leg along `street` in `direction`.
    pub fn new(street: StreetId, direction: Direction) -> Leg {
        debug_assert!(street.0 < 1 << 31, "street ids are below 2³¹");
        Leg(street.0 << 1 | direction as u32)
    }

    /// Both legs of a street, forward first.
    pub fn both(street: StreetId) -> [Leg; 2] {
        [Direction::Forward, Direction::Backward].map(|direction| Leg::new(street, direction))
    }

    /// Leg from one position to another on the same street.
    pub(crate) fn between(from: Position, to: Position) -> Leg {
        let is_forward = from.offset <= to.offset;
        let direction = if is_forward { Direction::Forward } else { Direction::Backward };
        Leg::new(from.street, direction)
    }

    /// Index into tables with two rows per street.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Leg of an index.
    pub fn from_index(index: usize) -> Leg {
        Leg(index as u32)
    }

    /// The street.
    pub fn street(self) -> StreetId {
        StreetId(self.0 >> 1)
    }

    /// The direction.
    pub fn direction(self) -> Direction {
        if self.0 & 1 == 0 { Direction::Forward } else { Direction::Backward }
    }

    /// Terminal at its end.
    pub fn head(self, map: &StreetMap) -> TerminalId {
        let street = map.street(self.street());
        match self.direction() {
            Direction::Forward => street.to,
            Direction::Backward => street.from,
        }
    }

    /// Terminal at its start.
    pub fn tail(self, map: &StreetMap) -> TerminalId {
        let street = map.street(self.street());
        match self.direction() {
            Direction::Forward => street.from,
            Direction::Backward => street.to,
        }
    }

    /// Whether the street may be travelled in this direction.
    pub fn is_allowed(self, map: &StreetMap) -> bool {
        self.direction() == Direction::Forward || !map.street(self.street()).one_way
    }

    /// Position at the `from` terminal of its street.
    pub(crate) fn start(self) -> Position {
        Position { street: self.street(), offset: Length::ZERO }
    }

    /// Position at distance `along` from the start of the leg.
    pub fn position(self, map: &StreetMap, along: Length) -> Position {
        let street = self.street();
        Position { street, offset: self.measured_from_start(map, along) }
    }

    /// Distance of a position on this street from the start of the leg.
    pub fn along(self, map: &StreetMap, position: Position) -> Length {
        self.measured_from_start(map, position.offset)
    }

    fn measured_from_start(self, map: &StreetMap, length: Length) -> Length {
        match self.direction() {
            Direction::Forward => length,
            Direction::Backward => map.street(self.street()).length - length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;

    #[test]
    fn positions_convert_between_both_directions() {
        let town = town("A 0,0  B 100,0 | A-B");
        let back = Leg::new(StreetId(0), Direction::Backward);
        let position = town.at("A-B", 30.0);
        assert_eq!(back.along(&town.map, position), Length::metres(70.0));
        assert_eq!(back.position(&town.map, Length::metres(70.0)), position);
        assert_eq!(back.head(&town.map), TerminalId(0));
        assert_eq!(Leg::from_index(back.index()), back);
    }
}
