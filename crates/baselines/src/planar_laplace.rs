//! Planar Laplace (Andrés et al. 2013, geo-indistinguishability): a point drawn around the true
//! one with density falling as e^(−ε·distance). No crowd is needed, and none is formed: everyone
//! is served at once, alone, whatever her k.
//!
//! The service is asked about a disc around the drawn point, large enough to hold the true one in
//! 95 of 100 cases, so that what is published can be compared with regions.

use crate::chance::Chance;
use meshcloak::distance::Atlas;
use meshcloak::query::QueryId;
use meshcloak::region::{Disc, Region};
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::{Point, Time};
use std::sync::Arc;

/// What can be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// ε, per metre: how fast what two places look like drifts apart with their distance.
    pub epsilon: f64,
    /// What the noise of each query is drawn from.
    pub seed: u64,
}

/// ε = ln 4 / 200 m: within 200 m, no place is more than four times as likely as another. The mean
/// distance of the drawn point is 2/ε = 289 m.
impl Default for Settings {
    fn default() -> Settings {
        Settings { epsilon: 2.0 * std::f64::consts::LN_2 / 200.0, seed: 1 }
    }
}

/// Where 1 − (1 + x)·e⁻ˣ, the share of draws nearer than x/ε, is 0.95.
const NEARER_IN_95_OF_100: f64 = 4.743_864_518_390_577;

impl Settings {
    /// The disc that is published for a query from a point.
    ///
    /// The distance has the density ε²·r·e^(−ε·r): that of the sum of two exponentials.
    pub fn disc(&self, query: QueryId, point: Point) -> Disc {
        let mut chance = Chance::of(self.seed, &[query.0]);
        let Point { x, y } = chance.direction();
        let distance = (chance.exponential() + chance.exponential()) / self.epsilon;
        let centre = Point::new(point.x + x * distance, point.y + y * distance);
        Disc { centre, radius: NEARER_IN_95_OF_100 / self.epsilon }
    }
}

/// The scheme.
#[derive(Debug)]
pub struct PlanarLaplace {
    atlas: Arc<Atlas>,
    settings: Settings,
    published: Published,
}

impl PlanarLaplace {
    /// The scheme on a map; an ε that is no positive number becomes the default one.
    pub fn new(atlas: Arc<Atlas>, settings: Settings) -> PlanarLaplace {
        let is_rate = settings.epsilon.is_finite() && settings.epsilon > 0.0;
        let epsilon = if is_rate { settings.epsilon } else { Settings::default().epsilon };
        let settings = Settings { epsilon, ..settings };
        PlanarLaplace { atlas, settings, published: Published::default() }
    }
}

impl Scheme for PlanarLaplace {
    fn name(&self) -> &'static str {
        "planar-laplace"
    }

    fn describe(&self) -> Description {
        Description {
            setting: "free space",
            cliques: "none, noise instead of people",
            constraint: "ε",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, watch: &mut dyn Observer) -> &mut Published {
        let PlanarLaplace { atlas, settings, published } = self;
        watch.stage(Stage::Mesh);
        published.clear();
        for (place, query) in state.waiting.iter().enumerate() {
            let disc = settings.disc(query.id, atlas.map().point(query.position));
            let set = published.add([query.id].into_iter(), &Region::Disc(disc));
            published.serve(place as u32, set);
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
    fn distances_are_as_the_theory_wants_and_the_disc_holds_the_place_in_95_of_100_cases() {
        let within = |x: f64| 1.0 - (1.0 + x) * (-x).exp();
        assert!((within(NEARER_IN_95_OF_100) - 0.95).abs() < 1e-12);
        for (seed, epsilon) in [(1, Settings::default().epsilon), (2, 0.05), (3, 1e-4)] {
            let settings = Settings { epsilon, seed };
            let home = Point::new(3_000.0, -200.0);
            let discs = (0..40_000).map(|query| settings.disc(QueryId(query), home));
            let (mut distances, mut inside) = (Vec::new(), 0);
            for Disc { centre, radius } in discs {
                let distance = centre.distance(home);
                inside += u32::from(distance <= radius);
                distances.push(distance * epsilon);
            }
            let mean = distances.iter().sum::<f64>() / distances.len() as f64;
            assert!((mean - 2.0).abs() < 0.03, "{mean}");
            let share = f64::from(inside) / 40_000.0;
            assert!((share - 0.95).abs() < 0.005, "{share}");
            let gap = crate::chance::tests::gap(distances, within);
            assert!(gap < 1.63 / 200.0, "{gap}");
        }
    }
}
