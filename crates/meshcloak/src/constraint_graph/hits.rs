//! The streets on which somebody may be met, in the order of streets.

use crate::map::StreetId;

/// Streets of a row, found one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Hits {
    /// As many as were found, and some room.
    streets: Vec<u32>,
    entries: Vec<u32>,
    len: usize,
    order: Vec<u32>,
}

/// Room for what is found.
pub(super) struct Notes<'a> {
    streets: &'a mut [u32],
    entries: &'a mut [u32],
    len: usize,
}

/// So many streets are compared at once.
const AT_ONCE: usize = 8;

/// More streets than this are sorted; fewer are counted, without a branch for each.
const FEW: usize = 24;

impl Hits {
    /// Takes down what `note` finds, no more than `most`.
    #[inline]
    pub(super) fn take_down(&mut self, most: usize, note: impl FnOnce(&mut Notes<'_>)) {
        let room = most.max(FEW) + 1 + AT_ONCE;
        if self.entries.len() < room {
            self.streets.resize(room, 0);
            self.entries.resize(room, 0);
            self.order.resize(room, 0);
        }
        let (streets, entries) = (&mut self.streets[..room], &mut self.entries[..room]);
        let mut notes = Notes { streets, entries, len: 0 };
        note(&mut notes);
        self.len = notes.len;
    }

    /// The entries that were found, in the order in which they were found.
    pub(super) fn as_found(&self) -> &[u32] {
        &self.entries[..self.len]
    }

    /// Brings what was found into the order of streets.
    #[inline]
    pub(super) fn sort(&mut self) {
        let Hits { streets, order, len, .. } = self;
        let len = *len;
        if len > FEW {
            order.clear();
            order.extend(0..len as u32);
            order.sort_unstable_by_key(|&number| streets[number as usize]);
            order.resize(self.entries.len(), 0);
            return;
        }
        streets[len..len + AT_ONCE].fill(u32::MAX);
        let order: &mut [u32; FEW] = order.first_chunk_mut().expect("there is room for a few");
        let groups = streets[..FEW].as_chunks::<AT_ONCE>().0;
        for (number, street) in (0..).zip(&streets[..len]) {
            // Each stands behind as many as come before it.
            let mut before = count_below(&groups[0], *street);
            for group in &groups[1..len.div_ceil(AT_ONCE).max(1)] {
                before += count_below(group, *street);
            }
            order[before as usize % FEW] = number;
        }
    }

    /// The entries that were found, in the order of streets.
    #[inline]
    pub(super) fn by_street(&self) -> impl Iterator<Item = u32> {
        self.order[..self.len].iter().map(|&number| self.entries[number as usize])
    }
}

impl Notes<'_> {
    /// Notes a street if it is `wanted`; there must be room for it either way.
    #[inline]
    pub(super) fn note(&mut self, street: StreetId, entry: u32, wanted: bool) {
        let len = self.len;
        debug_assert!(len < self.streets.len(), "there is no room for a street");
        if let (Some(place), Some(noted)) = (self.streets.get_mut(len), self.entries.get_mut(len)) {
            *place = street.0;
            *noted = entry;
            self.len = len + usize::from(wanted);
        }
    }
}

#[inline]
fn count_below(group: &[u32; AT_ONCE], street: u32) -> u32 {
    group.iter().map(|&other| u32::from(other < street)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_comes_out_in_the_order_of_streets() {
        let mut hits = Hits::default();
        for count in (0..20).chain(FEW as u32 - 3..FEW as u32 + 20).chain([300]) {
            let mut expected = Vec::new();
            hits.take_down(count as usize, |notes| {
                for entry in 0..count {
                    let street = entry.wrapping_mul(2_654_435_761) >> 1;
                    notes.note(StreetId(street), entry, street % 3 > 0);
                    expected.extend((street % 3 > 0).then_some((street, entry)));
                }
            });
            assert!(hits.as_found().iter().eq(expected.iter().map(|(_, entry)| entry)));
            expected.sort_by_key(|(street, _)| *street);
            hits.sort();
            assert!(hits.by_street().eq(expected.into_iter().map(|(_, entry)| entry)), "{count}");
        }
    }
}
