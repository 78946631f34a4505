//! Nodes without a group that join a group of a crowd.
//!
//! Groups of crowds are formed before the others and have a largest size, so that some nodes are left
//! which are adjacent to all members of one. They are found by counting the edges between free nodes
//! and groups: linear in the edges.

use super::CountingRule;
use super::crowds::{MAX_JOINED, satisfied};
use super::groups::{FREE, Groups};
use super::local_search::Demands;
use crate::constraint_graph::Subgraph;
use std::cmp::Reverse;

/// Adds free nodes to the groups from `first_group` on, each to the first group in which every k is
/// met with it. `rules` is as in [`super::Grouping::find`].
pub(super) fn join(
    groups: &mut Groups,
    first_group: u32,
    graph: Subgraph<'_>,
    demands: Demands<'_>,
    rules: &mut [CountingRule<'_>],
) {
    let formed: Vec<usize> =
        groups.members[first_group as usize..groups.used].iter().map(Vec::len).collect();
    let mut pairs = edges_to_groups(groups, first_group, graph);
    pairs.sort_unstable();
    for pair in pairs.chunk_by(|a, b| a == b) {
        let (node, group) = pair[0];
        let formed = formed[(group - first_group) as usize];
        let members = &groups.members[group as usize];
        let is_adjacent = |&other: &u32| are_adjacent(graph, node, other);
        if groups.group_of[node as usize] == FREE
            && pair.len() == formed
            && members.len() < MAX_JOINED
            && members[formed..].iter().all(is_adjacent)
            && is_valid(members, node, demands, rules)
        {
            groups.group_of[node as usize] = group;
            groups.members[group as usize].push(node);
        }
    }
    for members in &mut groups.members[first_group as usize..groups.used] {
        members.sort_unstable_by_key(|&node| (Reverse(demands.k(node)), node));
    }
}

/// Returns a pair of free node and group for each edge between them.
fn edges_to_groups(groups: &Groups, first_group: u32, graph: Subgraph<'_>) -> Vec<(u32, u32)> {
    let group_of = |node: u32| groups.group_of[node as usize];
    let is_crowd = |group: u32| group != FREE && group >= first_group;
    let mut pairs = Vec::new();
    for a in 0..graph.len() as u32 {
        let own = group_of(a);
        for b in graph.later_in_whole(a).iter().map(|later| later - graph.first()) {
            match (own, group_of(b)) {
                (FREE, group) if is_crowd(group) => pairs.push((a, group)),
                (group, FREE) if is_crowd(group) => pairs.push((b, group)),
                _ => {}
            }
        }
    }
    pairs
}

fn are_adjacent(graph: Subgraph<'_>, a: u32, b: u32) -> bool {
    let has = |a: u32, b: u32| graph.later_in_whole(a).binary_search(&(b + graph.first())).is_ok();
    has(a, b) || has(b, a)
}

/// Returns whether every k is met by a group and one more node.
fn is_valid(
    members: &[u32],
    node: u32,
    demands: Demands<'_>,
    rules: &mut [CountingRule<'_>],
) -> bool {
    if demands.k(node) as usize > members.len() + 1 {
        return false;
    }
    let Some(rule) = rules.first_mut() else { return true };
    // Most nodes that are left can be at too few of the places.
    let mut counts = vec![true; members.len()];
    let counts_itself = rule(node, members, &mut counts);
    let places = counts.iter().filter(|&&counts| counts).count() + 1;
    if !counts_itself || places < demands.k(node) as usize {
        return false;
    }
    let larger = [members, &[node]].concat();
    satisfied(&larger, demands, rules).count() == larger.len()
}
