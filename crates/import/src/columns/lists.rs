//! List columns: sets, meshes and the numbers of rectangles and discs.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, FixedSizeListArray, LargeListArray, ListArray};

/// A column of optional lists.
#[derive(Debug)]
pub(super) enum ListColumn {
    Short(ListArray),
    Long(LargeListArray),
    Fixed(FixedSizeListArray),
}

impl ListColumn {
    /// Returns the lists of an array; `None` if its type is not a list.
    pub(super) fn of(array: &ArrayRef) -> Option<ListColumn> {
        let short = array.as_list_opt::<i32>().cloned().map(ListColumn::Short);
        let long = || array.as_list_opt::<i64>().cloned().map(ListColumn::Long);
        let fixed = || array.as_fixed_size_list_opt().cloned().map(ListColumn::Fixed);
        short.or_else(long).or_else(fixed)
    }

    /// Returns the elements of a row; `None` if it is null.
    pub(super) fn get(&self, row: usize) -> Option<ArrayRef> {
        match self {
            ListColumn::Short(array) => array.is_valid(row).then(|| array.value(row)),
            ListColumn::Long(array) => array.is_valid(row).then(|| array.value(row)),
            ListColumn::Fixed(array) => array.is_valid(row).then(|| array.value(row)),
        }
    }
}
