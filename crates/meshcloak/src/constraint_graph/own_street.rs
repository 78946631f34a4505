//! Neighbours on one's own street: straight along, or round and back.

use super::crowd::Person;
use super::eights::{EIGHT, Eight};
use super::walk::{Home, Walk};
use super::ways::{Ways, WaysBack};
use crate::distance::{BEYOND, Crossing};
use std::ops::Range;
use wide::u16x8;

impl Walk<'_> {
    /// Neighbours on her own street, of those who come after her: a bit for each of `others`, who
    /// are some eights of them.
    #[inline(always)]
    pub(super) fn on_street<W: Ways>(
        &self,
        home: Home<'_>,
        round: Crossing,
        place: usize,
        others: Range<usize>,
    ) -> u64 {
        let not_after = (place + 1).saturating_sub(others.start);
        if not_after >= others.len() {
            return 0;
        }
        let a = home.people[place];
        let is_short = u32::from(a.from) + u32::from(a.to) < u32::from(BEYOND);
        let mut met = 0;
        let mut next = others.start + not_after / EIGHT * EIGHT;
        while next < others.end {
            let eight = self.crowd.eights().beginning(home.street, home.first as usize + next);
            let some = if !is_short {
                self.on_long_street(home, round, place, next..others.end)
            } else if W::BACK == WaysBack::Same {
                within_along(a, round, eight)
            } else {
                self.along_and_back(home, a, round, eight)
            };
            met |= some << (next - others.start);
            next += EIGHT;
        }
        let all = u64::MAX >> (u64::BITS as usize - others.len());
        met & all & u64::MAX << not_after
    }

    /// The same for the first eight of `others`, on a street longer than sixteen bits can say.
    #[cold]
    #[inline(never)]
    fn on_long_street(
        &self,
        home: Home<'_>,
        round: Crossing,
        place: usize,
        others: Range<usize>,
    ) -> u64 {
        let meets = |other: usize| self.meets_on_street(home, round, place, other);
        (0..).zip(others.take(EIGHT)).map(|(lane, other)| u64::from(meets(other)) << lane).sum()
    }

    /// Which of some people on one street are within reach of `a`, and she of them.
    fn along_and_back(&self, home: Home<'_>, a: Person, round: Crossing, eight: &Eight) -> u64 {
        let [from_from, from_to, to_from, to_to] = round;
        let (a_to_from, a_to_to) = to_ends(a, round);
        let most = self.coverage.farthest_back(a.dc());
        let meets = |lane: usize| {
            let (from, to, dc) = (eight.from[lane], eight.to[lane], eight.dc[lane]);
            let straight = a.from.abs_diff(from);
            let ahead = if home.one_way && from < a.from { BEYOND } else { straight };
            let behind = if home.one_way && from > a.from { BEYOND } else { straight };
            let there = a_to_from.saturating_add(from).min(a_to_to.saturating_add(to));
            let to_from = from.saturating_add(from_from).min(to.saturating_add(to_from));
            let to_to = from.saturating_add(from_to).min(to.saturating_add(to_to));
            let back = to_from.saturating_add(a.from).min(to_to.saturating_add(a.to));
            ahead.min(there) <= a.dc() && behind.min(back) <= dc.min(most)
        };
        let count = EIGHT.min(eight.left as usize);
        (0..count).map(|lane| u64::from(meets(lane)) << lane).sum()
    }

    /// Whether two people of one street are neighbours: straight along, or round and back. The
    /// first has the smaller constraint.
    fn meets_on_street(&self, home: Home<'_>, round: Crossing, a: usize, b: usize) -> bool {
        let way = |a: usize, b: usize| {
            let along = self.along(home, home.first + a as u32, home.first + b as u32);
            along.min(u32::from(across(home.people[a], round, home.people[b])))
        };
        let most = self.coverage.farthest_back(home.people[a].dc());
        let limit = home.people[b].dc().min(most);
        way(a, b) <= u32::from(home.people[a].dc()) && way(b, a) <= u32::from(limit)
    }

    /// How far it is from `a` to `b` along the street both are on, if its direction allows.
    fn along(&self, home: Home<'_>, a: u32, b: u32) -> u32 {
        let [at, there] = [a, b].map(|node| match self.crowd.person(node).from {
            u16::MAX => self.query(node).position.offset.units(),
            from => u32::from(from),
        });
        match there.checked_sub(at) {
            Some(ahead) => ahead,
            None if home.one_way => u32::MAX,
            None => at - there,
        }
    }
}

/// Which of some people on a two-way street are within reach of `a`: straight along, or round.
#[inline(always)]
fn within_along(a: Person, round: Crossing, eight: &Eight) -> u64 {
    let (from, to) = (u16x8::new(eight.from), u16x8::new(eight.to));
    let (at, (to_from, to_to)) = (u16x8::splat(a.from), to_ends(a, round));
    let beyond = a.dc() + 1;
    let left = |way: u16| u16x8::splat(beyond.saturating_sub(way));
    let straight = at.saturating_sub(from) | from.saturating_sub(at);
    let near = left(0).saturating_sub(straight)
        | left(to_from).saturating_sub(from)
        | left(to_to).saturating_sub(to);
    u64::from(!near.simd_eq(u16x8::ZERO).to_bitmask() & 0xff)
}

/// How far it is from `a` to the `from` and the `to` end of the street, round.
#[inline(always)]
fn to_ends(a: Person, crossing: Crossing) -> (u16, u16) {
    let [from_from, from_to, to_from, to_to] = crossing;
    (
        a.from.saturating_add(from_from).min(a.to.saturating_add(to_from)),
        a.from.saturating_add(from_to).min(a.to.saturating_add(to_to)),
    )
}

/// How far it is from `a` to `b` by leaving the street and entering it again.
fn across(a: Person, crossing: Crossing, b: Person) -> u16 {
    let (to_from, to_to) = to_ends(a, crossing);
    to_from.saturating_add(b.from).min(to_to.saturating_add(b.to))
}
