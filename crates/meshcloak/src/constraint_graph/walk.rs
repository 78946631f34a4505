//! Walking the streets within reach, and meeting the people there.
//!
//! People on one street walk together: whom they may meet is gathered once for all of them.

use super::Coverage;
use super::around::Around;
use super::crowd::{Crowd, Person};
use super::near::{Near, NearStreets, WaysBack};
use crate::distance::{Atlas, BEYOND, Crossing};
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
    near: Near,
    around: Around,
}

/// The street that people walk from.
#[derive(Clone, Copy)]
struct Home {
    street: StreetId,
    one_way: bool,
}

impl Home {
    /// How far somebody gets beyond its nearest exit; below 0 if not even there.
    fn left(self, person: Person) -> i32 {
        let leave = if self.one_way { person.to } else { person.from.min(person.to) };
        i32::from(person.dc) - i32::from(leave)
    }
}

/// After so many edges a portion says how many it has found.
const EDGES_OF_A_REPORT: usize = 1 << 16;

impl Walk<'_> {
    /// Everyone on `streets` searches, until `total` passes what may be kept.
    pub(super) fn run(&self, streets: Range<u32>, found: &mut Found, total: &AtomicUsize) {
        found.counts.clear();
        found.later.clear();
        let mut reported = 0;
        for street in streets.map(StreetId) {
            let (first, people) = self.crowd.on(street);
            if people.is_empty() {
                continue;
            }
            let home = Home { street, one_way: self.atlas.map().street(street).one_way };
            let farthest = people.iter().map(|person| home.left(*person)).max();
            let farthest = farthest.unwrap_or(-1);
            let near = found.near.streets(self.atlas, street, farthest);
            self.look_around(home, &near, people, &mut found.around);
            for (place, &person) in people.iter().enumerate() {
                let (node, met) = (first + place as u32, &mut found.later);
                let before = met.len();
                let others = (node + 1, &people[place + 1..]);
                self.same_street((home, near.own), (node, person), others, met);
                self.greet((node, person), near.ways_back, &found.around, met);
                met.truncate(before.saturating_add(self.most));
                met[before..].sort_unstable();
                found.counts.push((met.len() - before) as u32);
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

    /// Neighbours on her own street, of those who come after her: straight along, or round and
    /// back.
    #[inline]
    fn same_street(
        &self,
        (Home { street, one_way }, round): (Home, Crossing),
        (node, a): (u32, Person),
        (first, others): (u32, &[Person]),
        met: &mut Vec<u32>,
    ) {
        for (other, &b) in (first..).zip(others) {
            let straight =
                !one_way && a.from.abs_diff(b.from) <= a.dc && a.from.max(b.from) < BEYOND;
            let within = straight || {
                let way =
                    |(a, x), (b, y)| self.along(street, a, b).min(u32::from(across(x, round, y)));
                way((node, a), (other, b)) <= u32::from(a.dc)
                    && way((other, b), (node, a)) <= u32::from(self.way_back_limit(a, b))
            };
            if within && self.are_two_people(node, a, other, b) {
                met.push(other);
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

    /// Everyone on other streets whom somebody of this one may meet: no farther than a walker gets
    /// who comes before her.
    fn look_around(
        &self,
        home: Home,
        near: &NearStreets<'_>,
        mut walkers: &[Person],
        around: &mut Around,
    ) {
        around.clear();
        let Some(mut first) = walkers.first().copied() else { return };
        let mut farthest = home.left(first);
        for (row, back) in near.parts {
            for (entry, reached) in row.iter().enumerate() {
                while i32::from(reached.nearest) > farthest && near.sorted {
                    // She gets no farther, nor whoever came before her.
                    walkers = &walkers[1..];
                    let Some(next) = walkers.first() else { return };
                    (first, farthest) = (*next, home.left(*next));
                }
                if self.crowd.largest_dc(reached.street) < first.dc {
                    continue;
                }
                let (start, people) = self.crowd.on(reached.street);
                let back = back.map(|back| back[entry]);
                let after = people.iter().enumerate().rev();
                for (place, &b) in after.take_while(|(_, b)| b.is_after(first)) {
                    around.add(start + place as u32, b, reached.crossing, back);
                }
            }
        }
    }

    /// Everyone around whom she can meet, and who comes after her.
    #[inline]
    fn greet(
        &self,
        (node, a): (u32, Person),
        ways_back: WaysBack,
        around: &Around,
        met: &mut Vec<u32>,
    ) {
        around.within(a, |other, place| {
            let b = self.crowd.person(other);
            let returns = || match ways_back {
                WaysBack::Same => true,
                WaysBack::Known => across(b, around.back(place), a) <= self.way_back_limit(a, b),
                WaysBack::Unknown => self.returns(other, node, self.way_back_limit(a, b)),
            };
            if b.is_after(a) && returns() && self.are_two_people(node, a, other, b) {
                met.push(other);
            }
        });
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
