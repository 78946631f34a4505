//! The adversary: what can be inferred about users from what the service sees.
//!
//! An [`Attack`] receives a [`View`] (the map, the disclosures linked to its target, and the extra
//! knowledge of its [`Level`]) and returns a [`Posterior`]: remaining candidates, or weighted street
//! pieces. It may run the public algorithm but never holds a query; the evaluation, which knows the
//! truth, scores it. [`ATTACKS`] lists them.
//!
//! No attack is needed against a user who was not served in time and repeats the query in the clear:
//! the position is disclosed. No scheme prevents it; a gateway must fail closed.
//!
//! ```
//! use attacks::{ATTACKS, Level};
//!
//! let letters: String = ATTACKS.iter().map(|attack| attack.letter).collect();
//! assert_eq!(letters, "AAAAAABCDEFGHIJKLMP");
//! assert_eq!(ATTACKS[1].level, Level::Previous);
//! ```

pub mod attack;
pub mod inspected_scheme;
pub mod pieces;
pub mod possible_streets;
pub mod posterior;
pub mod scheme_rerun;
pub mod street_search;
pub mod view;

pub mod ages;
pub mod bayes;
pub mod boundary;
pub mod centre;
pub mod combined;
pub mod homogeneity;
pub mod intersection;
pub mod inversion;
pub mod matching;
pub mod questions;
pub mod reachability;
pub mod region_inversion;
pub mod sybils;
pub mod timing;
pub mod tracker;

#[cfg(test)]
mod testing;

pub use attack::{ATTACKS, Attack, Level, by_name};
pub use inspected_scheme::InspectedScheme;
pub use posterior::{Piece, Posterior};
pub use scheme_rerun::SchemeRerun;
pub use view::{
    Candidate, KnownMember, KnownPosition, KnownSet, LinkedDisclosure, Prior, RegionDependence,
    Rerun, RerunResult, Snapshot, Target, View,
};
