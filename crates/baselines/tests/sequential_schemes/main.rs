//! Sequential schemes: each publishes what its definition demands, a fresh scheme answers as a
//! stateful one, and every query ends exactly once.

mod clique_cloak;
mod i_clique_cloak;
mod replay;
mod sequential;
