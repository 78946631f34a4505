//! Cliques of a graph: all maximal ones (Tomita et al. 2006; Algorithm 4, line 11), and for every
//! node a largest one that contains it (line 13). This module knows only a graph.

mod adjacency;
pub(crate) mod bits;
mod branch;
pub(crate) mod bytes;
mod few;
mod found;
mod largest;
mod maximal;
mod portion;

pub use found::Largest;
pub use largest::LargestCliques;
pub use maximal::maximal_cliques;
