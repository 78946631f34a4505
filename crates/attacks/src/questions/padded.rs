//! Weights of the questions behind a region that was padded to a minimum number of categories.
//!
//! A region is padded if the groups that were asked have fewer categories than the minimum; then it
//! is asked all groups of their blocks ([`Companions::wider_group`](meshcloak::companions)). Any
//! choice of groups explains it that has a group in every block and fewer categories than the minimum:
//!
//! ```text
//! Π over blocks ( Π over groups of the block (1 + y^s (e^(p z) − 1)) − 1 )
//! ```
//!
//! counts the draws `z` and the categories `y`; `p` is the share of a group and `s` its size. The terms
//! below `y^minimum` are summed. Listing the choices instead takes `2^groups` steps.

use super::symbols::{draws_after_first, exponential, product, scale};

/// A group of categories in a padded region.
#[derive(Clone, Copy, Debug)]
pub struct PaddedGroup {
    /// Share of the questions.
    pub share: f64,
    /// Number of categories.
    pub size: usize,
    /// Number of its block, ascending from 0 without gaps.
    pub block: usize,
}

/// Series in the number of categories, each a series in the number of draws.
type Table = Vec<Vec<f64>>;

/// For each group: weight of "the first of `draws` is in this group, and all draws together explain
/// the region", for a minimum of `minimum` categories. The scale is that of
/// [`cover_weights`](super::cover_weights).
pub fn padded_weights(groups: &[PaddedGroup], draws: usize, minimum: usize) -> Vec<f64> {
    let others = draws_after_first(draws);
    let factors: Vec<Table> = groups.iter().map(|group| factor(group, others, minimum)).collect();
    let blocks = groups.iter().map(|group| group.block + 1).max().unwrap_or(0);
    // Product of the factors of a block, without one of its groups.
    let of_block = |block: usize, without: Option<usize>| {
        let members = (0..groups.len()).filter(|&at| groups[at].block == block);
        members
            .filter(|&at| Some(at) != without)
            .fold(one(others, minimum), |all, at| multiply(&all, &factors[at]))
    };
    let hit: Vec<Table> = (0..blocks)
        .map(|block| {
            let mut table = of_block(block, None);
            table.first_mut().into_iter().for_each(|series| series[0] -= 1.0);
            table
        })
        .collect();
    let weight = |(at, group): (usize, &PaddedGroup)| {
        let rest = (0..blocks).filter(|&block| block != group.block);
        let rest = rest.fold(of_block(group.block, Some(at)), |all, b| multiply(&all, &hit[b]));
        // The first draw is in the group; the others may or may not be.
        let own = exponential(group.share * scale(draws), others);
        let counted = rest.iter().take(minimum.saturating_sub(group.size));
        let ways = counted
            .map(|series| -> f64 { series.iter().zip(own.iter().rev()).map(|(a, b)| a * b).sum() });
        group.share * ways.sum::<f64>()
    };
    groups.iter().enumerate().map(weight).collect()
}

/// The number 1.
fn one(degree: usize, minimum: usize) -> Table {
    let mut table = vec![vec![0.0; degree + 1]; minimum];
    table.first_mut().into_iter().for_each(|series| series[0] = 1.0);
    table
}

/// `1 + y^s (e^(p z) − 1)`.
fn factor(group: &PaddedGroup, degree: usize, minimum: usize) -> Table {
    let mut table = one(degree, minimum);
    if let Some(series) = table.get_mut(group.size) {
        let scale = scale(degree + 1);
        *series = exponential(group.share * scale, degree);
        series[0] = 0.0;
    }
    table
}

/// Product of two tables, up to their sizes.
fn multiply(a: &[Vec<f64>], b: &[Vec<f64>]) -> Table {
    let mut all = vec![vec![0.0; a.first().map_or(0, Vec::len)]; a.len()];
    let is_zero = |series: &[f64]| series.iter().all(|&value| value == 0.0);
    for (i, x) in a.iter().enumerate().filter(|(_, x)| !is_zero(x)) {
        for (j, y) in b.iter().enumerate().take(a.len() - i).filter(|(_, y)| !is_zero(y)) {
            for (sum, term) in all[i + j].iter_mut().zip(product(x, y)) {
                *sum += term;
            }
        }
    }
    all
}
