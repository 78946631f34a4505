//! Attack `cadence` with and without the secret times of standing questions.

use super::*;

fn attacked(is_held: bool) -> AttackResults {
    let atlas = city();
    let workload = workload(&atlas, 550);
    let attacks = vec!["matching-tick", "cadence"];
    let plan = AttackPlan { attacks, targets: 550, ..AttackPlan::default() };
    let scheme = AttackedScheme::named("meshcloak/history/published").unwrap();
    let conditions = Conditions { is_held, ..CONDITIONS(&atlas) };
    run_attacks(&scheme, &atlas, &workload, conditions, &plan).unwrap()
}

#[test]
fn held_queries_do_not_show_their_cadence() {
    let [at_once, held] = [false, true].map(attacked);
    let below_k = |results: &AttackResults, attack: &str| {
        let score = results.scores.get(attack).unwrap();
        assert!(score.publications > 500, "{score:?}");
        score.below_k.value().unwrap()
    };
    for results in [&at_once, &held] {
        assert_eq!(below_k(results, "matching-tick"), 0.0, "the promise of the clock `published`");
    }
    let found = [&at_once, &held].map(|results| below_k(results, "cadence"));
    let wrong = [&at_once, &held].map(|results| {
        results.scores.get("cadence").and_then(|score| score.wrong.value()).unwrap()
    });
    // dc is rounded, and with it the interval that the adversary computes.
    assert!(found[0] > 0.03 && wrong[0] < 0.01, "the cadence is inferred: {found:?} {wrong:?}");
    // Positions are older than their release: an invented earlier time of asking is often right.
    assert!(2.0 * found[1] < found[0], "{found:?} {wrong:?}");
    // The price: answers are older by up to two intervals of 5 to 20 s, and one serves several queries.
    let delay = [&at_once, &held].map(|results| results.tally.delay.value().unwrap());
    assert!(delay[1] > delay[0] + 2.0 && delay[1] < 40.0, "{delay:?}");
    assert!(held.tally.replaced > at_once.tally.replaced);
}
