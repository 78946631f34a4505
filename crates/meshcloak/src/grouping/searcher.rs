//! Searches for cliques from one node after the other: among its later neighbours, with the earlier
//! ones as witnesses.
//!
//! Who cannot be served by any set that begins at a node is left out of its search; and if that
//! is the node itself, it is no witness for others either.

use super::expand::{Counted, Expand, Past};
use super::found::Found;
use super::neighbours::Neighbours;
use crate::cliques::bits::Bits;
use crate::cliques::bytes::Bytes;
use rayon::prelude::*;

/// What all searches of a graph share.
#[derive(Clone, Copy)]
pub(super) struct Quest<'a> {
    pub(super) graph: &'a Neighbours,
    pub(super) k: &'a [u32],
    pub(super) budget: u32,
}

/// In which order nodes are searched from, and what is known of each beforehand.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranking {
    /// The nodes in the order of searches, and the place of each in it.
    pub(super) order: Vec<u32>,
    rank: Vec<u32>,
    /// The most that any set can hold that begins at a node; 0 if none can begin there.
    pub(super) most: Vec<u32>,
}

impl Ranking {
    /// Those with few neighbours come first, so that all have few later ones.
    pub(super) fn sort(&mut self, quest: Quest<'_>) {
        let graph = quest.graph;
        self.order.clear();
        self.order.extend(0..graph.len() as u32);
        self.order.sort_unstable_by_key(|&node| (graph.of(node).len(), node));
        self.rank.resize(graph.len(), 0);
        for (rank, &node) in (0..).zip(&self.order) {
            self.rank[node as usize] = rank;
        }
        let mut most = std::mem::take(&mut self.most);
        most.resize(graph.len(), 0);
        most.par_iter_mut().with_min_len(1024).enumerate().for_each(|(node, most)| {
            *most = self.most(quest, node as u32);
        });
        self.most = most;
    }

    fn later<'a>(&'a self, quest: Quest<'a>, root: u32) -> impl Iterator<Item = u32> {
        let rank = self.rank[root as usize];
        let all = quest.graph.of(root).iter().copied();
        all.filter(move |&node| self.rank[node as usize] > rank)
    }

    /// The most that any set of the root and later ones can hold; 0 if there can be none.
    fn most(&self, quest: Quest<'_>, root: u32) -> u32 {
        let k = |node: u32| quest.k[node as usize];
        let mut size = self.later(quest, root).count() as u32 + 1;
        loop {
            let content = self.later(quest, root).filter(|&node| k(node) <= size).count() as u32;
            if k(root) > size || content == 0 {
                return 0;
            }
            if content + 1 == size {
                break;
            }
            size = content + 1;
        }
        if let Some(counting) = quest.graph.counting(root) {
            let rank = self.rank[root as usize];
            let is_later = |node: u32| self.rank[node as usize] > rank;
            let flags = quest.graph.of(root).iter().zip(counting);
            let have =
                flags.filter(|(node, counts)| **counts && is_later(**node) && k(**node) <= size);
            let have = have.count() as u32;
            if have + u32::from(quest.graph.counts_itself(root)) < k(root) {
                return 0;
            }
        }
        size
    }
}

/// Room for searches.
#[derive(Clone, Debug, Default)]
pub(super) struct Searcher {
    /// The place of a node among those around the present root, plus one; 0 if it is none.
    local: Vec<u32>,
    /// Earlier neighbours of the present root, then later ones.
    around: Vec<u32>,
    one: Room<[u64; 1]>,
    two: Room<[u64; 2]>,
    four: Room<[u64; 4]>,
    many: Room<Vec<u64>>,
}

#[derive(Clone, Debug, Default)]
struct Room<B> {
    neighbours: Vec<B>,
    /// The k of each around the present root.
    k: Vec<u32>,
    counts: Vec<B>,
    row: Bytes,
    counting: Bytes,
}

impl Searcher {
    /// Gets ready for a graph.
    pub(super) fn begin(&mut self, nodes: usize) {
        self.local.clear();
        self.local.resize(nodes, 0);
    }

    /// Finds the cliques whose first node is the root; `false` if no set can begin there.
    pub(super) fn search(
        &mut self,
        quest: Quest<'_>,
        ranking: &Ranking,
        root: u32,
        found: &mut Found,
    ) -> bool {
        if ranking.most[root as usize] == 0 {
            return false;
        }
        let earlier = self.gather(quest, ranking, root);
        let Searcher { local, around, one, two, four, many } = self;
        if dominated(quest.graph, &around[..earlier], &around[earlier..]) {
            return true;
        }
        match around.len() {
            1..=64 => one.search(quest, (root, around, earlier), local, found),
            65..=128 => two.search(quest, (root, around, earlier), local, found),
            129..=256 => four.search(quest, (root, around, earlier), local, found),
            _ => many.search(quest, (root, around, earlier), local, found),
        }
    }

