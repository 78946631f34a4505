//! A way along streets: which street from which offset to which, one leg after the other.

use super::saturating_sum;
use meshcloak::map::{Position, StreetId};
use meshcloak::units::Length;

/// A stretch of one street; backwards if `to` is the smaller offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The street.
    pub street: StreetId,
    /// Offset where it is entered.
    pub from: Length,
    /// Offset where it is left.
    pub to: Length,
}

impl Leg {
    /// How long the stretch is.
    pub fn length(&self) -> Length {
        self.from.max(self.to) - self.from.min(self.to)
    }

    /// The place `way` along the stretch.
    fn at(&self, way: Length) -> Position {
        let way = way.min(self.length());
        let offset = if self.from <= self.to { self.from + way } else { self.from - way };
        Position { street: self.street, offset }
    }
}

/// A way from a position along streets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    start: Position,
    legs: Vec<Leg>,
    /// How far from the start each leg ends.
    ends: Vec<Length>,
}

impl Route {
    /// The way that begins at `start` and follows `legs`; it stands still if there are none.
    pub fn new(start: Position, legs: Vec<Leg>) -> Route {
        let mut total = Length::ZERO;
        let ends = legs.iter().map(|leg| {
            total = saturating_sum(total, leg.length());
            total
        });
        Route { start, ends: ends.collect(), legs }
    }

    /// Where it begins.
    pub fn start(&self) -> Position {
        self.start
    }

    /// The stretches it consists of.
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// How long it is.
    pub fn length(&self) -> Length {
        self.ends.last().copied().unwrap_or(Length::ZERO)
    }

    /// The place `way` along it; its end if it is shorter.
    pub fn at(&self, way: Length) -> Position {
        let index = self.ends.partition_point(|&end| end < way);
        match (self.legs.get(index), self.legs.last()) {
            (Some(leg), _) => {
                let before = self.ends[index] - leg.length();
                leg.at(way.checked_sub(before).unwrap_or(Length::ZERO))
            }
            (None, Some(last)) => last.at(last.length()),
            (None, None) => self.start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_on_a_route_is_found_forwards_and_backwards() {
        let metres = Length::metres;
        let leg =
            |street, from, to| Leg { street: StreetId(street), from: metres(from), to: metres(to) };
        let start = Position { street: StreetId(3), offset: metres(20.0) };
        let route =
            Route::new(start, vec![leg(3, 20.0, 50.0), leg(1, 80.0, 0.0), leg(2, 0.0, 5.0)]);
        let place = |way| {
            let position = route.at(metres(way));
            (position.street.0, position.offset.as_metres())
        };
        assert_eq!(route.length(), metres(115.0));
        assert_eq!(place(0.0), (3, 20.0));
        assert_eq!(place(30.0), (3, 50.0));
        assert_eq!(place(40.0), (1, 70.0));
        assert_eq!(place(112.0), (2, 2.0));
        assert_eq!(place(999.0), (2, 5.0));
        assert_eq!(Route::new(start, Vec::new()).at(metres(7.0)), start);
    }
}
