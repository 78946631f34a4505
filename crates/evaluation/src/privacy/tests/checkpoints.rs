//! Attacks end where their checkpoint unwinds.

use super::{CONDITIONS, city, workload};
use crate::checkpoint::interrupted;
use crate::privacy::attack_score::SHOWN;
use crate::privacy::{AttackPlan, AttackedScheme, run_attacks};
use crate::workload::record_journeys;
use std::cell::Cell;
use traffic::{Profile, SimulationSettings};

#[test]
fn attacks_end_at_any_checkpoint() {
    let atlas = city();
    let mut workload = workload(&atlas, 300);
    let profile = Profile::named("p1").unwrap().with_uniform_places();
    let settings = SimulationSettings { users: 300, k: (2, 5), temporal_tolerance: 3_000, seed: 7 };
    workload.journeys = record_journeys(atlas.map(), &profile, settings);
    let expected = Cell::new(0);
    let attack = |checkpoint| {
        let plan = AttackPlan { targets: 50, planted: 5, checkpoint, ..AttackPlan::default() };
        let scheme = AttackedScheme::named("meshcloak/reciprocal").unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let results =
            pool.install(|| run_attacks(&scheme, &atlas, &workload, CONDITIONS(&atlas), &plan));
        let results = results.unwrap();
        let of = |attack| results.scores.get(attack).unwrap().publications as usize;
        // Batches, publications of targets during the run and after it, targets of the tracker.
        expected.set(results.tally.turns as usize + 2 * of(SHOWN) + 50);
        assert!(of(SHOWN) > 50 && of("tracker") > 0);
    };
    let (all, is_done) = interrupted(usize::MAX, attack);
    assert!(is_done && all == expected.get(), "{all} checkpoints, {expected:?}");
    for last in [1, all / 4, all / 2, all - 20] {
        assert_eq!(interrupted(last, attack), (last, false));
    }
}
