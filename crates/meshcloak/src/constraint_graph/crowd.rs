//! The waiting people in the two orders a search needs: by reach, and by street.

use crate::distance::Atlas;
use crate::map::StreetId;
use crate::query::Query;
use std::ops::Range;

/// The waiting list in ascending order of (dc, id): the nodes of the graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// For each node, the place of its query in the waiting list.
    pub(super) nodes: Vec<u32>,
    spare: Vec<u32>,
}

impl Order {
    pub(super) fn sort(&mut self, waiting: &[Query]) {
        self.nodes.clear();
        self.nodes.extend(0..waiting.len() as u32);
        if !waiting.is_sorted_by_key(|query| query.id) {
            self.nodes.sort_unstable_by_key(|&place| waiting[place as usize].id);
        }
        let dc = |place: u32| waiting[place as usize].distance_constraint.units();
        self.spare.resize(waiting.len(), 0);
        for shift in [0, 8] {
            self.by_digit(|place| (dc(place) >> shift) as u8);
        }
    }

    /// One pass of a radix sort; equal digits keep their order.
    fn by_digit(&mut self, digit: impl Fn(u32) -> u8) {
        let mut starts = [0_u32; 257];
        for &place in &self.nodes {
            starts[usize::from(digit(place)) + 1] += 1;
        }
        for value in 0..256 {
            starts[value + 1] += starts[value];
        }
        for &place in &self.nodes {
            let slot = &mut starts[usize::from(digit(place))];
            self.spare[*slot as usize] = place;
            *slot += 1;
        }
        std::mem::swap(&mut self.nodes, &mut self.spare);
    }
}

/// The people on each street, ascending by node.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd {
    starts: Vec<u32>,
    people: Vec<Person>,
}

/// Somebody on a street, as whoever searches meets her; lengths in 1/32 m.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Person {
    pub(super) node: u32,
    /// Her user's number, folded: two people may share it, one person always has the same.
    pub(super) user: u32,
    /// How far she is from the `from` end, as far as 16 bits can say.
    pub(super) from: u16,
    /// How far she is from the `to` end.
    pub(super) to: u16,
    pub(super) dc: u16,
}

impl Person {
    fn of(atlas: &Atlas, node: u32, query: &Query) -> Person {
        let length = atlas.map().street(query.position.street).length.units();
        let offset = query.position.offset.units();
        let short = |units: u32| u16::try_from(units).unwrap_or(u16::MAX);
        let user = query.user.0 as u32 ^ (query.user.0 >> 32) as u32;
        let dc = short(query.distance_constraint.units());
        Person { node, user, from: short(offset), to: short(length - offset), dc }
    }
}

impl Crowd {
    /// Sorts people by street, keeping the order of nodes within a street.
    pub(super) fn gather(&mut self, atlas: &Atlas, waiting: &[Query], order: &Order) {
        let streets = atlas.map().street_count();
        self.starts.clear();
        self.starts.resize(streets + 2, 0);
        for query in waiting {
            self.starts[query.position.street.index() + 2] += 1;
        }
        for street in 0..streets {
            self.starts[street + 2] += self.starts[street + 1];
        }
        self.people.clear();
        self.people.resize(waiting.len(), Person::default());
        for (node, &place) in order.nodes.iter().enumerate() {
            let query = &waiting[place as usize];
            let slot = &mut self.starts[query.position.street.index() + 1];
            self.people[*slot as usize] = Person::of(atlas, node as u32, query);
            *slot += 1;
        }
    }

    /// The people on a street.
    pub(super) fn on(&self, street: StreetId) -> &[Person] {
        let street = street.index();
        &self.people[self.starts[street] as usize..self.starts[street + 1] as usize]
    }

    /// Everyone, street by street.
    pub(super) fn everyone(&self) -> impl Iterator<Item = u32> {
        self.people.iter().map(|person| person.node)
    }

    /// How many people are on the streets before this one.
    pub(super) fn before(&self, street: u32) -> u32 {
        self.starts[street as usize]
    }

    /// The streets of one of `portions` portions with about as many people each.
    pub(super) fn portion(&self, portion: usize, portions: usize) -> Range<u32> {
        let streets = self.starts.len() - 2;
        let edge = |portion: usize| {
            let people = self.people.len() * portion / portions;
            match portion == portions {
                true => streets as u32,
                false => self.starts[..=streets].partition_point(|&s| (s as usize) < people) as u32,
            }
        };
        edge(portion)..edge(portion + 1)
    }
}
