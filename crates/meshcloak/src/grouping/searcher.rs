//! Searches for cliques from one node after the other: among its later neighbours, with the earlier
//! ones as witnesses.
//!
//! Who cannot be served by any set that begins at a node is left out of its search; and if that
//! is the node itself, it is no witness for others either.

use super::found::Found;
use super::neighbours::Neighbours;
use super::ranking::Ranking;
use super::room::{Around, Room};

/// What all searches of a graph share.
#[derive(Clone, Copy)]
pub(super) struct Quest<'a> {
    pub(super) graph: &'a Neighbours,
    pub(super) k: &'a [u32],
    pub(super) budget: u32,
}

/// Room for searches.
#[derive(Clone, Debug, Default)]
pub(super) struct Searcher {
    /// The place of a node among those around the present root, plus one; 0 if it is none. Small
    /// numbers where they suffice: more of them are at hand at a time.
    few: Vec<u8>,
    local: Vec<u32>,
    /// Earlier neighbours of the present root, then later ones, then the root.
    around: Vec<u32>,
    one: Room<[u64; 1]>,
    two: Room<[u64; 2]>,
    four: Room<[u64; 4]>,
    many: Room<Vec<u64>>,
}

/// Returns what a method of the room says that is large enough.
macro_rules! in_room {
    ($searcher:expr, $method:ident($earlier:expr, $($more:expr),*)) => {{
        let Searcher { few, local, around, one, two, four, many } = $searcher;
        let earlier = $earlier;
        if around.len() < 64 {
            let around = Around { nodes: around, earlier, local: few };
            return one.$method(around, $($more),*);
        }
        let around = Around { nodes: around, earlier, local };
        match around.nodes.len() {
            ..=128 => two.$method(around, $($more),*),
            129..=256 => four.$method(around, $($more),*),
            _ => many.$method(around, $($more),*),
        }
    }};
}

impl Searcher {
    /// Gets ready for a graph.
    pub(super) fn begin(&mut self, nodes: usize) {
        self.few.clear();
        self.few.resize(nodes, 0);
        self.local.clear();
        self.local.resize(nodes, 0);
    }

    /// Whether a set can begin at a root, for all that those around it need.
    pub(super) fn begins(&mut self, quest: Quest<'_>, ranking: &Ranking, root: u32) -> bool {
        if ranking.most[root as usize] == 0 {
            return false;
        }
        self.around.clear();
        self.gather_later(quest, ranking, root);
        in_room!(self, begins(0, quest))
    }

    /// Whether an earlier neighbour is adjacent to all the later ones: then no maximal clique begins
    /// here. Only a few are looked at.
    pub(super) fn is_dominated(&mut self, quest: Quest<'_>, ranking: &Ranking, root: u32) -> bool {
        let earlier = self.gather(quest, ranking, root);
        self.dominated(quest, earlier)
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
        if self.dominated(quest, earlier) {
            return true;
        }
        in_room!(self, search(earlier, quest, found))
    }

    fn dominated(&self, quest: Quest<'_>, earlier: usize) -> bool {
        let later = &self.around[earlier..self.around.len() - 1];
        let covers = |&node: &u32| {
            let mut hers = quest.graph.of(node).iter();
            later.iter().all(|other| hers.find(|node| *node >= other) == Some(other))
        };
        self.around[..earlier].iter().take(4).any(covers)
    }

    /// Gathers whom the search from a root is about, and gives how many of them are earlier.
    fn gather(&mut self, quest: Quest<'_>, ranking: &Ranking, root: u32) -> usize {
        self.around.clear();
        let all = quest.graph.of(root).iter().copied();
        let earlier = all.filter(|&node| !ranking.is_after(node, root));
        self.around.extend(earlier.filter(|&node| ranking.most[node as usize] > 0));
        let witnesses = self.around.len();
        self.gather_later(quest, ranking, root);
        witnesses
    }

    fn gather_later(&mut self, quest: Quest<'_>, ranking: &Ranking, root: u32) {
        let size = ranking.most[root as usize];
        let all = quest.graph.of(root).iter().copied();
        let later = all.filter(|&node| ranking.is_after(node, root));
        self.around.extend(later.filter(|&node| quest.k[node as usize] <= size));
        self.around.push(root);
    }
}
