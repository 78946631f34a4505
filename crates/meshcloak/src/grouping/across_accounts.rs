//! Groups that still meet every k without the members of any one other account.
//!
//! An account can invent users around a target: k − 1 of them and the target are k users. With this
//! rule the members that count for a node must reach its k after those of any one account, except
//! the node's own, are removed.
//!
//! The rule is monotone: another member never lowers what is left after a removal. So a group has a
//! unique largest subset in which all are satisfied, and pruning in any order finds it. A group with
//! an unsatisfied member is first enlarged by free common neighbours, then pruned; nodes that were
//! pruned stay free. Groups are not maximal under this rule.

use super::groups::{FREE, Groups};
use super::local_search::Demands;
use super::neighbours::Neighbours;
use crate::accounts::AccountId;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Applies the rule to all groups. `accounts` holds the account of each node.
pub(super) fn apply(
    groups: &mut Groups,
    graph: &Neighbours,
    demands: Demands<'_>,
    accounts: &[AccountId],
) {
    for group in 0..groups.used as u32 {
        let mut members = std::mem::take(&mut groups.members[group as usize]);
        if !members.iter().all(|&node| is_met(graph, demands, accounts, &members, node)) {
            members.iter().for_each(|&node| groups.group_of[node as usize] = FREE);
            enlarge(groups, graph, &mut members);
            prune(graph, demands, accounts, &mut members);
            members.sort_by_key(|&node| (Reverse(demands.k(node)), node));
            members.iter().for_each(|&node| groups.group_of[node as usize] = group);
        }
        groups.members[group as usize] = members;
    }
}

/// Adds free nodes that are neighbours of all members, in ascending order.
fn enlarge(groups: &Groups, graph: &Neighbours, members: &mut Vec<u32>) {
    let Some(&first) = members.first() else { return };
    for &node in graph.of(first) {
        let row = graph.of(node);
        let is_free = groups.group_of[node as usize] == FREE && !members.contains(&node);
        if is_free && members.iter().all(|member| row.binary_search(member).is_ok()) {
            members.push(node);
        }
    }
}

/// Removes unsatisfied members until none is left.
fn prune(graph: &Neighbours, demands: Demands<'_>, accounts: &[AccountId], members: &mut Vec<u32>) {
    let is_short = |members: &[u32], &node: &u32| !is_met(graph, demands, accounts, members, node);
    while let Some(index) = members.iter().position(|node| is_short(members, node)) {
        members.remove(index);
    }
}

/// Whether the k of a member is met without the members of any one other account.
fn is_met(
    graph: &Neighbours,
    demands: Demands<'_>,
    accounts: &[AccountId],
    members: &[u32],
    node: u32,
) -> bool {
    let mut by_account: FxHashMap<AccountId, u32> = FxHashMap::default();
    let mut count = 0;
    for &other in members.iter().filter(|&&other| graph.counts(node, other)) {
        count += 1;
        if accounts[other as usize] != accounts[node as usize] {
            *by_account.entry(accounts[other as usize]).or_default() += 1;
        }
    }
    count - by_account.into_values().max().unwrap_or(0) >= demands.k(node)
}

#[cfg(test)]
mod tests {
    use super::super::Grouping;
    use super::*;
    use crate::constraint_graph::ConstraintGraph;
    use crate::naive;
    use crate::town::Town;
    use rand::RngExt as _;

    /// Reference: removes the members of each other account and counts the rest.
    fn is_safe(set: &[u32], k: &[u32], accounts: &[AccountId]) -> bool {
        let of = |node: u32| accounts[node as usize];
        set.iter().all(|&node| {
            accounts.iter().filter(|&&other| other != of(node)).all(|&removed| {
                let left = set.iter().filter(|&&member| of(member) != removed).count();
                left >= k[node as usize] as usize
            }) && set.len() >= k[node as usize] as usize
        })
    }

    #[test]
    fn groups_survive_the_removal_of_any_one_other_account() {
        let (mut published, mut shrunk) = (0, 0);
        for seed in 0..1_500 {
            let graph = ConstraintGraph::random(seed);
            let mut random = Town::generator(seed);
            let nodes = graph.len();
            let k: Vec<u32> = (0..nodes).map(|_| random.random_range(2..=3)).collect();
            let accounts: Vec<AccountId> =
                (0..nodes).map(|_| AccountId(random.random_range(0..3))).collect();
            let demands = Demands { k: &k, worth: &vec![1; nodes] };
            let mut grouping = Grouping::default();
            grouping.find(&graph, demands, &mut [], 20_000);
            let before: Vec<Vec<u32>> = grouping.groups().map(<[u32]>::to_vec).collect();
            grouping.require_across_accounts(demands, &accounts);
            let mut seen = vec![false; nodes];
            for (group, before) in grouping.groups().zip(&before) {
                let what = format!("seed {seed}: {before:?} became {group:?}");
                assert!(naive::is_clique(&graph, group) && is_safe(group, &k, &accounts), "{what}");
                assert!(
                    group.iter().all(|&node| !std::mem::replace(&mut seen[node as usize], true))
                );
                // No larger subset of the former group is safe.
                for set in 0..1_u32 << before.len() {
                    let chosen = (0..before.len()).filter(|bit| set >> bit & 1 == 1);
                    let subset: Vec<u32> = chosen.map(|index| before[index]).collect();
                    if is_safe(&subset, &k, &accounts) {
                        assert!(subset.iter().all(|node| group.contains(node)), "{what}");
                    }
                }
                published += group.len();
                shrunk += usize::from(group.len() < before.len());
            }
            for node in 0..nodes as u32 {
                assert_eq!(grouping.group_of(node).is_some(), seen[node as usize], "seed {seed}");
            }
        }
        assert!(published > 500 && shrunk > 300, "{published} published, {shrunk} shrunk");
    }
}
