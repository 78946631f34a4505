//! The queries of each street packed eight to a cache line.
//!
//! ```text
//! Octet   64 bytes, aligned
//!   from       [u16; 8]   distance of each query from the `from` end of its street
//!   to         [u16; 8]   distance from the `to` end
//!   dc         [u16; 8]   distance constraint, ascending
//!   node       u32        node of the first query; the others follow
//!   remaining  u32        queries of the street from this one on
//!
//! first[street]   first octet of each street             one cache line per visited street
//! rest[node / 8]  all further octets
//! ```
//!
//! Invariant: octets of one street start 8 nodes apart and the first octet is not in `rest`, so no
//! two octets share an index `node / 8`. Most streets hold at most eight queries, so visiting a
//! street reads one line instead of an offset array and three value arrays.

use super::partition::split_front;
use super::street_index::StreetQuery;
use crate::map::StreetId;

/// Queries per octet.
pub(super) const OCTET_LEN: usize = 8;

/// Up to eight queries of one street, ascending by `dc`; lengths in 1/32 m.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Octet {
    pub(super) from: [u16; OCTET_LEN],
    pub(super) to: [u16; OCTET_LEN],
    pub(super) dc: [u16; OCTET_LEN],
    /// Node of the first query.
    pub(super) node: u32,
    /// Number of queries of the street from the first one of this octet on.
    pub(super) remaining: u32,
}

/// The octets of all streets.
#[derive(Clone, Debug, Default)]
pub(super) struct Octets {
    first: Vec<Octet>,
    rest: Vec<Octet>,
}

/// The octets of consecutive streets, for writing.
pub(super) struct OctetsMut<'a> {
    first: &'a mut [Octet],
    rest: &'a mut [Octet],
    /// Index of `rest[0]` in the whole list.
    rest_start: usize,
}

impl Octets {
    /// Resizes the lists and returns them for writing.
    pub(super) fn resize(&mut self, streets: usize, queries: usize) -> OctetsMut<'_> {
        self.first.resize(streets, Octet::default());
        self.rest.resize(queries / OCTET_LEN + 1, Octet::default());
        OctetsMut { first: &mut self.first, rest: &mut self.rest, rest_start: 0 }
    }

    /// Returns the first octet of a street; its `remaining` is 0 on an empty street.
    #[inline]
    pub(super) fn first(&self, street: StreetId) -> &Octet {
        &self.first[street.index()]
    }

    /// Returns the octet of a street that starts at `node`.
    #[inline]
    pub(super) fn starting_at(&self, street: StreetId, node: usize) -> &Octet {
        let first = self.first(street);
        if first.node as usize == node { first } else { &self.rest[node / OCTET_LEN] }
    }

    /// Returns the octets of a street after its first one.
    pub(super) fn rest(&self, first: &Octet) -> &[Octet] {
        let (node, remaining) = (first.node as usize, first.remaining as usize);
        &self.rest[node / OCTET_LEN + 1..=node / OCTET_LEN + (remaining - 1) / OCTET_LEN]
    }
}

impl<'a> OctetsMut<'a> {
    /// Splits off the first `streets` streets, whose last node is before `end`.
    pub(super) fn split_front(&mut self, streets: usize, end: usize) -> OctetsMut<'a> {
        let rest_start = self.rest_start;
        self.rest_start = (end / OCTET_LEN + 1).max(rest_start);
        let first = split_front(&mut self.first, streets);
        let count = (self.rest_start - rest_start).min(self.rest.len());
        OctetsMut { first, rest: split_front(&mut self.rest, count), rest_start }
    }

    /// Writes the queries of a street; `node` is the node of the first.
    pub(super) fn fill(&mut self, street: usize, node: usize, queries: &[StreetQuery]) {
        self.first[street].remaining = 0;
        for (number, chunk) in queries.chunks(OCTET_LEN).enumerate() {
            let first = node + number * OCTET_LEN;
            let octet = match number {
                0 => &mut self.first[street],
                _ => &mut self.rest[first / OCTET_LEN - self.rest_start],
            };
            octet.node = first as u32;
            octet.remaining = (queries.len() - number * OCTET_LEN) as u32;
            for (lane, query) in chunk.iter().enumerate() {
                octet.from[lane] = query.from;
                octet.to[lane] = query.to;
                octet.dc[lane] = query.dc();
            }
        }
    }
}
