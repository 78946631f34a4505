//! I: timing. An observer of queries and disclosures matches them by time: a scheme that publishes as
//! soon as possible reveals the query that completed the set. Batches hide it as long as several
//! queries arrive at the last moment.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::view::View;

/// The attack.
#[derive(Clone, Copy, Debug)]
pub struct Timing;

impl Attack for Timing {
    fn name(&self) -> &'static str {
        "timing"
    }

    fn letter(&self) -> char {
        'I'
    }

    fn level(&self) -> Level {
        Level::Batch
    }

    fn needs(&self) -> &'static str {
        "arrival times without positions: the only query that arrived at the moment of the disclosure"
    }

    fn attack(&self, view: &View<'_>) -> Option<Posterior> {
        let at = view.shown().at;
        let mut just_now = view.crowd?.people.iter().filter(|person| person.asked_at == at);
        let first = just_now.next()?;
        let alone = just_now.next().is_none();
        alone.then(|| Posterior::people(vec![(first.user, first.position)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scenario, people_on, seconds};
    use crate::view::{Candidate, Rerun, RerunResult, Snapshot};
    use meshcloak::query::UserId;
    use meshcloak::town::town;

    struct Nothing;

    impl Rerun for Nothing {
        fn rerun(&self, _: &[Candidate]) -> Option<RerunResult> {
            None
        }
    }

    #[test]
    fn a_single_query_at_the_time_of_disclosure_is_identified() {
        let mut scenario = Scenario::on(town("0 0,0 1 100,0 | 0-1"), 200.0, 10.0);
        scenario.show(seconds(7), &["0-1"]);
        let mut queries = people_on(&scenario, 100.0, &[10.0, 20.0, 30.0], &[2, 2, 2]);
        queries[2].asked_at = seconds(7);
        let everyone: Vec<Candidate> = queries.iter().map(Candidate::from).collect();
        let crowd = Snapshot::new(&everyone, &Nothing);
        let left = Timing.attack(&scenario.view_of(0, &crowd)).expect("one came just now");
        assert_eq!(left.people.as_deref(), Some(&[UserId(2)][..]));
        let together: Vec<Candidate> =
            everyone.iter().map(|person| Candidate { asked_at: seconds(7), ..*person }).collect();
        let crowd = Snapshot::new(&together, &Nothing);
        assert!(Timing.attack(&scenario.view_of(0, &crowd)).is_none(), "three came just now");
    }
}
