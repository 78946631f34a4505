//! Route along streets as a sequence of street sections.

use super::saturating_sum;
use meshcloak::map::{Position, StreetId};
use meshcloak::units::Length;

/// Section of a street; travelled backwards if `to` is the smaller offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteSection {
    /// The street.
    pub street: StreetId,
    /// Offset where it is entered.
    pub from: Length,
    /// Offset where it is left.
    pub to: Length,
}

impl RouteSection {
    /// Length of the section.
    pub fn length(&self) -> Length {
        self.from.max(self.to) - self.from.min(self.to)
    }

    /// Position at distance `distance` from the start of the section.
    fn at(&self, distance: Length) -> Position {
        let distance = distance.min(self.length());
        let offset = if self.from <= self.to { self.from + distance } else { self.from - distance };
        Position { street: self.street, offset }
    }
}

/// Route from a position along streets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    start: Position,
    sections: Vec<RouteSection>,
    /// Distance of each section's end from the start.
    ends: Vec<Length>,
}

impl Route {
    /// Creates a route from `start` along `sections`; without sections it has length 0.
    pub fn new(start: Position, sections: Vec<RouteSection>) -> Route {
        let mut total = Length::ZERO;
        let ends = sections.iter().map(|section| {
            total = saturating_sum(total, section.length());
            total
        });
        Route { start, ends: ends.collect(), sections }
    }

    /// Start position.
    pub fn start(&self) -> Position {
        self.start
    }

    /// Sections in order of travel.
    pub fn sections(&self) -> &[RouteSection] {
        &self.sections
    }

    /// Length of the route.
    pub fn length(&self) -> Length {
        self.ends.last().copied().unwrap_or(Length::ZERO)
    }

    /// Position at distance `distance` from the start; the end if the route is shorter.
    pub fn at(&self, distance: Length) -> Position {
        let index = self.ends.partition_point(|&end| end < distance);
        match (self.sections.get(index), self.sections.last()) {
            (Some(section), _) => {
                let before = self.ends[index] - section.length();
                section.at(distance.checked_sub(before).unwrap_or(Length::ZERO))
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
    fn positions_on_a_route_are_found_forwards_and_backwards() {
        let metres = Length::metres;
        let section = |street, from, to| RouteSection {
            street: StreetId(street),
            from: metres(from),
            to: metres(to),
        };
        let start = Position { street: StreetId(3), offset: metres(20.0) };
        let route = Route::new(
            start,
            vec![section(3, 20.0, 50.0), section(1, 80.0, 0.0), section(2, 0.0, 5.0)],
        );
        let position_at = |distance| {
            let position = route.at(metres(distance));
            (position.street.0, position.offset.as_metres())
        };
        assert_eq!(route.length(), metres(115.0));
        assert_eq!(position_at(0.0), (3, 20.0));
        assert_eq!(position_at(30.0), (3, 50.0));
        assert_eq!(position_at(40.0), (1, 70.0));
        assert_eq!(position_at(112.0), (2, 2.0));
        assert_eq!(position_at(999.0), (2, 5.0));
        assert_eq!(Route::new(start, Vec::new()).at(metres(7.0)), start);
    }
}
