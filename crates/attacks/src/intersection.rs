//! F: intersection. The user of several linked disclosures is in all of their sets. No protection of
//! single queries prevents this; it is measured and documented.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::view::View;
use meshcloak::query::UserId;

/// Number of consecutive disclosures that are linked.
pub const LINKED: usize = 3;

/// Returns the users in each of the last `linked` sets, ascending.
pub fn common_users(sets: &[Vec<UserId>], linked: usize) -> Vec<UserId> {
    let mut last = sets[sets.len().saturating_sub(linked)..].iter();
    let mut common = last.next().cloned().unwrap_or_default();
    common.sort_unstable();
    common.dedup();
    last.for_each(|set| common.retain(|user| set.contains(user)));
    common
}

/// The attack.
pub const INTERSECTION: Attack = Attack {
    name: "intersection",
    letter: 'F',
    level: Level::Batch,
    needs: "three consecutive disclosures linked to one user, and every batch: the users in all three \
         sets",
    run: attack,
};

fn attack(view: &View<'_>) -> Option<Posterior> {
    let sets = view.candidate_sets.get(..=view.attacked)?;
    (sets.len() > 1)
        .then(|| Posterior { candidates: Some(common_users(sets, LINKED)), pieces: Vec::new() })
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
        scenario.candidate_sets = vec![users(&[1, 2, 3, 4]), users(&[2, 1, 5]), users(&[1, 5, 4])];
        (0..3).for_each(|at| scenario.show(seconds(at), &["A-B"]));
        let count = |attacked| {
            let found = INTERSECTION.attack(&scenario.view(attacked));
            found.and_then(|found| found.candidates).map(|candidates| candidates.len())
        };
        assert_eq!((count(0), count(1), count(2)), (None, Some(2), Some(1)));
        assert_eq!(common_users(&scenario.candidate_sets[1..], 2).len(), 2);
    }
}
