//! F: intersection. A user to whom several disclosures are linked is in all of their sets. No
//! protection of single queries prevents this; it is measured and documented.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::view::View;
use meshcloak::query::UserId;

/// The attack.
#[derive(Clone, Copy, Debug)]
pub struct Intersection;

/// How many consecutive disclosures are linked.
pub const LINKED: usize = 3;

/// Returns the users who are in each of the last `linked` sets, ascending.
pub fn in_all(named: &[Vec<UserId>], linked: usize) -> Vec<UserId> {
    let mut last = named[named.len().saturating_sub(linked)..].iter();
    let mut left = last.next().cloned().unwrap_or_default();
    left.sort_unstable();
    left.dedup();
    last.for_each(|set| left.retain(|user| set.contains(user)));
    left
}

impl Attack for Intersection {
    fn name(&self) -> &'static str {
        "intersection"
    }

    fn letter(&self) -> char {
        'F'
    }

    fn level(&self) -> Level {
        Level::Batch
    }

    fn needs(&self) -> &'static str {
        "three consecutive disclosures linked to one user, and every batch: the users in all three \
         sets"
    }

    fn attack(&self, view: &View<'_>) -> Option<Posterior> {
        let named = view.named.get(..=view.attacked)?;
        (named.len() > 1)
            .then(|| Posterior { people: Some(in_all(named, LINKED)), pieces: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scenario, seconds};
    use meshcloak::town::town;

    #[test]
    fn three_linked_sets_leave_one_candidate() {
        let users = |numbers: &[u64]| numbers.iter().map(|&number| UserId(number)).collect();
        let mut scenario = Scenario::on(town("A 0,0  B 400,0 | A-B"), 200.0, 10.0);
        scenario.named = vec![users(&[1, 2, 3, 4]), users(&[2, 1, 5]), users(&[1, 5, 4])];
        (0..3).for_each(|at| scenario.show(seconds(at), &["A-B"]));
        let left = |attacked| {
            let found = Intersection.attack(&scenario.view(attacked));
            found.and_then(|found| found.people).map(|people| people.len())
        };
        assert_eq!((left(0), left(1), left(2)), (None, Some(2), Some(1)));
        assert_eq!(in_all(&scenario.named[1..], 2).len(), 2);
    }
}
