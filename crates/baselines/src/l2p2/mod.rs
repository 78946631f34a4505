//! L2P2, location-aware location privacy protection (Wang et al. 2012): k depends on the place. A
//! public map states by which factor each cell of a grid raises the k of users; the region is the
//! smallest rectangle of cells around the asker that holds enough users.
//!
//! *Basic*: the requirement of the asker's cell counts. *Enhanced*: the largest requirement of all
//! cells of the rectangle counts, so that a region that touches a sensitive place is as safe as that
//! place demands.

mod grid;
mod rectangle_search;
#[cfg(test)]
mod tests;

use crate::distinct_users::DistinctUsers;
use crate::registry::{Parameter, SchemeEntry, ThreatModel};
use grid::{CellRectangle, RequirementGrid, UserGrid};
use meshcloak::distance::Atlas;
use meshcloak::region::Region;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::Time;
use rectangle_search::RectangleSearch;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Which cells decide about k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// All cells of the rectangle.
    Enhanced,
    /// The cell of the asker.
    Basic,
}

/// Settings of L2P2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct L2p2Settings {
    /// Which cells decide about k.
    pub requirement: Requirement,
    /// Side of a cell in metres.
    pub cell: f64,
    /// Share of sensitive cells, 0 to 1.
    pub share: f64,
    /// Factor by which a sensitive cell raises k.
    pub factor: u32,
    /// Random seed of the public map.
    pub seed: u64,
}

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "l2p2",
    parameters: &[
        Parameter::word("requirement", "cells that decide about k", &["enhanced", "basic"]),
        Parameter::number("cell", "side of a cell in m", "500", (50.0, 1e5)),
        Parameter::number("share", "share of sensitive cells", "0.1", (0.0, 1.0)),
        Parameter::whole("factor", "factor of k in sensitive cells", "2", (1, 100)),
        Parameter::whole("places", "random seed of the public map", "1", (0, u64::MAX)),
    ],
    threat_model: ThreatModel::IN_REGION,
    build: |atlas, arguments| {
        let settings = L2p2Settings {
            requirement: match arguments.text("requirement") {
                "basic" => Requirement::Basic,
                _ => Requirement::Enhanced,
            },
            cell: arguments.number("cell"),
            share: arguments.number("share"),
            factor: arguments.whole("factor") as u32,
            seed: arguments.whole("places"),
        };
        Ok(Box::new(L2p2::new(Arc::clone(atlas), settings)))
    },
};

/// The scheme and its buffers.
#[derive(Debug)]
pub struct L2p2 {
    atlas: Arc<Atlas>,
    settings: L2p2Settings,
    requirements: RequirementGrid,
    user_grid: UserGrid,
    users: DistinctUsers,
    published: Published,
}

impl L2p2 {
    /// Creates the scheme for a map.
    pub fn new(atlas: Arc<Atlas>, settings: L2p2Settings) -> L2p2 {
        let requirements = RequirementGrid::new(atlas.map(), &settings);
        L2p2 {
            user_grid: UserGrid::default(),
            requirements,
            atlas,
            settings,
            users: DistinctUsers::default(),
            published: Published::default(),
        }
    }
}

impl Scheme for L2p2 {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn describe(&self) -> Description {
        Description {
            label: "L2P2",
            summary: "The smallest rectangle for a k that depends on places.",
            setting: "free space",
            cliques: "smallest rectangle of cells with enough users",
            constraint: "k of places",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let L2p2 { atlas, settings, requirements, user_grid, users, published } = self;
        let waiting = &state.waiting;
        observer.stage(Stage::Graph);
        let indices = users.select(waiting);
        let cell =
            |index: u32| requirements.cell(atlas.map().point(waiting[index as usize].position));
        user_grid.fill(requirements, indices.iter().map(|&index| (cell(index), index)));
        observer.stage(Stage::Cliques);
        let mut search = RectangleSearch::new(requirements, user_grid, settings.requirement);
        published.clear();
        let mut sets: FxHashMap<CellRectangle, u32> = FxHashMap::default();
        for &index in indices {
            let k = waiting[index as usize].k;
            let Some(rectangle) = search.find(cell(index), k) else { continue };
            let set = *sets.entry(rectangle).or_insert_with(|| {
                let inside = user_grid.inside(requirements, rectangle);
                let ids = inside.into_iter().map(|index| waiting[index as usize].id);
                published.add(ids, &Region::Rectangle(requirements.rectangle(rectangle)))
            });
            published.serve(index, set);
        }
        let (nodes, cliques) = (indices.len(), published.set_count());
        published.stats = Stats { nodes, cliques, ..Stats::default() };
        published
    }
}
