//! Runs the attacked scheme again: a fresh instance receives the engine state with the queries that
//! an adversary assumes. The evaluation owns it; an attack only calls it.

use crate::view::{Candidate, Rerun, RerunResult};
use meshcloak::query::Query;
use meshcloak::scheme::{Scheme, State};
use meshcloak::units::Time;

/// Creates an instance of the scheme.
pub type Make<'a> = dyn Fn() -> Box<dyn Scheme> + Sync + 'a;

/// A scheme that can be run again on the state of a turn.
pub struct SchemeRerun<'a> {
    /// Factory of the scheme. A randomised scheme gets a different seed than the gateway's.
    pub make: &'a Make<'a>,
    /// Engine state of the turn; its waiting list is replaced by the assumed queries.
    pub state: &'a State,
    /// The time of the turn.
    pub now: Time,
}

impl SchemeRerun<'_> {
    /// Returns the waiting queries as an L3 adversary knows them.
    pub fn people(state: &State) -> Vec<Candidate> {
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

fn query(person: &Candidate) -> Query {
    Query::builder(person.user, person.position)
        .id(person.id)
        .at(person.asked_at)
        .k(person.k)
        .dt(person.tolerance)
        .dc(person.dc)
        .speed(person.speed)
        .build_unchecked()
}

impl Rerun for SchemeRerun<'_> {
    fn rerun(&self, people: &[Candidate]) -> Option<RerunResult> {
        let mut scheme = (self.make)();
        let unchanged = self.state.waiting.len() == people.len()
            && self.state.waiting.iter().zip(people).all(|(a, b)| Candidate::from(a) == *b);
        let changed = (!unchanged).then(|| {
            let mut state = self.state.clone();
            state.waiting = people.iter().map(query).collect();
            let more = people.len().saturating_sub(self.state.waiting.len());
            state.arrived = (state.arrived + more).min(people.len());
            state
        });
        let state = changed.as_ref().unwrap_or(self.state);
        let published = scheme.cloak(state, self.now, &mut ());
        let mut order: Vec<u32> = (0..people.len() as u32).collect();
        order.sort_unstable_by_key(|&place| people[place as usize].id);
        let find = |id| {
            let found = order.binary_search_by_key(&id, |&place| people[place as usize].id);
            found.ok().map(|found| order[found])
        };
        let mut answer =
            RerunResult { region_of: vec![None; people.len()], ..RerunResult::default() };
        for set in 0..published.set_count() as u32 {
            let cloaking = published.set(set);
            answer.sets.push(cloaking.members.iter().filter_map(|id| find(*id)).collect());
            answer.regions.push(cloaking.region.into_owned());
        }
        for served in published.served() {
            answer.region_of[served.index as usize] = Some(served.set);
        }
        Some(answer)
    }
}
