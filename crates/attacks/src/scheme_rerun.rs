//! Runs the attacked scheme again: a fresh instance receives the engine state with the queries that
//! an adversary assumes. The evaluation owns it; an attack only calls it.

use crate::view::{Candidate, Rerun, RerunResult};
use meshcloak::query::Query;
use meshcloak::scheme::{Scheme, State};
use meshcloak::units::Time;

/// Creates an instance of the scheme.
pub type SchemeFactory<'a> = dyn Fn() -> Box<dyn Scheme> + Sync + 'a;

/// A scheme that can be run again on the state of a turn.
pub struct SchemeRerun<'a> {
    /// Factory of the scheme. A randomised scheme gets a different seed than the gateway's.
    pub make: &'a SchemeFactory<'a>,
    /// Engine state of the turn; its waiting list is replaced by the assumed queries.
    pub state: &'a State,
    /// The time of the turn.
    pub now: Time,
}

impl SchemeRerun<'_> {
    /// Returns the waiting queries as an L3 adversary knows them.
    pub fn candidates(state: &State) -> Vec<Candidate> {
        state.waiting.iter().map(Candidate::from).collect()
    }
}

impl From<&Query> for Candidate {
    fn from(query: &Query) -> Candidate {
        Candidate {
            id: query.id,
            user: query.user,
            position: query.position,
            k: query.k,
            dc: query.distance_constraint,
            asked_at: query.asked_at,
            tolerance: query.temporal_tolerance,
            speed: query.speed,
        }
    }
}

fn query(candidate: &Candidate) -> Query {
    Query::builder(candidate.user, candidate.position)
        .id(candidate.id)
        .at(candidate.asked_at)
        .k(candidate.k)
        .dt(candidate.tolerance)
        .dc(candidate.dc)
        .speed(candidate.speed)
        .build_unchecked()
}

impl Rerun for SchemeRerun<'_> {
    fn rerun(&self, candidates: &[Candidate]) -> Option<RerunResult> {
        let mut scheme = (self.make)();
        let unchanged = self.state.waiting.len() == candidates.len()
            && self.state.waiting.iter().zip(candidates).all(|(a, b)| Candidate::from(a) == *b);
        let changed = (!unchanged).then(|| {
            let mut state = self.state.clone();
            state.waiting = candidates.iter().map(query).collect();
            let added = candidates.len().saturating_sub(self.state.waiting.len());
            state.arrived = (state.arrived + added).min(candidates.len());
            state
        });
        let state = changed.as_ref().unwrap_or(self.state);
        let published = scheme.cloak(state, self.now, &mut ());
        let mut order: Vec<u32> = (0..candidates.len() as u32).collect();
        order.sort_unstable_by_key(|&index| candidates[index as usize].id);
        let find = |id| {
            let found = order.binary_search_by_key(&id, |&index| candidates[index as usize].id);
            found.ok().map(|found| order[found])
        };
        let mut result =
            RerunResult { region_of: vec![None; candidates.len()], ..RerunResult::default() };
        for set in 0..published.set_count() as u32 {
            let set = published.set(set);
            result.sets.push(set.members.iter().filter_map(|id| find(*id)).collect());
            result.regions.push(set.region.into_owned());
        }
        for served in published.served() {
            result.region_of[served.index as usize] = Some(served.set);
        }
        Some(result)
    }
}
