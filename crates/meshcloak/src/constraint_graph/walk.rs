//! Walking the streets within reach, and meeting the people there.
//!
//! People on one street walk together, a few at a time: what they look at is the same.

use super::Coverage;
use super::crowd::{Crowd, Person};
use super::near::{Back, Near, NearStreets};
use crate::distance::{Atlas, Crossing, Reached};
use crate::map::StreetId;
use crate::query::Query;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What all searches of a batch share.
pub(super) struct Walk<'a> {
    pub(super) atlas: &'a Atlas,
    pub(super) coverage: Coverage,
    pub(super) waiting: &'a [Query],
    pub(super) crowd: &'a Crowd,
    /// How many neighbours a node may keep.
    pub(super) most: usize,
}

/// What the searches of one portion found: for each node in turn how many neighbours, and which.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) counts: Vec<u32>,
    pub(super) later: Vec<u32>,
    met: [Vec<u32>; TOGETHER],
    near: Near,
}

/// Somebody who walks.
#[derive(Clone, Copy, Default)]
struct Walker {
    person: Person,
    node: u32,
    left: i32,
}

/// A street that walkers have come to, and the people there.
#[derive(Clone, Copy)]
struct Entered<'a> {
    reached: &'a Reached,
    back: Back,
    start: u32,
    people: &'a [Person],
}

/// So many people of a street walk together.
const TOGETHER: usize = 16;

/// After so many edges a portion says how many it has found.
const EDGES_OF_A_REPORT: usize = 1 << 16;

