//! Neighbours on one's own street: straight along, or round and back.

use super::crowd::Person;
use super::lanes::{SIXTEEN, bits};
use super::near::{NearStreets, WaysBack};
use super::walk::{Home, Walk, across, to_ends};
use crate::distance::{BEYOND, Crossing};
use std::ops::Range;

impl Walk<'_> {
    /// Neighbours on her own street, of those who come after her: a bit for each of `others`.
    #[inline(always)]
    pub(super) fn on_street(
        &self,
        home: Home<'_>,
        near: &NearStreets<'_>,
        place: usize,
        others: Range<usize>,
    ) -> u64 {
        let a = home.people[place];
        let is_short = u32::from(a.from) + u32::from(a.to) < u32::from(BEYOND);
        let (mut met, mut next) = (0, others.start.max(place + 1));
        while next < others.end {
            let count = SIXTEEN.min(others.end - next);
            let lanes = self.crowd.lanes();
            let node = home.first as usize + next;
            let some = match near.ways_back {
                _ if !is_short => {
                    let meets =
                        |lane: usize| self.meets_on_street(home, near.own, place, next + lane);
                    (0..count).map(|lane| u64::from(meets(lane)) << lane).sum()
                }
                WaysBack::Same if !home.one_way => along(a, near.own, lanes.ends(node)),
                _ => self.along_and_back(a, home.one_way, near.own, node),
            };
            met |= (some & ((1 << count) - 1)) << (next - others.start);
            next += SIXTEEN;
        }
        met
    }

    /// Which of some people on one street are within reach of `a`, and she of them.
    fn along_and_back(&self, a: Person, one_way: bool, round: Crossing, node: usize) -> u64 {
        let [from_from, from_to, to_from, to_to] = round;
        let (a_to_from, a_to_to) = to_ends(a, round);
        let (lanes, most) = (self.crowd.lanes(), self.coverage.farthest_back(a.dc));
        let ((from, to), dc) = (lanes.ends::<SIXTEEN>(node), lanes.dc::<SIXTEEN>(node));
        bits(|lane| {
            let (from, to, dc) = (from[lane], to[lane], dc[lane]);
            let straight = a.from.saturating_sub(from) | from.saturating_sub(a.from);
            let ahead = if one_way & (from < a.from) { BEYOND } else { straight };
            let behind = if one_way & (from > a.from) { BEYOND } else { straight };
            let there = a_to_from.saturating_add(from).min(a_to_to.saturating_add(to));
            let to_from = from.saturating_add(from_from).min(to.saturating_add(to_from));
            let to_to = from.saturating_add(from_to).min(to.saturating_add(to_to));
            let back = to_from.saturating_add(a.from).min(to_to.saturating_add(a.to));
            (ahead.min(there) <= a.dc) & (behind.min(back) <= dc.min(most))
        })
    }

    /// Whether two people of one street are neighbours: straight along, or round and back. The
    /// first has the smaller constraint.
    fn meets_on_street(&self, home: Home<'_>, round: Crossing, a: usize, b: usize) -> bool {
        let way = |a: usize, b: usize| {
            let along = self.along(home, home.first + a as u32, home.first + b as u32);
            along.min(u32::from(across(home.people[a], round, home.people[b])))
        };
        let most = self.coverage.farthest_back(home.people[a].dc);
        let limit = home.people[b].dc.min(most);
        way(a, b) <= u32::from(home.people[a].dc) && way(b, a) <= u32::from(limit)
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
fn along(a: Person, round: Crossing, (from, to): (&[u16; SIXTEEN], &[u16; SIXTEEN])) -> u64 {
    let (to_from, to_to) = to_ends(a, round);
    bits(|lane| {
        let straight = a.from.saturating_sub(from[lane]) | from[lane].saturating_sub(a.from);
        let about = to_from.saturating_add(from[lane]).min(to_to.saturating_add(to[lane]));
        straight.min(about) <= a.dc
    })
}
