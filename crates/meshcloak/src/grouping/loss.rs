//! What groups that lie partly inside a clique lose when members leave them and all members count for
//! each other.
//!
//! ```text
//! members  | group a          | group b   | …      LossMember by descending k, copied once per clique
//! parts      a, 0..5            b, 5..8     …
//! ```
//!
//! An offer evaluates several numbers of members of each group at several levels. The copies hold all
//! that this reads, so that k, worth and membership are looked up once.

use super::groups::Groups;
use super::local_search::Demands;
use crate::stamps::Stamps;
use std::ops::Range;

/// Members of the groups that lie partly inside a clique.
#[derive(Clone, Debug, Default)]
pub(super) struct PartlyInside {
    members: Vec<LossMember>,
    parts: Vec<(u32, Range<usize>)>,
    /// Members of the clique.
    in_clique: Stamps<()>,
}

/// Member of a group.
#[derive(Clone, Copy, Debug)]
struct LossMember {
    node: u32,
    k: u32,
    worth: u32,
    in_clique: bool,
    asks: bool,
}

/// Cost of taking `taken` members from a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct TakeOption {
    pub(super) group: u32,
    pub(super) taken: u32,
    pub(super) cost: i64,
}

impl LossMember {
    /// Whether an offer of this level may take the member.
    #[inline]
    fn is_eligible(self, level: u32) -> bool {
        self.in_clique & (self.k <= level)
    }
}

impl PartlyInside {
    /// Loads some groups that have members in a clique and others outside.
    pub(super) fn load(
        &mut self,
        clique: &[u32],
        partly_inside: impl Iterator<Item = u32>,
        groups: &Groups,
        demands: Demands<'_>,
    ) {
        let PartlyInside { members, parts, in_clique } = self;
        in_clique.clear(groups.group_of.len());
        for &node in clique {
            in_clique.insert(node as usize, ());
        }
        members.clear();
        parts.clear();
        for group in partly_inside {
            let start = members.len();
            members.extend(groups.members[group as usize].iter().map(|&node| LossMember {
                node,
                k: demands.k(node),
                worth: demands.worth[node as usize],
                in_clique: in_clique.get(node as usize).is_some(),
                asks: demands.asks(node),
            }));
            parts.push((group, start..members.len()));
        }
    }

    /// Lists the cost of taking 1, 2, … members, at most `missing`, from each group: the worth of the
    /// members that the group then loses. Members with the largest k are taken first. Lists nothing
    /// if the groups have fewer than `missing` members to take.
    pub(super) fn list_options(&self, level: u32, missing: u32, options: &mut Vec<TakeOption>) {
        options.clear();
        let count = |members: &[LossMember]| {
            members.iter().map(|member| u32::from(member.is_eligible(level))).sum::<u32>()
        };
        if count(&self.members) < missing {
            return;
        }
        for (group, range) in &self.parts {
            let members = &self.members[range.clone()];
            for taken in 1..=count(members).min(missing) {
                let cost = cost_of(members, taken, level);
                options.push(TakeOption { group: *group, taken, cost });
            }
        }
    }

    /// Appends the members that an offer takes from a group.
    pub(super) fn take(&self, group: u32, taken: u32, level: u32, nodes: &mut Vec<u32>) {
        let part = self.parts.iter().find(|part| part.0 == group);
        let members = part.map_or(&[][..], |(_, range)| &self.members[range.clone()]);
        let eligible = members.iter().filter(|member| member.is_eligible(level));
        let present = eligible.clone().filter(|member| !member.asks);
        let asking = eligible.filter(|member| member.asks);
        nodes.extend(present.chain(asking).take(taken as usize).map(|member| member.node));
    }
}

/// Returns the worth of the members that a group loses in addition when `taken` eligible members leave:
/// the first present ones, then the first that ask.
fn cost_of(members: &[LossMember], taken: u32, level: u32) -> i64 {
    if members.iter().any(|member| !member.asks) {
        return cost_with_present(members, taken, level);
    }
    let mut to_take = taken;
    let mut size = members.len() as u32 - taken;
    if members.first().is_some_and(|largest| largest.k <= size) {
        return 0;
    }
    let mut cost = 0;
    for member in members {
        if to_take > 0 && member.is_eligible(level) {
            to_take -= 1;
        } else if member.k > size {
            size -= 1;
            cost += i64::from(member.worth);
        } else if to_take == 0 {
            break;
        }
    }
    cost
}

/// The same if some members do not ask. A group without a member that asks loses all.
fn cost_with_present(members: &[LossMember], taken: u32, level: u32) -> i64 {
    let is_present = |member: &&LossMember| !member.asks && member.is_eligible(level);
    let mut present = (members.iter().filter(is_present).count() as u32).min(taken);
    let mut asking = taken - present;
    let mut size = members.len() as u32 - taken;
    let (mut cost, mut kept, mut has_asking) = (0, 0, false);
    for member in members {
        let to_take = if member.asks { &mut asking } else { &mut present };
        if *to_take > 0 && member.is_eligible(level) {
            *to_take -= 1;
        } else if member.k > size {
            size -= 1;
            cost += i64::from(member.worth);
        } else {
            kept += i64::from(member.worth);
            has_asking |= member.asks;
        }
    }
    if has_asking { cost } else { cost + kept }
}
