//! Neighbours on the same street, eight per step (one [`Octet`]).
//!
//! `d(a, b) = min(straight, around)`, where `straight = |from(a) − from(b)|` along the street
//! (infinite against a one-way street) and `around` leaves the street by an end and enters it again
//! by an end: `min over ends e, f of d(a, e) + around[e][f] + d(f, b)`.

use super::edge_search::{EdgeSearch, SourceStreet};
use super::octets::{OCTET_LEN, Octet};
use super::return_paths::{ReturnMode, ReturnPaths};
use super::street_index::StreetQuery;
use crate::distance::{Crossing, UNREACHABLE};
use std::ops::Range;
use wide::u16x8;

impl EdgeSearch<'_> {
    /// Returns a mask of the neighbours of query `index` among `others`, consecutive queries of the
    /// same street that start at an octet; only those that follow it.
    #[inline(always)]
    pub(super) fn within_street<M: ReturnMode>(
        &self,
        source: SourceStreet<'_>,
        around: Crossing,
        index: usize,
        others: Range<usize>,
    ) -> u64 {
        let skipped = (index + 1).saturating_sub(others.start);
        if skipped >= others.len() {
            return 0;
        }
        let a = source.queries[index];
        let fits_16_bits = u32::from(a.from) + u32::from(a.to) < u32::from(UNREACHABLE);
        let mut mask = 0;
        let mut next = others.start + skipped / OCTET_LEN * OCTET_LEN;
        while next < others.end {
            let first = source.first as usize + next;
            let octet = self.index.octets().starting_at(source.street, first);
            let hits = if !fits_16_bits {
                self.within_long_street(source, around, index, next..others.end)
            } else if M::PATHS == ReturnPaths::Symmetric {
                within_two_way(a, around, octet)
            } else {
                self.within_both_ways(source, a, around, octet)
            };
            mask |= hits << (next - others.start);
            next += OCTET_LEN;
        }
        let valid = u64::MAX >> (u64::BITS as usize - others.len());
        mask & valid & u64::MAX << skipped
    }

    /// Returns the mask for the first octet of `others` on a street longer than 16 bits hold.
    #[cold]
    #[inline(never)]
    fn within_long_street(
        &self,
        source: SourceStreet<'_>,
        around: Crossing,
        index: usize,
        others: Range<usize>,
    ) -> u64 {
        let bit = |other: usize| u64::from(self.are_adjacent(source, around, index, other));
        (0..).zip(others.take(OCTET_LEN)).map(|(lane, other)| bit(other) << lane).sum()
    }

    /// Returns a mask of the queries of an octet that are adjacent to `a` in both directions.
    fn within_both_ways(
        &self,
        source: SourceStreet<'_>,
        a: StreetQuery,
        around: Crossing,
        octet: &Octet,
    ) -> u64 {
        let [from_from, from_to, to_from, to_to] = around;
        let (a_to_from, a_to_to) = distances_to_ends(a, around);
        let max_return = self.coverage.max_return(a.dc());
        let is_adjacent = |lane: usize| {
            let (from, to, dc) = (octet.from[lane], octet.to[lane], octet.dc[lane]);
            let straight = a.from.abs_diff(from);
            let ahead = if source.one_way && from < a.from { UNREACHABLE } else { straight };
            let behind = if source.one_way && from > a.from { UNREACHABLE } else { straight };
            let there = a_to_from.saturating_add(from).min(a_to_to.saturating_add(to));
            let to_from = from.saturating_add(from_from).min(to.saturating_add(to_from));
            let to_to = from.saturating_add(from_to).min(to.saturating_add(to_to));
            let back = to_from.saturating_add(a.from).min(to_to.saturating_add(a.to));
            ahead.min(there) <= a.dc() && behind.min(back) <= dc.min(max_return)
        };
        let count = OCTET_LEN.min(octet.remaining as usize);
        (0..count).map(|lane| u64::from(is_adjacent(lane)) << lane).sum()
    }

    /// Returns whether two queries of one street are adjacent; `a` has the smaller `dc`.
    fn are_adjacent(&self, source: SourceStreet<'_>, around: Crossing, a: usize, b: usize) -> bool {
        let [query_a, query_b] = [a, b].map(|index| source.queries[index]);
        let shortest = |from: usize, to: usize| {
            let straight = self.straight(source, from, to);
            let detour = distance_around(source.queries[from], around, source.queries[to]);
            straight.min(u32::from(detour))
        };
        let max_return = query_b.dc().min(self.coverage.max_return(query_a.dc()));
        shortest(a, b) <= u32::from(query_a.dc()) && shortest(b, a) <= u32::from(max_return)
    }

    /// Returns the distance from `a` to `b` straight along their street; `u32::MAX` against a
    /// one-way street.
    fn straight(&self, source: SourceStreet<'_>, a: usize, b: usize) -> u32 {
        let [offset_a, offset_b] = [a, b].map(|index| match source.queries[index].from {
            u16::MAX => self.query(source.first + index as u32).position.offset.units(),
            from => u32::from(from),
        });
        match offset_b.checked_sub(offset_a) {
            Some(ahead) => ahead,
            None if source.one_way => u32::MAX,
            None => offset_a - offset_b,
        }
    }
}

/// Returns a mask of the queries of an octet within the `dc` of `a` on a two-way street.
#[inline(always)]
fn within_two_way(a: StreetQuery, around: Crossing, octet: &Octet) -> u64 {
    let (from, to) = (u16x8::new(octet.from), u16x8::new(octet.to));
    let (at, (to_from, to_to)) = (u16x8::splat(a.from), distances_to_ends(a, around));
    let limit = a.dc() + 1;
    let left = |path: u16| u16x8::splat(limit.saturating_sub(path));
    let straight = at.saturating_sub(from) | from.saturating_sub(at);
    let near = left(0).saturating_sub(straight)
        | left(to_from).saturating_sub(from)
        | left(to_to).saturating_sub(to);
    u64::from(!near.simd_eq(u16x8::ZERO).to_bitmask() & 0xff)
}

/// Returns the distances from `a` around to the `from` end and to the `to` end of its street.
#[inline(always)]
fn distances_to_ends(a: StreetQuery, around: Crossing) -> (u16, u16) {
    let [from_from, from_to, to_from, to_to] = around;
    (
        a.from.saturating_add(from_from).min(a.to.saturating_add(to_from)),
        a.from.saturating_add(from_to).min(a.to.saturating_add(to_to)),
    )
}

/// Returns the distance from `a` to `b` if the path leaves the street and enters it again.
fn distance_around(a: StreetQuery, around: Crossing, b: StreetQuery) -> u16 {
    let (to_from, to_to) = distances_to_ends(a, around);
    to_from.saturating_add(b.from).min(to_to.saturating_add(b.to))
}
