//! Where the sides of a next rectangle can be, for every waiting query: a filter before
//! [`BoundedQuery::is_adjacent`].
//!
//! The next rectangle of a user lies within the movement boundary and reaches to within the travel
//! range of the last rectangle, so each of its sides is at most `range` from that side of the last
//! one: `[side − range, side + range]`. Two queries are adjacent only if their intervals meet on all
//! four sides. Rectangles are as large as a city while ranges are a few hundred metres: the left side
//! alone excludes most pairs, which positions do not.
//!
//! ```text
//! lefts   [low, high] of query 0, 1, 2, …    16 bytes each instead of a query of about 130
//! NaN     a query that is not in the graph: no comparison holds
//! ±∞      a query without a last rectangle
//! ```
//!
//! Reference: all pairs by `is_adjacent`.

use super::boundary::BoundedQuery;

/// Intervals of the left side, by number.
#[derive(Debug, Default)]
pub(super) struct SideIntervals {
    lefts: Vec<[f64; 2]>,
}

impl SideIntervals {
    pub(super) fn clear(&mut self) {
        self.lefts.clear();
    }

    /// Stores the interval of a query.
    pub(super) fn insert(&mut self, number: u32, query: &BoundedQuery) {
        let number = number as usize;
        if self.lefts.len() <= number {
            self.lefts.resize(number + 1, [f64::NAN; 2]);
        }
        self.lefts[number] = left_side(query);
    }

    /// Removes the interval of a query.
    pub(super) fn remove(&mut self, number: u32) {
        self.lefts[number as usize] = [f64::NAN; 2];
    }

    /// Numbers of the queries whose left sides can be where that of `query` can be, ascending.
    pub(super) fn meeting(&self, query: &BoundedQuery) -> impl Iterator<Item = u32> + '_ {
        let [low, high] = left_side(query);
        let meets = move |&(_, other): &(u32, &[f64; 2])| other[0] <= high && low <= other[1];
        (0..).zip(&self.lefts).filter(meets).map(|(number, _)| number)
    }
}

fn left_side(query: &BoundedQuery) -> [f64; 2] {
    query.last.map_or([f64::NEG_INFINITY, f64::INFINITY], |last| {
        let left = last.rectangle().min.x;
        [left - last.range, left + last.range]
    })
}
