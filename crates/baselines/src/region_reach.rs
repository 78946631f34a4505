//! What can be reached from a region within a distance: in the plane for rectangles and discs, along
//! streets for meshes.

use crate::rounded_rectangle::RoundedRectangle;
use meshcloak::distance::{Arcs, Atlas, Search};
use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
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
    /// Streets of the region from which the last search began, ascending.
    start: Vec<StreetId>,
    /// Range of the last search.
    bound: Length,
}

impl RegionReach {
    /// Creates the search buffers of a map.
    pub(crate) fn new(atlas: Arc<Atlas>) -> RegionReach {
        RegionReach {
            arcs: Arcs::forward(atlas.map()),
            search: Search::new(atlas.map().terminal_count()),
            reached: Stamps::default(),
            start: Vec::new(),
            bound: Length::ZERO,
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
            return new.iter().all(|&street| self.is_start(street) || self.can_traverse(street));
        }
        let map = self.atlas.map();
        let boundary = RoundedRectangle { rectangle: bounds(map, last), radius: range };
        boundary.contains_all(bounds(map, new))
    }

    /// Searches from all ends of streets that can be left there.
    fn search(&mut self, from: &[StreetId], range: f64) {
        let RegionReach { atlas, arcs, search, reached, start, bound } = self;
        let map = atlas.map();
        start.clear();
        start.extend_from_slice(from);
        *bound = Length::metres(range);
        reached.clear(map.terminal_count());
        let ends = from.iter().flat_map(|&street| {
            let street = map.street(street);
            [Some(street.to), (!street.one_way).then_some(street.from)]
        });
        let sources = ends.flatten().map(|terminal| (terminal, Length::ZERO));
        search.run(arcs, sources, *bound, |terminal, distance| {
            reached.insert(terminal.index(), distance);
        });
    }

    /// Whether a street belongs to the region from which the last search began.
    fn is_start(&self, street: StreetId) -> bool {
        self.start.binary_search(&street).is_ok()
    }

    /// Whether a position is in the mesh from which the last search began, or within its range along
    /// streets.
    pub(crate) fn can_reach(&self, position: Position) -> bool {
        let street = self.atlas.map().street(position.street);
        let is_within = |terminal: TerminalId, rest: Length| {
            self.reached.get(terminal.index()).is_some_and(|distance| distance + rest <= self.bound)
        };
        self.is_start(position.street)
            || is_within(street.from, position.offset)
            || !street.one_way && is_within(street.to, street.length - position.offset)
    }

    /// Whether a street can be entered from the sources of the last search.
    fn can_enter(&self, street: StreetId) -> bool {
        let street = self.atlas.map().street(street);
        let is_reached = |terminal: TerminalId| self.reached.get(terminal.index()).is_some();
        is_reached(street.from) || !street.one_way && is_reached(street.to)
    }

    /// Whether every point of a street is within the range of the last search.
    fn can_traverse(&self, street: StreetId) -> bool {
        let street = self.atlas.map().street(street);
        let distance = |terminal: TerminalId| {
            self.reached.get(terminal.index()).map_or(u64::from(u32::MAX), |d| d.units().into())
        };
        let (length, bound) = (u64::from(street.length.units()), u64::from(self.bound.units()));
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
