//! The adversary: what follows about people from what the service sees.
//!
//! An [`Attack`] gets a [`View`] (the map, the disclosures that concern its target, and what its
//! [`Level`] knows besides) and returns a [`Posterior`]: people who are left, or street pieces with
//! weights. It may run any of the public algorithm, but never holds a query; whoever holds the
//! truth scores it. The table of all of them is [`all`].
//!
//! One attack needs no code: somebody who was not served in time and asks the service again in the
//! clear has told it where she is (attack K). No scheme can help; a gateway must fail closed.
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

pub mod again;

pub mod attack;

pub mod walk;

pub mod bayes;
pub mod boundary;
pub mod centre;
pub mod homogeneity;
pub mod intersection;
pub mod inversion;
pub mod reachability;
pub mod region_inversion;
pub mod sybils;
pub mod timing;
pub mod together;

#[cfg(test)]
mod testing;

pub use again::Again;
pub use attack::{Attack, Level, all, by_name};
pub use posterior::{Piece, Posterior};
pub use view::{Answer, Crowd, Prior, Rerun, Rule, Shown, Sighting, Somebody, Target, View};
