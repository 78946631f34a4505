//! Spatial indices of the users of a batch as one kind of tree: each node holds a run of users, and
//! its children hold parts of that run.

use crate::hilbert;
use crate::square::Square;
use meshcloak::map::StreetMap;
use meshcloak::units::Point;
use rstar::primitives::GeomWithData;
use rstar::{ParentNode, RTree, RTreeNode};
use std::ops::Range;

/// Kind of the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum IndexKind {
    /// Bulk-loaded R*-tree.
    #[default]
    RTree,
    /// Quadtree that divides quadrants with more than [`LEAF_USERS`] users.
    Quadtree,
}

/// Largest number of users in a leaf of the quadtree.
const LEAF_USERS: usize = 8;

/// A node of the index.
#[derive(Clone, Debug)]
pub(super) struct IndexNode {
    /// Run of its users in [`UserIndex::users`].
    pub(super) users: Range<usize>,
    /// Children; none for a leaf.
    pub(super) children: Vec<IndexNode>,
}

/// An index of the users of a batch. It depends on the set of their points alone, not on the order
/// in which they are given, as long as the points differ.
#[derive(Clone, Debug)]
pub(super) struct UserIndex {
    /// Users in the order of the leaves.
    pub(super) users: Vec<u32>,
    /// By user: rank along the Hilbert curve. Users in one cell are ordered by their points.
    pub(super) ranks: Vec<u32>,
    pub(super) root: IndexNode,
}

impl UserIndex {
    /// Builds an index of these points.
    pub(super) fn new(kind: IndexKind, map: &StreetMap, points: &[Point]) -> UserIndex {
        let square = Square::around(map);
        let hilbert: Vec<u32> =
            points.iter().map(|&point| hilbert::key(square.cell(point))).collect();
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let [p, q] = [a, b].map(|user| points[user as usize]);
            let by_key = hilbert[a as usize].cmp(&hilbert[b as usize]);
            by_key.then_with(|| p.x.total_cmp(&q.x)).then_with(|| p.y.total_cmp(&q.y))
        });
        let mut ranks = vec![0; points.len()];
        for (rank, &user) in order.iter().enumerate() {
            ranks[user as usize] = rank as u32;
        }
        let (users, root) = match kind {
            IndexKind::Quadtree => {
                let keys: Vec<u32> = order.iter().map(|&user| hilbert[user as usize]).collect();
                let root = quadrant(&keys, 0..keys.len(), 0);
                (order, root)
            }
            IndexKind::RTree => {
                let entry = |user: u32| {
                    let Point { x, y } = points[user as usize];
                    GeomWithData::new([x, y], user)
                };
                let tree = RTree::bulk_load(order.into_iter().map(entry).collect());
                let mut users = Vec::with_capacity(points.len());
                let root = collect(tree.root(), &mut users);
                (users, root)
            }
        };
        UserIndex { users, ranks, root }
    }
}

/// Halvings of the square around the map; the keys have two bits for each.
const LEVELS: u32 = crate::square::DEPTH;

/// Node of the users in a quadrant. The Hilbert curve visits quadrants one after the other, so the
/// users of each quadrant are a run of the sorted keys.
fn quadrant(keys: &[u32], users: Range<usize>, level: u32) -> IndexNode {
    if users.len() <= LEAF_USERS || level == LEVELS {
        return IndexNode { users, children: Vec::new() };
    }
    let number = |key: u32| key >> (2 * (LEVELS - level - 1));
    let mut children = Vec::new();
    let mut start = users.start;
    for run in keys[users.clone()].chunk_by(|&a, &b| number(a) == number(b)) {
        children.push(quadrant(keys, start..start + run.len(), level + 1));
        start += run.len();
    }
    // A quadrant with all users in one of its own is the same node.
    if children.len() == 1 {
        return children.swap_remove(0);
    }
    IndexNode { users, children }
}

/// Copies a node of the R-tree and appends its users.
fn collect(node: &ParentNode<GeomWithData<[f64; 2], u32>>, users: &mut Vec<u32>) -> IndexNode {
    let start = users.len();
    let mut children = Vec::new();
    for child in node.children() {
        match child {
            RTreeNode::Leaf(user) => users.push(user.data),
            RTreeNode::Parent(parent) => children.push(collect(parent, users)),
        }
    }
    IndexNode { users: start..users.len(), children }
}
