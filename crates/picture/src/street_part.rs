//! Part of a street between two offsets.

use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::{Length, Point};

/// Part of a street between two offsets from its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreetPart {
    /// The street.
    pub street: StreetId,
    /// Offset of the beginning.
    pub from: Length,
    /// Offset of the end.
    pub to: Length,
}

impl StreetPart {
    /// A street from end to end.
    pub fn whole(map: &StreetMap, street: StreetId) -> StreetPart {
        StreetPart { street, from: Length::ZERO, to: map.street(street).length }
    }

    /// Returns the points of the street's shape within the part.
    pub(crate) fn shape(&self, map: &StreetMap) -> Vec<Point> {
        let StreetPart { street, from, to } = *self;
        let shape = map.shape(street);
        let metres = |pair: &[Point]| pair[0].distance(pair[1]);
        let whole: f64 = shape.windows(2).map(metres).sum();
        let scale = map.street(street).length.as_metres() / whole;
        let mut points = vec![map.point(Position { street, offset: from })];
        let mut passed = 0.0;
        for pair in shape.windows(2) {
            passed += metres(pair) * scale;
            if passed > from.as_metres() && passed < to.as_metres() {
                points.push(pair[1]);
            }
        }
        points.push(map.point(Position { street, offset: to }));
        points
    }
}
