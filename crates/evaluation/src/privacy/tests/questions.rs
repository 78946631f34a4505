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

/// The adversary knows which members ask: its candidates for a question are the askers of the set.
#[test]
fn counting_askers_only_hides_what_each_asked_from_one_who_knows_the_askers() {
    let asked = |rule: &str, figure| {
        let scheme = format!("meshcloak/reciprocal{rule}/present-50");
        asked_with(DecoyPlan::default(), &scheme, figure)
    };
    let certain = ["", "/askers"].map(|rule| asked(rule, "certain"));
    assert!(certain[0] > 0.3, "presence reports count, many sets have one asker: {certain:?}");
    assert!(certain[1] < 0.15, "every set has k askers: {certain:?}");
    let guessed = ["", "/askers"].map(|rule| asked(rule, "category guessed"));
    assert!(guessed[1] < 0.8 * guessed[0], "{guessed:?}");
}
