//! Reference for [`BatchGraph::has_set`](super::BatchGraph::has_set): tries all subsets of the
//! neighbours, by the definitions of docs/SPEC.md §4 and §6.

use super::depends_on_what_left;
use meshcloak::guarantee::Guarantee;
use meshcloak::guard::Promise;
use meshcloak::map::Position;
use meshcloak::query::Query;
use meshcloak::scheme::State;
use meshcloak::units::{Length, Time};

/// Largest number of neighbours of which all subsets are tried.
const MAX_NEIGHBOURS: usize = 9;

pub(super) struct Case<'a> {
    pub promise: &'a Promise,
    pub state: &'a State,
    pub now: Time,
    /// With the clock `published`, the query that left last.
    pub past: Option<&'a Query>,
}

impl Case<'_> {
    /// Returns whether a query is in a set that keeps the promise; `None` with too many neighbours.
    pub(super) fn has_set(&self, query: &Query) -> Option<bool> {
        let waiting = self.state.waiting.iter();
        let others: Vec<&Query> = waiting.filter(|other| self.is_edge(query, other)).collect();
        (others.len() <= MAX_NEIGHBOURS).then(|| {
            (0..1_u32 << others.len()).any(|subset| {
                let chosen = (0..others.len()).filter(|index| subset >> index & 1 == 1);
                let mut members = vec![query];
                members.extend(chosen.map(|index| others[index]));
                self.keeps_promise(&members)
            })
        })
    }

    fn is_within(&self, from: Position, to: Position, limit: Length) -> bool {
        self.promise.atlas.distance(from, to).is_some_and(|length| length <= limit)
    }

    fn is_edge(&self, a: &Query, b: &Query) -> bool {
        a.user != b.user
            && self.is_within(a.position, b.position, a.distance_constraint)
            && self.is_within(b.position, a.position, b.distance_constraint)
    }

    /// Whether the user of a member can be at the place of another; the first member asks.
    fn can_be_at(&self, members: &[&Query], member: usize, place: usize) -> bool {
        let query = members[member];
        let past = if self.promise.guarantee != Guarantee::History {
            None
        } else if depends_on_what_left(self.promise) {
            let past = self.past.filter(|_| member == 0);
            past.map(|past| (past.position, self.now - past.asked_at))
        } else {
            let past = self.state.history.previous(query.id);
            past.map(|past| (past.position, query.asked_at - past.at))
        };
        past.is_none_or(|(from, time)| {
            let limit = query.speed.unwrap_or_default() * time;
            let to = members[place].position;
            limit > self.promise.atlas.dc_max() || self.is_within(from, to, limit)
        })
    }

    fn keeps_promise(&self, members: &[&Query]) -> bool {
        let all = 0..members.len();
        let mut edges = all.clone().flat_map(|a| (0..a).map(move |b| (a, b)));
        if !edges.all(|(a, b)| self.is_edge(members[a], members[b])) {
            return false;
        }
        let row = |a| all.clone().map(|b| self.can_be_at(members, a, b)).collect();
        let counts: Vec<Vec<bool>> = all.clone().map(row).collect();
        let mut leads = counts.clone();
        for middle in all.clone() {
            for (from, to) in all.clone().flat_map(|a| all.clone().map(move |b| (a, b))) {
                leads[from][to] |= leads[from][middle] && leads[middle][to];
            }
        }
        all.clone().all(|a| {
            let hiding = all.clone().filter(|&b| counts[a][b] && leads[b][a]).count();
            counts[a][a] && hiding >= members[a].k as usize
        })
    }
}
