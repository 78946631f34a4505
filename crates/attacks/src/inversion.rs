//! D: inversion. The adversary knows the batch, runs the algorithm and lists the users with exactly
//! this region. Reciprocity means that there are always at least k.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::view::{Candidate, Snapshot, View};
use meshcloak::map::StreetMap;
use meshcloak::region::Region;

/// The attack.
pub const INVERSION: Attack = Attack {
    name: "inversion",
    letter: 'D',
    level: Level::Batch,
    needs: "every position, k and dc in the batch: the candidates that publish exactly this region",
    run: attack,
};

fn attack(view: &View<'_>) -> Option<Posterior> {
    let snapshot = view.snapshot?;
    let candidates = publishers(view.atlas.map(), snapshot, &view.disclosure().region);
    Some(Posterior::of_candidates(candidates))
}

/// Returns the candidates with exactly this region in a re-run of the algorithm. If a randomised
/// algorithm yields none, every user inside the region is a candidate.
pub(crate) fn publishers<'a>(
    map: &StreetMap,
    snapshot: &'a Snapshot<'_>,
    region: &Region<'_>,
) -> Vec<&'a Candidate> {
    let exact = snapshot.publishers_of(region);
    if !exact.is_empty() {
        return exact.iter().map(|&index| &snapshot.candidates[index as usize]).collect();
    }
    let inside = |candidate: &&Candidate| region.contains(map, candidate.position);
    snapshot.candidates.iter().filter(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme_rerun::SchemeRerun;
    use crate::testing::{Scenario, batch, queries_on, seconds};
    use meshcloak::guarantee::Guarantee;
    use meshcloak::query::UserId;
    use meshcloak::town::town;

    /// Streets of 50 m along a road, and users with dc 100 m: {a, b, c} and {c, d, e, f} are cliques.
    ///
    /// `a b · c · d e f` at 205, 225, 295, 355, 365, 375 m.
    const ROAD: &str = "0 0,0 1 50,0 2 100,0 3 150,0 4 200,0 5 250,0 6 300,0 7 350,0 8 400,0 \
                        9 450,0 10 500,0 11 550,0 | 0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9 9-10 10-11";
    const METRES: [f64; 6] = [205.0, 225.0, 295.0, 355.0, 365.0, 375.0];

    /// Returns for each served user the number of remaining candidates.
    fn candidate_counts(k: [u32; 6], guarantee: Guarantee) -> Vec<(u64, usize)> {
        let mut scenario = Scenario::on(town(ROAD), 100.0, 10.0);
        let queries = queries_on(&scenario, 50.0, &METRES, &k);
        let (state, served, make) = batch(&scenario, queries, guarantee);
        let candidates = SchemeRerun::candidates(&state);
        let rerun = SchemeRerun { make: &*make, state: &state, now: seconds(1) };
        let snapshot = Snapshot::new(&candidates, &rerun);
        let mut counts = Vec::new();
        for (user, region) in served {
            scenario.disclosures.clear();
            scenario.show_region(seconds(1), region);
            let found = INVERSION.attack(&scenario.view_of(0, &snapshot)).expect("a snapshot");
            let remaining = found.candidates.expect("inversion lists candidates");
            assert!(remaining.contains(&UserId(user)), "the target is a candidate");
            counts.push((user, remaining.len()));
        }
        counts
    }

    #[test]
    fn overlapping_cliques_leave_too_few_candidates() {
        // c publishes the larger clique, so the region of {a, b, c} belongs to a or b.
        let paper = candidate_counts([3, 3, 3, 3, 3, 3], Guarantee::Paper);
        assert_eq!(paper, [(0, 2), (1, 2), (2, 4), (3, 4), (4, 4), (5, 4)]);
        // b cannot be served with k = 4 and keeps waiting, so the region belongs to a.
        let paper = candidate_counts([3, 4, 3, 3, 3, 3], Guarantee::Paper);
        assert_eq!(paper[0], (0, 1));
        for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
            for k in [[3, 3, 3, 3, 3, 3], [3, 4, 3, 3, 3, 3]] {
                let counts = candidate_counts(k, guarantee);
                assert!(!counts.is_empty());
                assert!(counts.iter().all(|&(user, count)| count >= k[user as usize] as usize));
            }
        }
    }
}
