//! Planar Laplace (Andrés et al. 2013, geo-indistinguishability): draws a point around the true
//! position with density proportional to e^(−ε·distance). There is no anonymity set: each query is
//! served at once and alone; k is ignored.
//!
//! The region is a disc around the drawn point that holds the true position with probability 0.95,
//! which makes it comparable with the regions of other schemes.

use crate::registry::{Parameter, SchemeEntry, ThreatModel};
use crate::scheme_random::SchemeRandom;
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::QueryId;
use meshcloak::region::{Disc, Region};
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::{Point, Time};
use std::sync::Arc;

/// Settings of planar Laplace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarLaplaceSettings {
    /// ε in 1/metre: logarithmic change of the likelihood ratio of two positions per metre.
    pub epsilon: f64,
    /// Random seed.
    pub seed: u64,
}

/// ε = ln 4 / 200 m: positions within 200 m differ in likelihood by a factor of at most four. The
/// mean distance of the drawn point is 2/ε = 289 m.
impl Default for PlanarLaplaceSettings {
    fn default() -> PlanarLaplaceSettings {
        PlanarLaplaceSettings { epsilon: 2.0 * std::f64::consts::LN_2 / 200.0, seed: 1 }
    }
}

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "planar-laplace",
    parameters: &[
        Parameter::number("epsilon", "ε in 1/m", "0.006931471805599453", (1e-6, 1e3)),
        Parameter::seed(),
    ],
    threat_model: ThreatModel::PRIOR,
    build: |atlas, arguments| {
        let (epsilon, seed) = (arguments.number("epsilon"), arguments.whole("seed"));
        let settings = PlanarLaplaceSettings { epsilon, seed };
        Ok(Box::new(PlanarLaplace::new(Arc::clone(atlas), settings)))
    },
};

/// 0.95 quantile of ε × distance: solution of 1 − (1 + x)·e⁻ˣ = 0.95.
const QUANTILE_95: f64 = 4.743_864_518_390_577;

impl PlanarLaplaceSettings {
    /// Draws the published disc of a query at a point.
    ///
    /// The distance has density ε²·r·e^(−ε·r), the sum of two exponential draws.
    pub fn disc(&self, query: QueryId, point: Point) -> Disc {
        let mut random = SchemeRandom::new(self.seed, &[query.0]);
        let Point { x, y } = random.direction();
        let distance = (random.exponential() + random.exponential()) / self.epsilon;
        let centre = Point::new(point.x + x * distance, point.y + y * distance);
        Disc { centre, radius: QUANTILE_95 / self.epsilon }
    }
}

/// The scheme.
#[derive(Debug)]
pub struct PlanarLaplace {
    atlas: Arc<Atlas>,
    settings: PlanarLaplaceSettings,
    published: Published,
}

impl PlanarLaplace {
    /// Creates the scheme for a map; an ε that is not a positive finite number becomes the default.
    pub fn new(atlas: Arc<Atlas>, settings: PlanarLaplaceSettings) -> PlanarLaplace {
        let is_valid = settings.epsilon.is_finite() && settings.epsilon > 0.0;
        let epsilon =
            if is_valid { settings.epsilon } else { PlanarLaplaceSettings::default().epsilon };
        let settings = PlanarLaplaceSettings { epsilon, ..settings };
        PlanarLaplace { atlas, settings, published: Published::default() }
    }
}

impl Scheme for PlanarLaplace {
    fn name(&self) -> &'static str {
        "planar-laplace"
    }

    fn describe(&self) -> Description {
        Description {
            label: "Planar Laplace",
            summary: "Noise added to the position; no anonymity set.",
            setting: "free space",
            cliques: "none, noise instead of an anonymity set",
            constraint: "ε",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn likelihood(&self, map: &StreetMap, region: &Region<'_>, position: Position) -> Option<f64> {
        let Region::Disc(disc) = region else { return None };
        Some((-self.settings.epsilon * map.point(position).distance(disc.centre)).exp())
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let PlanarLaplace { atlas, settings, published } = self;
        observer.stage(Stage::Mesh);
        published.clear();
        for (index, query) in state.waiting.iter().enumerate() {
            let disc = settings.disc(query.id, atlas.map().point(query.position));
            let set = published.add([query.id].into_iter(), &Region::Disc(disc));
            published.serve(index as u32, set);
        }
        let nodes = state.waiting.len();
        published.stats = Stats { nodes, cliques: nodes, ..Stats::default() };
        published
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_follow_the_distribution_and_95_percent_of_discs_hold_the_position() {
        let distribution = |x: f64| 1.0 - (1.0 + x) * (-x).exp();
        assert!((distribution(QUANTILE_95) - 0.95).abs() < 1e-12);
        for (seed, epsilon) in [(1, PlanarLaplaceSettings::default().epsilon), (2, 0.05), (3, 1e-4)]
        {
            let settings = PlanarLaplaceSettings { epsilon, seed };
            let position = Point::new(3_000.0, -200.0);
            let discs = (0..40_000).map(|query| settings.disc(QueryId(query), position));
            let (mut distances, mut inside) = (Vec::new(), 0);
            for Disc { centre, radius } in discs {
                let distance = centre.distance(position);
                inside += u32::from(distance <= radius);
                distances.push(distance * epsilon);
            }
            let mean = distances.iter().sum::<f64>() / distances.len() as f64;
            assert!((mean - 2.0).abs() < 0.03, "{mean}");
            let share = f64::from(inside) / 40_000.0;
            assert!((share - 0.95).abs() < 0.005, "{share}");
            let deviation = crate::scheme_random::tests::max_deviation(distances, distribution);
            assert!(deviation < 1.63 / 200.0, "{deviation}");
        }
    }
}
