//! H: homogeneity. If all candidates are on one street, the adversary knows the street without knowing
//! the user. Candidates on one street count as one.

use crate::attack::{Attack, Level};
use crate::inversion::publishers;
use crate::posterior::Posterior;
use crate::view::View;

/// The attack.
pub const HOMOGENEITY: Attack = Attack {
    name: "homogeneity",
    letter: 'H',
    level: Level::Batch,
    needs: "the batch: the number of distinct streets of the candidates that publish this region",
    run: attack,
};

fn attack(view: &View<'_>) -> Option<Posterior> {
    let mut candidates = publishers(view.atlas.map(), view.snapshot?, &view.disclosure().region);
    candidates.sort_unstable_by_key(|candidate| (candidate.position.street, candidate.user));
    candidates.dedup_by_key(|candidate| candidate.position.street);
    Some(Posterior::of_candidates(candidates))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme_rerun::SchemeRerun;
    use crate::testing::{Scenario, batch, queries_on, seconds};
    use crate::view::Snapshot;
    use meshcloak::guarantee::Guarantee;
    use meshcloak::town::town;

    #[test]
    fn three_candidates_on_two_streets_count_as_two() {
        let mut scenario =
            Scenario::on(town("0 0,0 1 100,0 2 200,0 3 300,0 | 0-1 1-2 2-3"), 200.0, 10.0);
        let queries = queries_on(&scenario, 100.0, &[10.0, 90.0, 110.0], &[3, 3, 3]);
        let (state, served, make) = batch(&scenario, queries, Guarantee::Reciprocal);
        let candidates = SchemeRerun::candidates(&state);
        let rerun = SchemeRerun { make: &*make, state: &state, now: seconds(1) };
        let snapshot = Snapshot::new(&candidates, &rerun);
        assert_eq!(served.len(), 3);
        scenario.show_region(seconds(1), served[0].1.clone());
        let posterior = HOMOGENEITY.attack(&scenario.view_of(0, &snapshot)).expect("a snapshot");
        assert_eq!(posterior.candidates.map(|candidates| candidates.len()), Some(2));
    }
}
