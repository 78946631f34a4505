//! The arrays of a [`StreetIndex`](super::street_index::StreetIndex), restricted to consecutive
//! streets: the unit of work of one thread while the index is built.

use super::octets::OctetsMut;
use super::street_index::{QueryDetails, StreetQuery};
use crate::map::{StreetId, StreetMap};
use crate::query::{Member, MeshKey};
use crate::units::Length;

/// Mutable slices of the index arrays for consecutive streets.
pub(super) struct IndexPartition<'a> {
    /// First node of each street, and the end of the last street.
    pub(super) starts: &'a [u32],
    /// The first street.
    pub(super) first: u32,
    pub(super) queries: &'a mut [StreetQuery],
    pub(super) max_dc: &'a mut [u16],
    pub(super) members: &'a mut [Member],
    pub(super) k: &'a mut [u16],
    pub(super) waiting_indices: &'a mut [u32],
    pub(super) octets: OctetsMut<'a>,
}

impl<'a> IndexPartition<'a> {
    /// Splits off the streets before `end`.
    pub(super) fn split_front(&mut self, end: u32) -> IndexPartition<'a> {
        let streets = (end - self.first) as usize;
        let nodes = (self.starts[streets] - self.starts[0]) as usize;
        let first = std::mem::replace(&mut self.first, end);
        let starts = &self.starts[..=streets];
        self.starts = &self.starts[streets..];
        IndexPartition {
            starts,
            first,
            queries: split_front(&mut self.queries, nodes),
            max_dc: split_front(&mut self.max_dc, streets),
            members: split_front(&mut self.members, nodes),
            k: split_front(&mut self.k, nodes),
            waiting_indices: split_front(&mut self.waiting_indices, nodes),
            octets: self.octets.split_front(streets, starts[streets] as usize),
        }
    }

    /// Sorts the queries of each street by (dc, id) and fills the other arrays.
    ///
    /// `details` is in id order. `by_id` holds the waiting list in id order, or is empty if the
    /// waiting list already is in that order.
    pub(super) fn fill(mut self, map: &StreetMap, details: &[QueryDetails], by_id: &[u32]) {
        for (number, ends) in self.starts.windows(2).enumerate() {
            let range = (ends[0] - self.starts[0]) as usize..(ends[1] - self.starts[0]) as usize;
            let street = StreetId(self.first + number as u32);
            let length = map.street(street).length.units();
            let queries = &mut self.queries[range.clone()];
            queries.sort_unstable_by_key(|query| query.key);
            for (query, node) in queries.iter_mut().zip(range) {
                let rank = query.id_rank();
                let QueryDetails { id, offset, k } = details[rank as usize];
                query.set_offset(offset, length);
                self.waiting_indices[node] = by_id.get(rank as usize).copied().unwrap_or(rank);
                let dc = Length::from_units(query.dc().into());
                self.members[node] = Member { id, mesh_key: MeshKey { street, dc } };
                self.k[node] = k;
            }
            self.max_dc[number] = queries.last().map_or(0, |query| query.dc());
            self.octets.fill(number, ends[0] as usize, queries);
        }
    }
}

/// Splits the first `count` elements off a slice.
pub(super) fn split_front<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    slice.split_off_mut(..count).unwrap_or_default()
}
