//! The `history` check of one proposed set: at how many places of the set each member can be.
//!
//! An arrow leads from member `a` to member `b` if the user of `a` can have travelled to the place of
//! `b`. An adversary with all pasts assigns users to places one to one, so a place counts for `a` only
//! if it is in the strongly connected component of `a` (docs/SPEC.md §6). Components are read from the
//! transitive closure; the grouping has its own code. Reference: `naive::assigned_places`.

use super::distances::Distances;
use super::far_search::FarSearch;
use super::path;
use super::proposal::Proposal;
use crate::guarantee::max_travel;
use crate::map::Position;
use crate::query::Query;
use crate::units::Length;

/// Which member can be at the place of which other, as bit rows.
///
/// ```text
/// rows    n × w words    bit b of row a: the user of member a can be at the place of member b
/// ```
pub(super) struct Arrows {
    len: usize,
    words: usize,
    rows: Vec<u64>,
}

impl Arrows {
    /// Computes the relation for the members of a set, which are within each other's distance
    /// constraint and are the members of `distances`.
    pub(super) fn of(proposal: &Proposal<'_>, distances: &mut Distances) -> Arrows {
        let len = proposal.members.len();
        Arrows::from_rows(len, |a, row| fill_places(proposal, a, distances, row))
    }

    /// Returns the relation of which `fill` sets the bits of each row, initially 0.
    fn from_rows(len: usize, mut fill: impl FnMut(usize, &mut [u64])) -> Arrows {
        let words = len.div_ceil(64);
        let mut rows = vec![0; len * words];
        rows.chunks_mut(words.max(1)).enumerate().for_each(|(a, row)| fill(a, row));
        Arrows { len, words, rows }
    }

    fn row(&self, a: usize) -> &[u64] {
        &self.rows[a * self.words..(a + 1) * self.words]
    }

    /// Whether each chosen member can be at its own place and at `k` places of its component among
    /// the chosen members that count towards its `k`.
    pub(super) fn hide_all(
        &self,
        proposal: &Proposal<'_>,
        is_chosen: impl Fn(&Query) -> bool,
    ) -> bool {
        self.hide_counted(proposal.members, is_chosen, |a, b| proposal.counts(a, b))
    }

    fn hide_counted(
        &self,
        members: &[&Query],
        is_chosen: impl Fn(&Query) -> bool,
        counts: impl Fn(&Query, &Query) -> bool,
    ) -> bool {
        let mut chosen = vec![0; self.words];
        for (a, query) in members.iter().enumerate() {
            chosen[a / 64] |= u64::from(is_chosen(query)) << (a % 64);
        }
        let closure = self.closure(&chosen);
        members.iter().enumerate().filter(|(a, _)| has(&chosen, *a)).all(|(a, query)| {
            let is_place = |b: &usize| {
                let is_possible = has(self.row(a), *b) && has(&chosen, *b);
                is_possible && has(closure.row(*b), a) && counts(query, members[*b])
            };
            has(self.row(a), a) && (0..self.len).filter(is_place).count() >= query.k as usize
        })
    }

    /// Returns which chosen member leads to which other along arrows between chosen members, by
    /// Warshall's algorithm. Two members are in one component if each leads to the other.
    fn closure(&self, chosen: &[u64]) -> Arrows {
        let mut closure = Arrows::from_rows(self.len, |a, row| {
            if has(chosen, a) {
                let own = self.row(a).iter().zip(chosen);
                row.iter_mut()
                    .zip(own)
                    .for_each(|(word, (arrows, chosen))| *word = arrows & chosen);
            }
        });
        let words = self.words;
        for via in (0..self.len).filter(|via| has(chosen, *via)) {
            let onward: Vec<u64> = closure.row(via).to_vec();
            for row in closure.rows.chunks_mut(words).filter(|row| has(row, via)) {
                row.iter_mut().zip(&onward).for_each(|(word, onward)| *word |= onward);
            }
        }
        closure
    }
}

fn has(row: &[u64], member: usize) -> bool {
    row[member / 64] >> (member % 64) & 1 == 1
}

