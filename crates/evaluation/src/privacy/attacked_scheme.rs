//! An attacked scheme: the gateway's instance and the adversary's copy.

use crate::run::Presence;
use crate::schemes::{self, NameError};
use baselines::registry::ThreatModel;
use baselines::{SchemeChoice, SchemeError};
use meshcloak::distance::Atlas;
use meshcloak::scheme::Scheme;
use std::fmt;
use std::sync::Arc;

/// Canonical name of a scheme, which may end with the presence of its users, and how to build it.
#[derive(Clone)]
pub struct AttackedScheme {
    name: String,
    /// `None`: by name.
    build: Option<Arc<SchemeBuilder>>,
}

/// Builds a scheme that is not in the table of schemes.
pub type SchemeBuilder = dyn Fn(&Arc<Atlas>) -> Result<Box<dyn Scheme>, SchemeError> + Send + Sync;

impl fmt::Debug for AttackedScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AttackedScheme").field(&self.name).finish()
    }
}

impl PartialEq for AttackedScheme {
    fn eq(&self, other: &AttackedScheme) -> bool {
        self.name == other.name
    }
}

impl AttackedScheme {
    /// Returns the scheme of that name.
    ///
    /// # Errors
    /// If the name or a parameter is invalid.
    pub fn named(name: &str) -> Result<AttackedScheme, NameError> {
        schemes::canonical(name).map(|name| AttackedScheme { name, build: None })
    }

    /// Returns a scheme that is not in the table. Each call of `build` returns a new instance.
    pub fn custom(name: &str, build: Arc<SchemeBuilder>) -> AttackedScheme {
        AttackedScheme { name: name.to_owned(), build: Some(build) }
    }

    /// Returns the canonical name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns which users ask; [`Presence::AllAsk`] if the name does not say it.
    pub fn presence(&self) -> Presence {
        schemes::presence(&self.name).1
    }

    /// Returns the adversary that its authors assume.
    pub fn threat_model(&self) -> ThreatModel {
        match SchemeChoice::parse(&self.name) {
            Ok(choice) => choice.threat_model(),
            Err(_) => ThreatModel::ASKING,
        }
    }

    /// Builds the scheme as a gateway runs it.
    ///
    /// # Errors
    /// If the map lacks what the scheme needs.
    pub fn make(&self, atlas: &Arc<Atlas>) -> Result<Box<dyn Scheme>, SchemeError> {
        match &self.build {
            Some(build) => build(atlas),
            None => schemes::by_name(atlas, schemes::presence(&self.name).0),
        }
    }

    /// Builds the scheme as the adversary can run it: a randomised scheme gets another seed.
    ///
    /// # Errors
    /// If the map lacks what the scheme needs.
    pub fn copy(&self, atlas: &Arc<Atlas>) -> Result<Box<dyn Scheme>, SchemeError> {
        self.replay(atlas, 0)
    }

    /// Builds the adversary's copy of that number; those of a randomised scheme differ in their seeds.
    ///
    /// # Errors
    /// If the map lacks what the scheme needs.
    pub fn replay(&self, atlas: &Arc<Atlas>, number: u64) -> Result<Box<dyn Scheme>, SchemeError> {
        const SEED: u64 = 0x0DD5;
        match SchemeChoice::parse(&self.name) {
            Ok(choice) if self.build.is_none() => choice.with_seed(SEED + number).build(atlas),
            _ => self.make(atlas),
        }
    }
}
