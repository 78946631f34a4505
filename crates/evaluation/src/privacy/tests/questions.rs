//! Attack M with decoys and with a smallest number of categories per region.

use super::*;

/// Figure of the attack on questions.
fn asked_with(questions: DecoyPlan, scheme: &str, figure: &str) -> f64 {
    let atlas = city();
    let workload = workload(&atlas, 1_500);
    let plan = AttackPlan {
        attacks: vec!["questions"],
        targets: usize::MAX,
        questions,
        ..AttackPlan::default()
    };
    let scheme = AttackedScheme::named(scheme).unwrap();
    let found = run_attacks(&scheme, &atlas, &workload, CONDITIONS(&atlas), &plan).unwrap();
    let score = found.scores.get("questions").unwrap();
    assert_eq!(score.publications, found.tally.succeeded, "each served query is attacked once");
    score.figure(figure).unwrap()
}

const SENSITIVE: &str = "probability of a sensitive question";
const REQUESTS: &str = "requests per answer";

#[test]
fn decoys_hide_sensitive_questions_and_cost_requests() {
    let asked = |decoys, figure| {
        asked_with(DecoyPlan { decoys, diversity: 0 }, "meshcloak/reciprocal", figure)
    };
    let sensitive = |decoys| asked(decoys, SENSITIVE);
    assert!(sensitive(0) > 0.15 && sensitive(5) < sensitive(0) / 2.0, "{}", sensitive(5));
    let requests = |decoys| asked(decoys, REQUESTS);
    assert!(requests(3) > 1.5 * requests(0), "{} {}", requests(0), requests(3));
}

#[test]
fn diversity_fills_up_regions_and_costs_requests() {
    let asked =
        |diversity, scheme, figure| asked_with(DecoyPlan { decoys: 0, diversity }, scheme, figure);
    // Among present users a region is asked for few categories.
    for scheme in ["meshcloak/reciprocal", "meshcloak/reciprocal/present-80"] {
        let sensitive = [0, 6].map(|diversity| asked(diversity, scheme, SENSITIVE));
        assert!(sensitive[1] < 0.8 * sensitive[0], "{scheme}: {sensitive:?}");
        let requests = [0, 6].map(|diversity| asked(diversity, scheme, REQUESTS));
        assert!(requests[1] > 1.5 * requests[0], "{scheme}: {requests:?}");
    }
}
