//! Walking the streets within reach, and meeting the people there.

use super::Coverage;
use super::crowd::{Crowd, Order, Person};
use crate::distance::{Atlas, Crossing};
use crate::map::StreetId;
use crate::query::Query;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What all searches of a batch share.
pub(super) struct Walk<'a> {
    pub(super) atlas: &'a Atlas,
    pub(super) coverage: Coverage,
    pub(super) waiting: &'a [Query],
    pub(super) order: &'a Order,
    pub(super) crowd: &'a Crowd,
    /// How many neighbours a node may keep.
    pub(super) most: usize,
}

/// What the searches of one portion found: for each node how many neighbours, and which.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) counts: Vec<(u32, u32)>,
    pub(super) later: Vec<u32>,
}

impl Walk<'_> {
    /// Everyone on `streets` searches, until `total` passes what may be kept.
    pub(super) fn run(&self, streets: Range<u32>, found: &mut Found, total: &AtomicUsize) {
        found.counts.clear();
        found.later.clear();
        for street in streets.map(StreetId) {
            for &person in self.crowd.on(street) {
                let start = found.later.len();
                self.same_street(street, person, &mut found.later);
                self.other_streets(street, person, &mut found.later);
                if found.later.len() - start > self.most {
                    found.later.truncate(start + self.most);
                }
                found.later[start..].sort_unstable();
                let count = found.later.len() - start;
                found.counts.push((person.node, count as u32));
                if total.fetch_add(count, Ordering::Relaxed) + count > super::MOST_EDGES {
                    return;
                }
            }
        }
    }

    /// Neighbours on her own street: straight along, or round and back.
    fn same_street(&self, street: StreetId, a: Person, later: &mut Vec<u32>) {
        let round = self.atlas.reach().own(street);
        let one_way = self.atlas.map().street(street).one_way;
        let along = |a: Person, b: Person| match b.offset.checked_sub(a.offset) {
            Some(ahead) => ahead,
            None if one_way => u32::MAX,
            None => a.offset - b.offset,
        };
        let distance = |a, b| along(a, b).min(u32::from(across(a, round, b)));
        for &b in self.crowd.on(street).iter().rev().take_while(|b| b.node > a.node) {
            let within = distance(a, b) <= u32::from(a.dc)
                && distance(b, a) <= u32::from(self.way_back_limit(a, b));
            if within && self.are_two_people(a, b) {
                later.push(b.node);
            }
        }
    }

    fn other_streets(&self, street: StreetId, a: Person, later: &mut Vec<u32>) {
        let reach = self.atlas.reach();
        let back = reach.row_back(street);
        let one_way = self.atlas.map().street(street).one_way;
        let leave = if one_way { a.to } else { a.from.min(a.to) };
        for (entry, reached) in reach.row(street).iter().enumerate() {
            if leave.saturating_add(reached.nearest) > a.dc {
                break; // nearest first: from here on everything is too far
            }
            let people = self.crowd.on(reached.street);
            if people.last().is_none_or(|last| last.node < a.node) {
                continue;
            }
            let (to_from, to_to) = to_ends(a, reached.crossing);
            for &b in people.iter().rev().take_while(|b| b.node > a.node) {
                let there = to_from.saturating_add(b.from).min(to_to.saturating_add(b.to));
                let within = there <= a.dc
                    && back
                        .is_none_or(|back| across(b, back[entry], a) <= self.way_back_limit(a, b));
                if within && self.are_two_people(a, b) {
                    later.push(b.node);
                }
            }
        }
    }

    /// How long the way from `b` back to `a` may be; `a` has the smaller constraint.
    fn way_back_limit(&self, a: Person, b: Person) -> u16 {
        match self.coverage {
            Coverage::Own => b.dc,
            Coverage::Both => a.dc,
        }
    }

    fn are_two_people(&self, a: Person, b: Person) -> bool {
        let user =
            |person: Person| self.waiting[self.order.nodes[person.node as usize] as usize].user;
        user(a) != user(b)
    }
}

/// How far it is from `a` to the `from` and the `to` end of another street.
fn to_ends(a: Person, crossing: Crossing) -> (u16, u16) {
    let [from_from, from_to, to_from, to_to] = crossing;
    (
        a.from.saturating_add(from_from).min(a.to.saturating_add(to_from)),
        a.from.saturating_add(from_to).min(a.to.saturating_add(to_to)),
    )
}

/// How far it is from `a` to `b` by leaving the one street and entering the other.
fn across(a: Person, crossing: Crossing, b: Person) -> u16 {
    let (to_from, to_to) = to_ends(a, crossing);
    to_from.saturating_add(b.from).min(to_to.saturating_add(b.to))
}
