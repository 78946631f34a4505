//! The people around one street, ready to be compared with everyone who walks from it.
//!
//! How far it is from somebody on the street to somebody around it depends on her alone through her
//! distances to the two ends: so what lies beyond the ends is added up once for all walkers of the
//! street, and a walker compares sixteen people at a time, without a branch for each.

use super::crowd::Person;
use super::eights::{EIGHT, Eight, Eights};
use crate::distance::Crossing;
use crate::map::StreetId;
use std::ops::Range;
use wide::{u16x8, u16x16};

/// People on and around a street.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    blocks: Vec<Block>,
    /// The block that is being filled.
    last: usize,
}

/// Where a street stands in the order of streets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side {
    /// Before the one that people walk from.
    Before,
    After,
}

impl Side {
    pub(super) fn of(is_before: bool) -> Side {
        if is_before { Side::Before } else { Side::After }
    }

    /// Of two who get equally far the one on the later street comes later.
    #[inline]
    fn more(self) -> u16 {
        match self {
            Side::Before => 0,
            Side::After => 1,
        }
    }
}

/// So many people share a word of bits.
pub(super) const WORD: usize = u64::BITS as usize;

/// People on and around a street who share a word of bits.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Block {
    /// How far it is to each of them from the `from` end of the street.
    from: [u16; WORD],
    /// How far it is from the `to` end.
    to: [u16; WORD],
    /// How far each gets plus one; on streets before this one just how far.
    order: [u16; WORD],
    pub(super) nodes: [u32; WORD],
    /// How far it is back from each to the `from` end, where that is not the way there.
    back_from: [u16; WORD],
    /// How far it is back to the `to` end.
    back_to: [u16; WORD],
    /// How far each gets, where she may not come back by the way there.
    dc: [u16; WORD],
    len: usize,
    /// A bit for each who is not on the street itself.
    elsewhere: u64,
    /// Where those on the street itself begin.
    pub(super) own_start: usize,
    /// Which of those on the street they are.
    pub(super) own: Range<usize>,
}

impl Default for Block {
    fn default() -> Block {
        Block {
            from: [0; WORD],
            to: [0; WORD],
            order: [0; WORD],
            nodes: [0; WORD],
            back_from: [0; WORD],
            back_to: [0; WORD],
            dc: [0; WORD],
            len: 0,
            elsewhere: 0,
            own_start: 0,
            own: 0..0,
        }
    }
}

impl Around {
    pub(super) fn clear(&mut self) {
        self.last = 0;
        match self.blocks.first_mut() {
            Some(block) => block.clear(),
            None => self.blocks.push(Block::default()),
        }
    }

    /// Those who share a word of bits, word by word.
    #[inline]
    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks[..=self.last]
    }

    /// For how many there is room in the words that are in use.
    pub(super) fn room(&self) -> usize {
        (self.last + 1) * WORD
    }

    /// Adds the people of a street that can be reached, and the way back from there if it is known
    /// not to be the way there.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        (eights, street): (&Eights, StreetId),
        side: Side,
        ways: (Crossing, Option<Crossing>),
    ) {
        let first = eights.first(street);
        self.block().add(first, side, ways);
        if first.left as usize > EIGHT {
            for eight in eights.rest(first) {
                self.block().add(eight, side, ways);
            }
        }
    }

    /// Adds those on the street itself, to whom no way across the map leads.
    pub(super) fn add_own(&mut self, people: Range<usize>) {
        let mut node = people.start;
        while node < people.end {
            let some = node..people.end.min(node + EIGHT);
            self.block().add_own(some, node - people.start);
            node += EIGHT;
        }
    }

    /// The block that is being filled, with room for some more.
    #[inline]
    fn block(&mut self) -> &mut Block {
        if self.blocks[self.last].len > WORD - EIGHT {
            self.next();
        }
        &mut self.blocks[self.last]
    }

    #[cold]
    fn next(&mut self) {
        self.last += 1;
        match self.blocks.get_mut(self.last) {
            Some(block) => block.clear(),
            None => self.blocks.push(Block::default()),
        }
    }
}

impl Block {
    fn clear(&mut self) {
        self.len = 0;
        self.elsewhere = 0;
        self.own = 0..0;
    }

