//! What is compared of many people at once, a list for each of it.

use super::crowd::Person;
use super::share::take;

/// So many people of one street are read together: most streets have fewer.
pub(super) const EIGHT: usize = 8;

/// So many are compared at once: their distances fit the widest registers that are common.
pub(super) const SIXTEEN: usize = 16;

/// The people of a crowd, in its order. The lists are somewhat longer than there are people, so
/// that there are always enough to be read together.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    from: Vec<u16>,
    to: Vec<u16>,
    dc: Vec<u16>,
}

/// What is written down of some people.
pub(super) struct Parts<'a> {
    from: &'a mut [u16],
    to: &'a mut [u16],
    dc: &'a mut [u16],
}

impl<'a> Parts<'a> {
    /// Takes the first out.
    pub(super) fn take(&mut self, people: usize) -> Parts<'a> {
        let [from, to, dc] =
            [&mut self.from, &mut self.to, &mut self.dc].map(|lane| take(lane, people));
        Parts { from, to, dc }
    }

    pub(super) fn fill(&mut self, people: &[Person]) {
        for (place, person) in people.iter().enumerate() {
            self.from[place] = person.from;
            self.to[place] = person.to;
            self.dc[place] = person.dc;
        }
    }
}

impl Lanes {
    /// Room for so many people, to be filled part by part.
    pub(super) fn parts(&mut self, people: usize) -> Parts<'_> {
        let Lanes { from, to, dc } = self;
        let room = |lane: &'_ mut Vec<u16>| lane.resize(people + SIXTEEN, 0);
        [&mut *from, &mut *to, &mut *dc].into_iter().for_each(room);
        Parts { from, to, dc }
    }

    /// How far some people are from the `from` ends of their streets, and from the `to` ends.
    #[inline]
    pub(super) fn ends<const N: usize>(&self, node: usize) -> (&[u16; N], &[u16; N]) {
        (some(&self.from, node), some(&self.to, node))
    }

    /// How far some people get.
    #[inline]
    pub(super) fn dc<const N: usize>(&self, node: usize) -> &[u16; N] {
        some(&self.dc, node)
    }
}

#[inline]
fn some<const N: usize>(lane: &[u16], node: usize) -> &[u16; N] {
    lane[node..].first_chunk().expect("the list is longer than there are people")
}

/// A bit for each of sixteen people, 1 for whom `holds` is.
///
/// Each has a word with her own bit, so that words are all that is computed, and many at once.
#[inline(always)]
pub(super) fn bits(holds: impl Fn(usize) -> bool) -> u64 {
    let bits: [u16; SIXTEEN] = std::array::from_fn(|lane| if holds(lane) { 1 << lane } else { 0 });
    bits.into_iter().fold(0, |all, bit| all | bit).into()
}
