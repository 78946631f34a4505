//! An attacked scheme: the gateway's instance and the adversary's copy.

use crate::schemes;
use baselines::planar_laplace::PlanarLaplace;
use baselines::xstar::XStar;
use meshcloak::distance::Atlas;
use meshcloak::scheme::Scheme;
use std::sync::Arc;

/// Canonical name of a scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttackedScheme {
    name: String,
}

impl AttackedScheme {
    /// Returns the scheme of that name; `None` if the name is unknown.
    pub fn named(name: &str) -> Option<AttackedScheme> {
        schemes::canonical(name).map(|name| AttackedScheme { name })
    }

    /// Returns the canonical name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Builds the scheme as a gateway runs it.
    pub fn make(&self, atlas: &Arc<Atlas>) -> Box<dyn Scheme> {
        let made = schemes::by_name(atlas, &self.name);
        made.expect("the name was checked on construction")
    }

    /// Builds the scheme as the adversary can run it: a randomized scheme gets another seed.
    pub fn copy(&self, atlas: &Arc<Atlas>) -> Box<dyn Scheme> {
        const SEED: u64 = 0x0DD5;
        match self.name.as_str() {
            "xstar" => {
                let settings = baselines::xstar::XStarSettings { seed: SEED, ..Default::default() };
                Box::new(XStar::new(atlas, settings))
            }
            "planar-laplace" => {
                let settings = baselines::planar_laplace::PlanarLaplaceSettings {
                    seed: SEED,
                    ..Default::default()
                };
                Box::new(PlanarLaplace::new(Arc::clone(atlas), settings))
            }
            _ => self.make(atlas),
        }
    }
}
