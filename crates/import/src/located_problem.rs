//! A problem of a reader that does not know its file.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

use crate::error::{FileLocation, ImportError, Problem};
use std::path::Path;

/// A problem and its location, before the file is known.
#[derive(Debug)]
pub(crate) struct LocatedProblem {
    pub location: FileLocation,
    pub problem: Problem,
}

impl LocatedProblem {
    /// Returns the error for this problem in `file`.
    pub(crate) fn of(self, file: &Path) -> ImportError {
        self.location.of(file, self.problem)
    }
}
