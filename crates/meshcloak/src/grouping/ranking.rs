//! In which order nodes are searched from, and what is known of each beforehand.

use super::searcher::Quest;
use rayon::prelude::*;

/// The order of searches.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranking {
    /// The nodes in the order of searches, and the place of each in it.
    pub(super) order: Vec<u32>,
    rank: Vec<u32>,
    /// The most that any set can hold that begins at a node; 0 if none can begin there.
    pub(super) most: Vec<u32>,
    /// Where the nodes with so many neighbours go.
    slots: Vec<u32>,
}

/// The k of somebody, and whether she counts for the root.
type Later = (u32, bool);

impl Ranking {
    /// Those with few neighbours come first, so that all have few later ones.
    pub(super) fn sort(&mut self, quest: Quest<'_>) {
        self.line_up(quest);
        let mut most = std::mem::take(&mut self.most);
        most.resize(quest.graph.len(), 0);
        most.par_iter_mut().with_min_len(1024).enumerate().for_each_init(
            Vec::new,
            |later, (node, most)| {
                *most = self.most(quest, node as u32, later);
            },
        );
        self.most = most;
    }

    /// Sorts nodes by how many neighbours they have, then by number.
    fn line_up(&mut self, quest: Quest<'_>) {
        let nodes = 0..quest.graph.len() as u32;
        let degree = |node: u32| quest.graph.of(node).len();
        let largest = nodes.clone().map(degree).max().unwrap_or(0);
        self.slots.clear();
        self.slots.resize(largest + 2, 0);
        nodes.clone().for_each(|node| self.slots[degree(node) + 1] += 1);
        for less in 0..largest {
            self.slots[less + 1] += self.slots[less];
        }
        self.order.resize(nodes.len(), 0);
        self.rank.resize(nodes.len(), 0);
        for node in nodes {
            let slot = &mut self.slots[degree(node)];
            self.order[*slot as usize] = node;
            self.rank[node as usize] = *slot;
            *slot += 1;
        }
    }

    /// Whether a node comes after another.
    pub(super) fn is_after(&self, node: u32, other: u32) -> bool {
        self.rank[node as usize] > self.rank[other as usize]
    }

    /// The most that any set of the root and later ones can hold; 0 if there can be none.
    fn most(&self, quest: Quest<'_>, root: u32, later: &mut Vec<Later>) -> u32 {
        let Quest { graph, k, .. } = quest;
        let needs = k[root as usize];
        later.clear();
        let counts = |place: usize| graph.counting(root).is_none_or(|flags| flags[place]);
        let all = graph.of(root).iter().enumerate();
        let after = all.filter(|(_, node)| self.is_after(**node, root));
        later.extend(after.map(|(place, &node)| (k[node as usize], counts(place))));
        loop {
            let size = later.len() as u32 + 1;
            if needs > size || size == 1 {
                return 0;
            }
            later.retain(|(k, _)| *k <= size);
            if later.len() as u32 + 1 == size {
                break;
            }
        }
        let have = later.iter().filter(|(_, counts)| *counts).count() as u32;
        let enough = have + u32::from(graph.counts_itself(root)) >= needs;
        if enough { later.len() as u32 + 1 } else { 0 }
    }
}