    #[inline(always)]
    fn add(&mut self, eight: &Eight, side: Side, (there, back): (Crossing, Option<Crossing>)) {
        // As many as always, whether there are so many or not: the next are written over them.
        let place = self.len.min(WORD - EIGHT);
        let places = place..place + EIGHT;
        let (from, to) = (u16x8::new(eight.from), u16x8::new(eight.to));
        let reach = |one: u16, other: u16| -> [u16; EIGHT] {
            let by_from = u16x8::splat(one).saturating_add(from);
            let by_to = u16x8::splat(other).saturating_add(to);
            (by_from - by_from.saturating_sub(by_to)).to_array() // the less of the two
        };
        let [from_from, from_to, to_from, to_to] = there;
        self.from[places.clone()].copy_from_slice(&reach(from_from, from_to));
        self.to[places.clone()].copy_from_slice(&reach(to_from, to_to));
        let order = u16x8::new(eight.dc) + u16x8::splat(side.more());
        self.order[places.clone()].copy_from_slice(&order.to_array());
        if let Some([from_from, from_to, to_from, to_to]) = back {
            self.back_from[places.clone()].copy_from_slice(&reach(from_from, to_from));
            self.back_to[places.clone()].copy_from_slice(&reach(from_to, to_to));
            self.dc[places].copy_from_slice(&eight.dc);
        }
        let count = (eight.left as usize).min(EIGHT);
        self.elsewhere |= first_bits(count) << place;
        self.number(eight.node, place);
        self.len = place + count;
    }

    fn add_own(&mut self, people: Range<usize>, first: usize) {
        let place = self.len.min(WORD - EIGHT);
        if self.own.is_empty() {
            (self.own_start, self.own) = (place, first..first);
        }
        self.own.end += people.len();
        self.number(people.start as u32, place);
        self.len = place + people.len();
    }

    #[inline(always)]
    fn number(&mut self, first: u32, place: usize) {
        let nodes: [u32; EIGHT] = std::array::from_fn(|lane| first + lane as u32);
        self.nodes[place..place + EIGHT].copy_from_slice(&nodes);
    }

    /// A bit for each, 1 if she is within the reach of `walker` and comes after her in the order of
    /// (dc, node); those on the street itself aside.
    #[inline(always)]
    pub(super) fn within(&self, walker: Person) -> u64 {
        let least = u16x16::splat(walker.dc() + 1);
        let [left_from, left_to] = walker.left().map(u16x16::splat);
        self.bits(|number| {
            let [from, to, order] =
                [&self.from, &self.to, &self.order].map(|some| read(some, number));
            let near = left_from.saturating_sub(from) | left_to.saturating_sub(to);
            near.simd_eq(ZERO) | least.saturating_sub(order)
        })
    }

    /// The same, if she comes back as well: within her own reach, and no farther than `most`.
    #[inline(always)]
    pub(super) fn within_and_back(&self, walker: Person, most: u16) -> u64 {
        let least = u16x16::splat(walker.dc() + 1);
        let [left_from, left_to] = walker.left().map(u16x16::splat);
        let [from_end, to_end] = [walker.from, walker.to].map(u16x16::splat);
        let most = u16x16::splat(most);
        self.bits(|number| {
            let [from, to, order] =
                [&self.from, &self.to, &self.order].map(|some| read(some, number));
            let [back_from, back_to, dc] =
                [&self.back_from, &self.back_to, &self.dc].map(|some| read(some, number));
            let near = left_from.saturating_sub(from) | left_to.saturating_sub(to);
            let beyond = dc - dc.saturating_sub(most) + u16x16::splat(1);
            let back = beyond.saturating_sub(back_from.saturating_add(from_end))
                | beyond.saturating_sub(back_to.saturating_add(to_end));
            near.simd_eq(ZERO) | back.simd_eq(ZERO) | least.saturating_sub(order)
        })
    }

    /// Those of `met` for whom `holds` is.
    #[inline(never)]
    pub(super) fn only(&self, met: u64, holds: impl Fn(u32) -> bool) -> u64 {
        let (mut open, mut held) = (met, 0);
        while open != 0 {
            let lane = open.trailing_zeros() as usize;
            open &= open - 1;
            held |= u64::from(holds(self.nodes[lane])) << lane;
        }
        held
    }

    /// A bit for each elsewhere of whom `misses`, asked about sixteen at a time, says 0.
    #[inline(always)]
    fn bits(&self, misses: impl Fn(usize) -> u16x16) -> u64 {
        let mut bits = 0;
        for number in 0..self.len.div_ceil(SIXTEEN).min(WORD / SIXTEEN) {
            let met = misses(number).simd_eq(ZERO);
            bits |= u64::from(met.to_bitmask()) << (number * SIXTEEN);
        }
        bits & self.elsewhere
    }
}

/// So many are compared at once.
const SIXTEEN: usize = 16;

const ZERO: u16x16 = u16x16::ZERO;

#[inline(always)]
fn read(lanes: &[u16; WORD], number: usize) -> u16x16 {
    u16x16::new(lanes.as_chunks::<SIXTEEN>().0[number])
}

/// The first few bits, no more than eight.
#[inline(always)]
fn first_bits(count: usize) -> u64 {
    (1 << count) - 1
}
