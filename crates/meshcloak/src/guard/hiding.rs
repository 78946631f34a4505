//! The `history` check of one proposed set: at how many places of the set each member can be.
//!
//! `arrows[a][b]` holds if the user of member `a` can have travelled to the place of member `b`. An
//! adversary with all pasts assigns users to places one to one, so a place counts for `a` only if it
//! is in the strongly connected component of `a` (docs/SPEC.md §6). Components are found by two
//! depth-first searches (Kosaraju); the grouping has its own code. Reference: `naive::hiding_places`.

use super::distances::Distances;
use super::far_search::FarSearch;
use super::path;
use super::proposal::Proposal;
use crate::guarantee::max_travel;
use crate::map::Position;
use crate::query::Query;
use crate::units::Length;

/// Which member can be at the place of which other.
pub(super) struct Arrows(Vec<Vec<bool>>);

impl Arrows {
    /// Computes the relation for the members of a set, which are within each other's distance
    /// constraint and are the members of `distances`.
    pub(super) fn of(proposal: &Proposal<'_>, distances: &mut Distances) -> Arrows {
        Arrows((0..proposal.members.len()).map(|a| places_of(proposal, a, distances)).collect())
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
        let chosen: Vec<bool> = members.iter().map(|query| is_chosen(query)).collect();
        let component = self.components(&chosen);
        members.iter().enumerate().filter(|(a, _)| chosen[*a]).all(|(a, query)| {
            let is_place = |b: &usize| {
                let is_possible = chosen[*b] && component[*b] == component[a] && self.0[a][*b];
                is_possible && counts(query, members[*b])
            };
            self.0[a][a] && (0..members.len()).filter(is_place).count() >= query.k as usize
        })
    }

    /// Returns the number of the component of each chosen member.
    fn components(&self, chosen: &[bool]) -> Vec<usize> {
        const NONE: usize = usize::MAX;
        let mut component = vec![NONE; chosen.len()];
        for &root in self.finished(chosen).iter().rev() {
            if component[root] != NONE {
                continue;
            }
            component[root] = root;
            let mut open = vec![root];
            while let Some(to) = open.pop() {
                for from in 0..chosen.len() {
                    if chosen[from] && component[from] == NONE && self.0[from][to] {
                        component[from] = root;
                        open.push(from);
                    }
                }
            }
        }
        component
    }

    /// Returns the chosen members in the order in which a depth-first search finishes them.
    fn finished(&self, chosen: &[bool]) -> Vec<usize> {
        let mut is_new = chosen.to_vec();
        let mut finished = Vec::with_capacity(chosen.len());
        for start in 0..chosen.len() {
            let mut path = Vec::new();
            if std::mem::replace(&mut is_new[start], false) {
                path.push((start, 0));
            }
            while let Some((from, next)) = path.last_mut() {
                let row = &self.0[*from];
                match (*next..chosen.len()).find(|&to| row[to] && is_new[to]) {
                    Some(to) => {
                        (*next, is_new[to]) = (to + 1, false);
                        path.push((to, 0));
                    }
                    None => finished.extend(path.pop().map(|(member, _)| member)),
                }
            }
        }
        finished
    }
}

/// Returns for each member of the set whether the user of one of them, `a`, can be at its place.
///
/// After a long pause the whole map is reachable, but the members are near: the bound of the search
/// starts at the distance constraint and doubles until `a` itself is found, since no member is
/// farther than the distance constraint from there. Beyond `dc_max` a search is directed towards `a`.
/// Each search has a limit of steps; what it does not reach does not count.
fn places_of(proposal: &Proposal<'_>, number: usize, distances: &mut Distances) -> Vec<bool> {
    let Proposal { map, members, .. } = proposal;
    let a = members[number];
    let Some(previous) = proposal.history.previous(a.id) else { return vec![true; members.len()] };
    let until = proposal.promise.history_clock.until(a, proposal.now);
    let max_travel = max_travel(a, previous, until);
    let mut bound = a.distance_constraint.max(Length::UNIT);
    while bound <= proposal.promise.atlas.dc_max() {
        distances.set_origin(map, previous.position, bound.min(max_travel));
        if let Some(length) = distances.to(number) {
            let farthest = max_travel.min(length + a.distance_constraint);
            distances.set_origin(map, previous.position, farthest);
            return (0..members.len()).map(|b| distances.to(b).is_some()).collect();
        }
        if bound >= max_travel {
            return vec![false; members.len()];
        }
        bound += bound;
    }
    far_places_of(proposal, a, previous.position, max_travel)
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
            let row = |a| (0..len).map(|b| a == b || random.random_bool(density)).collect();
            let arrows = Arrows((0..len).map(row).collect());
            let members: Vec<&Query> = queries.iter().collect();
            let left_out = UserId(seed % 9);
            let nodes: Vec<u32> =
                (0..len as u32).filter(|&node| u64::from(node) != left_out.0).collect();
            let counts = |a: u32, b: u32| arrows.0[a as usize][b as usize];
            let places = naive::assigned_places(&nodes, &counts);
            let k = |node: &u32| queries[*node as usize].k as usize;
            let expected = nodes.iter().zip(places).all(|(node, places)| places.len() >= k(node));
            let is_chosen = |query: &Query| query.user != left_out;
            let found = arrows.hide_counted(&members, is_chosen, |_, _| true);
            assert_eq!(found, expected, "seed {seed}: {:?}", arrows.0);
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
        let all = Arrows(vec![vec![true; 2]; 2]);
        assert!(all.hide_counted(&members, |_| true, |_, _| true));
        let swapped = Arrows(vec![vec![false, true], vec![true, true]]);
        assert!(!swapped.hide_counted(&members, |_| true, |_, _| true));
    }
}
