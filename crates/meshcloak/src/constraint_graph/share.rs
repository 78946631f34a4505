//! The people of some streets that stand next to each other, being lined up.

use super::crowd::{Entered, Person};
use super::eights::Parts;
use crate::map::{StreetId, StreetMap};
use crate::query::{Member, MeshKey};
use crate::units::Length;

/// What a crowd writes down of the people on some streets.
pub(super) struct Share<'a> {
    /// Where the people of each street begin, and where those of the last end.
    pub(super) starts: &'a [u32],
    /// The first of the streets.
    pub(super) first: u32,
    pub(super) people: &'a mut [Person],
    pub(super) largest: &'a mut [u16],
    pub(super) members: &'a mut [Member],
    pub(super) wanted: &'a mut [u16],
    pub(super) places: &'a mut [u32],
    pub(super) eights: Parts<'a>,
}

impl<'a> Share<'a> {
    /// Takes the streets before `end` out.
    pub(super) fn split_off(&mut self, end: u32) -> Share<'a> {
        let streets = (end - self.first) as usize;
        let nodes = (self.starts[streets] - self.starts[0]) as usize;
        let first = std::mem::replace(&mut self.first, end);
        let starts = &self.starts[..=streets];
        self.starts = &self.starts[streets..];
        Share {
            starts,
            first,
            people: take(&mut self.people, nodes),
            largest: take(&mut self.largest, streets),
            members: take(&mut self.members, nodes),
            wanted: take(&mut self.wanted, nodes),
            places: take(&mut self.places, nodes),
            eights: self.eights.take(streets, starts[streets] as usize),
        }
    }

    /// Sorts the people of each street by (dc, id). `entered` is in the order of ids, and so is
    /// `by_id`, the waiting list, should it not be in that order already.
    pub(super) fn line_up(mut self, map: &StreetMap, entered: &[Entered], by_id: &[u32]) {
        for (number, ends) in self.starts.windows(2).enumerate() {
            let range = (ends[0] - self.starts[0]) as usize..(ends[1] - self.starts[0]) as usize;
            let street = StreetId(self.first + number as u32);
            let length = map.street(street).length.units();
            let people = &mut self.people[range.clone()];
            people.sort_unstable_by_key(|person| person.key);
            for (person, node) in people.iter_mut().zip(range) {
                let rank = person.rank();
                let Entered { id, offset, k } = entered[rank as usize];
                person.stand(offset, length);
                self.places[node] = by_id.get(rank as usize).copied().unwrap_or(rank);
                let dc = Length::from_units(person.dc().into());
                self.members[node] = Member { id, mesh_key: MeshKey { street, dc } };
                self.wanted[node] = k;
            }
            self.largest[number] = people.last().map_or(0, |person| person.dc());
            self.eights.fill(number, ends[0] as usize, people);
        }
    }
}

/// Takes the first `count` out.
pub(super) fn take<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    slice.split_off_mut(..count).unwrap_or_default()
}
