//! The people of each street by eights: what is compared of many at once lies in one place.

use super::crowd::Person;
use super::share::take;
use crate::map::StreetId;

/// So many people of one street are read together: most streets have fewer.
pub(super) const EIGHT: usize = 8;

/// Up to eight people of one street, ascending by reach: a line of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Eight {
    /// How far they are from the `from` end.
    pub(super) from: [u16; EIGHT],
    /// How far they are from the `to` end.
    pub(super) to: [u16; EIGHT],
    /// How far they get.
    pub(super) dc: [u16; EIGHT],
    /// The node of the first.
    pub(super) node: u32,
    /// How many people of the street there are from the first on.
    pub(super) left: u32,
}

/// The people of a crowd.
#[derive(Clone, Debug, Default)]
pub(super) struct Eights {
    /// The first eight of each street.
    first: Vec<Eight>,
    /// The others. Those who begin with node `n` are at `n / 8`: as the first eight of a street
    /// are not here, no two of them meet.
    rest: Vec<Eight>,
}

/// What is written down of some streets.
pub(super) struct Parts<'a> {
    first: &'a mut [Eight],
    rest: &'a mut [Eight],
    /// How many of the rest come before these.
    before: usize,
}

impl Eights {
    /// Room for so many streets and people, to be filled part by part.
    pub(super) fn parts(&mut self, streets: usize, people: usize) -> Parts<'_> {
        self.first.resize(streets, Eight::default());
        self.rest.resize(people / EIGHT + 1, Eight::default());
        Parts { first: &mut self.first, rest: &mut self.rest, before: 0 }
    }

    /// The first of a street; nobody if none is left of them.
    #[inline]
    pub(super) fn first(&self, street: StreetId) -> &Eight {
        &self.first[street.index()]
    }

    /// Those of a street who begin with a node.
    #[inline]
    pub(super) fn beginning(&self, street: StreetId, node: usize) -> &Eight {
        let first = self.first(street);
        if first.node as usize == node { first } else { &self.rest[node / EIGHT] }
    }

    /// Those of a street who are not among its first.
    pub(super) fn rest(&self, first: &Eight) -> &[Eight] {
        let (node, left) = (first.node as usize, first.left as usize);
        &self.rest[node / EIGHT + 1..=node / EIGHT + (left - 1) / EIGHT]
    }
}

impl<'a> Parts<'a> {
    /// Takes the first streets out, whose people end with the node before `end`.
    pub(super) fn take(&mut self, streets: usize, end: usize) -> Parts<'a> {
        let (before, until) = (self.before, (end / EIGHT + 1).max(self.before));
        self.before = until;
        let first = take(&mut self.first, streets);
        let count = (until - before).min(self.rest.len());
        Parts { first, rest: take(&mut self.rest, count), before }
    }

    /// Writes the people of a street down, of whom the first is `node`.
    pub(super) fn fill(&mut self, street: usize, node: usize, people: &[Person]) {
        self.first[street].left = 0;
        for (number, some) in people.chunks(EIGHT).enumerate() {
            let first = node + number * EIGHT;
            let eight = match number {
                0 => &mut self.first[street],
                _ => &mut self.rest[first / EIGHT - self.before],
            };
            (eight.node, eight.left) = (first as u32, (people.len() - number * EIGHT) as u32);
            for (lane, person) in some.iter().enumerate() {
                eight.from[lane] = person.from;
                eight.to[lane] = person.to;
                eight.dc[lane] = person.dc();
            }
        }
    }
}
