//! Narrow regions are followed, and no scheme's regions mislead the tracker.

use super::*;
use crate::privacy::{AttackedScheme, run_attacks};
use crate::workload::{record_journeys, simulate};
use meshcloak::query::QueryId;
use meshcloak::region::Region;
use std::sync::OnceLock;
use std::time::Duration;
use traffic::{Profile, SimulationSettings};

fn city() -> Arc<Atlas> {
    let plan = import::CityPlan::new(3, 500).unwrap();
    let source = import::MapSource::City(plan);
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    Arc::new(Atlas::new(map, Length::metres(2_000.0)))
}

fn workload(atlas: &Atlas, users: u32, seed: u64) -> Workload {
    let profile = Profile::named("p1").unwrap().with_uniform_places();
    let settings = SimulationSettings { users, seed, ..SimulationSettings::default() };
    let mut workload = simulate(atlas.map(), &profile, settings);
    workload.journeys = record_journeys(atlas.map(), &profile, settings);
    workload
}

fn conditions(atlas: &Atlas) -> Conditions {
    Conditions::new(Duration::from_secs(3), atlas.dc_max())
}

fn figure(scores: &AttackScores, name: &str) -> f64 {
    scores.get(TRACKER.name).and_then(|score| score.figure(name)).unwrap()
}

/// Gain by regions: guessed, among ten, and bits.
fn gain(scores: &AttackScores) -> [f64; 3] {
    let gain =
        |name: &str| figure(scores, name) - figure(scores, &format!("{name} without regions"));
    [gain("street guessed"), gain("street among 10"), -gain("bits to the street")]
}

/// Publishes every query at the next second with all streets within `ring` steps of its own.
fn rings(users: u32, ring: usize) -> AttackScores {
    let atlas = &city();
    let (map, workload) = (atlas.map(), &workload(atlas, users, 5));
    let targets = &Targets::of(workload, users as usize / 2);
    let conditions = conditions(atlas);
    let dependence = RegionDependence::Fixed;
    let scene = Scene { atlas, workload, targets, conditions, dependence };
    let mut pursuit =
        Pursuit::planned(&AttackPlan { particles: 400, ..AttackPlan::default() }, scene).unwrap();
    let mut left = workload.queries.iter().enumerate().peekable();
    for second in 1..120 {
        let at = Time::from_millis(second * 1000);
        let (mut state, mut published) = (State::default(), Published::default());
        while let Some((number, query)) =
            left.next_if(|(_, query)| query.asked_at <= at.as_millis())
        {
            let streets = (0..ring).fold(vec![query.position.street], |known, _| {
                let ends = known.iter().flat_map(|&one| [map.street(one).from, map.street(one).to]);
                let arms = ends.flat_map(|end| map.leaving(end).iter().map(|arm| arm.street));
                let mut all: Vec<_> = arms.chain(known.iter().copied()).collect();
                all.sort_unstable();
                all.dedup();
                all
            });
            let id = QueryId(number as u64);
            let set = published.add([id].into_iter(), &Region::Mesh(streets.into()));
            published.serve(state.waiting.len() as u32, set);
            state.waiting.push(query.as_query(id));
        }
        pursuit.add(at, &state, &published);
    }
    pursuit.score(&Checkpoint::default())
}

#[test]
fn narrow_regions_are_followed_and_wide_ones_tell_less() {
    let narrow = rings(300, 0);
    let [guessed, _, bits] = gain(&narrow);
    assert!(figure(&narrow, "street guessed") > 0.5 && guessed > 0.2, "{narrow:?}");
    let [wide_guessed, _, wide_bits] = gain(&rings(300, 3));
    assert!(wide_guessed < guessed && wide_bits < bits, "{wide_guessed} {wide_bits}");
}

/// A city with users of three seeds.
fn populations() -> &'static (Arc<Atlas>, Vec<Workload>) {
    static POPULATIONS: OnceLock<(Arc<Atlas>, Vec<Workload>)> = OnceLock::new();
    POPULATIONS.get_or_init(|| {
        let atlas = city();
        let workloads = (1..=3).map(|seed| workload(&atlas, 1_000, seed)).collect();
        (atlas, workloads)
    })
}

/// Gain by the regions of a scheme, over three seeds.
fn gain_of(scheme: &str, follows_kinds: bool) -> [f64; 3] {
    let (atlas, workloads) = populations();
    let scheme = AttackedScheme::named(scheme).unwrap();
    let attacks = vec![TRACKER.name];
    let plan =
        AttackPlan { attacks, targets: 60, follows_kinds, particles: 400, ..AttackPlan::default() };
    let mut all = AttackScores::default();
    for workload in workloads {
        let found = run_attacks(&scheme, atlas, workload, conditions(atlas), &plan).unwrap();
        all.join(found.scores);
    }
    gain(&all)
}

#[test]
fn regions_mislead_under_no_scheme() {
    let schemes = [
        "meshcloak/paper",
        "meshcloak/reciprocal",
        "meshcloak/reciprocal/cell",
        "meshcloak/history",
        "hilbert-streets",
        "planar-laplace",
        "l2p2",
    ];
    for name in schemes {
        let [guessed, listed, bits] = gain_of(name, false);
        println!("{name}: {guessed:+.3} {listed:+.3} {bits:+.3}");
        let context = format!("{name} {guessed} {listed} {bits}");
        assert!(guessed > -0.01 && listed > -0.01 && bits > -0.02, "{context}");
    }
}

#[test]
fn small_regions_and_rare_questions_are_followed() {
    let [guessed, _, bits] = gain_of("hilbert-streets", false);
    assert!(guessed > 0.1 && bits > 0.5, "{guessed} {bits}");
    let [all, ..] = gain_of("meshcloak/reciprocal/cell", false);
    let [rare, ..] = gain_of("meshcloak/reciprocal/cell", true);
    assert!(rare > all + 0.05, "{rare} {all}");
}
