use super::*;
use crate::people;
use crate::run::Presence;
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

fn tape(atlas: &Atlas, users: u32) -> Tape {
    let profile = Profile::named("p1").unwrap().with_uniform_places();
    let settings = SimulationSettings { users, k: (2, 5), temporal_tolerance: 3_000, seed: 7 };
    people::simulate(atlas.map(), &profile, settings)
}

const CONDITIONS: fn(&Atlas) -> Conditions = |atlas| Conditions {
    tolerance: Duration::from_secs(3),
    dc_max: atlas.dc_max(),
    presence: Presence::AllAsk,
};

fn assayed(name: &str, victims: usize) -> Assay {
    let atlas = city();
    let tape = tape(&atlas, 550);
    let plan = Plan { victims, planted: 20, ..Plan::default() };
    assay(&Suspect::named(name).unwrap(), &atlas, &tape, CONDITIONS(&atlas), &plan)
}

/// The method as printed, attacked once for all tests.
fn paper() -> &'static Assay {
    static PAPER: OnceLock<Assay> = OnceLock::new();
    PAPER.get_or_init(|| assayed("meshcloak", 250))
}

#[test]
fn the_paper_falls_below_k_and_the_guarantees_do_not() {
    let share = |assay: &Assay, attack: &str| {
        assay.scores.get(attack).and_then(|score| score.below_k.value()).unwrap()
    };
    let paper = paper();
    assert!(paper.scores.get(score::SHOWN).unwrap().publications > 500);
    assert_eq!(share(paper, score::SHOWN), 0.0);
    assert!(share(paper, "inversion") > 0.05);
    assert!(share(paper, "known-point") > 0.05);
    assert!(share(paper, "intersection") > 0.2);
    assert!(paper.portrait.is_some());
    let reciprocal = assayed("meshcloak/reciprocal", 250);
    assert_eq!(share(&reciprocal, "inversion"), 0.0);
    assert!(share(&reciprocal, "known-point") > 0.02, "not promised");
    let history = assayed("meshcloak/history/cells-600", 250);
    assert_eq!((share(&history, "inversion"), share(&history, "known-point")), (0.0, 0.0));
    for assay in [paper, &reciprocal, &history] {
        for attack in ["inversion", "reachability", "known-point", "region-inversion", "together"] {
            let wrong = assay.scores.get(attack).unwrap().wrong.value();
            assert_eq!(wrong, Some(0.0), "{} {attack}: the truth survives", assay.scheme);
        }
    }
}

#[test]
fn each_attack_succeeds_against_some_scheme() {
    let paper = paper();
    let figure = |assay: &Assay, attack: &str, name: &str| {
        assay.scores.get(attack).and_then(|score| score.figure(name)).unwrap()
    };
    let error = |assay: &Assay, attack: &str| {
        assay.scores.get(attack).and_then(|score| score.error.value()).unwrap()
    };
    let metres = |assay: &Assay, attack: &str| {
        assay.scores.get(attack).and_then(|score| score.metres.value()).unwrap()
    };
    let share = |assay: &Assay, attack: &str| {
        assay.scores.get(attack).and_then(|score| score.below_k.value()).unwrap()
    };
    let shown = score::SHOWN;
    assert!(metres(paper, "reachability") < 0.95 * metres(paper, shown), "A at L1");
    assert!(share(paper, "known-point") > 0.05, "A at L2");
    assert!(error(paper, "boundary") < error(paper, shown), "B");
    assert!(error(paper, "centre") < 0.9 * figure(paper, "centre", "error of a random point"));
    assert!(share(paper, "inversion") > 0.05, "D");
    assert!(metres(paper, "region-inversion") < 0.9 * metres(paper, shown), "E");
    assert!(share(paper, "intersection") > 0.2, "F");
    let planted = paper.scores.get("sybils").map_or(0, |score| score.publications);
    assert!(planted > 5, "G is shown to succeed on a town of its own");
    assert!(share(paper, "homogeneity") > share(paper, "inversion"), "H");
    assert!(figure(paper, "timing", "delay and k correlate") > 0.0, "I");
    assert!(figure(paper, "bayes", "bits left") < figure(paper, "bayes", "bits of the region"));
    assert!(metres(paper, "together") <= metres(paper, "region-inversion") + 1.0);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut found = pool.install(|| assayed("meshcloak/reciprocal", 60));
        found.tally = Tally::default(); // it holds times
        let rows = crate::results::privacy_rows(&crate::results::PrivacyRow::default(), &found);
        let timeless =
            rows.into_iter().map(|row| crate::results::PrivacyRow { seconds: 0.0, ..row });
        (timeless.collect::<Vec<_>>(), found.portrait)
    };
    assert_eq!(run(1), run(3));
}
