//! I: timing. An observer of queries and disclosures matches them by time: a scheme that publishes as
//! soon as possible reveals the query that completed the set. A batch hides it if several
//! queries arrive in the last moment before the disclosure.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::view::View;

/// The attack.
pub const TIMING: Attack = Attack {
    name: "timing",
    letter: 'I',
    level: Level::Batch,
    needs: "arrival times without positions: the only query that arrived at the moment of the disclosure",
    run: attack,
};

fn attack(view: &View<'_>) -> Option<Posterior> {
    let at = view.disclosure().at;
    let mut latest = view.snapshot?.candidates.iter().filter(|query| query.asked_at == at);
    let first = latest.next()?;
    latest.next().is_none().then(|| Posterior::of_candidates(vec![first]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scenario, queries_on, seconds};
    use crate::view::{Candidate, Rerun, RerunResult, Snapshot};
    use meshcloak::query::UserId;
    use meshcloak::town::town;

    /// An algorithm that cannot be run.
    struct NoRerun;

    impl Rerun for NoRerun {
        fn rerun(&self, _: &[Candidate]) -> Option<RerunResult> {
            None
        }
    }

    #[test]
    fn a_single_query_at_the_time_of_disclosure_is_identified() {
        let mut scenario = Scenario::on(town("0 0,0 1 100,0 | 0-1"), 200.0, 10.0);
        scenario.show(seconds(7), &["0-1"]);
        let mut queries = queries_on(&scenario, 100.0, &[10.0, 20.0, 30.0], &[2, 2, 2]);
        queries[2].asked_at = seconds(7);
        let candidates: Vec<Candidate> = queries.iter().map(Candidate::from).collect();
        let snapshot = Snapshot::new(&candidates, &NoRerun);
        let posterior =
            TIMING.attack(&scenario.view_of(0, &snapshot)).expect("one query of that time");
        assert_eq!(posterior.candidates.as_deref(), Some(&[UserId(2)][..]));
        let simultaneous: Vec<Candidate> =
            candidates.iter().map(|query| Candidate { asked_at: seconds(7), ..*query }).collect();
        let snapshot = Snapshot::new(&simultaneous, &NoRerun);
        assert!(
            TIMING.attack(&scenario.view_of(0, &snapshot)).is_none(),
            "three queries of that time"
        );
    }
}
