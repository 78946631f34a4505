//! Walking the streets within reach, and meeting the people there.
//!
//! People on one street walk together: whom they may meet is gathered once for all of them.

use super::Coverage;
use super::around::{Around, SixtyFour, WORD};
use super::crowd::{Crowd, Person};
use super::hits::{Hits, Notes};
use super::later::Later;
use super::near::{Near, NearStreets, WaysBack};
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
    pub(super) later: Later,
    near: Near,
    hits: Hits,
    around: Around,
}

/// The street that people walk from.
#[derive(Clone, Copy)]
pub(super) struct Home<'a> {
    street: StreetId,
    pub(super) one_way: bool,
    /// The node of the first.
    pub(super) first: u32,
    pub(super) people: &'a [Person],
}

impl Home<'_> {
    /// How far somebody gets beyond its nearest exit; below 0 if not even there.
    fn left(self, person: Person) -> i32 {
        let leave = if self.one_way { person.to } else { person.from.min(person.to) };
        i32::from(person.dc) - i32::from(leave)
    }
}

/// The entry that stands for the street itself.
const HOME: u32 = u32::MAX;

/// After so many edges a portion says how many it has found.
const EDGES_OF_A_REPORT: usize = 1 << 16;

/// How much was found, as far as others know of it.
struct Report<'a> {
    total: &'a AtomicUsize,
    reported: usize,
}

impl Report<'_> {
    /// Tells others how much there is; whether that is more than may be kept.
    fn is_too_much(&mut self, later: &Later) -> bool {
        let more = later.len() - self.reported;
        self.reported = later.len();
        self.total.fetch_add(more, Ordering::Relaxed) + more > super::MOST_EDGES
    }
}

