//! Positions on streets: exits, entrances and coordinates (§IV-A).

use super::{StreetId, StreetMap, TerminalId};
use crate::units::{Length, Point};
use std::fmt;

/// A street and an offset from its `from` terminal; the position of a user after snapping. Prints
/// as a placeholder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The street.
    pub street: StreetId,
    /// Distance from the `from` terminal; at most the length of the street.
    pub offset: Length,
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Position(…)")
    }
}

impl StreetMap {
    /// Returns the terminals reachable from a position along its street, with distances: `to`, and
    /// on a two-way street also `from`.
    pub fn exits(&self, position: Position) -> impl Iterator<Item = (TerminalId, Length)> + use<> {
        let street = self.street(position.street);
        let ahead = (street.to, street.length - position.offset);
        let back = (!street.one_way).then_some((street.from, position.offset));
        [Some(ahead), back].into_iter().flatten()
    }

    /// Returns the terminals from which a position is reachable along its street, with distances.
    pub fn entrances(
        &self,
        position: Position,
    ) -> impl Iterator<Item = (TerminalId, Length)> + use<> {
        let street = self.street(position.street);
        let behind = (street.from, position.offset);
        let ahead = (!street.one_way).then_some((street.to, street.length - position.offset));
        [Some(behind), ahead].into_iter().flatten()
    }

    /// Returns the distance from `a` to `b` along their common street, if its direction allows.
    pub fn along(&self, a: Position, b: Position) -> Option<Length> {
        if a.street != b.street {
            return None;
        }
        let back = || (!self.street(a.street).one_way).then(|| a.offset - b.offset);
        b.offset.checked_sub(a.offset).or_else(back)
    }

    /// Returns the coordinates of a position: the same fraction of the shape as of the length.
    ///
    /// A length is at least that of the shape, so the Euclidean distance of two positions never
    /// exceeds their distance along the street.
    pub fn point(&self, position: Position) -> Point {
        let shape = self.shape(position.street);
        let length = self.street(position.street).length;
        let mut left = shape_metres(shape) * (position.offset.as_metres() / length.as_metres());
        for pair in shape.windows(2) {
            let metres = pair[0].distance(pair[1]);
            if left <= metres {
                let part = if metres > 0.0 { left / metres } else { 0.0 };
                return pair[0].towards(pair[1], part);
            }
            left -= metres;
        }
        shape[shape.len() - 1]
    }
}

/// Returns the length of a polyline in metres.
pub(super) fn shape_metres(shape: &[Point]) -> f64 {
    shape.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::{Town, town};

    #[test]
    fn exits_and_entrances_respect_the_direction() {
        //  A ─▶ B ── C      100 m each
        let town = town("A 0,0  B 100,0  C 200,0 | A>B B-C");
        let metres = Length::metres;
        let one_way = town.at("A>B", 30.0);
        let exits: Vec<_> = town.map.exits(one_way).collect();
        assert_eq!(exits, [(TerminalId(1), metres(70.0))]);
        let entrances: Vec<_> = town.map.entrances(one_way).collect();
        assert_eq!(entrances, [(TerminalId(0), metres(30.0))]);
        let two_way = town.at("B-C", 30.0);
        let exits: Vec<_> = town.map.exits(two_way).collect();
        assert_eq!(exits, [(TerminalId(2), metres(70.0)), (TerminalId(1), metres(30.0))]);
    }

    #[test]
    fn along_respects_the_direction() {
        let town = town("A 0,0  B 100,0  C 200,0 | A>B B-C");
        let (near, far) = (town.at("A>B", 30.0), town.at("A>B", 80.0));
        assert_eq!(town.map.along(near, far), Some(Length::metres(50.0)));
        assert_eq!(town.map.along(far, near), None);
        let (near, far) = (town.at("B-C", 30.0), town.at("B-C", 80.0));
        assert_eq!(town.map.along(far, near), Some(Length::metres(50.0)));
        assert_eq!(town.map.along(far, town.at("A>B", 0.0)), None);
    }

    #[test]
    fn a_point_follows_the_bends_of_its_street() {
        //   (0,100) ──┐ B      A at the bottom, one bend
        let town = town("A 0,0  B 100,100 | A-B(0,100)");
        assert_eq!(town.map.point(town.at("A-B", 50.0)), Point::new(0.0, 50.0));
        assert_eq!(town.map.point(town.at("A-B", 150.0)), Point::new(50.0, 100.0));
        assert_eq!(town.map.point(town.at("A-B", 200.0)), Point::new(100.0, 100.0));
    }

    #[test]
    fn euclidean_distance_never_exceeds_distance_along_the_street() {
        for seed in 0..500 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let a = town.position(&mut random);
            let b = Position { offset: town.map.street(a.street).length.part(0.37), ..a };
            let plane = town.map.point(a).distance(town.map.point(b));
            let along = a.offset.max(b.offset) - a.offset.min(b.offset);
            assert!(plane <= along.as_metres() + 1e-9, "seed {seed} {a:?} {b:?}\n{town}");
        }
    }
}
