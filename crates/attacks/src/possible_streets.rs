//! Streets of a region on which a member with a given dc can be: what a region says about positions
//! inside it.

use crate::view::RegionDependence;
use meshcloak::cells::{CellId, Cells};
use meshcloak::distance::Atlas;
use meshcloak::map::StreetId;
use meshcloak::mesh::{MeshBuilder, MeshKey, MeshRule};
use meshcloak::units::Length;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

/// Possible streets of members with one dc; keeps what each street reaches.
pub struct PossibleStreets {
    builder: MeshBuilder,
    dc: Length,
    /// The partition, if regions are unions of cells.
    cells: Option<Arc<Cells>>,
    reached: FxHashMap<StreetId, Box<[StreetId]>>,
}

impl PossibleStreets {
    /// Prepares the possible streets of members with that dc; `None` if regions do not depend on
    /// positions inside them, so that every street is possible.
    pub fn new(
        atlas: &Arc<Atlas>,
        dependence: RegionDependence,
        dc: Length,
    ) -> Option<PossibleStreets> {
        let (rule, dc, cells) = match dependence {
            RegionDependence::Mesh(rule) => (rule, dc, None),
            RegionDependence::Cells(length) => {
                // A member at the distance dc exactly counts as well.
                let dc = (dc + Length::UNIT).min(atlas.dc_max());
                (MeshRule::Reach, dc, Some(cells_of(atlas, length)))
            }
            RegionDependence::Fixed | RegionDependence::Tight => return None,
        };
        let builder = MeshBuilder::new(Arc::clone(atlas), rule);
        Some(PossibleStreets { builder, dc, cells, reached: FxHashMap::default() })
    }

    /// Returns the streets that a member on a street reaches, ascending.
    pub fn reached(&mut self, street: StreetId) -> &[StreetId] {
        let PossibleStreets { builder, dc, reached, .. } = self;
        reached.entry(street).or_insert_with(|| {
            let mut mesh = Vec::new();
            builder.cloaking_mesh([MeshKey { street, dc: *dc }].into_iter(), &mut mesh);
            mesh.into()
        })
    }

    /// Returns the possible streets of a region, ascending: those whose reachable streets were all
    /// published, or those from which every cell of the region is within dc. `None` if the region
    /// does not consist of whole cells.
    pub fn of(&mut self, region: &[StreetId]) -> Option<Vec<StreetId>> {
        let Some(cells) = self.cells.clone() else {
            let is_possible = |street: &StreetId| is_subset(self.reached(*street), region);
            return Some(region.iter().copied().filter(is_possible).collect());
        };
        let published = distinct_cells(&cells, region);
        if published.iter().map(|&cell| cells.streets(cell).len()).sum::<usize>() != region.len() {
            return None;
        }
        let is_possible = |street: &StreetId| {
            let near = distinct_cells(&cells, self.reached(*street));
            published.iter().all(|cell| near.binary_search(cell).is_ok())
        };
        Some(region.iter().copied().filter(is_possible).collect())
    }
}

/// Whether every element of `small` is in `large`; both ascend.
fn is_subset(small: &[StreetId], large: &[StreetId]) -> bool {
    let mut rest = large;
    small.len() <= large.len()
        && small.iter().all(|street| {
            let skipped = rest.partition_point(|other| other < street);
            rest = &rest[skipped..];
            rest.first() == Some(street)
        })
}

fn distinct_cells(cells: &Cells, streets: &[StreetId]) -> Vec<CellId> {
    let mut found: Vec<CellId> = streets.iter().map(|&street| cells.of(street)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the partition of a map; keeps the last one, since many regions of one run are attacked.
fn cells_of(atlas: &Arc<Atlas>, length: Length) -> Arc<Cells> {
    type Partition = (Weak<Atlas>, Length, Arc<Cells>);
    thread_local!(static LAST: RefCell<Option<Partition>> = const { RefCell::new(None) });
    LAST.with_borrow_mut(|last| {
        let is_same = |(map, known, _): &&Partition| {
            *known == length && map.upgrade().is_some_and(|map| Arc::ptr_eq(&map, atlas))
        };
        if let Some((_, _, cells)) = last.as_ref().filter(is_same) {
            return Arc::clone(cells);
        }
        let cells = Arc::new(Cells::new(atlas.map(), length));
        *last = Some((Arc::downgrade(atlas), length, Arc::clone(&cells)));
        cells
    })
}
