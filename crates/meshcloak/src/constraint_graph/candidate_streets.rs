//! The streets of a row that hold candidates, sorted by street: a branchless filter and a small sort.
//!
//! ```text
//! streets   [u32]   street of each candidate, in row order     ┐ first `len` elements valid;
//! entries   [u32]   its row entry                              ┘ one more is always writable
//! order     [u32]   indices into both, in street order, after `sort`
//! ```
//!
//! Compaction is branchless: every entry is stored and the length advances only for wanted ones,
//! because whether a street holds a candidate is unpredictable. Up to [`RANK_SORT_MAX`] streets are
//! sorted by rank (each counts how many precede it, eight per step), which has no
//! data-dependent branch; longer lists use the standard sort.

use crate::map::StreetId;

/// Candidate streets of one row.
#[derive(Clone, Debug, Default)]
pub(super) struct CandidateStreets {
    streets: Vec<u32>,
    entries: Vec<u32>,
    len: usize,
    order: Vec<u32>,
}

/// Appends candidate streets.
pub(super) struct StreetWriter<'a> {
    streets: &'a mut [u32],
    entries: &'a mut [u32],
    len: usize,
}

/// Streets per step of the rank sort.
const CHUNK: usize = 8;

/// Longest list that is sorted by rank.
const RANK_SORT_MAX: usize = 24;

impl CandidateStreets {
    /// Replaces the list by what `write` appends, at most `max` streets.
    #[inline]
    pub(super) fn fill(&mut self, max: usize, write: impl FnOnce(&mut StreetWriter<'_>)) {
        let capacity = max.max(RANK_SORT_MAX) + 1 + CHUNK;
        if self.entries.len() < capacity {
            self.streets.resize(capacity, 0);
            self.entries.resize(capacity, 0);
            self.order.resize(capacity, 0);
        }
        let (streets, entries) = (&mut self.streets[..capacity], &mut self.entries[..capacity]);
        let mut writer = StreetWriter { streets, entries, len: 0 };
        write(&mut writer);
        self.len = writer.len;
    }

    /// Returns the row entries in row order.
    pub(super) fn in_row_order(&self) -> &[u32] {
        &self.entries[..self.len]
    }

    /// Computes the street order.
    #[inline]
    pub(super) fn sort(&mut self) {
        let CandidateStreets { streets, order, len, .. } = self;
        let len = *len;
        if len > RANK_SORT_MAX {
            order.clear();
            order.extend(0..len as u32);
            order.sort_unstable_by_key(|&index| streets[index as usize]);
            order.resize(self.entries.len(), 0);
            return;
        }
        streets[len..len + CHUNK].fill(u32::MAX);
        let order: &mut [u32; RANK_SORT_MAX] =
            order.first_chunk_mut().expect("the capacity is at least RANK_SORT_MAX");
        let chunks = streets[..RANK_SORT_MAX].as_chunks::<CHUNK>().0;
        for (index, street) in (0..).zip(&streets[..len]) {
            let mut rank = count_below(&chunks[0], *street);
            for chunk in &chunks[1..len.div_ceil(CHUNK).max(1)] {
                rank += count_below(chunk, *street);
            }
            order[rank as usize % RANK_SORT_MAX] = index;
        }
    }

    /// Returns the row entries in street order, after [`CandidateStreets::sort`].
    #[inline]
    pub(super) fn in_street_order(&self) -> impl Iterator<Item = u32> {
        self.order[..self.len].iter().map(|&index| self.entries[index as usize])
    }
}

impl StreetWriter<'_> {
    /// Appends a street if it is `wanted`. It is stored either way, so one element must be free.
    #[inline]
    pub(super) fn push_if(&mut self, street: StreetId, entry: u32, wanted: bool) {
        let len = self.len;
        debug_assert!(len < self.streets.len(), "no space for one more street");
        if let (Some(street_slot), Some(entry_slot)) =
            (self.streets.get_mut(len), self.entries.get_mut(len))
        {
            *street_slot = street.0;
            *entry_slot = entry;
            self.len = len + usize::from(wanted);
        }
    }
}

#[inline]
fn count_below(chunk: &[u32; CHUNK], street: u32) -> u32 {
    chunk.iter().map(|&other| u32::from(other < street)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_streets_are_returned_in_street_order() {
        let mut candidates = CandidateStreets::default();
        let long = RANK_SORT_MAX as u32 - 3..RANK_SORT_MAX as u32 + 20;
        for count in (0..20).chain(long).chain([300]) {
            let mut expected = Vec::new();
            candidates.fill(count as usize, |writer| {
                for entry in 0..count {
                    let street = entry.wrapping_mul(2_654_435_761) >> 1;
                    writer.push_if(StreetId(street), entry, street % 3 > 0);
                    expected.extend((street % 3 > 0).then_some((street, entry)));
                }
            });
            assert!(candidates.in_row_order().iter().eq(expected.iter().map(|(_, entry)| entry)));
            expected.sort_by_key(|(street, _)| *street);
            candidates.sort();
            let entries = expected.into_iter().map(|(_, entry)| entry);
            assert!(candidates.in_street_order().eq(entries), "{count}");
        }
    }
}
