//! For every street, the streets within `dc_max` of it, nearest first, computed when they are needed.
//!
//! ```text
//! near[block]     | head 0 … head 31 | row 0: ≤ 47 entries | row 1 | …     32 streets, contiguous
//!   head          16 B: distances around to itself, start and length of the near part, distance at
//!                 which the far part begins, rank of the street
//! tails[0][street]  entries behind the near part within dc_max / 3
//! tails[1][street]  all entries behind the near part
//! ReachedStreet   16 B: street u32 │ nearest u16 │ crossing 4 × u16 │ rank u8
//! back            crossing of the opposite direction per entry; empty if all streets are two-way
//! ```
//!
//! `crossing` holds the distances between the ends of two streets, so `d(A, B)` is two additions and
//! a minimum per exit, without a search or a look-up (§IV-A). Both readers of a row need a prefix: the
//! edge search follows it up to the largest `dc` on the street, and the expanding mesh (Algorithm 3)
//! *is* the prefix with `nearest < dc`.
//!
//! Invariants: a row ascends by (`nearest`, `street`), near part and tail together, and is a function
//! of map and `dc_max` alone, independent of threads and order: the first thread that reads a block or
//! a tail computes it, other readers block until it is set. `rank` is the position of an entry in street order among the
//! near part and the street itself, so that a set of near streets is a 64-bit mask that is already
//! sorted.
//!
//! The simple version, all rows in advance, computes and stores what no batch reads: few rows are
//! followed beyond 47 entries, fewer beyond a third of `dc_max`. A middle tail is stored again when the
//! whole row is needed, about a ninth of it on a map of even density; the distance matrix, which rows
//! in advance need beside them, is not stored. Within a block near parts are contiguous, so that they are read
//! almost sequentially and can be prefetched; see docs/BENCHMARKS.md, "Where the engine's time goes"
//! and "Preparing".

use super::matrix::DistanceMatrix;
use super::near_block::{BLOCK, NearBlock, NearRow, RowPart};
use super::row_source::RowSource;
use super::street_row::{Crossing, Matrices, ReachedStreet, RowEnd, StreetRow};
use crate::map::StreetId;
use crate::units::Length;
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// The rows of all streets.
#[derive(Clone, Debug)]
pub struct Reach {
    pub(super) source: Arc<RowSource>,
    pub(super) near_len: usize,
    near: Box<[OnceLock<NearBlock>]>,
    tails: [Box<[OnceLock<Box<Tail>>]>; 2],
}

/// Entries of a row behind its near part.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    entries: Box<[ReachedStreet]>,
    /// Return path of each entry; empty if every street is two-way.
    back: Box<[Crossing]>,
}

impl Tail {
    fn of(row: &StreetRow, near_len: usize) -> Box<Tail> {
        let start = row.entries.len().min(near_len);
        let back = row.back.get(start..).unwrap_or(&[]);
        Box::new(Tail { entries: row.entries[start..].into(), back: back.into() })
    }

    fn part(&self) -> RowPart<'_> {
        let back = (!self.back.is_empty()).then_some(&self.back[..]);
        RowPart { entries: &self.entries, back }
    }

    fn bytes(&self) -> usize {
        size_of::<Tail>() + size_of_val(&self.entries[..]) + size_of_val(&self.back[..])
    }
}

impl Reach {
    /// Returns rows that are computed on demand, with at most `near_len` entries in the near part.
    pub(super) fn new(source: Arc<RowSource>, near_len: usize) -> Reach {
        let streets = source.map.street_count();
        let near = (0..streets.div_ceil(BLOCK)).map(|_| OnceLock::new()).collect();
        let tails = [0, 1].map(|_| (0..streets).map(|_| OnceLock::new()).collect());
        Reach { source, near_len, near, tails }
    }

    /// Most bytes per entry of a row.
    pub(super) const ENTRY_BYTES: usize = size_of::<ReachedStreet>() + size_of::<Crossing>();

    /// Computes all rows, on all threads.
    pub fn fill(&self) {
        let matrices = Matrices::of(&self.source);
        (0..self.near.len()).into_par_iter().for_each(|block| self.gather_block(block, &matrices));
    }

    /// Computes the rows of a block from the distances between all terminals.
    fn gather_block(&self, block: usize, matrices: &Matrices) {
        let mut near = NearBlock::default();
        self.source.scratch.with(|row| {
            for street in self.streets(block) {
                row.gather(&self.source, matrices, street);
                near.push(street, row, self.near_len);
                self.tails[1][street.index()].get_or_init(|| Tail::of(row, self.near_len));
            }
        });
        self.near[block].get_or_init(|| near.finish());
    }

    /// Streets of a block.
    fn streets(&self, block: usize) -> impl Iterator<Item = StreetId> + use<> {
        let end = (block * BLOCK + BLOCK).min(self.source.map.street_count());
        (block as u32 * BLOCK as u32..end as u32).map(StreetId)
    }