impl Walk<'_> {
    /// Everyone on `streets` searches, until `total` passes what may be kept.
    pub(super) fn run(&self, streets: Range<u32>, found: &mut Found, total: &AtomicUsize) {
        found.counts.clear();
        found.later.clear();
        let mut report = Report { total, reported: 0 };
        for street in streets.map(StreetId) {
            let (first, people) = self.crowd.on(street);
            if people.is_empty() {
                continue;
            }
            let one_way = self.atlas.map().street(street).one_way;
            let home = Home { street, one_way, first, people };
            let Found { counts, later, near, hits, around } = found;
            let farthest = people.iter().map(|person| home.left(*person)).max().unwrap_or(-1);
            let near = near.streets(self.atlas, street, farthest);
            self.look_around(home, &near, hits, around);
            for place in 0..people.len() {
                let before = later.len();
                self.greet_all(home, &near, (place, around), later);
                if self.is_crush() {
                    later.keep(before, self.most);
                }
                counts.push((later.len() - before) as u32);
                if later.len() - report.reported > EDGES_OF_A_REPORT && report.is_too_much(later) {
                    return;
                }
            }
        }
        report.is_too_much(&found.later);
    }

    /// Everyone on other streets whom somebody of this one may meet, no farther than a walker gets
    /// who comes before her; and everyone of this one.
    fn look_around(
        &self,
        home: Home<'_>,
        near: &NearStreets<'_>,
        hits: &mut Hits,
        around: &mut Around,
    ) {
        let [(row, back), (far_row, far_back)] = near.parts;
        hits.take_down(row.len() + far_row.len() + 1, |notes| {
            notes.note(home.street, HOME, true);
            self.walk(home, near, notes);
        });
        let near_count = row.len() as u32;
        around.clear();
        let add = |entry: u32| {
            if entry == HOME {
                around.add_own(self.crowd.range(home.street));
                return;
            }
            let (row, back, entry) = match entry.checked_sub(near_count) {
                Some(entry) => (far_row, far_back, entry as usize),
                None => (row, back, entry as usize),
            };
            let Reached { street, crossing, .. } = row[entry];
            let (people, back) = (self.crowd.range(street), back.map(|back| back[entry]));
            around.add(self.crowd.lanes(), people, crossing, back);
        };
        if self.is_crush() {
            hits.as_found().iter().copied().for_each(add);
        } else {
            hits.sort();
            hits.by_street().for_each(add);
        }
        around.close();
    }

    /// Notes the streets where somebody may be met.
    #[inline]
    fn walk(&self, home: Home<'_>, near: &NearStreets<'_>, notes: &mut Notes<'_>) {
        let mut walkers = home.people.iter();
        let Some(first) = walkers.next() else { return };
        let (mut dc, mut farthest) = (first.dc, home.left(*first));
        let mut entry = 0;
        for (row, _) in near.parts {
            for reached in row {
                while i32::from(reached.nearest) > farthest && near.sorted {
                    // She gets no farther, nor whoever came before her.
                    let Some(next) = walkers.next() else { return };
                    (dc, farthest) = (next.dc, home.left(*next));
                }
                let somebody = self.crowd.largest_dc(reached.street) >= dc;
                notes.note(reached.street, entry, somebody);
                entry += 1;
            }
        }
    }

    /// Whether nodes may keep some of their neighbours only: then the nearest.
    fn is_crush(&self) -> bool {
        self.most < super::MOST_EDGES
    }

    /// Somebody notes her neighbours.
    #[inline(always)]
    fn greet_all(
        &self,
        home: Home<'_>,
        near: &NearStreets<'_>,
        (place, around): (usize, &Around),
        later: &mut Later,
    ) {
        later.make_room(around.len());
        let (own, person) = (around.own(), home.people[place]);
        for word in 0..around.len().div_ceil(WORD) {
            let some = around.word(word);
            let start = own.start.max(some.first);
            let end = own.end.min(some.first + WORD).max(start);
            let others = start - own.start..end - own.start;
            let others = self.on_street(home, near, place, others);
            let mut met = match near.ways_back {
                WaysBack::Known => {
                    some.within_and_back(person, self.coverage.farthest_back(person.dc))
                }
                _ => some.within(person),
            };
            met |= others << ((start - some.first) % WORD);
            let walker = (home.first + place as u32, person);
            self.greet(walker, (near.ways_back, around), (met, some), later);
        }
    }

    /// Of those whom she can meet, notes everyone who comes after her.
    #[inline]
    fn greet(
        &self,
        (node, a): (u32, Person),
        (ways_back, around): (WaysBack, &Around),
        (mut met, some): (u64, SixtyFour<'_>),
        later: &mut Later,
    ) {
        while met != 0 {
            let lane = met.trailing_zeros() as usize;
            let other = some.nodes[lane];
            let b = self.crowd.person(other);
            let returns = || match ways_back {
                WaysBack::Same | WaysBack::Known => true,
                WaysBack::Unknown => {
                    around.own().contains(&(some.first + lane))
                        || self.returns((other, b), (node, a))
                }
            };
            let wanted = b.is_after(a) && returns() && self.are_two_people(node, a, other, b);
            later.push_if(wanted, other);
            met &= met - 1;
        }
    }

    pub(super) fn query(&self, node: u32) -> &Query {
        &self.waiting[self.crowd.places()[node as usize] as usize]
    }

    /// Whether `b` can come back to `a`, who has the smaller constraint.
    fn returns(&self, (b_node, b): (u32, Person), (a_node, a): (u32, Person)) -> bool {
        let [from, to] = [b_node, a_node].map(|node| self.query(node).position);
        let limit = u32::from(b.dc.min(self.coverage.farthest_back(a.dc)));
        self.atlas.distance(from, to).is_some_and(|way| way.units() <= limit)
    }

    fn are_two_people(&self, a_node: u32, a: Person, b_node: u32, b: Person) -> bool {
        a.user != b.user || self.query(a_node).user != self.query(b_node).user
    }
}

/// How far it is from `a` to the `from` and the `to` end of another street.
#[inline(always)]
pub(super) fn to_ends(a: Person, crossing: Crossing) -> (u16, u16) {
    let [from_from, from_to, to_from, to_to] = crossing;
    (
        a.from.saturating_add(from_from).min(a.to.saturating_add(to_from)),
        a.from.saturating_add(from_to).min(a.to.saturating_add(to_to)),
    )
}

/// How far it is from `a` to `b` by leaving the one street and entering the other.
pub(super) fn across(a: Person, crossing: Crossing, b: Person) -> u16 {
    let (to_from, to_to) = to_ends(a, crossing);
    to_from.saturating_add(b.from).min(to_to.saturating_add(b.to))
}
