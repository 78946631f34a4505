mod checkpoints;
mod own_model;

use super::*;
use crate::workload;
use meshcloak::units::Length;
use std::sync::OnceLock;
use std::time::Duration;
use traffic::{Profile, SimulationSettings};

mod cadence;
mod questions;

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

const CONDITIONS: fn(&Atlas) -> Conditions =
    |atlas| Conditions::new(Duration::from_secs(3), atlas.dc_max());

fn attacked(name: &str, targets: usize) -> AttackResults {
    let atlas = city();
    let workload = workload(&atlas, 550);
    let plan = AttackPlan { targets, planted: 20, ..AttackPlan::default() };
    let scheme = AttackedScheme::named(name).unwrap();
    run_attacks(&scheme, &atlas, &workload, CONDITIONS(&atlas), &plan).unwrap()
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
    assert!(share(&reciprocal, "matching") >= share(&reciprocal, "known-point"));
    let history = attacked("meshcloak/history/cells-600", 250);
    assert_eq!((share(&history, "inversion"), share(&history, "known-point")), (0.0, 0.0));
    assert_eq!(share(&history, "matching"), 0.0);
    for results in [paper, &reciprocal, &history] {
        let attacks = [
            "inversion",
            "reachability",
            "known-point",
            "matching",
            "region-inversion",
            "together",
        ];
        for attack in attacks {
            let wrong = results.scores.get(attack).unwrap().wrong.value();
            assert_eq!(wrong, Some(0.0), "{} {attack}: the truth survives", results.scheme);
        }
    }
}

#[test]
fn slow_users_are_followed_beyond_the_horizon_unless_a_distance_extends_it() {
    // Users travel at most 1,000 m between two of eleven queries.
    let cases = [("asked", "matching", 1_000), ("published", "matching-tick", 10_000)];
    for (clock, attack, metres) in cases {
        let below_k = |words: &str| {
            let found = attacked(&format!("meshcloak/history/{clock}/{words}"), 250);
            let score = found.scores.get(attack).unwrap();
            assert!(score.publications > 100, "{score:?}");
            score.below_k.value().unwrap()
        };
        assert!(below_k("horizon-4") > 0.05, "{clock}");
        assert_eq!(below_k(&format!("horizon-4/horizon-distance-{metres}")), 0.0, "{clock}");
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
        // Times differ.
        (found.tally, found.us_per_query, found.ms_per_batch) = (Tally::default(), None, None);
        let rows = crate::results::privacy_rows(&crate::results::PrivacyRow::default(), &found);
        let timeless =
            rows.into_iter().map(|row| crate::results::PrivacyRow { seconds: 0.0, ..row });
        (timeless.collect::<Vec<_>>(), found.portrait)
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn registered_users_count_towards_k() {
    let atlas = city();
    let workload = workload(&atlas, 300);
    let tally = |presence| {
        let mut casper = AttackedScheme::named("casper").unwrap().make(&atlas).unwrap();
        let conditions = Conditions { presence, ..CONDITIONS(&atlas) };
        run(&mut casper, atlas.map(), &workload, conditions, &mut Costs::Free).tally
    };
    let (asking, registered) = (tally(Presence::AllAsk), tally(Presence::Registered));
    assert_eq!(registered.accepted, asking.accepted, "reports are not questions");
    assert_eq!(registered.succeeded, registered.accepted, "300 users are always there");
    assert!(registered.region_metres.value() < asking.region_metres.value());
}

#[test]
fn ages_reveal_the_asker_unless_old_reports_do_not_count() {
    let atlas = city();
    let workload = workload(&atlas, 1_500);
    let presence = Presence::Present(80);
    let conditions = Conditions { presence, ..CONDITIONS(&atlas) };
    let plan = AttackPlan { attacks: vec![AGES.name], ..AttackPlan::default() };
    let score = |name: &str| {
        let scheme = AttackedScheme::named(name).unwrap();
        let found = run_attacks(&scheme, &atlas, &workload, conditions, &plan).unwrap();
        let score = found.scores.get(AGES.name).expect("there are presence reports").clone();
        let figure = |name| score.figure(name).unwrap();
        assert!(score.publications > 100, "{score:?}");
        assert!(figure("k by users") > figure("k by askers") && figure("k by askers") >= 1.0);
        (figure("known for sure"), figure("top posterior"), score.wrong.value())
    };
    let (known, top, wrong) = score("meshcloak/reciprocal");
    assert!(known > 0.05 && top > 0.6 && wrong < Some(0.02), "{known} {top} {wrong:?}");
    let (known_young, top_young, _) = score("meshcloak/age-1");
    assert!(known_young == 0.0 && top_young < top, "{known_young} {top_young}");
}

#[test]
fn without_presence_reports_there_are_no_ages_to_compare() {
    let atlas = city();
    let scheme = AttackedScheme::named("meshcloak/reciprocal").unwrap();
    let plan = AttackPlan { attacks: vec![AGES.name], ..AttackPlan::default() };
    let workload = workload(&atlas, 200);
    let found = run_attacks(&scheme, &atlas, &workload, CONDITIONS(&atlas), &plan).unwrap();
    assert!(found.scores.get(AGES.name).is_none());
}
