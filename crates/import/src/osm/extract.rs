//! Content of an OSM file that a map needs: ways that are streets, points of interest, and the
//! positions of the nodes they use. Flat arrays in file order.

use super::tags::{AllowedDirection, PoiTags, StreetTags};
use super::way_lines::WayIndex;
use crate::error::{FileLocation, LocatedProblem, Problem};
use meshcloak::map::Texts;
use meshcloak::units::LonLat;
use rayon::prelude::*;
use std::ops::Range;

/// Content of an OSM file that a map needs.
#[derive(Debug)]
pub(super) struct Extract {
    pub ways: Vec<Ways>,
    pub pois: Vec<Pois>,
    pub nodes: Nodes,
}

impl Extract {
    /// Checks that ids of streets and of points of interest are unique. Nodes of ways are checked
    /// by [`Nodes::put`].
    pub(super) fn check_ids(&self) -> Result<(), LocatedProblem> {
        let ways = self.ways.iter().flat_map(|ways| &ways.ways);
        check_distinct("way", ways.map(|&(id, _)| id))?;
        let (nodes, ways): (Vec<_>, Vec<_>) = self
            .pois
            .iter()
            .flat_map(|pois| &pois.spots)
            .partition(|(_, spot)| matches!(spot, PoiGeometry::Node(_)));
        check_distinct("node", nodes.iter().map(|&(id, _)| id))?;
        check_distinct("way", ways.iter().map(|&(id, _)| id))
    }

    /// Returns the id and the tags of a way.
    #[expect(clippy::indexing_slicing, reason = "a `WayIndex` enumerates these lists")]
    pub(super) fn way(&self, way: WayIndex) -> (i64, StreetTags<'_>) {
        let ways = &self.ways[way.list];
        let (id, direction) = ways.ways[way.row];
        let (class, name) = (ways.classes.get(way.row), ways.names.get(way.row));
        (id, StreetTags { class, name, direction })
    }
}

/// Lists of node ids, concatenated.
#[derive(Debug, Default)]
pub(super) struct Runs {
    ends: Vec<usize>,
    ids: Vec<i64>,
}

impl Runs {
    fn push(&mut self, ids: &[i64]) {
        self.ids.extend_from_slice(ids);
        self.ends.push(self.ids.len());
    }

    /// Returns the range of `ids` of list `index`; empty if there is no such list.
    pub(super) fn range(&self, index: usize) -> Range<usize> {
        let before = index.checked_sub(1).and_then(|before| self.ends.get(before));
        let start = before.copied().unwrap_or(0);
        start..self.ends.get(index).copied().unwrap_or(start)
    }

    /// Returns list `index`; empty if there is no such list.
    pub(super) fn list(&self, index: usize) -> &[i64] {
        self.ids.get(self.range(index)).unwrap_or_default()
    }

    /// Returns all lists, concatenated.
    pub(super) fn ids(&self) -> &[i64] {
        &self.ids
    }
}

/// Ways that are streets.
#[derive(Debug, Default)]
pub(super) struct Ways {
    pub ways: Vec<(i64, AllowedDirection)>,
    pub nodes: Runs,
    classes: Texts,
    names: Texts,
}

impl Ways {
    pub(super) fn push(&mut self, id: i64, tags: StreetTags, nodes: &[i64]) {
        self.ways.push((id, tags.direction));
        self.nodes.push(nodes);
        self.classes.push(tags.class);
        self.names.push(tags.name);
    }
}

/// Geometry of a point of interest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PoiGeometry {
    /// A node at this position.
    Node(LonLat),
    /// A way; its nodes are in [`Pois::nodes`].
    Way,
}

/// Points of interest.
#[derive(Debug, Default)]
pub(super) struct Pois {
    pub spots: Vec<(i64, PoiGeometry)>,
    pub nodes: Runs,
    categories: Texts,
    names: Texts,
}

impl Pois {
    pub(super) fn push(&mut self, id: i64, spot: PoiGeometry, tags: PoiTags, nodes: &[i64]) {
        self.spots.push((id, spot));
        self.nodes.push(nodes);
        self.categories.push(tags.category);
        self.names.push(tags.name);
    }

    pub(super) fn category(&self, index: usize) -> &str {
        self.categories.get(index)
    }

    pub(super) fn name(&self, index: usize) -> &str {
        self.names.get(index)
    }
}

/// The nodes that ways use, by ascending id; the position is `None` until it is read.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    ids: Vec<i64>,
    positions: Vec<Option<LonLat>>,
}

