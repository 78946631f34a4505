//! What a group loses when members leave it and all members count for each other.

use super::local_search::Demands;

/// Returns the worth of the members that a group loses in addition when `taken` eligible members leave:
/// the first present ones, then the first that ask. `members` are in order of descending k.
pub(super) fn cost_of(
    members: &[u32],
    taken: u32,
    eligible: impl Fn(u32) -> bool,
    demands: Demands<'_>,
) -> i64 {
    if !demands.roles.is_empty() {
        return cost_with_present(members, taken, eligible, demands);
    }
    let mut to_take = taken;
    let mut size = members.len() - taken as usize;
    let mut cost = 0;
    for &node in members {
        if to_take > 0 && eligible(node) {
            to_take -= 1;
        } else if demands.k(node) as usize > size {
            size -= 1;
            cost += demands.worth(node);
        } else if to_take == 0 {
            break;
        }
    }
    cost
}

/// The same if some members do not ask. A group without a member that asks loses all.
fn cost_with_present(
    members: &[u32],
    taken: u32,
    eligible: impl Fn(u32) -> bool,
    demands: Demands<'_>,
) -> i64 {
    let is_present = |&&node: &&u32| !demands.asks(node) && eligible(node);
    let mut present = (members.iter().filter(is_present).count() as u32).min(taken);
    let mut asking = taken - present;
    let mut size = members.len() - taken as usize;
    let (mut cost, mut kept, mut has_asking) = (0, 0, false);
    for &node in members {
        let asks = demands.asks(node);
        let to_take = if asks { &mut asking } else { &mut present };
        if *to_take > 0 && eligible(node) {
            *to_take -= 1;
        } else if demands.k(node) as usize > size {
            size -= 1;
            cost += demands.worth(node);
        } else {
            kept += demands.worth(node);
            has_asking |= asks;
        }
    }
    if has_asking { cost } else { cost + kept }
}
