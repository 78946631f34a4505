//! The algorithm, run again: a fresh scheme is given what the gateway remembers and the people an
//! attacker supposes. Held by whoever builds a view; an attack only asks it.

use crate::view::{Answer, Rerun, Somebody};
use meshcloak::query::Query;
use meshcloak::scheme::{Scheme, State};
use meshcloak::units::Time;

/// Makes the scheme that an attacker can run.
pub type Make<'a> = dyn Fn() -> Box<dyn Scheme> + Sync + 'a;

/// A scheme that can be run again on the state of a turn.
pub struct Again<'a> {
    /// The scheme. Where it draws lots, these are others than the gateway's.
    pub make: &'a Make<'a>,
    /// What the engine remembers: who is not supposed to wait is taken out, who is new comes in.
    pub state: &'a State,
    /// The time of the turn.
    pub now: Time,
}

impl Again<'_> {
    /// Everyone who waits, as an attacker sees them who knows all of it.
    pub fn people(state: &State) -> Vec<Somebody> {
        state.waiting.iter().map(Somebody::from).collect()
    }
}

impl From<&Query> for Somebody {
    fn from(query: &Query) -> Somebody {
        Somebody {
            id: query.id,
            user: query.user,
            position: query.position,
            k: query.k,
            dc: query.distance_constraint,
            asked_at: query.asked_at,
            patience: query.temporal_tolerance,
            speed: query.speed,
        }
    }
}

fn query(person: &Somebody) -> Query {
    Query {
        id: person.id,
        user: person.user,
        asked_at: person.asked_at,
        position: person.position,
        k: person.k,
        temporal_tolerance: person.patience,
        distance_constraint: person.dc,
        speed: person.speed,
    }
}

impl Rerun for Again<'_> {
    fn rerun(&self, people: &[Somebody]) -> Option<Answer> {
        let mut scheme = (self.make)();
        let unchanged = self.state.waiting.len() == people.len()
            && self.state.waiting.iter().zip(people).all(|(a, b)| Somebody::from(a) == *b);
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
        let mut answer = Answer { region_of: vec![None; people.len()], ..Answer::default() };
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