/// Sets a bit for each member of the set at whose place the user of one of them, `a`, can be.
///
/// No member is farther from `a` than the distance constraint. If a path to `a` leaves that much of
/// what the user can have travelled, all places are possible. Otherwise, since the whole map is
/// reachable after a long pause, the bound of the search starts at the distance constraint and doubles
/// until `a` itself is found. Beyond `dc_max` a search is directed towards `a`. Each search has a limit
/// of steps; what it does not reach does not count.
fn fill_places(proposal: &Proposal<'_>, number: usize, distances: &mut Distances, row: &mut [u64]) {
    let Proposal { map, members, .. } = proposal;
    let a = members[number];
    let mut fill = |is_place: &dyn Fn(usize) -> bool| {
        (0..members.len()).for_each(|b| row[b / 64] |= u64::from(is_place(b)) << (b % 64));
    };
    let index = proposal.indices[number] as usize;
    let Some(previous) = proposal.state.history.previous_at(index, a.id) else {
        return fill(&|_| true);
    };
    let until = proposal.promise.history_clock.until(a, proposal.state.now);
    let max_travel = max_travel(a, previous, until);
    let reaches_all = |path: Length| path + a.distance_constraint <= max_travel;
    distances.set_origin(map, previous.position);
    if distances.direct(number).is_some_and(reaches_all) {
        return fill(&|_| true);
    }
    let mut bound = a.distance_constraint.max(Length::UNIT);
    while bound <= proposal.promise.atlas.dc_max() {
        let within = bound.min(max_travel);
        distances.search(map, previous.position, within);
        if let Some(path) = distances.found(number, within) {
            if reaches_all(path) {
                return fill(&|_| true);
            }
            distances.search(map, previous.position, max_travel.min(path + a.distance_constraint));
            return fill(&|b| distances.found(b, max_travel).is_some());
        }
        if bound >= max_travel {
            return;
        }
        bound += bound;
    }
    let far = far_places_of(proposal, a, previous.position, max_travel);
    fill(&|b| far[b]);
}

/// The same, if the previous position is beyond `dc_max`.
fn far_places_of(
    proposal: &Proposal<'_>,
    a: &Query,
    from: Position,
    max_travel: Length,
) -> Vec<bool> {
    let Proposal { map, members, .. } = proposal;
    let path = path::path_length(map, from, a.position, max_travel);
    let farthest = path.map(|length| length + a.distance_constraint);
    if farthest.is_some_and(|farthest| farthest <= max_travel) {
        return vec![true; members.len()];
    }
    let radius = a.distance_constraint;
    let search = FarSearch { from, goal: a.position, radius, bound: max_travel };
    search.reached(map, members.iter().map(|b| b.position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::query::UserId;
    use crate::town::{Town, town};
    use rand::RngExt as _;

    #[test]
    fn members_are_hidden_exactly_if_assignments_leave_k_places() {
        let street = town("A 0,0  B 400,0 | A-B");
        let (mut yes, mut no) = (0, 0);
        for seed in 0..3_000 {
            let mut random = Town::generator(seed);
            let len = random.random_range(1..=7);
            let mut queries = street.random_queries(&mut random, len);
            for (number, query) in (0..).zip(&mut queries) {
                (query.user, query.k) = (UserId(number), random.random_range(1..=3));
            }
            let density = random.random_range(0.2..0.9);
            let arrows = Arrows::from_rows(len, |a, row| {
                let mut bit = |b| u64::from(a == b || random.random_bool(density)) << b;
                row[0] = (0..len).fold(0, |row, b| row | bit(b));
            });
            let members: Vec<&Query> = queries.iter().collect();
            let left_out = UserId(seed % 9);
            let nodes: Vec<u32> =
                (0..len as u32).filter(|&node| u64::from(node) != left_out.0).collect();
            let counts = |a: u32, b: u32| has(arrows.row(a as usize), b as usize);
            let places = naive::assigned_places(&nodes, &counts);
            let k = |node: &u32| queries[*node as usize].k as usize;
            let expected = nodes.iter().zip(places).all(|(node, places)| places.len() >= k(node));
            let is_chosen = |query: &Query| query.user != left_out;
            let found = arrows.hide_counted(&members, is_chosen, |_, _| true);
            assert_eq!(found, expected, "seed {seed}: {:?}", arrows.rows);
            *(if found { &mut yes } else { &mut no }) += 1;
        }
        assert!(yes > 300 && no > 300, "{yes} {no}");
    }

    #[test]
    fn a_member_that_cannot_be_at_its_own_place_is_not_hidden() {
        let street = town("A 0,0  B 400,0 | A-B");
        let mut queries = street.random_queries(&mut Town::generator(1), 2);
        queries.iter_mut().for_each(|query| query.k = 1);
        let members: Vec<&Query> = queries.iter().collect();
        let all = Arrows { len: 2, words: 1, rows: vec![0b11, 0b11] };
        assert!(all.hide_counted(&members, |_| true, |_, _| true));
        let swapped = Arrows { len: 2, words: 1, rows: vec![0b10, 0b11] };
        assert!(!swapped.hide_counted(&members, |_| true, |_, _| true));
    }
}
