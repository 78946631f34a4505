//! Walking the streets within reach, and meeting the people there.

use super::Coverage;
use super::crowd::{Crowd, Order, Person};
use crate::distance::{Atlas, Crossing, Reach, Rows, TerminalRows};
use crate::map::{Position, StreetId};
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
                self.meet(street, person, &mut found.later);
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

    /// Everyone within her reach who comes after her.
    fn meet(&self, street: StreetId, a: Person, later: &mut Vec<u32>) {
        match self.atlas.rows() {
            Rows::Streets(reach) => {
                self.same_street(street, a, reach.own(street), later);
                self.other_streets(street, a, reach, later);
            }
            Rows::Terminals(rows) => self.by_terminals(street, a, rows, later),
        }
    }

    /// Neighbours on her own street: straight along, or round and back.
    fn same_street(&self, street: StreetId, a: Person, round: Crossing, later: &mut Vec<u32>) {
        let distance = |a, b| self.along(street, a, b).min(u32::from(across(a, round, b)));
        for &b in self.crowd.on(street).iter().rev().take_while(|b| b.node > a.node) {
            let within = distance(a, b) <= u32::from(a.dc)
                && distance(b, a) <= u32::from(self.way_back_limit(a, b));
            if within && self.are_two_people(a, b) {
                later.push(b.node);
            }
        }
    }

    /// How far it is from `a` to `b` along the street both are on, if its direction allows.
    fn along(&self, street: StreetId, a: Person, b: Person) -> u32 {
        match b.offset.checked_sub(a.offset) {
            Some(ahead) => ahead,
            None if self.atlas.map().street(street).one_way => u32::MAX,
            None => a.offset - b.offset,
        }
    }

    fn other_streets(&self, street: StreetId, a: Person, reach: &Reach, later: &mut Vec<u32>) {
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

    /// The same by rows of terminals: each exit is walked on its own, so somebody may be met
    /// several times, and the way back is looked up in the matrix.
    fn by_terminals(&self, street: StreetId, a: Person, rows: &TerminalRows, later: &mut Vec<u32>) {
        let map = self.atlas.map();
        let start = later.len();
        let on_her_street = self.crowd.on(street).iter().filter(|b| b.node > a.node);
        let along = on_her_street.filter(|b| self.along(street, a, **b) <= u32::from(a.dc));
        later.extend(along.map(|b| b.node));
        for (exit, leave) in map.exits(self.position(a)) {
            let left = u32::from(a.dc).checked_sub(leave.units());
            let row = rows.row(exit).iter();
            for &(terminal, across) in row.take_while(|row| Some(u32::from(row.1)) <= left) {
                let left = left.unwrap_or(0) - u32::from(across);
                for arm in map.leaving(terminal) {
                    let entered = map.street(arm.street);
                    // One may enter at both ends here if the street is a loop.
                    let at_from = entered.from == terminal;
                    let at_to = entered.to == terminal && !entered.one_way;
                    for &b in self.crowd.on(arm.street).iter().rev().take_while(|b| b.node > a.node)
                    {
                        let near = (at_from && u32::from(b.from) <= left)
                            || (at_to && u32::from(b.to) <= left);
                        if near {
                            later.push(b.node);
                        }
                    }
                }
            }
        }
        later[start..].sort_unstable();
        let met = later.split_off(start);
        let mut last = u32::MAX;
        for node in met {
            if node != last && self.is_neighbour(a, node) {
                later.push(node);
            }
            last = node;
        }
    }

    /// Whether somebody whom `a` reaches is another person and reaches her in turn.
    fn is_neighbour(&self, a: Person, node: u32) -> bool {
        let [hers, other] = [a.node, node].map(|node| self.query(node));
        let limit = match self.coverage {
            Coverage::Own => other.distance_constraint,
            Coverage::Both => hers.distance_constraint,
        };
        hers.user != other.user
            && self.atlas.distance(other.position, hers.position).is_some_and(|d| d <= limit)
    }

    fn position(&self, a: Person) -> Position {
        self.query(a.node).position
    }

    fn query(&self, node: u32) -> &Query {
        &self.waiting[self.order.nodes[node as usize] as usize]
    }

    /// How long the way from `b` back to `a` may be; `a` has the smaller constraint.
    fn way_back_limit(&self, a: Person, b: Person) -> u16 {
        match self.coverage {
            Coverage::Own => b.dc,
            Coverage::Both => a.dc,
        }
    }

    fn are_two_people(&self, a: Person, b: Person) -> bool {
        self.query(a.node).user != self.query(b.node).user
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
