//! What can be reached from a region within a distance: in the plane for rectangles and discs, along
//! streets for meshes.

use crate::rounded_rectangle::RoundedRectangle;
use meshcloak::distance::{Arcs, Atlas, Search};
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::region::Region;
use meshcloak::stamps::Stamps;
use meshcloak::units::{Length, Point, Rectangle};
use std::sync::Arc;

/// Searches from regions of one map.
#[derive(Debug)]
pub(crate) struct RegionReach {
    atlas: Arc<Atlas>,
    arcs: Arcs,
    search: Search,
    /// Distance of each terminal that the last search reached.
    reached: Stamps<Length>,
}

impl RegionReach {
    /// Creates the search buffers of a map.
    pub(crate) fn new(atlas: Arc<Atlas>) -> RegionReach {
        RegionReach {
            arcs: Arcs::forward(atlas.map()),
            search: Search::new(atlas.map().terminal_count()),
            reached: Stamps::default(),
            atlas,
        }
    }

    /// Returns `last` together with the part of `new` that can be reached from it within `range`
    /// metres. Rectangles give the rectangle around both, cut off where it cannot be reached.
    pub(crate) fn patch(
        &mut self,
        last: &Region<'_>,
        new: &Region<'_>,
        range: f64,
    ) -> Region<'static> {
        if let (Region::Mesh(last), Region::Mesh(new)) = (last, new) {
            self.search(last, range);
            let reachable = new.iter().copied().filter(|&street| self.can_enter(street));
            let mut all: Vec<StreetId> = last.iter().copied().chain(reachable).collect();
            all.sort_unstable();
            all.dedup();
            return Region::Mesh(all.into());
        }
        let (last, new) = (bounds(self.atlas.map(), last), bounds(self.atlas.map(), new));
        let reach = RoundedRectangle { rectangle: last, radius: range }.bounds();
        let min = |a: f64, b: f64, limit: f64| a.min(b).max(limit);
        let max = |a: f64, b: f64, limit: f64| a.max(b).min(limit);
        Region::Rectangle(Rectangle {
            min: Point::new(
                min(last.min.x, new.min.x, reach.min.x),
                min(last.min.y, new.min.y, reach.min.y),
            ),
            max: Point::new(
                max(last.max.x, new.max.x, reach.max.x),
                max(last.max.y, new.max.y, reach.max.y),
            ),
        })
    }

    /// Whether every point of `new` can be reached from `last` within `range` metres.
    pub(crate) fn covers(&mut self, last: &Region<'_>, new: &Region<'_>, range: f64) -> bool {
        if let (Region::Mesh(last), Region::Mesh(new)) = (last, new) {
            self.search(last, range);
            let bound = Length::metres(range);
            let is_known = |street: &StreetId| last.binary_search(street).is_ok();
            return new.iter().all(|street| is_known(street) || self.can_traverse(*street, bound));
        }
        let map = self.atlas.map();
        let boundary = RoundedRectangle { rectangle: bounds(map, last), radius: range };
        boundary.contains_all(bounds(map, new))
    }

    /// Searches from all ends of streets that can be left there.
    fn search(&mut self, from: &[StreetId], range: f64) {
        let RegionReach { atlas, arcs, search, reached } = self;
        let map = atlas.map();
        reached.clear(map.terminal_count());
        let ends = from.iter().flat_map(|&street| {
            let street = map.street(street);
            [Some(street.to), (!street.one_way).then_some(street.from)]
        });
        let sources = ends.flatten().map(|terminal| (terminal, Length::ZERO));
        search.run(arcs, sources, Length::metres(range), |terminal, distance| {
            reached.insert(terminal.index(), distance);
        });
    }

    /// Whether a street can be entered from the sources of the last search.
    fn can_enter(&self, street: StreetId) -> bool {
        let street = self.atlas.map().street(street);
        let is_reached =
            |terminal: meshcloak::map::TerminalId| self.reached.get(terminal.index()).is_some();
        is_reached(street.from) || !street.one_way && is_reached(street.to)
    }

    /// Whether every point of a street can be reached within `bound`.
    fn can_traverse(&self, street: StreetId, bound: Length) -> bool {
        let street = self.atlas.map().street(street);
        let distance = |terminal: meshcloak::map::TerminalId| {
            self.reached.get(terminal.index()).map_or(u64::from(u32::MAX), |d| d.units().into())
        };
        let (length, bound) = (u64::from(street.length.units()), u64::from(bound.units()));
        let (from, to) = (distance(street.from), distance(street.to));
        let along = from + length <= bound;
        // From both ends: the farthest point is where both ways are equally long.
        let both = !street.one_way && (to + length <= bound || from + to + length <= 2 * bound);
        along || both
    }
}

/// Smallest rectangle around a region.
fn bounds(map: &StreetMap, region: &Region<'_>) -> Rectangle {
    match region {
        Region::Rectangle(rectangle) => *rectangle,
        Region::Disc(disc) => disc.bounds(),
        Region::Mesh(streets) => {
            let points = streets.iter().flat_map(|&street| map.shape(street)).copied();
            Rectangle::around(points).unwrap_or(map.bounds())
        }
    }
}
