//! Near parts of the rows of consecutive streets, contiguous.

use super::street_row::{Crossing, ReachedStreet, StreetRow, UNREACHABLE};
use crate::map::StreetId;

/// Streets per block.
pub(super) const BLOCK: usize = 32;

/// Consecutive entries of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowPart<'a> {
    pub(crate) entries: &'a [ReachedStreet],
    /// Return path of each entry; `None` if it is the outward path.
    pub(crate) back: Option<&'a [Crossing]>,
}

impl RowPart<'_> {
    pub(crate) const EMPTY: RowPart<'static> = RowPart { entries: &[], back: None };
}

/// The near part of a row, and what is known of the street itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearRow<'a> {
    /// Distances from the ends of the street around to its own ends.
    pub(crate) own: Crossing,
    /// Rank of the street in street order among the near part.
    pub(crate) rank: u32,
    /// Distance of the first entry of the far part, 1/32 m.
    far_from: u16,
    pub(crate) part: RowPart<'a>,
}

impl NearRow<'_> {
    /// Returns whether the near part holds every entry within `max_distance`, 1/32 m.
    #[inline]
    pub(crate) fn is_enough(&self, max_distance: i32) -> bool {
        max_distance < i32::from(self.far_from)
    }
}

/// The near parts of up to [`BLOCK`] streets.
#[derive(Clone, Debug, Default)]
pub(super) struct NearBlock {
    heads: Vec<Head>,
    rows: Vec<ReachedStreet>,
    /// Return path of each entry; empty if every street is two-way.
    back: Vec<Crossing>,
}

/// What is read first of a row.
#[derive(Clone, Copy, Debug)]
struct Head {
    own: Crossing,
    /// Start of the near part.
    start: u32,
    far_from: u16,
    /// Length of the near part.
    len: u8,
    rank: u8,
}

/// Size of what is stored for each row beside its entries.
pub(super) const HEAD_BYTES: usize = size_of::<Head>();

impl NearBlock {
    /// Appends the first entries of a row, at most `near_len`.
    pub(super) fn push(&mut self, street: StreetId, row: &StreetRow, near_len: usize) {
        let len = row.entries.len().min(near_len);
        let far = row.entries.get(len).map(|reached| reached.nearest).or(row.next);
        let start = self.rows.len();
        self.rows.extend_from_slice(&row.entries[..len]);
        if !row.back.is_empty() {
            self.back.extend_from_slice(&row.back[..len]);
        }
        let rank = set_ranks(street, &mut self.rows[start..]);
        let far_from = far.unwrap_or(UNREACHABLE);
        let (own, len) = (row.own, len as u8);
        self.heads.push(Head { own, start: start as u32, far_from, len, rank });
    }

    /// Frees spare capacity.
    pub(super) fn finish(mut self) -> NearBlock {
        self.heads.shrink_to_fit();
        self.rows.shrink_to_fit();
        self.back.shrink_to_fit();
        self
    }

    /// Returns the near part of a row by the number of its street in the block.
    #[inline]
    pub(super) fn row(&self, number: usize) -> NearRow<'_> {
        let Head { own, start, far_from, len, rank } = self.heads[number];
        let run = start as usize..start as usize + usize::from(len);
        let back = (!self.back.is_empty()).then(|| &self.back[run.clone()]);
        let part = RowPart { entries: &self.rows[run], back };
        NearRow { own, rank: rank.into(), far_from, part }
    }

    /// Prefetches the first cache lines of a near part.
    #[inline]
    pub(super) fn prefetch(&self, number: usize) {
        let Some(head) = self.heads.get(number) else { return };
        let entry = |number: usize| self.rows.get(head.start as usize + number);
        let read = [0, 4, 8].map(|number| entry(number).map_or(0, |reached| reached.nearest));
        std::hint::black_box(read[0] ^ read[1] ^ read[2]);
    }

    pub(super) fn entry_count(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.heads[..]) + size_of_val(&self.rows[..]) + size_of_val(&self.back[..])
    }
}

/// Sets the rank of each entry of a near part in street order, the row's own street included;
/// returns the rank of that street.
fn set_ranks(street: StreetId, row: &mut [ReachedStreet]) -> u8 {
    let mut order: Vec<u8> = (0..row.len() as u8).collect();
    order.sort_unstable_by_key(|&entry| row[usize::from(entry)].street);
    let before = order.partition_point(|&entry| row[usize::from(entry)].street < street) as u8;
    for (number, &entry) in (0..).zip(&order) {
        row[usize::from(entry)].rank = number + u8::from(number >= before);
    }
    before
}
