//! Walking the streets within reach, and meeting the people there.
//!
//! People on one street walk together, a few at a time: what they look at is the same.

use super::Coverage;
use super::crowd::{Crowd, Order, Person};
use crate::distance::{Atlas, Crossing, Reach, Rows};
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
    met: [Vec<u32>; TOGETHER],
}

/// So many people of a street walk together.
const TOGETHER: usize = 16;

impl Walk<'_> {
    /// Everyone on `streets` searches, until `total` passes what may be kept.
    pub(super) fn run(&self, streets: Range<u32>, found: &mut Found, total: &AtomicUsize) {
        found.counts.clear();
        found.later.clear();
        for street in streets.map(StreetId) {
            for walkers in self.crowd.on(street).chunks(TOGETHER) {
                self.meet(street, walkers, &mut found.met);
                let start = found.later.len();
                for (walker, met) in walkers.iter().zip(&mut found.met) {
                    met.truncate(self.most);
                    met.sort_unstable();
                    found.later.extend_from_slice(met);
                    found.counts.push((walker.node, met.len() as u32));
                    met.clear();
                }
                let count = found.later.len() - start;
                if total.fetch_add(count, Ordering::Relaxed) + count > super::MOST_EDGES {
                    return;
                }
            }
        }
    }

    /// For each of `walkers` everyone within her reach who comes after her.
    fn meet(&self, street: StreetId, walkers: &[Person], met: &mut [Vec<u32>]) {
        match self.atlas.rows() {
            Rows::Streets(reach) => {
                for (walker, met) in walkers.iter().zip(&mut *met) {
                    self.same_street(street, *walker, reach.own(street), met);
                }
                self.other_streets(street, walkers, reach, met);
            }
            Rows::Terminals(rows) => {
                for (walker, met) in walkers.iter().zip(met) {
                    self.by_terminals(street, *walker, rows, met);
                }
            }
        }
    }

    /// Neighbours on her own street: straight along, or round and back.
    fn same_street(&self, street: StreetId, a: Person, round: Crossing, met: &mut Vec<u32>) {
        let distance = |a, b| self.along(street, a, b).min(u32::from(across(a, round, b)));
        for &b in self.crowd.on(street).iter().rev().take_while(|b| b.node > a.node) {
            let within = distance(a, b) <= u32::from(a.dc)
                && distance(b, a) <= u32::from(self.way_back_limit(a, b));
            if within && self.are_two_people(a, b) {
                met.push(b.node);
            }
        }
    }

    /// How far it is from `a` to `b` along the street both are on, if its direction allows.
    pub(super) fn along(&self, street: StreetId, a: Person, b: Person) -> u32 {
        let [at, there] = [a, b].map(|person| match person.from {
            u16::MAX => self.query(person.node).position.offset.units(),
            from => u32::from(from),
        });
        match there.checked_sub(at) {
            Some(ahead) => ahead,
            None if self.atlas.map().street(street).one_way => u32::MAX,
            None => at - there,
        }
    }

    fn other_streets(
        &self,
        street: StreetId,
        walkers: &[Person],
        reach: &Reach,
        met: &mut [Vec<u32>],
    ) {
        let back = reach.row_back(street);
        let one_way = self.atlas.map().street(street).one_way;
        // Less than nothing is left to whoever does not even get to the end of her street.
        let mut left = [0; TOGETHER];
        for (left, a) in left.iter_mut().zip(walkers) {
            let leave = if one_way { a.to } else { a.from.min(a.to) };
            *left = i32::from(a.dc) - i32::from(leave);
        }
        let left = &left[..walkers.len()];
        let farthest = left.iter().copied().max().unwrap_or(-1);
        let first = walkers.first().map_or(0, |walker| walker.node);
        for (entry, reached) in reach.row(street).iter().enumerate() {
            let nearest = i32::from(reached.nearest);
            if nearest > farthest {
                break; // nearest first: from here on everything is too far
            }
            let people = self.crowd.on(reached.street);
            if people.last().is_none_or(|last| last.node < first) {
                continue;
            }
            for ((&a, &left), met) in walkers.iter().zip(left).zip(&mut *met) {
                if nearest > left {
                    continue;
                }
                let (to_from, to_to) = to_ends(a, reached.crossing);
                for &b in people.iter().rev().take_while(|b| b.node > a.node) {
                    let there = to_from.saturating_add(b.from).min(to_to.saturating_add(b.to));
                    let returns =
                        |back: &[Crossing]| across(b, back[entry], a) <= self.way_back_limit(a, b);
                    if there <= a.dc && back.is_none_or(returns) && self.are_two_people(a, b) {
                        met.push(b.node);
                    }
                }
            }
        }
    }

    pub(super) fn query(&self, node: u32) -> &Query {
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
        a.user != b.user || self.query(a.node).user != self.query(b.node).user
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
