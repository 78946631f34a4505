//! Properties of clustering and publication on random trajectories.

use super::*;
use crate::nwa::{clustering, naive};
use meshcloak::town::Town;
use meshcloak::units::Point;
use rand::RngExt as _;
use traffic::{Profile, Simulation, SimulationSettings};

fn random_class(seed: u64) -> Vec<Trajectory> {
    let mut random = Town::generator(seed);
    let samples = random.random_range(1..6);
    let count = random.random_range(1..40);
    let spread = [0, 3, 30, 1000][seed as usize % 4];
    (0..count)
        .map(|user| {
            let mut coordinate = || f64::from(random.random_range(-spread..=spread)) * 10.0;
            let points = (0..samples).map(|_| Point::new(coordinate(), coordinate())).collect();
            Trajectory { user, start: 0, points }
        })
        .collect()
}

#[test]
fn clusters_agree_with_comparing_all_pairs() {
    for seed in 0..400 {
        let class = random_class(seed);
        for k in [2, 3, 7] {
            for radius in [0.5, 40.0, 300.0, 3e3, f64::INFINITY] {
                let fast = clustering::cluster(&class, k, radius);
                assert_eq!(fast, naive::cluster(&class, k, radius), "seed {seed} {k} {radius}");
            }
        }
    }
}

fn check(published: &Published, settings: &NwaSettings, context: &str) -> usize {
    let mut count = 0;
    for cluster in published.clusters() {
        assert!(cluster.len() >= settings.k as usize, "{context}: {cluster:?}");
        let members = &published.trajectories[cluster.clone()];
        assert!(is_colocalised(members, settings.delta), "{context}");
        // Without the translation the check fails: it can tell the difference.
        let original = &published.original[cluster];
        let is_moved = members != original;
        let original = is_colocalised(original, settings.delta);
        count += usize::from(is_moved && !original);
    }
    count
}

#[test]
fn published_trajectories_are_k_delta_anonymous_and_trash_is_bounded() {
    let mut broken_before = 0;
    for seed in 0..60 {
        let town = Town::random(100 + seed);
        let profile = Profile::named("p1").unwrap();
        let simulated = SimulationSettings { users: 60, seed, ..SimulationSettings::default() };
        let journeys = Simulation::new(&town.map, &profile, simulated).record_journeys(300, &|| ());
        for delta in [0.0, 20.0, 300.0] {
            let max_trash = [0.0, 0.1, 0.5][seed as usize % 3];
            let (step, period) = (5_000, 20_000);
            let settings =
                NwaSettings { k: 3, delta, step, period, max_trash, ..NwaSettings::default() };
            let sampled = sample(&town.map, &journeys, settings.step);
            let published = anonymise(&sampled, &settings);
            let context = format!("seed {seed} {delta}");
            broken_before += check(&published, &settings, &context);
            let all = published.trajectories.len() + published.trash;
            assert!(published.trash as f64 <= max_trash * all as f64, "{context}");
            let parts = all + published.too_short + published.too_rare;
            assert_eq!(parts, sampled.len(), "{context}: every trajectory has one outcome");
            for trajectory in &published.trajectories {
                assert!(trajectory.start.is_multiple_of(4), "{context}");
                assert!((trajectory.end() - 1).is_multiple_of(4), "{context}");
            }
            let ids = published.trajectories.iter().map(|one| one.user);
            let mut ids: Vec<u32> = ids.collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), published.trajectories.len(), "{context}: published once");
        }
    }
    assert!(broken_before > 100, "{broken_before} clusters needed a translation");
}

#[test]
fn translation_moves_no_farther_than_needed() {
    let trajectory = |user, x: f64| Trajectory { user, start: 0, points: vec![Point::new(x, 0.0)] };
    let members = [trajectory(0, 0.0), trajectory(1, 10.0), trajectory(2, 110.0)];
    let members: Vec<&Trajectory> = members.iter().collect();
    let moved = translation::translate(&members, 80.0);
    let xs: Vec<f64> = moved.iter().map(|one| one.points[0].x).collect();
    // The centre is at 40: user 0 and 1 are within 40 m of it, user 2 is moved to 80.
    assert_eq!(xs, [0.0, 10.0, 80.0]);
    assert!(is_colocalised(&moved, 80.0) && !is_colocalised(&moved, 79.0));
}

#[test]
fn range_queries_count_possible_and_definite_presence() {
    let trajectory = |user, xs: &[f64]| Trajectory {
        user,
        start: 10,
        points: xs.iter().map(|&x| Point::new(x, 0.0)).collect(),
    };
    let all = [
        trajectory(0, &[0.0, 5.0, 9.0]),
        trajectory(1, &[0.0, 14.0, 30.0]),
        trajectory(2, &[99.0; 3]),
    ];
    let query = RangeQuery { centre: Point::new(0.0, 0.0), radius: 10.0, start: 10, end: 13 };
    let bounded = range_queries::Bounded::of(&all);
    assert_eq!(query.count(&bounded, 0.0), (2, 1));
    assert_eq!(query.count(&bounded, 4.0), (2, 0), "9 m is not definitely within 10 m");
    let later = RangeQuery { start: 11, end: 12, ..query };
    assert_eq!(later.count(&bounded, 8.0), (2, 1), "14 m is possibly within 10 m");
    let longer = RangeQuery { end: 14, ..query };
    assert_eq!(longer.count(&bounded, 0.0), (2, 0), "no trajectory lasts to the end");
    let errors = range_errors(&[query], &all, &all[..1], 0.0);
    assert_eq!(errors.possibly.value(), Some(0.5));
    assert_eq!(errors.definitely.value(), Some(0.0));
}

