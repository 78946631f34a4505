//! The adversary: what can be inferred about users from what the service sees.
//!
//! An [`Attack`] receives a [`View`] (the map, the disclosures linked to its target, and the extra
//! knowledge of its [`Level`]) and returns a [`Posterior`]: remaining candidates, or weighted street
//! pieces. It may run the public algorithm but never holds a query; the evaluation, which knows the
//! truth, scores it. [`all`] lists the attacks.
//!
//! Attack K needs no code: a user who was not served in time and repeats the query in the clear has
//! disclosed the position. No scheme prevents it; a gateway must fail closed.
//!
//! ```
//! use attacks::{Level, all};
//!
//! let letters: String = all().iter().map(|attack| attack.letter()).collect();
//! assert_eq!(letters, "AAABCDEFGHIJL");
//! assert_eq!(all()[1].level(), Level::Previous);
//! ```

pub mod posterior;

pub mod pieces;

pub mod view;

pub mod scheme_rerun;

pub mod attack;

pub mod street_search;

pub mod bayes;
pub mod boundary;
pub mod centre;
pub mod combined;
pub mod homogeneity;
pub mod intersection;
pub mod inversion;
pub mod reachability;
pub mod region_inversion;
pub mod sybils;
pub mod timing;

#[cfg(test)]
mod testing;

pub use attack::{Attack, Level, all, by_name};
pub use posterior::{Piece, Posterior};
pub use scheme_rerun::SchemeRerun;
pub use view::{
    Candidate, KnownPosition, LinkedDisclosure, Prior, RegionDependence, Rerun, RerunResult,
    Snapshot, Target, View,
};
