//! What is found in a block, pass by pass.

use super::extract::{Finder, PoiGeometry, Pois, Ways};
use super::tags::Tags;
use meshcloak::units::LonLat;

/// What the first pass finds in a block.
#[derive(Debug, Default)]
pub(super) struct BlockWays {
    pub ways: Ways,
    pub pois: Pois,
    /// Whether the second pass has to look at this block.
    pub has_nodes: bool,
}

/// What the second pass finds in a block.
#[derive(Debug, Default)]
pub(super) struct BlockNodes {
    /// Row and place of each node that is used.
    pub places: Vec<(u32, LonLat)>,
    pub pois: Pois,
}

impl BlockNodes {
    /// Takes in a node: its place if it is used, and what there is at it.
    pub(super) fn take(&mut self, id: i64, place: LonLat, finder: &mut Finder, tags: &Tags) {
        if let Some(row) = finder.row(id) {
            self.places.push((row, place));
        }
        if let Some(poi) = tags.poi() {
            self.pois.push(id, PoiGeometry::Node(place), poi, &[]);
        }
    }
}
