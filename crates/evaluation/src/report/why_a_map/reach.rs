//! Reachable positions on small towns, sampled every metre.

use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::{Length, Rectangle};
use picture::scene::TownScene;
use picture::sheet::StreetPart;

/// Returns positions one metre apart along a street, both ends included.
fn steps(map: &StreetMap, street: StreetId) -> impl Iterator<Item = Position> {
    let length = map.street(street).length;
    let whole = length.as_metres() as u32;
    let metres = (0..=whole).map(move |metre| Length::metres(f64::from(metre)).min(length));
    metres.chain([length]).map(move |offset| Position { street, offset })
}

/// Returns the sampled positions inside a rectangle.
pub(super) fn inside(scene: &TownScene, rectangle: Rectangle) -> Vec<Position> {
    let map = &scene.town.map;
    let is_inside = |&position: &Position| {
        let point = map.point(position);
        rectangle.nearest(point) == point
    };
    map.streets().flat_map(|street| steps(map, street)).filter(is_inside).collect()
}

/// Returns the street parts within distance `dc` of any of `sources`.
pub(super) fn parts(atlas: &Atlas, sources: &[Position], dc: Length) -> Vec<StreetPart> {
    let map = atlas.map();
    let is_reachable = |to: Position| {
        sources.iter().any(|&from| atlas.distance(from, to).is_some_and(|length| length <= dc))
    };
    let mut parts: Vec<StreetPart> = Vec::new();
    for street in map.streets() {
        let mut open = false;
        for position in steps(map, street) {
            let within = is_reachable(position);
            match parts.last_mut() {
                Some(part) if open && within => part.to = position.offset,
                _ if within => {
                    let offset = position.offset;
                    parts.push(StreetPart { street, from: offset, to: offset });
                }
                _ => {}
            }
            open = within;
        }
    }
    parts
}
