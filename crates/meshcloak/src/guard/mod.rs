//! The publish guard: looks once more at every set before it leaves, and holds back those that
//! break what was promised; whom they would have served goes on waiting.
//!
//! It shares no code with what found the sets: not the grouping, the constraint graph, the mesh,
//! nor their distances. It has a search of its own, and keeps what it found by terminal.

mod distances;

use crate::constraint_graph::Coverage;
use crate::guarantee::Guarantee;
use crate::map::StreetMap;
use crate::query::{Query, QueryId};
use crate::scheme::{AnonymitySet, Published, State};
use crate::units::Length;
use distances::Distances;

/// What was promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// To whom.
    pub guarantee: Guarantee,
    /// When two people count as within reach of each other.
    pub coverage: Coverage,
}

/// What is wrong with a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Violation {
    /// A member does not publish it, or somebody publishes it who is not a member.
    NotOneRegion,
    /// Somebody is in it twice.
    SamePerson,
    /// It is smaller than somebody's k.
    TooFew,
    /// A member is outside its region.
    Outside,
    /// Two of its members are not within reach of each other.
    NoClique,
    /// Too few of it can have come from where a member was before.
    History,
}

/// The guard, with what it has found out about the map.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    distances: Distances,
    /// Who is served, by set.
    served: Vec<(u32, u32)>,
    faults: Vec<(u32, Violation)>,
}

/// A set as the guard sees it.
struct Suspect<'a> {
    map: &'a StreetMap,
    promise: Promise,
    state: &'a State,
    set: AnonymitySet<'a>,
    /// Its members, as far as they wait.
    members: Vec<&'a Query>,
    /// The places of those whom it serves.
    served: &'a [(u32, u32)],
}

impl Guard {
    /// Takes out of `published` every set that breaks the promise, counts them, and says which
    /// they were and what was wrong with each.
    pub fn inspect(
        &mut self,
        map: &StreetMap,
        promise: Promise,
        state: &State,
        published: &mut Published,
    ) -> &[(u32, Violation)] {
        let Guard { distances, served, faults } = self;
        served.clear();
        served.extend(published.served().iter().map(|served| (served.set, served.index)));
        served.sort_unstable();
        // Somebody served twice shows another set than at least one of hers.
        let in_order = published.served().is_sorted_by(|a, b| a.index < b.index);
        let by_id = index(&state.waiting);
        faults.clear();
        let mut rest = &served[..];
        for number in 0..published.set_count() as u32 {
            let hers = rest.partition_point(|served| served.0 <= number);
            let (now, later) = rest.split_at(hers);
            rest = later;
            let set = published.set(number);
            let found = set.members.iter().enumerate().filter_map(|(place, &id)| {
                // As a rule they are served in order: then there is no need to search.
                let served = now.get(place).and_then(|hers| state.waiting.get(hers.1 as usize));
                let is_she = |query: &&Query| query.id == id;
                served.filter(is_she).or_else(|| find(&state.waiting, &by_id, id))
            });
            let members = found.collect();
            let suspect = Suspect { map, promise, state, set, members, served: now };
            let fault =
                if in_order { suspect.fault(distances) } else { Some(Violation::NotOneRegion) };
            faults.extend(fault.map(|fault| (number, fault)));
        }
        if !faults.is_empty() {
            published.suppress(&faults.iter().map(|fault| fault.0).collect::<Vec<u32>>());
        }
        faults
    }
}

/// The places of the waiting list in order of id; empty if the list is in that order itself.
fn index(waiting: &[Query]) -> Vec<u32> {
    if waiting.is_sorted_by_key(|query| query.id) {
        return Vec::new();
    }
    let mut places: Vec<u32> = (0..waiting.len() as u32).collect();
    places.sort_unstable_by_key(|&place| waiting[place as usize].id);
    places
}

fn find<'a>(waiting: &'a [Query], by_id: &[u32], id: QueryId) -> Option<&'a Query> {
    let place = match by_id.is_empty() {
        true => waiting.binary_search_by_key(&id, |query| query.id).ok()?,
        false => {
            let of = |place: &u32| waiting[*place as usize].id;
            by_id[by_id.binary_search_by_key(&id, of).ok()?] as usize
        }
    };
    Some(&waiting[place])
}

impl Suspect<'_> {
    /// The first thing that is wrong with it.
    fn fault(&self, distances: &mut Distances) -> Option<Violation> {
        if !self.is_one_region() {
            return Some(Violation::NotOneRegion);
        }
        let mut users: Vec<_> = self.members.iter().map(|query| query.user).collect();
        users.sort_unstable();
        if users.windows(2).any(|pair| pair[0] == pair[1]) {
            return Some(Violation::SamePerson);
        }
        if self.asked().any(|query| query.k as usize > self.members.len()) {
            return Some(Violation::TooFew);
        }
        let inside = |query: &&Query| self.set.region.contains(self.map, query.position);
        if !self.members.iter().all(inside) {
            return Some(Violation::Outside);
        }
        if !self.members.iter().all(|a| self.reaches_all(a, distances)) {
            return Some(Violation::NoClique);
        }
        let history = self.promise.guarantee == Guarantee::History;
        if history && !self.members.iter().all(|a| self.hides(a, distances)) {
            return Some(Violation::History);
        }
        None
    }

    /// Those whom it serves.
    fn asked(&self) -> impl Iterator<Item = &Query> {
        self.served.iter().filter_map(|served| self.state.waiting.get(served.1 as usize))
    }

    /// Whether all members wait and it serves them all and nobody else; as printed, nobody else.
    fn is_one_region(&self) -> bool {
        let all = self.members.len() == self.set.members.len()
            && self.set.members.is_sorted_by(|a, b| a < b)
            && self.asked().count() == self.served.len()
            && self.asked().all(|query| self.set.members.binary_search(&query.id).is_ok());
        let each = self.served.len() == self.members.len();
        all && (each || self.promise.guarantee == Guarantee::Paper)
    }

    /// Whether every member is within reach of `a`.
    fn reaches_all(&self, a: &Query, distances: &mut Distances) -> bool {
        distances.stand(self.map, a.position, a.distance_constraint);
        self.members.iter().all(|b| {
            let limit = match self.promise.coverage {
                Coverage::Own => a.distance_constraint,
                Coverage::Both => a.distance_constraint.min(b.distance_constraint),
            };
            a.id == b.id || distances.to(self.map, b.position).is_some_and(|d| d <= limit)
        })
    }

    /// Whether at least k members can have come from where `a` was before, as fast as she is.
    fn hides(&self, a: &Query, distances: &mut Distances) -> bool {
        let Some(before) = self.state.history.previous(a.id) else { return true };
        let span = a.asked_at - before.at;
        let farthest = a.speed.map_or(Length::ZERO, |speed| speed * span);
        // Who has not asked for long can have come from everywhere, but seldom has: looks around
        // her first, and farther as long as too few are found.
        let mut bound = a.distance_constraint.max(Length::UNIT);
        loop {
            distances.stand(self.map, before.position, bound.min(farthest));
            let come = self.members.iter().filter(|b| distances.to(self.map, b.position).is_some());
            if come.take(a.k as usize).count() == a.k as usize {
                return true;
            }
            if bound >= farthest {
                return false;
            }
            bound += bound;
        }
    }
}

#[cfg(test)]
mod tests;
