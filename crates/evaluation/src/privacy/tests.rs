use super::*;
use crate::run::Presence;
use crate::workload;
use meshcloak::units::Length;
use std::sync::OnceLock;
use std::time::Duration;
use traffic::{Profile, SimulationSettings};

fn city() -> Arc<Atlas> {
    let plan = import::CityPlan::new(3, 500).unwrap();
    let source = import::MapSource::City(plan);
    let city = import::read_map(&source, &import::Options::default(), &()).unwrap();
    Arc::new(Atlas::new(city.map, Length::metres(2_000.0)))
}

fn workload(atlas: &Atlas, users: u32) -> Workload {
    let profile = Profile::named("p1").unwrap().with_uniform_places();
    let settings = SimulationSettings { users, k: (2, 5), temporal_tolerance: 3_000, seed: 7 };
    workload::simulate(atlas.map(), &profile, settings)
}

const CONDITIONS: fn(&Atlas) -> Conditions = |atlas| Conditions {
    tolerance: Duration::from_secs(3),
    dc_max: atlas.dc_max(),
    presence: Presence::AllAsk,
};

fn attacked(name: &str, targets: usize) -> AttackResults {
    let atlas = city();
    let workload = workload(&atlas, 550);
    let plan = AttackPlan { targets, planted: 20, ..AttackPlan::default() };
    run_attacks(&AttackedScheme::named(name).unwrap(), &atlas, &workload, CONDITIONS(&atlas), &plan)
}

/// Attacks on the printed method, run once for all tests.
fn paper() -> &'static AttackResults {
    static PAPER: OnceLock<AttackResults> = OnceLock::new();
    PAPER.get_or_init(|| attacked(crate::schemes::PAPER, 250))
}

#[test]
fn attacks_break_the_printed_method_and_not_the_guarantees() {
    let share = |results: &AttackResults, attack: &str| {
        results.scores.get(attack).and_then(|score| score.below_k.value()).unwrap()
    };
    let paper = paper();
    assert!(paper.scores.get(attack_score::SHOWN).unwrap().publications > 500);
    assert_eq!(share(paper, attack_score::SHOWN), 0.0);
    assert!(share(paper, "inversion") > 0.05);
    assert!(share(paper, "known-point") > 0.05);
    assert!(share(paper, "intersection") > 0.2);
    assert!(paper.portrait.is_some());
    let reciprocal = attacked("meshcloak/reciprocal", 250);
    assert_eq!(share(&reciprocal, "inversion"), 0.0);
    assert!(share(&reciprocal, "known-point") > 0.02, "not promised");
    let history = attacked("meshcloak/history/cells-600", 250);
    assert_eq!((share(&history, "inversion"), share(&history, "known-point")), (0.0, 0.0));
    for results in [paper, &reciprocal, &history] {
        for attack in ["inversion", "reachability", "known-point", "region-inversion", "together"] {
            let wrong = results.scores.get(attack).unwrap().wrong.value();
            assert_eq!(wrong, Some(0.0), "{} {attack}: the truth survives", results.scheme);
        }
    }
}

#[test]
fn each_attack_succeeds_against_some_scheme() {
    let paper = paper();
    let figure = |results: &AttackResults, attack: &str, name: &str| {
        results.scores.get(attack).and_then(|score| score.figure(name)).unwrap()
    };
    let error = |results: &AttackResults, attack: &str| {
        results.scores.get(attack).and_then(|score| score.error.value()).unwrap()
    };
    let metres = |results: &AttackResults, attack: &str| {
        results.scores.get(attack).and_then(|score| score.metres.value()).unwrap()
    };
    let share = |results: &AttackResults, attack: &str| {
        results.scores.get(attack).and_then(|score| score.below_k.value()).unwrap()
    };
    let shown = attack_score::SHOWN;
    assert!(metres(paper, "reachability") < 0.95 * metres(paper, shown), "A at L1");
    assert!(share(paper, "known-point") > 0.05, "A at L2");
    assert!(error(paper, "boundary") < error(paper, shown), "B");
    assert!(error(paper, "centre") < 0.9 * figure(paper, "centre", "error of a random point"));
    assert!(share(paper, "inversion") > 0.05, "D");
    assert!(metres(paper, "region-inversion") < 0.9 * metres(paper, shown), "E");
    assert!(share(paper, "intersection") > 0.2, "F");
    let planted = paper.scores.get("sybils").map_or(0, |score| score.publications);
    assert!(planted > 5, "the tests of the attack show success of G on a small town");
    assert!(share(paper, "homogeneity") > share(paper, "inversion"), "H");
    assert!(figure(paper, "timing", "delay and k correlate") > 0.0, "I");
    assert!(figure(paper, "bayes", "bits left") < figure(paper, "bayes", "bits of the region"));
    assert!(metres(paper, "together") <= metres(paper, "region-inversion") + 1.0);
}

#[test]
fn the_number_of_threads_does_not_change_the_result() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut found = pool.install(|| attacked("meshcloak/reciprocal", 60));
        found.tally = Tally::default(); // it contains times
        let rows = crate::results::privacy_rows(&crate::results::PrivacyRow::default(), &found);
        let timeless =
            rows.into_iter().map(|row| crate::results::PrivacyRow { seconds: 0.0, ..row });
        (timeless.collect::<Vec<_>>(), found.portrait)
    };
    assert_eq!(run(1), run(3));
}
