//! Narrow regions are followed, wide ones are not.

use super::*;
use crate::workload::{record_journeys, simulate};
use meshcloak::query::QueryId;
use traffic::{Profile, SimulationSettings};

/// Publishes every user every second with all streets within `ring` steps of the own one.
fn followed(users: u32, ring: usize) -> AttackScores {
    let plan = import::CityPlan::new(3, 500).unwrap();
    let source = import::MapSource::City(plan);
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    let profile = Profile::named("p1").unwrap().with_uniform_places();
    let settings = SimulationSettings { users, seed: 5, ..SimulationSettings::default() };
    let mut workload = simulate(&map, &profile, settings);
    workload.journeys = record_journeys(&map, &profile, settings);
    let mut pursuit = Pursuit::new(Duration::from_secs(1), &AttackPlan::default());
    for second in 1..120 {
        let at = second * 1000;
        let mut published = Published::default();
        for (user, journey) in workload.journeys.iter().enumerate() {
            let Some(position) = journey.position(&map, at) else { continue };
            let streets = (0..ring).fold(vec![position.street], |known, _| {
                let ends = known.iter().flat_map(|&one| [map.street(one).from, map.street(one).to]);
                let arms = ends.flat_map(|end| map.leaving(end).iter().map(|arm| arm.street));
                let mut all: Vec<_> = arms.chain(known.iter().copied()).collect();
                all.sort_unstable();
                all.dedup();
                all
            });
            let id = QueryId(user as u64);
            let set = published.add([id].into_iter(), &Region::Mesh(streets.into()));
            published.serve(user as u32, set);
        }
        pursuit.add(&map, Time::from_millis(at), &State::default(), &published);
    }
    let targets = Targets::of(&workload, 20);
    let plan = AttackPlan { followed: 20, ..AttackPlan::default() };
    pursuit.score(&map, &workload, &targets, &plan)
}

#[test]
fn narrow_regions_are_followed_and_wide_ones_of_a_crowd_are_not() {
    let figure = |scores: &AttackScores, name: &str| {
        scores.get(TRACKER.name).and_then(|score| score.figure(name)).unwrap()
    };
    let few = followed(30, 0);
    assert!(figure(&few, "street guessed") > 0.7, "{few:?}");
    assert!(figure(&few, "street guessed without regions") < 0.35, "{few:?}");
    let crowd = followed(300, 3);
    let gain = figure(&crowd, "street guessed") - figure(&crowd, "street guessed without regions");
    assert!(gain < 0.1, "{crowd:?}");
}
