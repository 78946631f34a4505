//! Candidate neighbours of one street, in structure-of-arrays blocks of 64 lanes.
//!
//! For a query `a` on street `s` and a candidate `b` on another street,
//! `d(a, b) = min(d(a, s.from) + from[b], d(a, s.to) + to[b])`. The part beyond the ends of `s`
//! depends on `b` alone, so it is summed once per street and shared by all queries on `s`.
//!
//! ```text
//! Block             lane 0 … 63
//!   from       u16  d(s.from, b)
//!   to         u16  d(s.to, b)
//!   rank       u16  dc(b), plus 1 if b's street follows s       b follows a if rank[b] > dc(a)
//!   nodes      u32  graph node of b
//!   back_from  u16  d(b, s.from)   ┐
//!   back_to    u16  d(b, s.to)     ├ only if return paths differ (one-way streets)
//!   dc         u16  dc(b)          ┘
//!   remote     u64  one bit per lane: b is not on s itself
//! ```
//!
//! Invariant: lanes ascend by node, unless the number of neighbours is capped (then the nearest
//! streets come first). An octet ([`Octet`]) is always written whole, so lanes at or after `len` hold
//! garbage that `remote` masks out and the next octet overwrites.
//!
//! A query tests 16 lanes per step (`wide::u16x16`, saturating subtraction) and collects a `u64`
//! mask. A scalar loop over all pairs has an unpredictable branch per candidate and adds up the path
//! beyond the ends once per pair. Reference: `naive::edges`. Measured gain, with the near rows of
//! `distance::Reach` and their prefetch: 17 % fewer instructions of the stage, 0.52 → 0.39 µs a query
//! (whole engine, Oldenburg, P1-3-5); see docs/BENCHMARKS.md, "Where the engine's time goes".

use super::octets::{OCTET_LEN, Octet, Octets};
use super::street_index::StreetQuery;
use crate::distance::Crossing;
use crate::map::StreetId;
use std::ops::Range;
use wide::{u16x8, u16x16};

/// Candidate neighbours of the queries on one street.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    blocks: Vec<Block>,
    /// Index of the block that is being filled.
    last: usize,
}

/// Position of a street relative to the source street in street order.
#[derive(Clone, Copy, Debug)]
pub(super) enum StreetOrder {
    Before = 0,
    After = 1,
}

impl StreetOrder {
    pub(super) fn from_is_before(is_before: bool) -> StreetOrder {
        if is_before { StreetOrder::Before } else { StreetOrder::After }
    }

    /// Returns what is added to `dc`: of two queries with equal `dc` the one on the later street
    /// comes later.
    #[inline]
    fn tie_break(self) -> u16 {
        self as u16
    }
}

/// Paths between the source street and a candidate street.
#[derive(Clone, Copy, Debug)]
pub(super) struct StreetLink {
    pub(super) order: StreetOrder,
    pub(super) there: Crossing,
    /// The return paths if they are stored separately.
    pub(super) back: Option<Crossing>,
}

/// Candidates per block.
pub(super) const LANES: usize = u64::BITS as usize;

/// 64 candidates in structure-of-arrays form; lengths in 1/32 m.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Block {
    from: [u16; LANES],
    to: [u16; LANES],
    rank: [u16; LANES],
    pub(super) nodes: [u32; LANES],
    back_from: [u16; LANES],
    back_to: [u16; LANES],
    dc: [u16; LANES],
    len: usize,
    remote: u64,
    /// First lane of the candidates on the source street itself.
    pub(super) own_start: usize,
    /// Indices of these candidates on the source street.
    pub(super) own: Range<usize>,
}

impl Default for Block {
    fn default() -> Block {
        Block {
            from: [0; LANES],
            to: [0; LANES],
            rank: [0; LANES],
            nodes: [0; LANES],
            back_from: [0; LANES],
            back_to: [0; LANES],
            dc: [0; LANES],
            len: 0,
            remote: 0,
            own_start: 0,
            own: 0..0,
        }
    }
}

impl Candidates {
    pub(super) fn clear(&mut self) {
        self.last = 0;
        self.clear_last();
    }

    #[inline]
    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks[..=self.last]
    }

    /// Capacity of the blocks in use, in lanes: an upper bound of the number of candidates.
    pub(super) fn lane_count(&self) -> usize {
        (self.last + 1) * LANES
    }

    /// Adds the queries of another street.
    #[inline(always)]
    pub(super) fn push_street(&mut self, octets: &Octets, street: StreetId, link: StreetLink) {
        let first = octets.first(street);
        self.block().push_octet(first, link);
        if first.remaining as usize > OCTET_LEN {
            for octet in octets.rest(first) {
                self.block().push_octet(octet, link);
            }
        }
    }

    /// Adds the queries of the source street itself, `nodes`. Their distances are computed along
    /// the street (`same_street`).
    pub(super) fn push_own(&mut self, nodes: Range<usize>) {
        let mut node = nodes.start;
        while node < nodes.end {
            let octet = node..nodes.end.min(node + OCTET_LEN);
            self.block().push_own(octet, node - nodes.start);
            node += OCTET_LEN;
        }
    }

    /// Returns the block that is being filled, with space for one octet.
    #[inline]
    fn block(&mut self) -> &mut Block {
        if self.blocks[self.last].len > LANES - OCTET_LEN {
            self.advance();
        }
        &mut self.blocks[self.last]
    }

    #[cold]
    fn advance(&mut self) {
        self.last += 1;
        self.clear_last();
    }

    /// Empties the last block; allocates it if needed.
    fn clear_last(&mut self) {
        match self.blocks.get_mut(self.last) {
            Some(block) => block.clear(),
            None => self.blocks.push(Block::default()),
        }
    }
}

