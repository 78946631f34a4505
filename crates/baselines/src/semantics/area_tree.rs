//! Tree of areas: each inner node unites two adjacent areas.
//!
//! ```text
//! node      0 … n − 1   areas of single places
//!           n …         unions, children before parents
//! leaves    areas in the order of the tree: those of a node are a run
//! ```

use super::PlaceRule;
use super::place_areas::{NONE, PlaceAreas};
use super::stay_time::most_different;
use crate::runs::Runs;
use meshcloak::map::{StreetId, StreetMap};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Range;

/// The tree, or several if the map has unconnected components.
#[derive(Clone, Debug)]
pub(super) struct AreaTree {
    /// By node; [`NONE`] for a root.
    parents: Vec<u32>,
    /// By node: number of pairwise different places.
    diversities: Vec<u32>,
    /// By node: run of its leaves.
    runs: Vec<Range<u32>>,
    /// Areas in the order of the tree.
    leaves: Vec<u32>,
}

/// An area while the tree is built.
struct GrowingArea {
    categories: BTreeSet<u16>,
    neighbours: BTreeSet<u32>,
    children: Option<(u32, u32)>,
    /// Street length in units of a length.
    length: u64,
}

impl AreaTree {
    /// Builds the tree of a map's areas. Those with the fewest different places, up to the required
    /// number, are united first, then the shortest; each with the adjacent area that adds most of
    /// what is missing, of several with the shortest.
    pub(super) fn new(map: &StreetMap, areas: &PlaceAreas, required: PlaceRule) -> AreaTree {
        let measure = |categories: &BTreeSet<u16>| {
            let class = |&category: &u16| areas.classes[usize::from(category)];
            let mut classes: Vec<u8> = categories.iter().map(class).collect();
            classes.sort_unstable();
            most_different(&classes, required.theta)
        };
        let mut nodes = growing_areas(map, areas);
        let mut parents = vec![NONE; nodes.len()];
        let mut diversities: Vec<u32> =
            nodes.iter().map(|node| measure(&node.categories)).collect();
        let key = |nodes: &[GrowingArea], diversities: &[u32], node: u32| {
            let different = diversities[node as usize].min(required.places);
            Reverse((different, nodes[node as usize].length, node))
        };
        let mut open: BinaryHeap<_> =
            (0..nodes.len() as u32).map(|node| key(&nodes, &diversities, node)).collect();
        while let Some(Reverse((_, _, node))) = open.pop() {
            if parents[node as usize] != NONE {
                continue;
            }
            let with = |other: u32| {
                let categories = &nodes[node as usize].categories;
                measure(&categories.union(&nodes[other as usize].categories).copied().collect())
            };
            let gain = |&other: &u32| {
                let different = with(other).min(required.places);
                (different, Reverse(nodes[other as usize].length), Reverse(other))
            };
            let Some(&other) = nodes[node as usize].neighbours.iter().max_by_key(|o| gain(o))
            else {
                continue; // a root
            };
            let union = nodes.len() as u32;
            let joined = join(&mut nodes, node, other, union);
            diversities.push(measure(&joined.categories));
            nodes.push(joined);
            parents.push(NONE);
            (parents[node as usize], parents[other as usize]) = (union, union);
            open.push(key(&nodes, &diversities, union));
        }
        let (runs, leaves) = arrange(&nodes, &parents);
        AreaTree { parents, diversities, runs, leaves }
    }

