//! How the length of a return path is found: a property of the map, resolved at compile time.
//!
//! The edge search is compiled once per case, so that the choice is made once per batch and not
//! once per pair of queries.

use super::Coverage;
use super::candidates::Block;
use super::street_index::StreetQuery;
use crate::distance::{Atlas, Rows};

/// Where the return paths of a row entry are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReturnPaths {
    /// Every street is two-way: the return path is the outward path.
    Symmetric,
    /// Stored with each row entry.
    Stored,
    /// Looked up in the distance matrix, per pair.
    LookedUp,
}

impl ReturnPaths {
    pub(super) fn of(atlas: &Atlas) -> ReturnPaths {
        match atlas.rows() {
            Rows::Streets(reach) if reach.is_two_way() => ReturnPaths::Symmetric,
            Rows::Streets(_) => ReturnPaths::Stored,
            Rows::Terminals(rows) if rows.is_two_way() => ReturnPaths::Symmetric,
            Rows::Terminals(_) => ReturnPaths::LookedUp,
        }
    }
}

/// [`ReturnPaths`] as a type parameter.
pub(super) trait ReturnMode {
    const PATHS: ReturnPaths;

    /// Returns a mask of the remote candidates of `source` in a block. With
    /// [`ReturnPaths::LookedUp`] return paths are not tested yet.
    #[inline(always)]
    fn within(block: &Block, source: StreetQuery, coverage: Coverage) -> u64 {
        match Self::PATHS {
            ReturnPaths::Stored => block.within_both_ways(source, coverage.max_return(source.dc())),
            ReturnPaths::Symmetric | ReturnPaths::LookedUp => block.within(source),
        }
    }
}

pub(super) struct Symmetric;
pub(super) struct Stored;
pub(super) struct LookedUp;

impl ReturnMode for Symmetric {
    const PATHS: ReturnPaths = ReturnPaths::Symmetric;
}

impl ReturnMode for Stored {
    const PATHS: ReturnPaths = ReturnPaths::Stored;
}

impl ReturnMode for LookedUp {
    const PATHS: ReturnPaths = ReturnPaths::LookedUp;
}
