//! How people come back from where others walk to: three kinds of maps, told apart once for a batch
//! and not once for each pair of people.

use super::Coverage;
use super::around::Block;
use super::crowd::Person;
use crate::distance::{Atlas, Rows};

/// The ways back from the streets that were reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaysBack {
    /// The ways there: every street is two-way.
    Same,
    /// Known by entry of a row.
    Known,
    /// To be looked up.
    Unknown,
}

impl WaysBack {
    pub(super) fn of(atlas: &Atlas) -> WaysBack {
        match atlas.rows() {
            Rows::Streets(reach) if reach.is_two_way() => WaysBack::Same,
            Rows::Streets(_) => WaysBack::Known,
            Rows::Terminals(rows) if rows.two_way => WaysBack::Same,
            Rows::Terminals(_) => WaysBack::Unknown,
        }
    }
}

/// Ways back, known when the program is compiled.
pub(super) trait Ways {
    const BACK: WaysBack;

    /// Those elsewhere whom somebody can meet, as far as that is known.
    #[inline(always)]
    fn within(block: &Block, walker: Person, coverage: Coverage) -> u64 {
        match Self::BACK {
            WaysBack::Known => block.within_and_back(walker, coverage.farthest_back(walker.dc())),
            WaysBack::Same | WaysBack::Unknown => block.within(walker),
        }
    }
}

pub(super) struct Same;
pub(super) struct Known;
pub(super) struct Unknown;

impl Ways for Same {
    const BACK: WaysBack = WaysBack::Same;
}

impl Ways for Known {
    const BACK: WaysBack = WaysBack::Known;
}

impl Ways for Unknown {
    const BACK: WaysBack = WaysBack::Unknown;
}
