//! Limits of the search of a root.

use super::crowd::CrowdRule;
use std::ops::Range;

/// Steps that the search of each root may take.
#[derive(Clone, Copy, Debug)]
pub struct RootBudget<'a> {
    /// Steps of a root.
    pub steps: u32,
    /// Steps of a root in a dense range, if they are fewer.
    pub dense_steps: u32,
    /// Ranges of nodes with very many neighbours, ascending; normally none.
    pub dense: &'a [Range<u32>],
    /// Dense sections, ascending: cliques in crowds are as large as needed (docs/SPEC.md §6). `None`
    /// finds the largest also there.
    pub crowds: Option<&'a [Range<u32>]>,
}

impl From<u32> for RootBudget<'_> {
    /// Returns a budget without dense ranges.
    fn from(steps: u32) -> Self {
        RootBudget { steps, dense_steps: steps, dense: &[], crowds: None }
    }
}

impl RootBudget<'_> {
    #[inline]
    pub(super) fn of(&self, root: u32) -> u32 {
        let is_dense = self.dense.iter().any(|nodes| nodes.contains(&root));
        if is_dense { self.steps.min(self.dense_steps) } else { self.steps }
    }

    /// Returns when a root is in a crowd; `None` if that makes no difference.
    pub(super) fn crowd_rule(&self, root: u32) -> Option<CrowdRule> {
        self.crowds?;
        Some(if self.is_in_dense_section(root) { CrowdRule::DENSE } else { CrowdRule::LOCAL })
    }

    #[inline]
    fn is_in_dense_section(&self, root: u32) -> bool {
        let sections = self.crowds.unwrap_or(&[]);
        let next = sections.partition_point(|nodes| nodes.end <= root);
        sections.get(next).is_some_and(|nodes| nodes.contains(&root))
    }
}
