//! Chi-square tests of speeds, intervals, k and start times against the profile, with fixed seeds.

use meshcloak::town::town;
use std::collections::BTreeMap;
use traffic::{Profile, SimulatedQuery, Simulation, SimulationSettings};

fn all_queries(profile: &Profile, settings: SimulationSettings) -> Vec<SimulatedQuery> {
    let town = town("A 0,0 B 900,0 C 900,700 D 0,700 | A-B B-C C-D D-A A-C");
    let mut simulation = Simulation::new(&town.map, profile, settings);
    let mut all = Vec::new();
    while let Some(batch) = simulation.step() {
        all.extend(batch.queries);
    }
    all
}

/// Pearson's statistic; all found values must be expected.
fn chi_square(found: impl Iterator<Item = u64>, expected: &[(u64, f64)]) -> f64 {
    let mut counts: BTreeMap<u64, f64> = BTreeMap::new();
    let mut total = 0.0;
    for value in found {
        *counts.entry(value).or_default() += 1.0;
        total += 1.0;
    }
    let known = expected.iter().map(|&(value, _)| value).collect::<Vec<_>>();
    assert!(counts.keys().all(|value| known.contains(value)), "{counts:?}");
    let term = |&(value, share): &(u64, f64)| {
        let (count, expected) = (counts.get(&value).copied().unwrap_or(0.0), share * total);
        (count - expected) * (count - expected) / expected
    };
    expected.iter().map(term).sum()
}

fn uniform(values: impl IntoIterator<Item = u64>) -> Vec<(u64, f64)> {
    let values: Vec<u64> = values.into_iter().collect();
    let share = 1.0 / values.len() as f64;
    values.into_iter().map(|value| (value, share)).collect()
}

#[test]
fn agents_submit_eleven_queries_with_the_proportions_of_table_three() {
    let intervals: [(&str, &[(u64, f64)]); 2] = [
        ("p1", &[(5000, 0.5), (10_000, 0.3), (20_000, 0.2)]),
        ("p2", &[(20_000, 0.5), (30_000, 0.5)]),
    ];
    for (name, intervals) in intervals {
        let profile = Profile::named(name).unwrap();
        let settings = SimulationSettings {
            users: 20_000,
            k: (2, 10),
            seed: 4,
            ..SimulationSettings::default()
        };
        let queries = all_queries(&profile, settings);
        assert_eq!(queries.len(), 20_000 * 11);
        let first_queries: Vec<&SimulatedQuery> =
            queries.iter().filter(|query| query.number == 0).collect();
        assert_eq!(first_queries.len(), 20_000);
        // Critical values at 0.1 %: 16.3 for 3 degrees of freedom, 13.8 for 2, 26.1 for
        // 8, 86.7 for 50.
        let speeds = uniform([10_000, 20_000, 30_000, 50_000]);
        assert!(chi_square(first_queries.iter().map(|q| u64::from(q.speed)), &speeds) < 16.3);
        assert!(
            chi_square(first_queries.iter().map(|q| u64::from(q.query_interval)), intervals) < 13.8
        );
        assert!(chi_square(queries.iter().map(|q| u64::from(q.k)), &uniform(2..=10)) < 26.1);
        let starts = uniform((0..=50).map(|second| second * 1000));
        assert!(chi_square(first_queries.iter().map(|q| q.asked_at), &starts) < 86.7);
        for query in &queries {
            let metres = u64::from(query.speed) * u64::from(query.query_interval) / 1_000_000;
            assert_eq!(query.distance_constraint.as_metres(), metres as f64);
            assert_eq!(query.temporal_tolerance, 3000);
        }
    }
}

#[test]
fn classes_standing_and_appearance_follow_the_profile() {
    let profile = Profile::named("city").unwrap();
    let queries = all_queries(
        &profile,
        SimulationSettings { users: 20_000, ..SimulationSettings::default() },
    );
    let first_queries: Vec<&SimulatedQuery> =
        queries.iter().filter(|query| query.number == 0).collect();
    assert_eq!(first_queries.len(), 20_000);
    // Standing agents declare 60 m / interval: 6, 3 or 2 m/s; 6 m/s may also be a bicycle, so only
    // the other two identify them.
    let standing = first_queries.iter().filter(|q| [3000, 2000].contains(&q.speed)).count();
    assert!(standing.abs_diff((20_000.0 * 0.15 * 0.7) as usize) < 150, "{standing}");
    let slice = |query: &&&SimulatedQuery| query.asked_at / 1000 * 6 / 2401;
    let shares = [0.1, 0.15, 0.25, 0.25, 0.15, 0.1];
    let shares: Vec<(u64, f64)> = (0..).zip(shares).collect();
    assert!(chi_square(first_queries.iter().map(|q| slice(&q)), &shares) < 20.5);
    assert!(queries.iter().all(|query| query.asked_at <= 3_600_000));
    assert!(queries.iter().all(|query| query.distance_constraint.as_metres() >= 60.0));
}
