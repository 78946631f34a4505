//! A scheme that is attacked: how it is made, how an attacker's copy of it is made, and what
//! follows from its regions.

use crate::schemes;
use attacks::RegionDependence;
use baselines::planar_laplace::PlanarLaplace;
use baselines::xstar::XStar;
use meshcloak::distance::Atlas;
use meshcloak::scheme::{Pace, Scheme};
use std::sync::Arc;

/// A scheme by name, with its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    name: String,
}

impl Suspect {
    /// The scheme of that name; `None` if there is none.
    pub fn named(name: &str) -> Option<Suspect> {
        schemes::canonical(name).map(|name| Suspect { name })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The scheme as a gateway runs it.
    pub fn make(&self, atlas: &Arc<Atlas>) -> Box<dyn Scheme> {
        let made = schemes::by_name(atlas, &self.name);
        made.expect("a suspect has the name of a scheme")
    }

    /// The scheme as an attacker can run it: one that draws lots draws others.
    pub fn copy(&self, atlas: &Arc<Atlas>) -> Box<dyn Scheme> {
        const OTHER: u64 = 0x0DD5;
        match self.name.as_str() {
            "xstar" => {
                let settings =
                    baselines::xstar::XStarSettings { seed: OTHER, ..Default::default() };
                Box::new(XStar::new(atlas, settings))
            }
            "planar-laplace" => {
                let settings = baselines::planar_laplace::PlanarLaplaceSettings {
                    seed: OTHER,
                    ..Default::default()
                };
                Box::new(PlanarLaplace::new(Arc::clone(atlas), settings))
            }
            _ => self.make(atlas),
        }
    }

    /// Whether a run of the whole batch again is cheap. Otherwise what was published stands for
    /// it: a fresh scheme given the same state answers the same, which is tested for each.
    pub fn is_cheap_to_rerun(&self, scheme: &dyn Scheme) -> bool {
        scheme.describe().pace == Pace::Batch
    }

    /// What an adversary can conclude from its regions.
    pub fn rule(&self, atlas: &Arc<Atlas>) -> RegionDependence {
        self.make(atlas).describe().regions
    }
}
