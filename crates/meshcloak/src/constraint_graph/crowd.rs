//! The waiting people street by street: the nodes of the graph.
//!
//! So neighbours have numbers close to each other, and whoever works on the graph from the first
//! node to the last finds what it needs next where it has just been.

use super::PORTIONS;
use super::eights::Eights;
use super::share::Share;
use super::users::Users;
use crate::distance::{Atlas, BEYOND};
use crate::map::{StreetId, StreetMap};
use crate::query::{Member, MeshKey, Query, QueryId};
use crate::units::Length;
use rayon::prelude::*;
use std::ops::Range;

/// The people on each street, ascending by reach.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd {
    /// Where the people of each street begin.
    starts: Vec<u32>,
    people: Vec<Person>,
    eights: Eights,
    /// The largest reach on each street; 0 if nobody is there.
    largest: Vec<u16>,
    members: Vec<Member>,
    wanted: Vec<u16>,
    /// In the order of ids, what is asked of nodes later.
    entered: Vec<Entered>,
    users: Users,
    /// For each node, the place of its query in the waiting list.
    places: Vec<u32>,
    /// The waiting list in order of ids, should it not be in that order already.
    by_id: Vec<u32>,
}

/// Somebody on a street, as whoever searches meets her; lengths in 1/32 m.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Person {
    /// What the order on a street goes by: how far she gets, then her place in the order of ids.
    pub(super) key: u64,
    /// How far she is from the `from` end, as far as 16 bits can say.
    pub(super) from: u16,
    /// How far she is from the `to` end.
    pub(super) to: u16,
    /// Whether other queries may be hers as well.
    pub(super) may_be_again: bool,
}

/// What is not asked of somebody before her place is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entered {
    pub(super) id: QueryId,
    /// How far she is from the `from` end of her street.
    pub(super) offset: u32,
    /// How many people she wants, as far as 16 bits can say.
    pub(super) k: u16,
}

impl Person {
    /// Somebody who is still to stand where she is.
    fn new(query: &Query, rank: u32, may_be_again: bool) -> Person {
        // Nobody gets beyond what 16 bits can say, for nothing is known of what is there.
        let dc = short(query.distance_constraint.units()).min(BEYOND - 1);
        Person { key: u64::from(dc) << 32 | u64::from(rank), from: 0, to: 0, may_be_again }
    }

    /// Puts her on a street of that length.
    #[inline]
    pub(super) fn stand(&mut self, offset: u32, length: u32) {
        (self.from, self.to) = (short(offset), short(length.saturating_sub(offset)));
    }

    /// How far she gets.
    #[inline]
    pub(super) fn dc(self) -> u16 {
        (self.key >> 32) as u16
    }

    /// Her place in the order of ids.
    pub(super) fn rank(self) -> u32 {
        self.key as u32
    }

    /// How far she gets beyond the `from` end and beyond the `to` end of her street, plus one; 0 if
    /// not even there.
    #[inline]
    pub(super) fn left(self) -> [u16; 2] {
        [self.from, self.to].map(|leave| (self.dc() + 1).saturating_sub(leave))
    }
}

fn short(number: u32) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

impl Crowd {
    /// Sorts people by street, and on each street by (dc, id).
    pub(super) fn gather(&mut self, atlas: &Atlas, waiting: &[Query]) {
        let streets = atlas.map().street_count();
        self.starts.clear();
        self.starts.resize(streets + 2, 0);
        self.users.clear(waiting.len());
        for query in waiting {
            self.starts[query.position.street.index() + 2] += 1;
            self.users.meet(query.user);
        }
        for street in 0..streets {
            self.starts[street + 2] += self.starts[street + 1];
        }
        self.people.resize(waiting.len(), Person::default());
        self.entered.clear();
        self.by_id.clear();
        if waiting.is_sorted_by_key(|query| query.id) {
            (0..).zip(waiting).for_each(|(rank, query)| self.enter(rank, query));
        } else {
            self.by_id.extend(0..waiting.len() as u32);
            self.by_id.sort_by_key(|&place| waiting[place as usize].id);
            for rank in 0..waiting.len() {
                let query = &waiting[self.by_id[rank] as usize];
                self.enter(rank as u32, query);
            }
        }
        self.line_up(atlas.map());
    }