impl Nodes {
    /// Returns the nodes used by ways and points of interest, without positions.
    pub(super) fn used_by(ways: &[Ways], pois: &[Pois]) -> Result<Nodes, LocatedProblem> {
        let lists = ways.iter().map(|ways| &ways.nodes).chain(pois.iter().map(|pois| &pois.nodes));
        let mut ids: Vec<i64> = lists.flat_map(Runs::ids).copied().collect();
        ids.par_sort_unstable();
        ids.dedup();
        if u32::try_from(ids.len()).is_err() {
            let reason = "more than 4,294,967,295 nodes".into();
            return Err(FileLocation::File.with(Problem::Unsupported(reason)));
        }
        let positions = vec![None; ids.len()];
        Ok(Nodes { ids, positions })
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    #[expect(clippy::indexing_slicing, reason = "rows are found by `Finder` or `find_positioned`")]
    pub(super) fn id(&self, row: u32) -> i64 {
        self.ids[row as usize]
    }

    pub(super) fn positions(&self) -> &[Option<LonLat>] {
        &self.positions
    }

    /// Returns the row of a node with a known position.
    pub(super) fn find_positioned(&self, id: i64) -> Option<u32> {
        let row = self.ids.binary_search(&id).ok()?;
        self.positions.get(row)?.is_some().then_some(row as u32)
    }

    /// Returns a lookup for ids in mostly ascending order, as in files.
    pub(super) fn finder(&self) -> Finder<'_> {
        Finder { ids: &self.ids, next: 0 }
    }

    /// Sets the position of a node; an error if it is already set.
    #[expect(clippy::indexing_slicing, reason = "rows are found by `Finder`")]
    pub(super) fn put(&mut self, row: u32, position: LonLat) -> Result<(), LocatedProblem> {
        match self.positions[row as usize].replace(position) {
            None => Ok(()),
            Some(_) => Err(duplicate_id("node", self.id(row))),
        }
    }
}

/// Lookup of node rows by id; O(1) for consecutive ids, O(log n) otherwise.
pub(super) struct Finder<'a> {
    ids: &'a [i64],
    /// All ids before this row are smaller than the last id looked up.
    next: usize,
}

impl Finder<'_> {
    pub(super) fn row(&mut self, id: i64) -> Option<u32> {
        let (ids, next) = (self.ids, self.next);
        let previous = next.checked_sub(1).and_then(|previous| ids.get(previous));
        let after_previous = previous.is_none_or(|&previous| previous < id);
        let before_next = ids.get(next).is_none_or(|&next| id <= next);
        if !(after_previous && before_next) {
            self.next = ids.partition_point(|&other| other < id);
        }
        (ids.get(self.next) == Some(&id)).then(|| {
            let row = self.next as u32;
            self.next = self.next.saturating_add(1);
            row
        })
    }
}

/// Returns the position of a node, if it is a valid lon/lat.
pub(super) fn node_position(node: i64, lon: f64, lat: f64) -> Result<LonLat, LocatedProblem> {
    LonLat::new(lon, lat).ok_or_else(|| {
        let bad_lat = !(-90.0..=90.0).contains(&lat);
        let (field, value, expected) = if bad_lat {
            ("lat", lat, "degrees from -90 to 90")
        } else {
            ("lon", lon, "degrees from -180 to 180")
        };
        let problem = Problem::bad_field(field, &value.to_string(), expected);
        FileLocation::Element("node", node).with(problem)
    })
}

/// Checks that all ids are distinct.
fn check_distinct(
    kind: &'static str,
    ids: impl Iterator<Item = i64>,
) -> Result<(), LocatedProblem> {
    let mut ids: Vec<i64> = ids.collect();
    ids.par_sort_unstable();
    match ids.iter().zip(ids.iter().skip(1)).find(|(id, next)| id == next) {
        Some((&id, _)) => Err(duplicate_id(kind, id)),
        None => Ok(()),
    }
}

fn duplicate_id(kind: &'static str, id: i64) -> LocatedProblem {
    FileLocation::Element(kind, id).with(Problem::Damaged("duplicate id".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finder_agrees_with_binary_search_in_any_order() {
        let nodes = Nodes { ids: vec![-7, -2, 3, 4, 9, i64::MAX], positions: vec![None; 6] };
        let mut finder = nodes.finder();
        for id in [-9, -7, 3, 4, 5, 4, 9, -2, i64::MAX, i64::MIN, i64::MAX, 8, 9, 9] {
            let row = nodes.ids.binary_search(&id).ok().map(|row| row as u32);
            assert_eq!(finder.row(id), row, "{id}");
        }
    }

    #[test]
    fn the_position_of_a_node_is_set_once() {
        let mut ways = Ways::default();
        let tags = StreetTags { class: "road", name: "", direction: AllowedDirection::Both };
        ways.push(1, tags, &[5, 3, 5]);
        let mut nodes = Nodes::used_by(&[ways], &[]).unwrap();
        assert_eq!((nodes.len(), nodes.find_positioned(5)), (2, None));
        let position = node_position(5, 8.0, 53.0).unwrap();
        nodes.put(1, position).unwrap();
        assert_eq!(nodes.find_positioned(5), Some(1));
        let LocatedProblem { location, problem } = nodes.put(1, position).unwrap_err();
        assert_eq!(location, FileLocation::Element("node", 5));
        assert_eq!(problem.to_string(), "damaged: duplicate id");
    }
}
