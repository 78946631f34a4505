//! Cliques in the order in which the searches find them, in flat arrays.
//!
//! ```text
//! nodes       | clique 0 | clique 1   | …         members
//! ends               e0           e1              end of each clique in `nodes`
//! rows        | n0 × w0  | n1 × w1    | …         bit rows, w = ceil(n / 64) words per member
//! row_starts  0          s1                       start of each clique in `rows`
//! ```
//!
//! `rows` and `row_starts` are empty if all nodes count for all others.

use super::roles::Role;
use std::ops::Range;

/// Cliques, each without the members whose k it cannot meet.
#[derive(Clone, Debug, Default)]
pub(super) struct CliqueArena {
    pub(super) ends: Vec<u32>,
    pub(super) nodes: Vec<u32>,
    /// Bit j of the row of member i: member j counts for member i.
    pub(super) rows: Vec<u64>,
    pub(super) row_starts: Vec<usize>,
    /// Steps of all searches.
    pub(super) steps: u64,
    /// A search spent its budget, or the cliques exceeded the memory limit.
    pub(super) truncated: bool,
}

impl CliqueArena {
    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.nodes.clear();
        self.rows.clear();
        self.row_starts.clear();
        (self.steps, self.truncated) = (0, false);
    }

    /// Returns the number of cliques.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn start(&self, clique: u32) -> u32 {
        if clique == 0 { 0 } else { self.ends[clique as usize - 1] }
    }

    /// Returns the members of a clique.
    pub(super) fn nodes(&self, clique: u32) -> &[u32] {
        &self.nodes[self.start(clique) as usize..self.ends[clique as usize] as usize]
    }

    /// Appends a clique without the members whose k exceeds the number of remaining members, unless
    /// none of these asks. `roles` is empty if all nodes ask.
    pub(super) fn push_pruned(
        &mut self,
        clique: impl Iterator<Item = u32>,
        k: &[u32],
        roles: &[Role],
    ) {
        let start = self.nodes.len();
        self.nodes.extend(clique);
        let members = &self.nodes[start..];
        let mut size = members.len() as u32;
        loop {
            let satisfied = members.iter().filter(|&&node| k[node as usize] <= size).count() as u32;
            if satisfied == size {
                break;
            }
            size = satisfied;
        }
        let asks = |&node: &u32| k[node as usize] <= size && roles[node as usize].asks();
        if size < 2 || !roles.is_empty() && !members.iter().any(asks) {
            self.nodes.truncate(start);
            return;
        }
        let mut end = start;
        for index in start..self.nodes.len() {
            let node = self.nodes[index];
            if k[node as usize] <= size {
                self.nodes[end] = node;
                end += 1;
            }
        }
        self.nodes.truncate(end);
        self.nodes[start..].sort_unstable();
        self.ends.push(end as u32);
    }

    /// Appends a range of cliques of another arena.
    pub(super) fn append(&mut self, other: &CliqueArena, cliques: Range<u32>) {
        let Some(last) = cliques.clone().last() else { return };
        let (start, end) = (other.start(cliques.start), other.ends[last as usize]);
        let offset = self.nodes.len() as u32;
        self.nodes.extend_from_slice(&other.nodes[start as usize..end as usize]);
        let ends = &other.ends[cliques.start as usize..cliques.end as usize];
        self.ends.extend(ends.iter().map(|end| end - start + offset));
        let Some(&start) = other.row_starts.get(cliques.start as usize) else { return };
        let end = other.row_starts.get(cliques.end as usize).copied().unwrap_or(other.rows.len());
        let offset = self.rows.len();
        self.rows.extend_from_slice(&other.rows[start..end]);
        let starts = &other.row_starts[cliques.start as usize..cliques.end as usize];
        self.row_starts.extend(starts.iter().map(|row| row - start + offset));
    }
}
