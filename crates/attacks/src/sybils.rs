//! G: Sybil accounts. The adversary places accounts of its own around the target and asks at the same
//! time. Few honest users share a set with them, so the remaining members are identified. No rule that
//! counts accounts prevents this; it is measured and documented.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::view::{Candidate, View};
use meshcloak::query::{QueryId, UserId};

/// The attack.
pub const SYBILS: Attack = Attack {
    name: "sybils",
    letter: 'G',
    level: Level::Batch,
    needs: "four accounts of its own at the target's position, asking at the same time: the other members \
         of their sets",
    run: attack,
};

/// Number of accounts around the target, enough for a small k.
const ACCOUNTS: u64 = 4;

fn attack(view: &View<'_>) -> Option<Posterior> {
    let (snapshot, known) = (view.snapshot?, view.previous?);
    let honest = snapshot.candidates;
    let last_id = honest.iter().map(|query| query.id.0).max().unwrap_or(0);
    let template = honest.iter().find(|query| query.dc == view.target.dc)?;
    let sybils = (1..=ACCOUNTS).map(|number| Candidate {
        id: QueryId(last_id + number),
        user: UserId(u64::MAX - number),
        position: known.position,
        k: 2,
        ..*template
    });
    let queries: Vec<Candidate> = honest.iter().copied().chain(sybils).collect();
    let result = snapshot.algorithm().rerun(&queries)?;
    let (honest_regions, sybil_regions) = result.region_of.split_at(honest.len());
    let shared = |region: &Option<u32>| region.is_some() && sybil_regions.contains(region);
    let members = honest.iter().zip(honest_regions).filter(|(_, region)| shared(region));
    let candidates: Vec<&Candidate> = members.map(|(query, _)| query).collect();
    (!candidates.is_empty()).then(|| Posterior::of_candidates(candidates))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme_rerun::SchemeRerun;
    use crate::testing::{Scenario, batch, queries_on, seconds};
    use crate::view::{KnownPosition, Snapshot};
    use meshcloak::guarantee::Guarantee;
    use meshcloak::town::town;

    #[test]
    fn an_isolated_user_is_served_among_sybils_and_identified() {
        // Two users 300 m apart with dc 100 m: neither is served without the Sybil accounts.
        let text = "0 0,0 1 100,0 2 200,0 3 300,0 4 400,0 | 0-1 1-2 2-3 3-4";
        let mut scenario = Scenario::on(town(text), 100.0, 10.0);
        let queries = queries_on(&scenario, 100.0, &[20.0, 350.0], &[4, 4]);
        let target = queries[0].position;
        let (state, served, make) = batch(&scenario, queries, Guarantee::Reciprocal);
        assert!(served.is_empty());
        let candidates = SchemeRerun::candidates(&state);
        let rerun = SchemeRerun { make: &*make, state: &state, now: seconds(1) };
        let snapshot = Snapshot::new(&candidates, &rerun);
        scenario.previous = Some(KnownPosition { at: seconds(1), position: target });
        scenario.show(seconds(1), &["0-1"]);
        let posterior = SYBILS.attack(&scenario.view_of(0, &snapshot)).expect("a set");
        assert_eq!(posterior.candidates.as_deref(), Some(&[UserId(0)][..]));
    }
}
