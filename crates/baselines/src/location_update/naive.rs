//! What can be reached from a region, by the distance between each pair of positions.

use crate::rounded_rectangle::RoundedRectangle;
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetId};
use meshcloak::region::Region;
use meshcloak::units::Length;

/// Whether a user inside `last` can move to a position within a range: in the plane, or along streets
/// from the ends of `last`.
pub(super) fn can_reach<'a>(
    atlas: &'a Atlas,
    last: &'a Region<'_>,
    range: Length,
) -> impl Fn(Position) -> bool + 'a {
    let map = atlas.map();
    let ends_of = |&street: &StreetId| {
        let (one_way, length) = (map.street(street).one_way, map.street(street).length);
        let start = (!one_way).then_some(Position { street, offset: Length::ZERO });
        start.into_iter().chain([Position { street, offset: length }])
    };
    let ends: Vec<Position> = match last {
        Region::Mesh(streets) => streets.iter().flat_map(ends_of).collect(),
        _ => Vec::new(),
    };
    move |point: Position| match last {
        Region::Rectangle(rectangle) => {
            let boundary = RoundedRectangle { rectangle: *rectangle, radius: range.as_metres() };
            boundary.contains(map.point(point))
        }
        Region::Mesh(last) => {
            let is_within = |&end: &Position| {
                atlas.distance(end, point).is_some_and(|distance| distance <= range)
            };
            last.binary_search(&point.street).is_ok() || ends.iter().any(is_within)
        }
        Region::Disc(_) => panic!("no scheme with sets publishes discs"),
    }
}

/// Whether every point of `new` can be reached from `last` within a range: in the plane, or seven
/// points of each street along streets.
pub(super) fn is_reachable(
    atlas: &Atlas,
    last: &Region<'_>,
    new: &Region<'_>,
    range: Length,
) -> bool {
    let new = match (last, new) {
        (Region::Rectangle(last), Region::Rectangle(new)) => {
            let boundary = RoundedRectangle { rectangle: *last, radius: range.as_metres() };
            return boundary.contains_all(*new);
        }
        (Region::Mesh(_), Region::Mesh(new)) => new,
        _ => panic!("one scheme publishes one kind of region"),
    };
    let at = |street: StreetId, sixths: u32| {
        let length = atlas.map().street(street).length.units();
        let offset = Length::from_units(length / 6 * sixths + length % 6 * sixths / 6);
        Position { street, offset }
    };
    let mut points = new.iter().flat_map(|&street| (0..=6).map(move |sixths| at(street, sixths)));
    let can_reach = can_reach(atlas, last, range);
    points.all(can_reach)
}
