//! Groups that still meet every k without the members of any one other account.
//!
//! An account can invent users around a target: k − 1 of them and the target are k users. With this
//! rule the k of a node must be met (docs/SPEC.md §6, [`Matching`]) by the group that is left after
//! the members of any one account, except the node's own, are removed.
//!
//! The rule is monotone: another member never lowers what is left after a removal. So a group has a
//! unique largest subset in which all are satisfied, and pruning in any order finds it. A group with
//! an unsatisfied member is first enlarged by free common neighbours, then pruned; nodes that were
//! pruned stay free. Groups are not maximal under this rule.

use super::groups::{FREE, Groups};
use super::local_search::Demands;
use super::matching::Matching;
use super::neighbours::Neighbours;
use super::roles::{RoleSets, RoleWords};
use crate::accounts::AccountId;
use crate::cliques::bitset::BitSet as _;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Applies the rule to all groups. `accounts` holds the account of each node.
pub(super) fn apply(
    groups: &mut Groups,
    graph: &Neighbours,
    demands: Demands<'_>,
    accounts: &[AccountId],
) {
    for group in 0..groups.used as u32 {
        let mut members = std::mem::take(&mut groups.members[group as usize]);
        let rule = AccountRule::new(graph, demands, accounts, &members);
        let all: Vec<u64> = Vec::full(members.len());
        if rule.satisfied(&all) != all {
            members.iter().for_each(|&node| groups.group_of[node as usize] = FREE);
            enlarge(groups, graph, &mut members);
            let kept = AccountRule::new(graph, demands, accounts, &members).pruned();
            members = kept.iter().map(|index| members[index]).collect();
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

/// The rule for the members of one group; bits are indices of members.
struct AccountRule {
    rows: Vec<Vec<u64>>,
    k: Vec<u32>,
    roles: Option<RoleSets<Vec<u64>>>,
    /// Members of each account.
    accounts: BTreeMap<AccountId, Vec<u64>>,
}

impl Matching for AccountRule {
    fn row(&self, index: usize) -> &[u64] {
        &self.rows[index]
    }

    fn k(&self, index: usize) -> u32 {
        self.k[index]
    }

    fn roles(&self) -> Option<RoleWords<'_>> {
        self.roles.as_ref().map(RoleSets::words)
    }
}

impl AccountRule {
    fn new(
        graph: &Neighbours,
        demands: Demands<'_>,
        accounts: &[AccountId],
        members: &[u32],
    ) -> AccountRule {
        let set_of = |is_member: &dyn Fn(u32) -> bool| {
            let mut set: Vec<u64> = Vec::empty(members.len());
            members.iter().enumerate().for_each(|(bit, &b)| set.insert_if(is_member(b), bit));
            set
        };
        let rows = members.iter().map(|&a| set_of(&|b| graph.counts(a, b))).collect();
        let k = members.iter().map(|&a| demands.k(a)).collect();
        let account = |node: u32| accounts[node as usize];
        let own = |&a: &u32| (account(a), set_of(&|b| account(b) == account(a)));
        let roles = RoleSets::of(demands.roles, members.len(), members.iter().copied().enumerate());
        AccountRule { rows, k, roles, accounts: members.iter().map(own).collect() }
    }

    /// Returns the members whose k is met without those of any one other account.
    fn satisfied(&self, members: &Vec<u64>) -> Vec<u64> {
        let mut satisfied = Matching::satisfied(self, members);
        for removed in self.accounts.values() {
            let mut met = Matching::satisfied(self, &members.without(removed));
            met.insert_all(removed);
            satisfied = satisfied.common(&met);
        }
        satisfied
    }

    /// Returns the largest subset in which all members are satisfied.
    fn pruned(&self) -> Vec<u64> {
        let mut members = Vec::full(self.k.len());
        loop {
            let satisfied = self.satisfied(&members);
            if satisfied == members {
                let is_valid = self.has_asking(&members);
                return if is_valid { members } else { Vec::empty(self.k.len()) };
            }
            members = satisfied;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CountingRule, Grouping};
    use super::*;
    use crate::constraint_graph::ConstraintGraph;
    use crate::naive;
    use crate::town::Town;
    use rand::RngExt as _;

    /// Reference: removes the members of each other account and tests the rest.
    fn is_safe(
        set: &[u32],
        k: &[u32],
        accounts: &[AccountId],
        counts: &impl Fn(u32, u32) -> bool,
    ) -> bool {
        let of = |node: u32| accounts[node as usize];
        let is_met = |left: &[u32], node: u32| {
            let places = naive::hiding_places(left, counts);
            let index = left.iter().position(|&other| other == node);
            index.is_some_and(|index| places[index].len() >= k[node as usize] as usize)
        };
        set.iter().all(|&node| {
            let others = accounts.iter().filter(|&&other| other != of(node));
            let left = |&removed: &AccountId| -> Vec<u32> {
                set.iter().copied().filter(|&member| of(member) != removed).collect()
            };
            is_met(set, node) && others.map(left).all(|left| is_met(&left, node))
        })
    }

    #[test]
    fn groups_survive_the_removal_of_any_one_other_account() {
        let (mut published, mut shrunk) = ([0, 0], [0, 0]);
        for seed in 0..1_500 {
            let graph = ConstraintGraph::random(seed);
            let mut random = Town::generator(seed);
            let nodes = graph.len();
            let k: Vec<u32> = (0..nodes).map(|_| random.random_range(2..=3)).collect();
            let accounts: Vec<AccountId> =
                (0..nodes).map(|_| AccountId(random.random_range(0..3))).collect();
            let demands = Demands { k: &k, worth: &vec![1; nodes], roles: &[] };
            let is_restricted = seed % 2 == 1;
            let relation: Vec<Vec<bool>> = (0..nodes)
                .map(|a| (0..nodes).map(|b| a == b || random.random_bool(0.7)).collect())
                .collect();
            let counts = |a: u32, b: u32| !is_restricted || relation[a as usize][b as usize];
            let rule = |node: u32, neighbours: &[u32], flags: &mut [bool]| {
                flags.iter_mut().zip(neighbours).for_each(|(flag, &b)| *flag = counts(node, b));
                true
            };
            let mut rules: Vec<CountingRule<'_>> = vec![Box::new(rule)];
            rules.truncate(usize::from(is_restricted));
            let mut grouping = Grouping::default();
            grouping.find(&graph, demands, &mut rules, 20_000);
            let before: Vec<Vec<u32>> = grouping.groups().map(<[u32]>::to_vec).collect();
            grouping.require_across_accounts(demands, &accounts);
            let mut seen = vec![false; nodes];
            for (group, before) in grouping.groups().zip(&before) {
                let what = format!("seed {seed}: {before:?} became {group:?}");
                assert!(
                    naive::is_clique(&graph, group) && is_safe(group, &k, &accounts, &counts),
                    "{what}"
                );
                assert!(
                    group.iter().all(|&node| !std::mem::replace(&mut seen[node as usize], true))
                );
                // No larger subset of the former group is safe.
                for set in 0..1_u32 << before.len() {
                    let chosen = (0..before.len()).filter(|bit| set >> bit & 1 == 1);
                    let subset: Vec<u32> = chosen.map(|index| before[index]).collect();
                    if is_safe(&subset, &k, &accounts, &counts) {
                        assert!(subset.iter().all(|node| group.contains(node)), "{what}");
                    }
                }
                published[seed as usize % 2] += group.len();
                shrunk[seed as usize % 2] += usize::from(group.len() < before.len());
            }
            for node in 0..nodes as u32 {
                assert_eq!(grouping.group_of(node).is_some(), seen[node as usize], "seed {seed}");
            }
        }
        assert!(published.iter().all(|&count| count > 150), "{published:?} published");
        assert!(shrunk.iter().all(|&count| count > 100), "{shrunk:?} shrunk");
    }
}
