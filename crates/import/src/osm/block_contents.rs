//! Content of a block, by pass.

use super::extract::{Finder, PoiGeometry, Pois, Ways};
use super::tags::Tags;
use meshcloak::units::LonLat;

/// Ways and points of interest, found by the first pass.
#[derive(Debug, Default)]
pub(super) struct BlockWays {
    pub ways: Ways,
    pub pois: Pois,
    /// Whether the block has nodes for the second pass.
    pub has_nodes: bool,
}

/// Positions of nodes and points of interest, found by the second pass.
#[derive(Debug, Default)]
pub(super) struct BlockNodes {
    /// Row and position of each used node.
    pub positions: Vec<(u32, LonLat)>,
    pub pois: Pois,
}

impl BlockNodes {
    /// Adds a node: its position if it is used, and its point of interest.
    pub(super) fn add(&mut self, id: i64, position: LonLat, finder: &mut Finder, tags: &Tags) {
        if let Some(row) = finder.row(id) {
            self.positions.push((row, position));
        }
        if let Some(poi) = tags.poi() {
            self.pois.push(id, PoiGeometry::Node(position), poi, &[]);
        }
    }
}
