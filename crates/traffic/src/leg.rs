//! A leg: a street and the direction in which it is travelled.

use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::units::Length;

/// Micrometres in a unit of street length (1/32 m), exactly.
pub(crate) const MICROMETRES: u64 = 31_250;

/// Which way along a street.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From its `from` terminal to its `to` terminal.
    Forward,
    /// The other way; never on a one-way street.
    Backward,
}

/// A street travelled in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leg(u32);

impl Leg {
    /// The leg along `street` in `direction`.
    pub fn new(street: StreetId, direction: Direction) -> Leg {
        debug_assert!(street.0 < 1 << 31, "a map holds fewer than two thousand million streets");
        Leg(street.0 << 1 | direction as u32)
    }

    /// Row of a table that has two rows for every street.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The leg of that row.
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

    /// The terminal where it ends.
    pub fn head(self, map: &StreetMap) -> TerminalId {
        let street = map.street(self.street());
        match self.direction() {
            Direction::Forward => street.to,
            Direction::Backward => street.from,
        }
    }

    /// The terminal where it begins.
    pub fn tail(self, map: &StreetMap) -> TerminalId {
        let street = map.street(self.street());
        match self.direction() {
            Direction::Forward => street.from,
            Direction::Backward => street.to,
        }
    }

    /// Whether the street may be travelled this way.
    pub fn is_allowed(self, map: &StreetMap) -> bool {
        self.direction() == Direction::Forward || !map.street(self.street()).one_way
    }

    /// The `from` end of its street.
    pub(crate) fn start(self) -> Position {
        Position { street: self.street(), offset: Length::ZERO }
    }

    /// The place that is `along` this leg, counted from where it begins.
    pub fn position(self, map: &StreetMap, along: Length) -> Position {
        let street = self.street();
        Position { street, offset: self.turned(map, along) }
    }

    /// How far along this leg a place on its street is.
    pub fn along(self, map: &StreetMap, position: Position) -> Length {
        self.turned(map, position.offset)
    }

    fn turned(self, map: &StreetMap, length: Length) -> Length {
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
    fn the_same_place_is_counted_from_either_end() {
        let town = town("A 0,0  B 100,0 | A-B");
        let back = Leg::new(StreetId(0), Direction::Backward);
        let place = town.at("A-B", 30.0);
        assert_eq!(back.along(&town.map, place), Length::metres(70.0));
        assert_eq!(back.position(&town.map, Length::metres(70.0)), place);
        assert_eq!(back.head(&town.map), TerminalId(0));
        assert_eq!(Leg::from_index(back.index()), back);
    }
}