impl Walk<'_> {
    /// Everyone on `streets` searches, until `total` passes what may be kept.
    pub(super) fn run(&self, streets: Range<u32>, found: &mut Found, total: &AtomicUsize) {
        found.counts.clear();
        found.later.clear();
        let mut reported = 0;
        for street in streets.map(StreetId) {
            let (mut first, people) = self.crowd.on(street);
            if people.is_empty() {
                continue;
            }
            let farthest = people.iter().map(|person| self.left(street, *person)).max();
            let near = found.near.streets(self.atlas, street, farthest.unwrap_or(-1));
            for walkers in people.chunks(TOGETHER) {
                for (node, met) in (first..).zip(&mut found.met[..walkers.len()]) {
                    self.same_street(street, node, near.own, met);
                }
                self.other_streets(street, (first, walkers), &near, &mut found.met);
                first += walkers.len() as u32;
                for met in &mut found.met[..walkers.len()] {
                    met.truncate(self.most);
                    met.sort_unstable();
                    found.later.extend_from_slice(met);
                    found.counts.push(met.len() as u32);
                    met.clear();
                }
                let more = found.later.len() - reported;
                if more > EDGES_OF_A_REPORT {
                    reported += more;
                    if total.fetch_add(more, Ordering::Relaxed) + more > super::MOST_EDGES {
                        return;
                    }
                }
            }
        }
        total.fetch_add(found.later.len() - reported, Ordering::Relaxed);
    }

    /// How far somebody gets beyond the nearest exit of her street; below 0 if not even there.
    fn left(&self, street: StreetId, person: Person) -> i32 {
        let one_way = self.atlas.map().street(street).one_way;
        let leave = if one_way { person.to } else { person.from.min(person.to) };
        i32::from(person.dc) - i32::from(leave)
    }

    /// Neighbours on her own street: straight along, or round and back.
    fn same_street(&self, street: StreetId, node: u32, round: Crossing, met: &mut Vec<u32>) {
        let (first, people) = self.crowd.on(street);
        let at = (node - first) as usize;
        let distance = |a: usize, b: usize| {
            let along = self.along(street, first + a as u32, first + b as u32);
            along.min(u32::from(across(people[a], round, people[b])))
        };
        let a = people[at];
        for (place, &b) in people.iter().enumerate().skip(at + 1) {
            let within = distance(at, place) <= u32::from(a.dc)
                && distance(place, at) <= u32::from(self.way_back_limit(a, b));
            if within && self.are_two_people(node, a, first + place as u32, b) {
                met.push(first + place as u32);
            }
        }
    }

    /// How far it is from `a` to `b` along the street both are on, if its direction allows.
    fn along(&self, street: StreetId, a: u32, b: u32) -> u32 {
        let [at, there] = [a, b].map(|node| match self.crowd.person(node).from {
            u16::MAX => self.query(node).position.offset.units(),
            from => u32::from(from),
        });
        match there.checked_sub(at) {
            Some(ahead) => ahead,
            None if self.atlas.map().street(street).one_way => u32::MAX,
            None => at - there,
        }
    }

    /// For each of the walkers everyone on other streets within her reach who comes after her.
    fn other_streets(
        &self,
        street: StreetId,
        (first, walkers): (u32, &[Person]),
        near: &NearStreets<'_>,
        met: &mut [Vec<u32>],
    ) {
        let mut room = [Walker::default(); TOGETHER];
        for ((walker, &person), node) in room.iter_mut().zip(walkers).zip(first..) {
            *walker = Walker { person, node, left: self.left(street, person) };
        }
        let walkers = &room[..walkers.len()];
        let farthest = walkers.iter().map(|walker| walker.left).max().unwrap_or(-1);
        for (row, back) in near.parts {
            for (entry, reached) in row.iter().enumerate() {
                if i32::from(reached.nearest) > farthest {
                    if near.sorted {
                        return; // from here on everything is too far
                    }
                    continue;
                }
                let (start, people) = self.crowd.on(reached.street);
                if people.last().is_some_and(|last| last.is_after(walkers[0].person)) {
                    let back = back.map_or(near.otherwise, |back| Back::Known(back[entry]));
                    self.greet(walkers, Entered { reached, back, start, people }, met);
                }
            }
        }
    }

    /// Everyone on a street that `walkers` have come to.
    #[inline]
    fn greet(&self, walkers: &[Walker], street: Entered<'_>, met: &mut [Vec<u32>]) {
        let Entered { reached, back, start, people } = street;
        for (walker, met) in walkers.iter().zip(met) {
            let Walker { person: a, node, left } = *walker;
            if i32::from(reached.nearest) > left {
                continue;
            }
            let (to_from, to_to) = to_ends(a, reached.crossing);
            let after = people.iter().enumerate().rev().take_while(|(_, b)| b.is_after(a));
            for (place, &b) in after {
                let there = to_from.saturating_add(b.from).min(to_to.saturating_add(b.to));
                let other = start + place as u32;
                let returns = || match back {
                    Back::Same => true,
                    Back::Known(back) => across(b, back, a) <= self.way_back_limit(a, b),
                    Back::Unknown => self.returns(other, node, self.way_back_limit(a, b)),
                };
                if there <= a.dc && returns() && self.are_two_people(node, a, other, b) {
                    met.push(other);
                }
            }
        }
    }

    fn query(&self, node: u32) -> &Query {
        &self.waiting[self.crowd.places()[node as usize] as usize]
    }

    /// Whether the way from one node to another is no longer than `limit`.
    fn returns(&self, from: u32, to: u32, limit: u16) -> bool {
        let [from, to] = [from, to].map(|node| self.query(node).position);
        self.atlas.distance(from, to).is_some_and(|way| way.units() <= u32::from(limit))
    }

    /// How long the way from `b` back to `a` may be; `a` has the smaller constraint.
    fn way_back_limit(&self, a: Person, b: Person) -> u16 {
        match self.coverage {
            Coverage::Own => b.dc,
            Coverage::Both => a.dc,
        }
    }

    fn are_two_people(&self, a_node: u32, a: Person, b_node: u32, b: Person) -> bool {
        a.user != b.user || self.query(a_node).user != self.query(b_node).user
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