    #[cold]
    #[inline(never)]
    fn search_block(&self, block: usize) -> NearBlock {
        let mut near = NearBlock::default();
        self.source.scratch.with(|row| {
            for street in self.streets(block) {
                row.search(&self.source, street, RowEnd::Len(self.near_len));
                near.push(street, row, self.near_len);
            }
        });
        near.finish()
    }

    #[cold]
    #[inline(never)]
    fn search_tail(&self, street: StreetId, distance: u32) -> Box<Tail> {
        self.source.scratch.with(|row| {
            row.search(&self.source, street, RowEnd::Distance(distance));
            Tail::of(row, self.near_len)
        })
    }

    /// Returns the near part of a row.
    #[inline]
    pub(crate) fn near(&self, street: StreetId) -> NearRow<'_> {
        let block = street.index() / BLOCK;
        let rows = self.near[block].get_or_init(|| self.search_block(block));
        rows.row(street.index() % BLOCK)
    }

    /// Returns the near part of a row and its tail, which is empty if it has no entry within
    /// `max_distance`, 1/32 m, and may end beyond that distance.
    pub(crate) fn parts(&self, street: StreetId, max_distance: i32) -> [RowPart<'_>; 2] {
        let near = self.near(street);
        let is_enough = near.is_enough(max_distance);
        [near.part, if is_enough { RowPart::EMPTY } else { self.tail(street, max_distance) }]
    }

    fn tail(&self, street: StreetId, max_distance: i32) -> RowPart<'_> {
        let [middle, all] = [0, 1].map(|tail: usize| &self.tails[tail][street.index()]);
        let dc_max = self.source.dc_max.units();
        let is_middle = max_distance <= (dc_max / 3) as i32;
        let tail = match all.get() {
            Some(all) => all,
            None if is_middle => middle.get_or_init(|| self.search_tail(street, dc_max / 3)),
            None => all.get_or_init(|| self.search_tail(street, dc_max)),
        };
        tail.part()
    }

    /// Prefetches the first cache lines of the near part of a row if it is computed.
    #[inline]
    pub(crate) fn prefetch(&self, street: StreetId) {
        if let Some(block) = self.near.get(street.index() / BLOCK).and_then(OnceLock::get) {
            block.prefetch(street.index() % BLOCK);
        }
    }

    /// Whether every street is two-way, so that return paths are the outward paths.
    pub(crate) fn is_two_way(&self) -> bool {
        self.source.is_two_way()
    }

    /// Returns the streets that can be entered within `max` of an exit of `street`, except itself,
    /// nearest first.
    pub fn within(&self, street: StreetId, max: Length) -> impl Iterator<Item = &ReachedStreet> {
        let max = max.units().min(self.source.dc_max.units());
        let entries = self.parts(street, max as i32).into_iter().flat_map(|part| part.entries);
        entries.take_while(move |reached| u32::from(reached.nearest) <= max)
    }

    /// Returns the streets within `dc_max` of `street`, except itself, nearest first.
    pub fn row(&self, street: StreetId) -> impl Iterator<Item = &ReachedStreet> {
        self.within(street, self.source.dc_max)
    }

    /// Returns the expanding mesh `EMesh` of `street` and `dc`, except the street itself: the
    /// streets that can be entered at a terminal nearer than `dc` to an exit.
    pub fn expanding(&self, street: StreetId, dc: Length) -> impl Iterator<Item = &ReachedStreet> {
        let max = dc.checked_sub(Length::UNIT);
        max.into_iter().flat_map(move |max| self.within(street, max))
    }

    /// Number of entries that are computed.
    pub fn entry_count(&self) -> usize {
        let near = self.near.iter().filter_map(OnceLock::get).map(NearBlock::entry_count);
        near.sum::<usize>() + self.computed_tails().map(|tail| tail.entries.len()).sum::<usize>()
    }

    /// Size in bytes of what is computed.
    pub fn bytes(&self) -> usize {
        let near = self.near.iter().filter_map(OnceLock::get).map(NearBlock::bytes);
        self.slot_bytes()
            + near.sum::<usize>()
            + self.computed_tails().map(Tail::bytes).sum::<usize>()
    }

    /// Size in bytes before any row is computed.
    pub(super) fn slot_bytes(&self) -> usize {
        size_of_val(&self.near[..]) + 2 * size_of_val(&self.tails[0][..])
    }

    fn computed_tails(&self) -> impl Iterator<Item = &Tail> {
        self.tails.iter().flatten().filter_map(|tail| tail.get().map(|tail| &**tail))
    }
}

impl Matrices {
    /// Computes the distances between all terminals, on all threads.
    fn of(source: &RowSource) -> Matrices {
        let compute = |arcs: &Arc<_>| {
            let matrix = DistanceMatrix::on(Arc::clone(arcs), source.dc_max);
            matrix.fill();
            matrix
        };
        let backward = source.backward.as_ref().map(compute);
        Matrices { forward: compute(&source.forward), backward }
    }
}
