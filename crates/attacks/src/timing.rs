//! I: timing. Who sees questions come in and disclosures go out matches them: a scheme that answers
//! as soon as it can tells who it was that made it possible. Batches hide it, as long as more than
//! one person asks at the last moment.

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
        "when people ask, not where: who asked at the very moment of the disclosure, if it was one \
         person"
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
    use crate::testing::{Lookout, people_on, seconds};
    use crate::view::{Answer, Crowd, Rerun, Somebody};
    use meshcloak::query::UserId;
    use meshcloak::town::town;

    struct Nothing;

    impl Rerun for Nothing {
        fn rerun(&self, _: &[Somebody]) -> Option<Answer> {
            None
        }
    }

    #[test]
    fn the_last_to_come_is_known_if_she_comes_alone() {
        let mut lookout = Lookout::on(town("0 0,0 1 100,0 | 0-1"), 200.0, 10.0);
        lookout.show(seconds(7), &["0-1"]);
        let mut queries = people_on(&lookout, 100.0, &[10.0, 20.0, 30.0], &[2, 2, 2]);
        queries[2].asked_at = seconds(7);
        let everyone: Vec<Somebody> = queries.iter().map(Somebody::from).collect();
        let crowd = Crowd::new(&everyone, &Nothing);
        let left = Timing.attack(&lookout.view_of(0, &crowd)).expect("one came just now");
        assert_eq!(left.people.as_deref(), Some(&[UserId(2)][..]));
        let together: Vec<Somebody> =
            everyone.iter().map(|person| Somebody { asked_at: seconds(7), ..*person }).collect();
        let crowd = Crowd::new(&together, &Nothing);
        assert!(Timing.attack(&lookout.view_of(0, &crowd)).is_none(), "three came just now");
    }
}
