//! Collects the candidates of a source street from the streets within reach of its queries.
//!
//! ```text
//! row of the source street, ascending by distance
//!   entry     0    1    2    3    4  …
//!   rank      3    0    5    2    1         street order within the near part
//!               ↓ streets with max_dc ≥ smallest dc that reaches the entry
//!   mask      …101101                       bit = rank: iterating over the bits sorts by street
//! ```
//!
//! A query searches only for neighbours with a larger (dc, node). Queries of a street ascend by `dc`,
//! so along the row the smallest `dc` that still reaches an entry only grows ([`ReachCursor`]), and
//! a street without a query of at least that `dc` is skipped. The near part of a row holds fewer
//! than 64 streets, so sorting them is a bit mask instead of a sort. Only rows that are followed
//! farther use [`CandidateStreets`].

use super::candidate_streets::{CandidateStreets, StreetWriter};
use super::candidates::{Candidates, StreetLink, StreetOrder};
use super::edge_search::{EdgeSearch, SourceStreet};
use super::street_index::StreetQuery;
use super::street_row::StreetRow;
use crate::distance::{NearRow, ReachedStreet};

/// Row entry that stands for the source street itself.
const SOURCE_ENTRY: u32 = u32::MAX;

impl EdgeSearch<'_> {
    /// Collects the candidates if no query gets beyond the near part of the row.
    #[inline(always)]
    pub(super) fn collect_near(
        &self,
        source: SourceStreet<'_>,
        near: NearRow<'_>,
        candidates: &mut Candidates,
    ) {
        let NearRow { part: row, rank: own, .. } = near;
        let mut entry_of_rank = [0; u64::BITS as usize];
        let mut ranks = self.near_ranks(source, row.entries, &mut entry_of_rank);
        if let Some(cells) = self.cells {
            let street_of = |rank| row.entries[usize::from(entry_of_rank[rank as usize])].street;
            let cell = cells.of(source.street);
            ranks = filter_bits(ranks, |rank| cells.of(street_of(rank)) == cell);
        }
        ranks |= 1 << own;
        while ranks != 0 {
            let rank = ranks.trailing_zeros();
            ranks &= ranks - 1;
            if rank == own {
                candidates.push_own(self.index.nodes_on(source.street));
                continue;
            }
            let entry = usize::from(entry_of_rank[rank as usize]);
            let ReachedStreet { street, crossing, .. } = row.entries[entry];
            let order = StreetOrder::from_is_before(rank < own);
            let back = row.back.map(|back| back[entry]);
            let link = StreetLink { order, there: crossing, back };
            candidates.push_street(self.index.octets(), street, link);
        }
    }

    /// Returns a mask of the ranks of the near streets that hold candidates, and sets the row entry
    /// of each rank.
    #[inline(always)]
    fn near_ranks(
        &self,
        source: SourceStreet<'_>,
        row: &[ReachedStreet],
        entry_of_rank: &mut [u8; u64::BITS as usize],
    ) -> u64 {
        let mut ranks = 0;
        let mut cursor = ReachCursor::new(source);
        for (entry, reached) in (0..).zip(row) {
            let Some(dc) = cursor.min_dc_at(reached.nearest) else { return ranks };
            let has_candidate = self.index.max_dc(reached.street) >= dc;
            let rank = usize::from(reached.rank) % entry_of_rank.len();
            entry_of_rank[rank] = entry;
            ranks |= u64::from(has_candidate) << rank;
        }
        ranks
    }

    /// Collects the candidates of any row. If the number of neighbours is capped they are in row
    /// order, the nearest first.
    #[inline(never)]
    pub(super) fn collect_far(
        &self,
        source: SourceStreet<'_>,
        row: &StreetRow<'_>,
        streets: &mut CandidateStreets,
        candidates: &mut Candidates,
    ) {
        let [near, far] = row.parts;
        streets.fill(near.entries.len() + far.entries.len() + 1, |writer| {
            writer.push_if(source.street, SOURCE_ENTRY, true);
            self.write_streets(source, row, writer);
        });
        let near_len = near.entries.len() as u32;
        let push = |entry: u32| {
            if entry == SOURCE_ENTRY {
                candidates.push_own(self.index.nodes_on(source.street));
                return;
            }
            let (part, entry) = match entry.checked_sub(near_len) {
                Some(entry) => (far, entry as usize),
                None => (near, entry as usize),
            };
            let ReachedStreet { street, crossing, .. } = part.entries[entry];
            let order = StreetOrder::from_is_before(street < source.street);
            let back = part.back.map(|back| back[entry]);
            let link = StreetLink { order, there: crossing, back };
            candidates.push_street(self.index.octets(), street, link);
        };
        if self.is_capped() {
            streets.in_row_order().iter().copied().for_each(push);
        } else {
            streets.sort();
            streets.in_street_order().for_each(push);
        }
    }

    /// Appends the streets of a row that hold candidates.
    #[inline]
    fn write_streets(
        &self,
        source: SourceStreet<'_>,
        row: &StreetRow<'_>,
        writer: &mut StreetWriter<'_>,
    ) {
        let mut cursor = ReachCursor::new(source);
        let cell = self.cells.map(|cells| (cells, cells.of(source.street)));
        let is_in_cell = |street| cell.is_none_or(|(cells, cell)| cells.of(street) == cell);
        let mut entry = 0;
        for part in row.parts {
            for reached in part.entries {
                let distance = if row.sorted { reached.nearest } else { 0 };
                let Some(dc) = cursor.min_dc_at(distance) else { return };
                let has_candidate =
                    self.index.max_dc(reached.street) >= dc && is_in_cell(reached.street);
                writer.push_if(reached.street, entry, has_candidate);
                entry += 1;
            }
        }
    }
}

/// Returns the bits of `mask` for which `keep` holds.
#[inline]
fn filter_bits(mask: u64, keep: impl Fn(u32) -> bool) -> u64 {
    let (mut open, mut kept) = (mask, 0);
    while open != 0 {
        let bit = open.trailing_zeros();
        open &= open - 1;
        kept |= u64::from(keep(bit)) << bit;
    }
    kept
}

/// The query with the smallest `dc` that reaches the current distance along a row.
struct ReachCursor<'a> {
    source: SourceStreet<'a>,
    queries: std::slice::Iter<'a, StreetQuery>,
    dc: u16,
    /// Reach of the current query beyond the exits of the street, 1/32 m.
    reach: i32,
}

impl ReachCursor<'_> {
    fn new(source: SourceStreet<'_>) -> ReachCursor<'_> {
        ReachCursor { source, queries: source.queries.iter(), dc: u16::MAX, reach: -1 }
    }

    /// Returns the smallest `dc` of the queries that reach `distance`; `None` if none does.
    /// Distances must not descend from call to call.
    #[inline(always)]
    fn min_dc_at(&mut self, distance: u16) -> Option<u16> {
        while i32::from(distance) > self.reach {
            let next = self.queries.next()?;
            (self.dc, self.reach) = (next.dc(), self.source.reach_beyond_exit(*next));
        }
        Some(self.dc)
    }
}
