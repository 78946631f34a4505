//! Looking around from a street: whom its people may meet, on the streets within their reach.

use super::around::{Around, Side};
use super::crowd::Person;
use super::hits::{Hits, Notes};
use super::near::NearStreets;
use super::walk::{Home, Walk};
use crate::distance::{Reach, Reached};

/// The entry that stands for the street itself.
const HOME: u32 = u32::MAX;

impl Walk<'_> {
    /// Everyone on other streets whom somebody of this one may meet, no farther than a walker gets
    /// who comes before her; and everyone of this one. Nobody gets beyond the near part of the row.
    #[inline(always)]
    pub(super) fn look_near(&self, home: Home<'_>, reach: &Reach, around: &mut Around) {
        let (row, back) = reach.near(home.street);
        let own = reach.place(home.street);
        let mut entries = [0; u64::BITS as usize];
        let mut places = 1 << own | self.places(home, row, &mut entries);
        while places != 0 {
            let place = places.trailing_zeros();
            places &= places - 1;
            if place == own {
                around.add_own(self.crowd.range(home.street));
                continue;
            }
            let entry = usize::from(entries[place as usize]);
            let Reached { street, crossing, .. } = row[entry];
            let back = back.map(|back| back[entry]);
            around.add((self.crowd.eights(), street), Side::of(place < own), (crossing, back));
        }
    }

    /// A bit for each street of a near part where somebody may be met, by its place in the order of
    /// streets, and for each such place the entry.
    #[inline(always)]
    fn places(
        &self,
        home: Home<'_>,
        row: &[Reached],
        entries: &mut [u8; u64::BITS as usize],
    ) -> u64 {
        let mut places = 0;
        let mut walkers = Walkers::of(home);
        for (entry, reached) in (0..).zip(row) {
            let Some(dc) = walkers.dc_at(reached.nearest) else { return places };
            let somebody = self.crowd.largest_dc(reached.street) >= dc;
            let place = usize::from(reached.place) % entries.len();
            entries[place] = entry;
            places |= u64::from(somebody) << place;
        }
        places
    }

    /// The same where somebody gets farther, or the nearest are to come first.
    #[inline(never)]
    pub(super) fn look_far(
        &self,
        home: Home<'_>,
        near: &NearStreets<'_>,
        hits: &mut Hits,
        around: &mut Around,
    ) {
        let [(row, back), (far_row, far_back)] = near.parts;
        hits.take_down(row.len() + far_row.len() + 1, |notes| {
            notes.note(home.street, HOME, true);
            self.walk(home, near, notes);
        });
        let near_count = row.len() as u32;
        let add = |entry: u32| {
            if entry == HOME {
                around.add_own(self.crowd.range(home.street));
                return;
            }
            let (row, back, entry) = match entry.checked_sub(near_count) {
                Some(entry) => (far_row, far_back, entry as usize),
                None => (row, back, entry as usize),
            };
            let Reached { street, crossing, .. } = row[entry];
            let (side, back) = (Side::of(street < home.street), back.map(|back| back[entry]));
            around.add((self.crowd.eights(), street), side, (crossing, back));
        };
        if self.is_crush() {
            hits.as_found().iter().copied().for_each(add);
        } else {
            hits.sort();
            hits.by_street().for_each(add);
        }
    }

    /// Notes the streets where somebody may be met.
    #[inline]
    fn walk(&self, home: Home<'_>, near: &NearStreets<'_>, notes: &mut Notes<'_>) {
        let mut walkers = Walkers::of(home);
        let mut entry = 0;
        for (row, _) in near.parts {
            for reached in row {
                let at = if near.sorted { reached.nearest } else { 0 };
                let Some(dc) = walkers.dc_at(at) else { return };
                let somebody = self.crowd.largest_dc(reached.street) >= dc;
                notes.note(reached.street, entry, somebody);
                entry += 1;
            }
        }
    }
}

/// The people of a street, ascending by reach, on their way along a row, nearest streets first.
struct Walkers<'a> {
    home: Home<'a>,
    others: std::slice::Iter<'a, Person>,
    dc: u16,
    /// How far the present one gets beyond the exits of the street.
    farthest: i32,
}

impl Walkers<'_> {
    fn of(home: Home<'_>) -> Walkers<'_> {
        Walkers { home, others: home.people.iter(), dc: u16::MAX, farthest: -1 }
    }

    /// The least reach of those who get as far as this; none if nobody does.
    #[inline(always)]
    fn dc_at(&mut self, nearest: u16) -> Option<u16> {
        while i32::from(nearest) > self.farthest {
            // She gets no farther, nor whoever came before her.
            let next = self.others.next()?;
            (self.dc, self.farthest) = (next.dc(), self.home.left(*next));
        }
        Some(self.dc)
    }
}