    /// Gathers whom the search from a root is about, and gives how many of them are earlier.
    fn gather(&mut self, quest: Quest<'_>, ranking: &Ranking, root: u32) -> usize {
        let Ranking { rank, most, .. } = ranking;
        let size = most[root as usize];
        let is_later = |node: u32| rank[node as usize] > rank[root as usize];
        let earlier = quest.graph.of(root).iter().copied().filter(|&node| !is_later(node));
        self.around.clear();
        self.around.extend(earlier.filter(|&node| most[node as usize] > 0));
        let witnesses = self.around.len();
        let later = ranking.later(quest, root);
        self.around.extend(later.filter(|&node| quest.k[node as usize] <= size));
        witnesses
    }
}

impl<B: Bits> Room<B> {
    /// Finds the cliques whose first node is the root; `false` if no set can begin there.
    fn search(
        &mut self,
        quest: Quest<'_>,
        (root, around, earlier): (u32, &[u32], usize),
        local: &mut [u32],
        found: &mut Found,
    ) -> bool {
        let Quest { graph, k, budget } = quest;
        let nobody = B::empty(around.len());
        for (place, &node) in (1..).zip(around) {
            local[node as usize] = place;
        }
        let (mut open, mut done) = (nobody.clone(), nobody);
        (0..earlier).for_each(|place| done.insert(place));
        (earlier..around.len()).for_each(|place| open.insert(place));
        // She has a place after all others while it is asked for whom she counts.
        local[root as usize] = around.len() as u32 + 1;
        let counted = (!graph.everyone_counts())
            .then(|| self.who_counts(graph, (root, around, earlier), local));
        local[root as usize] = 0;
        self.k.clear();
        if counted.is_some() {
            self.k.extend(around.iter().map(|&node| k[node as usize]));
        }
        let Room { neighbours, counts, k: ks, row, .. } = self;
        let past = counted.map(|counted| Past { root_k: k[root as usize], k: ks, counts, counted });
        let begins = past.as_ref().is_none_or(|past| past.content(&mut open));
        if begins {
            connect(graph, around, (&open, &done), (local, row), neighbours);
        }
        for &node in around {
            local[node as usize] = 0;
        }
        if begins {
            let mut expand = Expand { root, around, neighbours, past, k, found, steps: 0, budget };
            expand.grow(&mut Vec::new(), open, done);
            let steps = expand.steps;
            found.steps += u64::from(steps);
            found.truncated |= steps > budget;
        }
        begins
    }

    /// Who counts for whom among the root and the later ones.
    fn who_counts(
        &mut self,
        graph: &Neighbours,
        (root, around, earlier): (u32, &[u32], usize),
        local: &[u32],
    ) -> Counted<B> {
        let nobody = B::empty(around.len());
        let (mut root_counts, mut for_root) = (nobody.clone(), nobody.clone());
        self.counts.clear();
        self.counts.resize(around.len(), nobody);
        for (place, &node) in around.iter().enumerate().skip(earlier) {
            self.gather_counting(graph, node, local, around.len() + 1);
            let row = &mut self.counts[place];
            for_root.insert_if(self.counting.take(local[root as usize]), place);
            self.counting.add_to(row);
            row.insert_if(graph.counts_itself(node), place);
        }
        self.gather_counting(graph, root, local, around.len());
        self.counting.add_to(&mut root_counts);
        Counted { root_counts, for_root, root_itself: graph.counts_itself(root) }
    }

    /// Gathers who counts for a node.
    fn gather_counting(&mut self, graph: &Neighbours, node: u32, local: &[u32], bound: usize) {
        self.counting.clear(bound);
        let counting = graph.counting(node).unwrap_or(&[]);
        for (&other, &counts) in graph.of(node).iter().zip(counting) {
            self.counting.set(local[other as usize], counts);
        }
    }
}

/// Notes who is whose neighbour, of each two of whom one is `open` and the other too, or `done`.
fn connect<B: Bits>(
    graph: &Neighbours,
    around: &[u32],
    (open, done): (&B, &B),
    (local, row): (&[u32], &mut Bytes),
    neighbours: &mut Vec<B>,
) {
    neighbours.clear();
    neighbours.resize(around.len(), B::empty(around.len()));
    for place in open.iter() {
        row.clear(around.len());
        graph.of(around[place]).iter().for_each(|&other| row.set(local[other as usize], true));
        row.add_to(&mut neighbours[place]);
        for witness in neighbours[place].common(done).iter() {
            neighbours[witness].insert(place);
        }
    }
}

/// Whether an earlier neighbour is adjacent to all the later ones: then no maximal clique begins
/// here. Only a few are looked at.
fn dominated(graph: &Neighbours, earlier: &[u32], later: &[u32]) -> bool {
    let covers = |&node: &u32| {
        let mut hers = graph.of(node).iter();
        later.iter().all(|other| hers.any(|node| node == other))
    };
    earlier.iter().take(4).any(covers)
}
