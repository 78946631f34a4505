//! Where somebody can be by the map, metre by metre: towns are small.

use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::{Length, Rectangle};
use picture::scene::Scene;

/// Positions a metre apart, from one end of a street to the other.
fn steps(map: &StreetMap, street: StreetId) -> impl Iterator<Item = Position> {
    let length = map.street(street).length;
    let whole = length.as_metres() as u32;
    let metres = (0..=whole).map(move |metre| Length::metres(f64::from(metre)).min(length));
    metres.chain([length]).map(move |offset| Position { street, offset })
}

/// The positions that a rectangle holds.
pub(super) fn inside(scene: &Scene, rectangle: Rectangle) -> Vec<Position> {
    let map = &scene.town.map;
    let holds = |&position: &Position| {
        let point = map.point(position);
        rectangle.nearest(point) == point
    };
    map.streets().flat_map(|street| steps(map, street)).filter(holds).collect()
}

/// The parts of streets to which one can come from any of `sources` within `dc`.
pub(super) fn parts(
    atlas: &Atlas,
    sources: &[Position],
    dc: Length,
) -> Vec<(StreetId, Length, Length)> {
    let map = atlas.map();
    let near = |to: Position| {
        sources.iter().any(|&from| atlas.distance(from, to).is_some_and(|length| length <= dc))
    };
    let mut parts: Vec<(StreetId, Length, Length)> = Vec::new();
    for street in map.streets() {
        let mut open = false;
        for position in steps(map, street) {
            let within = near(position);
            match parts.last_mut() {
                Some(part) if open && within => part.2 = position.offset,
                _ if within => parts.push((street, position.offset, position.offset)),
                _ => {}
            }
            open = within;
        }
    }
    parts
}