    #[inline(always)]
    fn enter(&mut self, rank: u32, query: &Query) {
        let slot = &mut self.starts[query.position.street.index() + 1];
        let may_be_again = self.users.may_be_again(query.user);
        self.people[*slot as usize] = Person::new(query, rank, may_be_again);
        *slot += 1;
        let offset = query.position.offset.units();
        self.entered.push(Entered { id: query.id, offset, k: short(query.k) });
    }

    /// Sorts the people of each street, and writes down what is asked of nodes; portion by portion,
    /// which threads share.
    fn line_up(&mut self, map: &StreetMap) {
        let streets = map.street_count();
        let nodes = self.people.len();
        let edges: [u32; PORTIONS + 1] = std::array::from_fn(|portion| self.edge(portion));
        self.largest.resize(streets, 0);
        self.wanted.resize(nodes, 0);
        self.places.resize(nodes, 0);
        let mesh_key = MeshKey { street: StreetId(0), dc: Length::ZERO };
        self.members.resize(nodes, Member { id: QueryId(0), mesh_key });
        let mut rest = Share {
            starts: &self.starts[..=streets],
            first: 0,
            people: &mut self.people,
            largest: &mut self.largest,
            members: &mut self.members,
            wanted: &mut self.wanted,
            places: &mut self.places,
            eights: self.eights.parts(streets, nodes),
        };
        let shares: [Share<'_>; PORTIONS] =
            std::array::from_fn(|portion| rest.split_off(edges[portion + 1]));
        let (entered, by_id) = (&self.entered, &self.by_id);
        let line_up = |share: Share<'_>| share.line_up(map, entered, by_id);
        if rayon::current_num_threads() == 1 {
            shares.into_iter().for_each(line_up);
        } else {
            shares.into_par_iter().for_each(line_up);
        }
    }

    /// The nodes on a street.
    #[inline]
    pub(super) fn range(&self, street: StreetId) -> Range<usize> {
        self.starts[street.index()] as usize..self.starts[street.index() + 1] as usize
    }

    /// The people on a street, and the node of the first.
    #[inline]
    pub(super) fn on(&self, street: StreetId) -> (u32, &[Person]) {
        let range = self.range(street);
        (range.start as u32, &self.people[range])
    }

    /// The same people, to be compared many at once.
    pub(super) fn eights(&self) -> &Eights {
        &self.eights
    }

    /// The largest reach on a street; 0 if nobody is there.
    #[inline]
    pub(super) fn largest_dc(&self, street: StreetId) -> u16 {
        self.largest[street.index()]
    }

    pub(super) fn person(&self, node: u32) -> Person {
        self.people[node as usize]
    }

    pub(super) fn places(&self) -> &[u32] {
        &self.places
    }

    /// What is published of her.
    pub(super) fn member(&self, node: u32) -> Member {
        self.members[node as usize]
    }

    /// How many people each wants, as far as 16 bits can say.
    pub(super) fn wanted(&self) -> &[u16] {
        &self.wanted
    }

    /// Whether a set of `size` people is enough for her.
    pub(super) fn is_enough(&self, node: u32, size: u32, waiting: &[Query]) -> bool {
        match self.wanted[node as usize] {
            u16::MAX => waiting[self.places[node as usize] as usize].k <= size,
            k => u32::from(k) <= size,
        }
    }

    /// Where a portion with about as many people as any other begins: its first street.
    pub(super) fn edge(&self, portion: usize) -> u32 {
        let streets = self.starts.len() - 2;
        let people = self.people.len() * portion / PORTIONS;
        match portion == PORTIONS {
            true => streets as u32,
            false => self.starts[..=streets].partition_point(|&s| (s as usize) < people) as u32,
        }
    }

    /// How many people are on the streets before this one.
    pub(super) fn before(&self, street: u32) -> u32 {
        self.starts[street as usize]
    }
}
