//! Division of all users into groups of at least K, each within the lowest possible node.
//!
//! From the root down: children with at least K users are divided on their own. The users of the
//! other children form a group; if they are fewer than K, the child whose rectangle grows least
//! joins them as a whole. The division depends on the set of users alone, so every user finds the
//! same groups. Taking the lowest node with K users for each user instead is not reciprocal: a
//! neighbour in a child with K users would take that child.

use super::index::{IndexNode, UserIndex};
use meshcloak::units::{Point, Rectangle};

/// Divides all users into groups of at least `k`; no group if there are fewer than `k` users.
pub(super) fn divide(index: &UserIndex, points: &[Point], k: usize) -> Vec<Vec<u32>> {
    let mut groups = Vec::new();
    if index.users.len() >= k.max(1) {
        divide_node(index, points, &index.root, k, &mut groups);
    }
    groups
}

fn divide_node(
    index: &UserIndex,
    points: &[Point],
    node: &IndexNode,
    k: usize,
    groups: &mut Vec<Vec<u32>>,
) {
    let users = |node: &IndexNode| index.users[node.users.clone()].iter().copied();
    if node.children.is_empty() {
        groups.push(users(node).collect());
        return;
    }
    let (mut heavy, light): (Vec<&IndexNode>, Vec<&IndexNode>) =
        node.children.iter().partition(|child| child.users.len() >= k);
    let mut rest: Vec<u32> = light.into_iter().flat_map(users).collect();
    if !rest.is_empty() && rest.len() < k {
        let growth = |child: &&IndexNode| {
            let perimeter = |all: &mut dyn Iterator<Item = u32>| perimeter(points, all);
            perimeter(&mut rest.iter().copied().chain(users(child))) - perimeter(&mut users(child))
        };
        let nearest = heavy.iter().map(growth).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        // Without such a child all users of the node are in `rest`, and they are at least k.
        if let Some((nearest, _)) = nearest {
            rest.extend(users(heavy.remove(nearest)));
        }
    }
    if !rest.is_empty() {
        groups.push(rest);
    }
    for child in heavy {
        divide_node(index, points, child, k, groups);
    }
}

/// Half the perimeter of the rectangle around users; 0 without users.
pub(super) fn perimeter(points: &[Point], users: &mut dyn Iterator<Item = u32>) -> f64 {
    let around = Rectangle::around(users.map(|user| points[user as usize]));
    around.map_or(0.0, |rectangle| rectangle.width() + rectangle.height())
}
