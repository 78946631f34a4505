//! L2P2, location-aware location privacy protection (Wang et al. 2012): k depends on the place. A
//! public map states by which factor each cell of a grid raises the k of users; the region is the
//! smallest rectangle of cells around the asker that holds enough users.
//!
//! *Basic*: the requirement of the asker's cell counts. *Enhanced*: the largest requirement of all
//! cells of the rectangle counts, so that a region that touches a sensitive place is as safe as that
//! place demands.

mod grid;
mod rectangle_search;
mod sensitive_cells;
#[cfg(test)]
mod tests;

use crate::distinct_users::DistinctUsers;
use crate::registry::{Arguments, Parameter, SchemeEntry, SchemeError, ThreatModel};
use grid::{CellGrid, CellRectangle, RequirementGrid, UserGrid};
use meshcloak::distance::Atlas;
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Requirement, Scheme, Stage, State,
    Stats,
};
use meshcloak::units::Time;
use rectangle_search::RectangleSearch;
use rustc_hash::FxHashMap;
pub use sensitive_cells::SensitiveCells;
use std::path::Path;
use std::sync::Arc;

/// Which cells decide about k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidingCells {
    /// All cells of the rectangle: the enhanced version.
    Covered,
    /// The cell of the asker: the basic version.
    Own,
}

/// Settings of L2P2.
#[derive(Clone, Debug, PartialEq)]
pub struct L2p2Settings {
    /// Which cells decide about k.
    pub deciding: DecidingCells,
    /// Side of a cell in metres.
    pub cell: f64,
    /// The public map.
    pub sensitive: SensitiveCells,
}

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "l2p2",
    parameters: &[
        Parameter::word("requirement", "cells that decide about k", &["enhanced", "basic"]),
        Parameter::number("cell", "side of a cell in m", "500", (50.0, 1e5)),
        Parameter::file(
            "map",
            "CSV of sensitive places: x,y or lon,lat, factor of k, radius in m; without it a map is \
             drawn",
        ),
        Parameter::number("share", "share of sensitive cells of a drawn map", "0.1", (0.0, 1.0)),
        Parameter::whole("factor", "factor of k in the cells of a drawn map", "2", (1, 100)),
        Parameter::whole("places", "random seed of a drawn map", "1", (0, u64::MAX)),
    ],
    threat_model: ThreatModel::IN_REGION,
    build: |atlas, arguments| {
        let file = arguments.text("map");
        let problem = |problem| SchemeError::File { scheme: ENTRY_NAME, problem };
        let settings = L2p2Settings {
            deciding: match arguments.text("requirement") {
                "basic" => DecidingCells::Own,
                _ => DecidingCells::Covered,
            },
            cell: arguments.number("cell"),
            sensitive: sensitive_cells(atlas.map(), arguments).map_err(problem)?,
        };
        let scheme = L2p2::new(Arc::clone(atlas), &settings);
        Ok(Box::new(scheme.map_err(|cause| problem(format!("{file}: {cause}")))?))
    },
};

const ENTRY_NAME: &str = "l2p2";

/// Returns the public map that the parameters name.
fn sensitive_cells(map: &StreetMap, arguments: &Arguments) -> Result<SensitiveCells, String> {
    let file = arguments.text("map");
    if file.is_empty() {
        return Ok(SensitiveCells::Drawn {
            share: arguments.number("share"),
            factor: arguments.whole("factor") as u32,
            seed: arguments.whole("places"),
        });
    }
    let places = import::read_sensitive_places(Path::new(file), map);
    places.map(SensitiveCells::Places).map_err(|error| error.to_string())
}

/// The scheme and its buffers.
#[derive(Debug)]
pub struct L2p2 {
    atlas: Arc<Atlas>,
    deciding: DecidingCells,
    requirements: RequirementGrid,
    user_grid: UserGrid,
    users: DistinctUsers,
    published: Published,
}

impl L2p2 {
    /// Creates the scheme for a map.
    ///
    /// # Errors
    /// If no sensitive place is on the map, or the places have too many different factors.
    pub fn new(atlas: Arc<Atlas>, settings: &L2p2Settings) -> Result<L2p2, String> {
        let cells = CellGrid::new(atlas.map(), settings.cell);
        let requirements = RequirementGrid::new(cells, settings.sensitive.factors(&cells)?);
        Ok(L2p2 {
            user_grid: UserGrid::default(),
            requirements,
            atlas,
            deciding: settings.deciding,
            users: DistinctUsers::default(),
            published: Published::default(),
        })
    }
}

impl Scheme for L2p2 {
    fn name(&self) -> &'static str {
        ENTRY_NAME
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

    fn requirement(&self, map: &StreetMap, query: &Query, region: &Region<'_>) -> Requirement {
        let RequirementGrid { cells, .. } = &self.requirements;
        let own = || self.requirements.factor_of(cells.cell(map.point(query.position)));
        let factor = match (self.deciding, region) {
            (DecidingCells::Covered, Region::Rectangle(rectangle)) => {
                self.requirements.max_factor(cells.covered(*rectangle))
            }
            _ => own(),
        };
        Requirement { users: query.k.saturating_mul(factor), places: None }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let L2p2 { atlas, deciding, requirements, user_grid, users, published } = self;
        let waiting = &state.waiting;
        observer.stage(Stage::Graph);
        let indices = users.select(waiting);
        let cells = requirements.cells;
        let cell = |index: u32| cells.cell(atlas.map().point(waiting[index as usize].position));
        user_grid.fill(&cells, indices.iter().map(|&index| (cell(index), index)));
        observer.stage(Stage::Cliques);
        let mut search = RectangleSearch::new(requirements, user_grid, *deciding);
        published.clear();
        let mut sets: FxHashMap<CellRectangle, u32> = FxHashMap::default();
        for &index in indices {
            let k = waiting[index as usize].k;
            let Some(rectangle) = search.find(cell(index), k) else { continue };
            let set = *sets.entry(rectangle).or_insert_with(|| {
                let inside = user_grid.inside(&cells, rectangle);
                let ids = inside.into_iter().map(|index| waiting[index as usize].id);
                published.add(ids, &Region::Rectangle(cells.rectangle(rectangle)))
            });
            published.serve(index, set);
        }
        let (nodes, cliques) = (indices.len(), published.set_count());
        published.stats = Stats { nodes, cliques, ..Stats::default() };
        published
    }
}
