//! Runs the attacked scheme again: a fresh instance receives the engine state with the queries that
//! an adversary assumes. The evaluation owns it; an attack only calls it.

use crate::view::{Candidate, Rerun, RerunResult};
use meshcloak::query::Query;
use meshcloak::scheme::{Published, Scheme, State};
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

    /// Runs an instance of the scheme on the state of a turn with the assumed queries. Instances may
    /// be used again: their buffers do not change a result.
    pub fn run(
        scheme: &mut dyn Scheme,
        state: &State,
        now: Time,
        candidates: &[Candidate],
    ) -> RerunResult {
        let unchanged = state.waiting.len() == candidates.len()
            && state.waiting.iter().zip(candidates).all(|(a, b)| Candidate::from(a) == *b);
        let changed = (!unchanged).then(|| {
            let mut changed = state.clone();
            changed.waiting = candidates.iter().map(query).collect();
            let added = candidates.len().saturating_sub(state.waiting.len());
            changed.arrived = (state.arrived + added).min(candidates.len());
            changed
        });
        result(scheme.cloak(changed.as_ref().unwrap_or(state), now, &mut ()), candidates)
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
            asks: query.asks,
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
        .asks(candidate.asks)
        .build_unchecked()
}

impl Rerun for SchemeRerun<'_> {
    fn rerun(&self, candidates: &[Candidate]) -> Option<RerunResult> {
        Some(SchemeRerun::run(&mut *(self.make)(), self.state, self.now, candidates))
    }
}

/// Returns what is published, by index of the candidates.
fn result(published: &Published, candidates: &[Candidate]) -> RerunResult {
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
    result
}
