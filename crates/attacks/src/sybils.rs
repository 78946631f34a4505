//! G: Sybil accounts. The adversary places accounts of its own around the target and asks at the same
//! time. Few honest users share a set with them. No rule that counts accounts prevents this; it is
//! measured and documented.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::view::{Candidate, View};
use meshcloak::query::{QueryId, UserId};

/// The attack with a number of accounts.
#[derive(Clone, Copy, Debug)]
pub struct Sybils {
    /// Number of accounts around the target.
    pub accounts: u32,
}

/// Four accounts, enough for a small k.
impl Default for Sybils {
    fn default() -> Sybils {
        Sybils { accounts: 4 }
    }
}

impl Attack for Sybils {
    fn name(&self) -> &'static str {
        "sybils"
    }

    fn letter(&self) -> char {
        'G'
    }

    fn level(&self) -> Level {
        Level::Batch
    }

    fn needs(&self) -> &'static str {
        "four accounts of its own at the target's position, asking at the same time: the other members \
         of their sets"
    }

    fn attack(&self, view: &View<'_>) -> Option<Posterior> {
        let (crowd, around) = (view.crowd?, view.previous?);
        let mut people = crowd.people.to_vec();
        let honest = people.len();
        let last = people.iter().map(|person| person.id.0).max().unwrap_or(0);
        let like = people.iter().find(|person| person.dc == view.target.dc)?;
        let planted = (1..=u64::from(self.accounts)).map(|number| Candidate {
            id: QueryId(last + number),
            user: UserId(u64::MAX - number),
            position: around.position,
            k: 2,
            ..*like
        });
        people.extend(planted.collect::<Vec<_>>());
        let answer = crowd.algorithm().rerun(&people)?;
        let mut with: Vec<u32> = answer.region_of[honest..].iter().flatten().copied().collect();
        with.sort_unstable();
        with.dedup();
        let seen = |place: &usize| {
            answer.region_of[*place].is_some_and(|region| with.binary_search(&region).is_ok())
        };
        let left: Vec<_> = (0..honest).filter(seen).collect();
        let known = |place: &usize| (people[*place].user, people[*place].position);
        (!left.is_empty()).then(|| Posterior::people(left.iter().map(known).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme_rerun::SchemeRerun;
    use crate::testing::{Scenario, batch, people_on, seconds};
    use crate::view::{KnownPosition, Snapshot};
    use meshcloak::guarantee::Guarantee;
    use meshcloak::town::town;

    #[test]
    fn an_isolated_user_is_served_among_sybils_and_identified() {
        // Two users 300 m apart with dc 100 m: neither is served without the Sybil accounts.
        let text = "0 0,0 1 100,0 2 200,0 3 300,0 4 400,0 | 0-1 1-2 2-3 3-4";
        let mut scenario = Scenario::on(town(text), 100.0, 10.0);
        let people = people_on(&scenario, 100.0, &[20.0, 350.0], &[4, 4]);
        let target = people[0].position;
        let (state, served, make) = batch(&scenario, people, Guarantee::Reciprocal);
        assert!(served.is_empty());
        let everyone = SchemeRerun::people(&state);
        let again = SchemeRerun { make: &*make, state: &state, now: seconds(1) };
        let crowd = Snapshot::new(&everyone, &again);
        scenario.previous = Some(KnownPosition { at: seconds(1), position: target });
        scenario.show(seconds(1), &["0-1"]);
        let left = Sybils::default().attack(&scenario.view_of(0, &crowd)).expect("a set");
        assert_eq!(left.people.as_deref(), Some(&[UserId(0)][..]));
    }
}
