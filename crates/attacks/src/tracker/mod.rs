//! K: tracker. The adversary knows where the target was once, and sees the regions of all users
//! without any link between them. It follows the target with a particle filter over the streets:
//! particles move as other users do ([`Movement`]), and streets that more regions cover than usual
//! ([`RegionStream`]) become more probable.

mod movement;
#[cfg(test)]
mod naive;
mod particles;
mod region_stream;
#[cfg(test)]
mod tests;

pub use movement::{LegPace, Movement};
pub use particles::{StreetWeight, Tracker};
pub use region_stream::RegionStream;

use crate::attack::{Attack, Level};

/// The attack. It needs all regions of a run: the evaluation drives [`Tracker`] itself, and a single
/// disclosure has no posterior.
pub const TRACKER: Attack = Attack {
    name: "tracker",
    letter: 'K',
    level: Level::Previous,
    needs: "one position of the target, the streets that other users take, and all regions without \
         links: a particle filter over the streets",
    run: |_| None,
};

/// Entropy over streets above which the target is lost, in bits: two equally probable streets.
pub const CONFUSION_BITS: f64 = 1.0;
