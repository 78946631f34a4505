//! The people of some streets that stand next to each other, being lined up.

use super::crowd::Person;
use super::lanes::Parts;
use crate::map::StreetId;
use crate::query::{Query, QueryId};

/// What a crowd writes down of the people on some streets.
pub(super) struct Share<'a> {
    /// Where the people of each street begin, and where those of the last end.
    pub(super) starts: &'a [u32],
    /// The first of the streets.
    pub(super) first: u32,
    pub(super) people: &'a mut [Person],
    pub(super) largest: &'a mut [u16],
    pub(super) streets: &'a mut [StreetId],
    pub(super) wanted: &'a mut [u16],
    pub(super) places: &'a mut [u32],
    pub(super) ids: &'a mut [QueryId],
    pub(super) lanes: Parts<'a>,
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
            streets: take(&mut self.streets, nodes),
            wanted: take(&mut self.wanted, nodes),
            places: take(&mut self.places, nodes),
            ids: take(&mut self.ids, nodes),
            lanes: self.lanes.take(nodes),
        }
    }

    /// Sorts the people of each street by (dc, id). `by_id` is the waiting list in order of ids,
    /// should it not be in that order already.
    pub(super) fn line_up(mut self, waiting: &[Query], by_id: &[u32]) {
        for (street, ends) in self.starts.windows(2).enumerate() {
            let range = (ends[0] - self.starts[0]) as usize..(ends[1] - self.starts[0]) as usize;
            let people = &mut self.people[range.clone()];
            people.sort_unstable_by_key(|person| person.key());
            self.largest[street] = people.last().map_or(0, |person| person.dc);
            self.streets[range].fill(StreetId(self.first + street as u32));
        }
        self.lanes.fill(self.people);
        let nodes = self.people.iter().zip(self.wanted).zip(self.places).zip(self.ids);
        for (((person, wanted), place), id) in nodes {
            *wanted = person.k;
            *place = by_id.get(person.rank as usize).copied().unwrap_or(person.rank);
            *id = waiting[*place as usize].id;
        }
    }
}

/// Takes the first `count` out.
pub(super) fn take<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    slice.split_off_mut(..count).unwrap_or_default()
}
