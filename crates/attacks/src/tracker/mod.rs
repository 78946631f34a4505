//! K: tracker. The adversary knows where the target was once, when it asks, how other users move, and
//! how the scheme treats them. It sees the regions of all users without any link between them, and
//! follows the target with a particle filter over the streets:
//!
//! - particles move as other users do ([`Movement`]);
//! - at each tick the target has published nothing, or is in one of the regions that it can have
//!   reached: [`Associations`] weighs these hypotheses by what the adversary has learned of the scheme
//!   ([`SchemeModel`]), and the posterior is their mixture ([`Tracker::observe`]).

mod associations;
mod calibration;
mod movement;
#[cfg(test)]
mod naive;
mod particles;
mod region_stream;
mod scheme_model;
mod street_order;
#[cfg(test)]
mod tests;

pub use associations::Associations;
pub use movement::{LegPace, Movement};
pub use particles::{StreetWeight, Tracker};
pub use region_stream::RegionStream;
pub use scheme_model::{Evidence, Example, Lessons, SchemeModel};

use crate::attack::{Attack, Level};

/// The attack. It needs all regions of a run: the evaluation drives [`Tracker`] itself, and a single
/// disclosure has no posterior.
pub const TRACKER: Attack = Attack {
    name: "tracker",
    letter: 'K',
    level: Level::Previous,
    needs: "one position of the target, when it asks, the streets that other users take, and all \
         regions without links: a particle filter over the streets that weighs for each tick which \
         region has the target, if any",
    run: |_| None,
};

/// Entropy over streets above which the target is lost, in bits: two equally probable streets.
pub const CONFUSION_BITS: f64 = 1.0;
