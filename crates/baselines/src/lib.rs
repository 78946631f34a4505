//! The rivals of MeshCloak, behind the same trait: each as its authors would want it, so that the
//! comparison is fair. PAPER.md says what was taken from where.

mod clique_list;
mod grid;
mod roster;

pub mod clique_cloak;
pub mod i_clique_cloak;
pub mod sequential;
