//! The people around one street, ready to be compared with everyone who walks from it.
//!
//! How far it is from somebody on the street to somebody around it depends on her alone through her
//! distances to the two ends: so what lies beyond the ends is added up once for all walkers of the
//! street, and a walker compares sixteen people at a time, without a branch for each.

use super::crowd::Person;
use super::lanes::{EIGHT, Lanes, SIXTEEN, bits};
use crate::distance::{BEYOND, Crossing};
use std::ops::Range;

/// People on and around a street.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    /// How far it is to each of them from the `from` end of the street.
    from: Vec<u16>,
    /// How far it is from the `to` end.
    to: Vec<u16>,
    dc: Vec<u16>,
    nodes: Vec<u32>,
    len: usize,
    /// How far it is back from each to the `from` end, where that is not the way there.
    back_from: Vec<u16>,
    /// How far it is back to the `to` end.
    back_to: Vec<u16>,
    /// The places of those on the street itself.
    own: Range<usize>,
}

/// So many people share a word of bits.
pub(super) const WORD: usize = u64::BITS as usize;

/// People on and around a street who share a word of bits.
#[derive(Clone, Copy)]
pub(super) struct SixtyFour<'a> {
    /// The place of the first.
    pub(super) first: usize,
    from: &'a [[u16; SIXTEEN]],
    to: &'a [[u16; SIXTEEN]],
    dc: &'a [[u16; SIXTEEN]],
    back_from: &'a [[u16; SIXTEEN]],
    back_to: &'a [[u16; SIXTEEN]],
    pub(super) nodes: &'a [u32; WORD],
}

impl Around {
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.make_room();
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds the people of a street that can be reached, and the way back from there if it is known
    /// not to be the way there.
    #[inline]
    pub(super) fn add(
        &mut self,
        lanes: &Lanes,
        people: Range<usize>,
        there: Crossing,
        back: Option<Crossing>,
    ) {
        let place = self.len;
        self.len += people.len();
        if self.len + EIGHT + WORD > self.from.len() {
            self.make_room();
        }
        // As many as always, whether there are so many or not: the next are written over them.
        self.write(lanes, people.start, place, (there, back));
        if people.len() > EIGHT {
            for (node, place) in people.zip(place..).step_by(EIGHT).skip(1) {
                self.write(lanes, node, place, (there, back));
            }
        }
    }

    #[inline(always)]
    fn write(
        &mut self,
        lanes: &Lanes,
        node: usize,
        place: usize,
        (there, back): (Crossing, Option<Crossing>),
    ) {
        let (from, to) = lanes.ends::<EIGHT>(node);
        let reach = |one: u16, other: u16| -> [u16; EIGHT] {
            std::array::from_fn(|lane| {
                one.saturating_add(from[lane]).min(other.saturating_add(to[lane]))
            })
        };
        let [from_from, from_to, to_from, to_to] = there;
        let ends = (reach(from_from, from_to), reach(to_from, to_to));
        self.put(node, place, (&ends.0, &ends.1, lanes.dc(node)));
        if let Some([from_from, from_to, to_from, to_to]) = back {
            let places = place..place + EIGHT;
            self.back_from[places.clone()].copy_from_slice(&reach(from_from, to_from));
            self.back_to[places].copy_from_slice(&reach(from_to, to_to));
        }
    }

    #[inline(always)]
    fn put(
        &mut self,
        node: usize,
        place: usize,
        (from, to, dc): (&[u16; EIGHT], &[u16; EIGHT], &[u16; EIGHT]),
    ) {
        let places = place..place + EIGHT;
        self.from[places.clone()].copy_from_slice(from);
        self.to[places.clone()].copy_from_slice(to);
        self.dc[places.clone()].copy_from_slice(dc);
        let nodes: [u32; EIGHT] = std::array::from_fn(|lane| node as u32 + lane as u32);
        self.nodes[places].copy_from_slice(&nodes);
    }

    /// Adds those on the street itself, to whom no way across the map leads.
    pub(super) fn add_own(&mut self, people: Range<usize>) {
        self.own = self.len..self.len + people.len();
        self.len = self.own.end;
        self.make_room();
        let nobody = [BEYOND; EIGHT];
        for (place, node) in self.own.clone().zip(people).step_by(EIGHT) {
            self.put(node, place, (&nobody, &nobody, &nobody));
        }
    }

    fn make_room(&mut self) {
        let room = self.len + EIGHT + WORD;
        if room > self.from.len() {
            let room = (2 * room).next_multiple_of(WORD);
            let Around { from, to, dc, back_from, back_to, .. } = self;
            for lanes in [from, to, dc, back_from, back_to] {
                lanes.resize(room, BEYOND);
            }
            self.nodes.resize(room, 0);
        }
    }

    /// Nobody stands behind the last.
    pub(super) fn close(&mut self) {
        let rest = self.len..self.len + SIXTEEN;
        self.from[rest.clone()].fill(BEYOND);
        self.to[rest].fill(BEYOND);
    }

    /// Those who share a word of bits.
    #[inline]
    pub(super) fn word(&self, number: usize) -> SixtyFour<'_> {
        let first = number * WORD;
        let end = (first + WORD).min(self.len.next_multiple_of(SIXTEEN));
        let sixteens = |lanes| <[u16]>::as_chunks(&<Vec<u16>>::as_slice(lanes)[first..end]).0;
        let nodes = self.nodes[first..].first_chunk().expect("there is room for a word");
        SixtyFour {
            first,
            from: sixteens(&self.from),
            to: sixteens(&self.to),
            dc: sixteens(&self.dc),
            back_from: sixteens(&self.back_from),
            back_to: sixteens(&self.back_to),
            nodes,
        }
    }

    /// The places of those on the street itself.
    pub(super) fn own(&self) -> Range<usize> {
        self.own.clone()
    }
}

impl SixtyFour<'_> {
    /// A bit for each, 1 if she is within the reach of `walker` and has no smaller reach herself,
    /// those on the street itself aside.
    #[inline(always)]
    pub(super) fn within(self, walker: Person) -> u64 {
        let mut met = 0;
        for (number, ((from, to), dc)) in self.from.iter().zip(self.to).zip(self.dc).enumerate() {
            let sixteen = bits(|lane| {
                let by_from = walker.from.saturating_add(from[lane]);
                let by_to = walker.to.saturating_add(to[lane]);
                (by_from.min(by_to) <= walker.dc) & (dc[lane] >= walker.dc)
            });
            met |= sixteen << (number * SIXTEEN);
        }
        met
    }

    /// The same, if she comes back as well: within her own reach, and no farther than `most`.
    #[inline(always)]
    pub(super) fn within_and_back(self, walker: Person, most: u16) -> u64 {
        let mut met = 0;
        let there = self.from.iter().zip(self.to).zip(self.dc);
        let back = self.back_from.iter().zip(self.back_to);
        for (number, (((from, to), dc), (back_from, back_to))) in there.zip(back).enumerate() {
            let sixteen = bits(|lane| {
                let by_from = walker.from.saturating_add(from[lane]);
                let by_to = walker.to.saturating_add(to[lane]);
                let back_by_from = walker.from.saturating_add(back_from[lane]);
                let back_by_to = walker.to.saturating_add(back_to[lane]);
                (by_from.min(by_to) <= walker.dc)
                    & (dc[lane] >= walker.dc)
                    & (back_by_from.min(back_by_to) <= dc[lane].min(most))
            });
            met |= sixteen << (number * SIXTEEN);
        }
        met
    }
}
