//! A largest clique for every node of a graph (Algorithm 4, line 13), and the bit sets that the
//! clique searches share. This module depends on the graph only.
//!
//! All maximal cliques are found by [`crate::grouping`] and, as in the paper, by [`crate::printed`].

mod adjacency;
mod assignment;
pub(crate) mod bitset;
mod branch_and_bound;
pub(crate) mod byteset;
mod cover;
pub(crate) mod crowd;
mod largest;
mod narrow_search;
mod partition;
mod root_budget;
pub(crate) mod window;

pub use assignment::CliqueAssignment;
pub use largest::LargestCliqueSearch;
pub use root_budget::RootBudget;