#[test]
fn the_nearest_trajectory_is_the_target_unless_all_are_equal() {
    let mut random = Town::generator(5);
    let sampled: Vec<Trajectory> = (0..50)
        .map(|user| {
            let mut coordinate = || random.random_range(-500.0..500.0);
            let points = (0..21).map(|_| Point::new(coordinate(), coordinate())).collect();
            Trajectory { user, start: 0, points }
        })
        .collect();
    let settings = NwaSettings { k: 5, delta: 0.0, ..NwaSettings::default() };
    let published = anonymise(&sampled, &settings);
    assert!(published.trajectories.len() >= 45);
    let success = link_by_distance(&published, None, 1).value().unwrap();
    assert!(success <= 0.2 + 1e-9, "with δ = 0 members are equal: {success}");
    let loose = anonymise(&sampled, &NwaSettings { delta: 400.0, ..settings });
    let success = link_by_distance(&loose, None, 1).value().unwrap();
    assert!(success > 0.9, "members keep their side of the cylinder: {success}");
}

#[test]
fn a_target_whose_published_positions_are_farther_than_anothers_is_not_linked() {
    let original = vec![along(0, &[0.0, 10.0]), along(1, &[100.0, 110.0])];
    let mut published = Published {
        trajectories: vec![along(0, &[90.0, 100.0]), along(1, &[95.0, 105.0])],
        original,
        clusters: vec![0],
        ..Published::default()
    };
    // Both are nearest to the published positions of user 0 and 1, as they should be.
    assert_eq!(link_by_distance(&published, None, 1).value(), Some(1.0));
    published.trajectories.swap(0, 1);
    assert_eq!(link_by_distance(&published, None, 1).value(), Some(0.0));
    published.trajectories[0] = published.trajectories[1].clone();
    assert_eq!(link_by_distance(&published, None, 1).value(), Some(0.5));
}

#[test]
fn the_period_is_the_shortest_with_which_most_positions_can_be_published() {
    let mut periods = Vec::new();
    for seed in 0..30 {
        let town = Town::random(100 + seed);
        let profile = Profile::named("p1").unwrap();
        let simulated = SimulationSettings { users: 30, seed, ..SimulationSettings::default() };
        let journeys = Simulation::new(&town.map, &profile, simulated).record_journeys(300, &|| ());
        let settings = NwaSettings { k: 3, step: 5_000, ..NwaSettings::default() };
        let sampled = sample(&town.map, &journeys, settings.step);
        let count = |period: u64| {
            let of_period = Classes::group(&sampled, &NwaSettings { period, ..settings });
            of_period.classes.iter().flatten().map(|one| one.points.len()).sum::<usize>()
        };
        let tried: Vec<u64> = [2, 4, 8, 12, 16, 20, 24, 32, 40].map(|n| n * 5_000).into();
        let most = tried.iter().map(|&period| count(period)).max().unwrap();
        let first = tried.iter().copied().find(|&period| count(period) == most).unwrap();
        assert_eq!(best_period(&sampled, &settings), first, "seed {seed}");
        periods.push(first);
    }
    periods.sort_unstable();
    periods.dedup();
    assert!(periods.len() > 1, "{periods:?}");
}

/// A trajectory along the x axis, in metres.
fn along(user: u32, xs: &[f64]) -> Trajectory {
    Trajectory { user, start: 0, points: xs.iter().map(|&x| Point::new(x, 0.0)).collect() }
}

#[test]
fn distortion_and_discernibility_are_those_computed_by_hand() {
    // Clusters of users 0–1 and 2–4; user 5 is trash, user 6 too short to be trimmed.
    let trimmed: Vec<Trajectory> = (0..6).map(|user| along(user, &[0.0, 100.0])).collect();
    let mut sampled = trimmed.clone();
    sampled[0] = along(0, &[0.0, 100.0, 200.0]);
    sampled.push(along(6, &[0.0]));
    let mut trajectories: Vec<Trajectory> = trimmed[..5].to_vec();
    trajectories[0].points[0] = Point::new(3.0, 4.0); // 5 m
    trajectories[2] = along(2, &[10.0, 90.0]); // 10 m twice
    let published = Published {
        original: trimmed[..5].to_vec(),
        trajectories,
        clusters: vec![0, 2],
        too_short: 1,
        trash: 1,
        trimmed,
        ..Published::default()
    };
    let found = published.distortion(&sampled, 2);
    assert_eq!(found.mean_metres, Some(25.0 / 10.0));
    assert_eq!(found.max_metres, 10.0, "Ω");
    assert_eq!(found.total_metres, 25.0 + 2.0 * 10.0, "two positions of user 5 cost Ω each");
    assert_eq!(found.suppressed, Some(1.0 - 10.0 / 14.0));
    assert_eq!(found.discernibility, 2.0 * 2.0 + 3.0 * 3.0 + 2.0 * 7.0);
    assert_eq!(found.ideal_discernibility, 7.0 * 2.0);
    let nothing = Published::default().distortion(&sampled, 2);
    assert_eq!((nothing.mean_metres, nothing.suppressed), (None, Some(1.0)));
    assert_eq!((nothing.total_metres, nothing.discernibility), (0.0, 49.0));
}