    /// Nodes from an area up to its root; none for [`NONE`].
    pub(super) fn path(&self, area: u32) -> impl Iterator<Item = u32> + '_ {
        let next = |node: &u32| Some(self.parents[*node as usize]).filter(|&parent| parent != NONE);
        std::iter::successors((area != NONE).then_some(area), next)
    }

    /// Number of nodes.
    #[cfg(test)]
    pub(super) fn node_count(&self) -> u32 {
        self.parents.len() as u32
    }

    /// Number of pairwise different places of a node.
    pub(super) fn diversity(&self, node: u32) -> u32 {
        self.diversities[node as usize]
    }

    /// Areas of a node.
    pub(super) fn areas(&self, node: u32) -> &[u32] {
        let Range { start, end } = self.runs[node as usize];
        &self.leaves[start as usize..end as usize]
    }

    /// Appends the streets of a node, ascending.
    pub(super) fn append_streets(&self, areas: &PlaceAreas, node: u32, mesh: &mut Vec<StreetId>) {
        let start = mesh.len();
        self.areas(node).iter().for_each(|&area| mesh.extend_from_slice(areas.streets.get(area)));
        mesh[start..].sort_unstable();
    }

    /// Counts the users of a batch, given by area.
    pub(super) fn place_users(&self, users: impl Iterator<Item = (u32, u32)> + Clone) -> NodeUsers {
        let known = users.filter(|&(area, _)| area != NONE);
        let mut by_area = Runs::default();
        by_area.fill(self.leaves.len(), known.map(|(area, index)| (area as usize, index)));
        let mut before = Vec::with_capacity(self.leaves.len() + 1);
        before.push(0);
        for &area in &self.leaves {
            before.push(before[before.len() - 1] + by_area.get(area).len() as u32);
        }
        let counts =
            self.runs.iter().map(|run| before[run.end as usize] - before[run.start as usize]);
        NodeUsers { counts: counts.collect(), by_area }
    }
}

/// Users of a batch by node.
pub(super) struct NodeUsers {
    counts: Vec<u32>,
    by_area: Runs<u32>,
}

impl NodeUsers {
    /// Number of users of a node.
    pub(super) fn count(&self, node: u32) -> u32 {
        self.counts[node as usize]
    }

    /// Waiting indices of the users of a node.
    pub(super) fn inside<'a>(
        &'a self,
        tree: &'a AreaTree,
        node: u32,
    ) -> impl Iterator<Item = u32> + 'a {
        tree.areas(node).iter().flat_map(|&area| self.by_area.get(area)).copied()
    }
}

/// Returns the areas of single places.
fn growing_areas(map: &StreetMap, areas: &PlaceAreas) -> Vec<GrowingArea> {
    let units = |&street: &StreetId| u64::from(map.street(street).length.units());
    let area = |(area, categories): (u32, &BTreeSet<u16>)| GrowingArea {
        categories: categories.clone(),
        neighbours: BTreeSet::new(),
        children: None,
        length: areas.streets.get(area).iter().map(units).sum(),
    };
    let mut nodes: Vec<GrowingArea> = (0..).zip(&areas.categories).map(area).collect();
    for (a, b) in areas.adjacent(map) {
        nodes[a as usize].neighbours.insert(b);
        nodes[b as usize].neighbours.insert(a);
    }
    nodes
}

/// Unites two adjacent areas and replaces them among their neighbours.
fn join(nodes: &mut [GrowingArea], a: u32, b: u32, union: u32) -> GrowingArea {
    let take = |area: &mut GrowingArea| {
        (std::mem::take(&mut area.categories), std::mem::take(&mut area.neighbours))
    };
    let (mut categories, mut neighbours) = take(&mut nodes[a as usize]);
    let (more, others) = take(&mut nodes[b as usize]);
    categories.extend(more);
    neighbours.extend(others);
    neighbours.remove(&a);
    neighbours.remove(&b);
    for &neighbour in &neighbours {
        let around = &mut nodes[neighbour as usize].neighbours;
        around.remove(&a);
        around.remove(&b);
        around.insert(union);
    }
    let length = nodes[a as usize].length + nodes[b as usize].length;
    GrowingArea { categories, neighbours, children: Some((a, b)), length }
}

/// Orders the leaves so that those of each node are a run.
fn arrange(nodes: &[GrowingArea], parents: &[u32]) -> (Vec<Range<u32>>, Vec<u32>) {
    let mut runs = vec![0..0; nodes.len()];
    let mut leaves: Vec<u32> = Vec::new();
    let roots = (0..nodes.len() as u32).filter(|&node| parents[node as usize] == NONE);
    for root in roots {
        // A node is entered before its children and closed after them.
        let mut stack = vec![(root, false)];
        while let Some((node, is_done)) = stack.pop() {
            let end = leaves.len() as u32;
            match (nodes[node as usize].children, is_done) {
                (_, true) => runs[node as usize].end = end,
                (None, false) => {
                    leaves.push(node);
                    runs[node as usize] = end..end + 1;
                }
                (Some((a, b)), false) => {
                    runs[node as usize].start = end;
                    stack.extend([(node, true), (b, false), (a, false)]);
                }
            }
        }
    }
    (runs, leaves)
}
