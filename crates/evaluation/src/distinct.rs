//! Lists without duplicates.

use std::collections::BTreeSet;

/// Returns the distinct values in order of first occurrence.
pub(crate) fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// Returns the distinct values in ascending order.
pub(crate) fn sorted_distinct<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    values.into_iter().collect::<BTreeSet<T>>().into_iter().collect()
}
