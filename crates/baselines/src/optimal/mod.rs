//! Optimal obfuscation (Shokri, Theodorakopoulos, Troncoso, Hubaux, Le Boudec 2012): of all mechanisms
//! whose mean quality loss is bounded, the one against which the best adversary errs most, as the
//! solution of a linear program over regions.
//!
//! There is no anonymity set: each query is served at once and alone; k is ignored. The region of
//! a query is drawn from the row of the mechanism that belongs to the user's own region.

mod mechanism;
mod region_table;
#[cfg(test)]
mod tests;

use crate::registry::{Parameter, SchemeEntry, SchemeError, ThreatModel};
use crate::scheme_random::SchemeRandom;
use mechanism::{Measure, Mechanism};
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetMap};
use meshcloak::region::Region;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::Time;
use region_table::RegionTable;
use std::sync::Arc;

/// Settings of the optimal mechanism.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptimalSettings {
    /// Maximum number of regions, 2 to 100.
    pub regions: usize,
    /// Largest mean distance in metres between the true and the published region.
    pub loss: f64,
    measure: Measure,
    /// Random seed.
    pub seed: u64,
}

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "optimal",
    parameters: &[
        Parameter::whole("regions", "largest number of regions", "36", (2, 100)),
        Parameter::number("loss", "largest mean quality loss in m", "1000", (0.0, 1e6)),
        Parameter::word("measure", "error of the adversary", &["metres", "regions"]),
        Parameter::seed(),
    ],
    threat_model: ThreatModel::PRIOR,
    build: |atlas, arguments| {
        let settings = OptimalSettings {
            regions: arguments.whole("regions") as usize,
            loss: arguments.number("loss"),
            measure: match arguments.text("measure") {
                "regions" => Measure::Regions,
                _ => Measure::Metres,
            },
            seed: arguments.whole("seed"),
        };
        let optimal = Optimal::new(atlas, settings);
        Ok::<Box<dyn Scheme>, SchemeError>(Box::new(optimal?))
    },
};

/// Largest number of regions: the program has a variable for each pair.
const MAX_REGIONS: usize = 100;

/// The scheme and its buffers.
#[derive(Debug)]
pub struct Optimal {
    settings: OptimalSettings,
    table: RegionTable,
    mechanism: Arc<Mechanism>,
    published: Published,
}

impl Optimal {
    /// Divides a map into regions and solves the linear program.
    ///
    /// # Errors
    /// If the solver fails.
    pub fn new(atlas: &Atlas, settings: OptimalSettings) -> Result<Optimal, SchemeError> {
        let table = RegionTable::new(atlas.map(), settings.regions);
        if table.count() > MAX_REGIONS {
            return Err(SchemeError::Map {
                scheme: "optimal",
                problem: format!(
                    "the map has {} regions in unconnected parts; expected at most {MAX_REGIONS}; \
                     use its largest part",
                    table.count()
                ),
            });
        }
        let mechanism = Mechanism::solve(&table, settings.loss, settings.measure);
        let mechanism = mechanism.map_err(|problem| SchemeError::Map {
            scheme: "optimal",
            problem: format!(
                "the linear program of {} regions was not solved: {problem}; use fewer regions",
                table.count()
            ),
        })?;
        Ok(Optimal { settings, table, mechanism, published: Published::default() })
    }
}

impl Scheme for Optimal {
    fn name(&self) -> &'static str {
        "optimal"
    }

    fn describe(&self) -> Description {
        Description {
            label: "Optimal mechanism",
            summary: "A drawn region that maximises the adversary's error.",
            setting: "map",
            cliques: "none, a drawn region instead",
            constraint: "quality loss",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn likelihood(&self, _: &StreetMap, region: &Region<'_>, position: Position) -> Option<f64> {
        let Region::Mesh(streets) = region else { return None };
        let published = self.table.of(*streets.first()?);
        let own = self.table.of(position.street);
        Some(self.mechanism.probability(own, published))
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let Optimal { settings, table, mechanism, published } = self;
        observer.stage(Stage::Mesh);
        published.clear();
        for (index, query) in state.waiting.iter().enumerate() {
            let mut random = SchemeRandom::new(settings.seed, &[query.id.0]);
            let drawn = mechanism.draw(table.of(query.position.street), &mut random);
            let streets = |mesh: &mut Vec<_>| mesh.extend_from_slice(table.streets(drawn));
            let set = published.add_mesh([query.id].into_iter(), streets);
            published.serve(index as u32, set);
        }
        let nodes = state.waiting.len();
        published.stats = Stats { nodes, cliques: nodes, ..Stats::default() };
        published
    }
}
