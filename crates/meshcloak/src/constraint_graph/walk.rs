//! Walking the streets within reach, and meeting the people there.
//!
//! People on one street walk together: whom they may meet is gathered once for all of them.

use super::Coverage;
use super::around::{Around, WORD};
use super::crowd::{Crowd, Person};
use super::hits::Hits;
use super::later::Later;
use super::near::Near;
use super::ways::{Ways, WaysBack};
use crate::distance::{Atlas, Crossing, Rows};
use crate::map::StreetId;
use crate::query::Query;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What all searches of a batch share.
pub(super) struct Walk<'a> {
    pub(super) atlas: &'a Atlas,
    pub(super) coverage: Coverage,
    pub(super) waiting: &'a [Query],
    pub(super) crowd: &'a Crowd,
    /// How many neighbours a node may keep.
    pub(super) most: usize,
}

/// What the searches of one portion found: the neighbours of each node in turn, and where they end.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) ends: Vec<u32>,
    pub(super) later: Later,
    near: Near,
    hits: Hits,
    around: Around,
}

/// The street that people walk from.
#[derive(Clone, Copy)]
pub(super) struct Home<'a> {
    pub(super) street: StreetId,
    pub(super) one_way: bool,
    /// The node of the first.
    pub(super) first: u32,
    pub(super) people: &'a [Person],
}

impl Home<'_> {
    /// How far anybody gets beyond its nearest exit; below 0 if not even there.
    fn farthest(self) -> i32 {
        self.people.iter().map(|person| self.left(*person)).max().unwrap_or(-1)
    }

    /// How far somebody gets beyond its nearest exit; below 0 if not even there.
    pub(super) fn left(self, person: Person) -> i32 {
        let leave = if self.one_way { person.to } else { person.from.min(person.to) };
        i32::from(person.dc()) - i32::from(leave)
    }
}

/// Rows are read so many streets before they are walked.
const STREETS_AHEAD: u32 = 4;

/// So many neighbours are written at once.
const AT_ONCE: usize = 4;

/// After so many edges a portion says how many it has found.
const EDGES_OF_A_REPORT: usize = 1 << 16;

/// How much was found, as far as others know of it.
struct Report<'a> {
    total: &'a AtomicUsize,
    reported: usize,
}

impl Report<'_> {
    /// Tells others how much there is; whether that is more than may be kept.
    fn is_too_much(&mut self, later: &Later) -> bool {
        let more = later.len() - self.reported;
        self.reported = later.len();
        self.total.fetch_add(more, Ordering::Relaxed) + more > super::MOST_EDGES
    }
}

impl Walk<'_> {
    /// Everyone on `streets` searches, until `total` passes what may be kept.
    pub(super) fn run<W: Ways>(&self, streets: Range<u32>, found: &mut Found, total: &AtomicUsize) {
        found.ends.clear();
        found.later.clear();
        let mut report = Report { total, reported: 0 };
        for street in streets.map(StreetId) {
            if let Rows::Streets(reach) = self.atlas.rows() {
                reach.read_ahead(StreetId(street.0.saturating_add(STREETS_AHEAD)));
            }
            if !self.search::<W>(street, found, &mut report) {
                return;
            }
        }
        report.is_too_much(&found.later);
    }

    fn home<W: Ways>(&self, street: StreetId) -> Home<'_> {
        let (first, people) = self.crowd.on(street);
        let one_way = W::BACK != WaysBack::Same && self.atlas.map().street(street).one_way;
        Home { street, one_way, first, people }
    }

    /// Everyone on a street searches; `false` if all together have found too much.
    #[inline(always)]
    fn search<W: Ways>(
        &self,
        street: StreetId,
        found: &mut Found,
        report: &mut Report<'_>,
    ) -> bool {
        let home = self.home::<W>(street);
        if home.people.is_empty() {
            return true;
        }
        let farthest = home.farthest();
        let Found { ends, later, near, hits, around } = found;
        around.clear();
        let round = match self.atlas.rows() {
            Rows::Streets(reach) if reach.is_near(street, farthest) && !self.is_crush() => {
                self.look_near(home, reach, around);
                reach.own(street)
            }
            _ => {
                let near = near.streets(self.atlas, street, farthest);
                self.look_far(home, &near, hits, around);
                near.own
            }
        };
        for place in 0..home.people.len() {
            let before = later.len();
            self.greet_all::<W>(home, round, (place, around), later);
            if self.is_crush() {
                later.keep(before, self.most);
            }
            ends.push(later.len() as u32);
            if later.len() - report.reported > EDGES_OF_A_REPORT && report.is_too_much(later) {
                return false;
            }
        }
        true
    }

    /// Whether nodes may keep some of their neighbours only: then the nearest.
    pub(super) fn is_crush(&self) -> bool {
        self.most < super::MOST_EDGES
    }

    /// Somebody notes her neighbours: of those whom she can meet, everyone who comes after her.
    #[inline(always)]
    fn greet_all<W: Ways>(
        &self,
        home: Home<'_>,
        round: Crossing,
        (place, around): (usize, &Around),
        later: &mut Later,
    ) {
        let (node, a) = (home.first + place as u32, home.people[place]);
        let room = later.room(around.room() + AT_ONCE);
        let mut count = 0;
        for block in around.blocks() {
            let mut met = W::within(block, a, self.coverage);
            if W::BACK == WaysBack::Unknown {
                let returns = |other: u32| self.returns(other, (node, a));
                met = block.only(met, returns);
            }
            met |= self.on_street::<W>(home, round, place, block.own.clone()) << block.own_start;
            if a.may_be_again {
                met = block.only(met, |other| self.are_two_people(node, other));
            }
            while met != 0 {
                // Some at once, whether there are so many or not: the next are written over them.
                for slot in &mut room[count..count + AT_ONCE] {
                    *slot = block.nodes[met.trailing_zeros() as usize % WORD];
                    count += usize::from(met != 0);
                    met &= met.wrapping_sub(1);
                }
            }
        }
        later.keep_written(count);
    }

    pub(super) fn query(&self, node: u32) -> &Query {
        &self.waiting[self.crowd.places()[node as usize] as usize]
    }

    /// Whether somebody can come back to `a`, who comes before her.
    fn returns(&self, other: u32, (node, a): (u32, Person)) -> bool {
        let [from, to] = [other, node].map(|node| self.query(node).position);
        let most = self.coverage.farthest_back(a.dc());
        let limit = u32::from(self.crowd.person(other).dc().min(most));
        self.atlas.distance(from, to).is_some_and(|way| way.units() <= limit)
    }

    fn are_two_people(&self, a: u32, b: u32) -> bool {
        self.query(a).user != self.query(b).user
    }
}
