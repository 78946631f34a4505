//! The rivals that work one query at a time: what each publishes is what its definition says, a
//! fresh scheme answers as one that remembers, and every query ends exactly once.

mod clique_cloak;
mod feed;
mod i_clique_cloak;
mod sequential;