impl Block {
    fn clear(&mut self) {
        self.len = 0;
        self.remote = 0;
        self.own = 0..0;
    }

    #[inline(always)]
    fn push_octet(&mut self, octet: &Octet, link: StreetLink) {
        // All eight lanes are written; the next octet overwrites the unused ones.
        let start = self.len.min(LANES - OCTET_LEN);
        let lanes = start..start + OCTET_LEN;
        let (from, to) = (u16x8::new(octet.from), u16x8::new(octet.to));
        let shortest = |via_from: u16, via_to: u16| -> [u16; OCTET_LEN] {
            let by_from = u16x8::splat(via_from).saturating_add(from);
            let by_to = u16x8::splat(via_to).saturating_add(to);
            (by_from - by_from.saturating_sub(by_to)).to_array() // lane-wise minimum
        };
        let [from_from, from_to, to_from, to_to] = link.there;
        self.from[lanes.clone()].copy_from_slice(&shortest(from_from, from_to));
        self.to[lanes.clone()].copy_from_slice(&shortest(to_from, to_to));
        let rank = u16x8::new(octet.dc) + u16x8::splat(link.order.tie_break());
        self.rank[lanes.clone()].copy_from_slice(&rank.to_array());
        if let Some([from_from, from_to, to_from, to_to]) = link.back {
            self.back_from[lanes.clone()].copy_from_slice(&shortest(from_from, to_from));
            self.back_to[lanes.clone()].copy_from_slice(&shortest(from_to, to_to));
            self.dc[lanes].copy_from_slice(&octet.dc);
        }
        let count = (octet.remaining as usize).min(OCTET_LEN);
        self.remote |= low_bits(count) << start;
        self.set_nodes(octet.node, start);
        self.len = start + count;
    }

    fn push_own(&mut self, nodes: Range<usize>, first: usize) {
        let start = self.len.min(LANES - OCTET_LEN);
        if self.own.is_empty() {
            (self.own_start, self.own) = (start, first..first);
        }
        self.own.end += nodes.len();
        self.set_nodes(nodes.start as u32, start);
        self.len = start + nodes.len();
    }

    #[inline(always)]
    fn set_nodes(&mut self, first: u32, start: usize) {
        let nodes: [u32; OCTET_LEN] = std::array::from_fn(|lane| first + lane as u32);
        self.nodes[start..start + OCTET_LEN].copy_from_slice(&nodes);
    }

    /// Returns a mask of the remote candidates within the `dc` of `source` that follow it in the
    /// order of (dc, node).
    #[inline(always)]
    pub(super) fn within(&self, source: StreetQuery) -> u64 {
        let min_rank = u16x16::splat(source.dc() + 1);
        let [left_from, left_to] = source.reach_beyond_ends().map(u16x16::splat);
        self.mask(|chunk| {
            let [from, to, rank] =
                [&self.from, &self.to, &self.rank].map(|lanes| read(lanes, chunk));
            let near = left_from.saturating_sub(from) | left_to.saturating_sub(to);
            near.simd_eq(ZERO) | min_rank.saturating_sub(rank)
        })
    }

    /// Returns the same mask, restricted to candidates whose return path is at most their own `dc`
    /// and at most `max_return`.
    #[inline(always)]
    pub(super) fn within_both_ways(&self, source: StreetQuery, max_return: u16) -> u64 {
        let min_rank = u16x16::splat(source.dc() + 1);
        let [left_from, left_to] = source.reach_beyond_ends().map(u16x16::splat);
        let [from_end, to_end] = [source.from, source.to].map(u16x16::splat);
        let max_return = u16x16::splat(max_return);
        self.mask(|chunk| {
            let [from, to, rank] =
                [&self.from, &self.to, &self.rank].map(|lanes| read(lanes, chunk));
            let [back_from, back_to, dc] =
                [&self.back_from, &self.back_to, &self.dc].map(|lanes| read(lanes, chunk));
            let near = left_from.saturating_sub(from) | left_to.saturating_sub(to);
            let limit = dc - dc.saturating_sub(max_return) + u16x16::splat(1);
            let back = limit.saturating_sub(back_from.saturating_add(from_end))
                | limit.saturating_sub(back_to.saturating_add(to_end));
            near.simd_eq(ZERO) | back.simd_eq(ZERO) | min_rank.saturating_sub(rank)
        })
    }

    /// Returns the lanes of `mask` whose node satisfies `predicate`.
    #[inline(never)]
    pub(super) fn filter(&self, mask: u64, predicate: impl Fn(u32) -> bool) -> u64 {
        let (mut open, mut kept) = (mask, 0);
        while open != 0 {
            let lane = open.trailing_zeros() as usize;
            open &= open - 1;
            kept |= u64::from(predicate(self.nodes[lane])) << lane;
        }
        kept
    }

    /// Returns a mask of the remote lanes for which `misses`, called per chunk of 16, is 0.
    #[inline(always)]
    fn mask(&self, misses: impl Fn(usize) -> u16x16) -> u64 {
        let mut mask = 0;
        for chunk in 0..self.len.div_ceil(CHUNK).min(LANES / CHUNK) {
            let hits = misses(chunk).simd_eq(ZERO);
            mask |= u64::from(hits.to_bitmask()) << (chunk * CHUNK);
        }
        mask & self.remote
    }
}

/// Lanes per SIMD comparison.
const CHUNK: usize = 16;

const ZERO: u16x16 = u16x16::ZERO;

#[inline(always)]
fn read(lanes: &[u16; LANES], chunk: usize) -> u16x16 {
    u16x16::new(lanes.as_chunks::<CHUNK>().0[chunk])
}

/// Returns a mask of the lowest `count` bits; `count` is at most 8.
#[inline(always)]
fn low_bits(count: usize) -> u64 {
    (1 << count) - 1
}
