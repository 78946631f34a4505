use super::mechanism::error;
use super::*;
use crate::testing::Scene;
use meshcloak::map::StreetId;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use std::collections::BTreeSet;

/// Regions of a random town.
fn table(seed: u64) -> RegionTable {
    let scene = Scene::random(100 + seed);
    RegionTable::new(&scene.town.map, 2 + seed as usize % 9)
}

/// Expected error of the best adversary against a mechanism, by trying all guesses for each region.
fn best_adversary(table: &RegionTable, mechanism: &Mechanism, measure: Measure) -> f64 {
    let regions = 0..table.count();
    let joint =
        |own: usize, published: usize| table.prior[own] * mechanism.probability(own, published);
    let errors = regions.clone().map(|published| {
        let of_guess = |guess: usize| -> f64 {
            let terms = regions
                .clone()
                .map(|own| joint(own, published) * error(table, measure, guess, own));
            terms.sum()
        };
        regions.clone().map(of_guess).fold(f64::INFINITY, f64::min)
    });
    errors.sum()
}

/// Value of the adversary's program (the dual game): the least expected error of an inference that
/// is fixed before the user chooses regions within the loss. `price` is the value of a metre of loss.
fn adversary_program(table: &RegionTable, loss: f64, measure: Measure) -> f64 {
    let regions = 0..table.count();
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let values: Vec<Variable> = regions
        .clone()
        .map(|own| problem.add_var(table.prior[own], (f64::NEG_INFINITY, f64::INFINITY)))
        .collect();
    let price = problem.add_var(loss, (0.0, f64::INFINITY));
    let inference: Vec<Vec<Variable>> = regions
        .clone()
        .map(|_| regions.clone().map(|_| problem.add_var(0.0, (0.0, 1.0))).collect())
        .collect();
    for row in &inference {
        let terms: Vec<(Variable, f64)> = row.iter().map(|&cell| (cell, 1.0)).collect();
        problem.add_constraint(&terms[..], ComparisonOp::Eq, 1.0);
    }
    for (own, published) in regions.clone().flat_map(|r| regions.clone().map(move |o| (r, o))) {
        // value(own) ≥ Σ_g h(g | published)·d(g, own) − price·q(published, own)
        let mut terms = vec![(values[own], -1.0)];
        let metres = table.centres[own].distance(table.centres[published]);
        terms.push((price, -metres));
        for guess in regions.clone() {
            terms.push((inference[published][guess], error(table, measure, guess, own)));
        }
        terms.retain(|term| term.1 != 0.0);
        problem.add_constraint(&terms[..], ComparisonOp::Le, 0.0);
    }
    problem.solve().unwrap().solution().unwrap().objective()
}

/// Asserts that rows add up to one, that the loss is kept, and that the best adversary errs as much as
/// promised.
fn check(table: &RegionTable, mechanism: &Mechanism, loss: f64, measure: Measure) {
    let regions = 0..table.count();
    let mut spent = 0.0;
    for own in regions.clone() {
        let row = regions.clone().map(|published| mechanism.probability(own, published));
        assert!((row.sum::<f64>() - 1.0).abs() < 1e-9);
        for published in regions.clone() {
            let metres = table.centres[own].distance(table.centres[published]);
            spent += table.prior[own] * mechanism.probability(own, published) * metres;
        }
    }
    assert!(spent <= loss + 1e-4, "{spent} of {loss}");
    let attacked = best_adversary(table, mechanism, measure);
    assert!((attacked - mechanism.privacy).abs() < 1e-4 * mechanism.privacy.max(1.0), "{attacked}");
}

#[test]
fn the_mechanism_is_optimal_against_the_best_adversary() {
    let mut hidden = 0;
    for seed in 0..60 {
        let table = table(seed);
        let measure = if seed % 2 == 0 { Measure::Metres } else { Measure::Regions };
        let loss = [0.0, 40.0, 150.0, 1e4][seed as usize / 2 % 4];
        let mechanism = Mechanism::solve(&table, loss, measure).unwrap();
        check(&table, &mechanism, loss, measure);
        // Strong duality: no mechanism within the loss does better against the optimal inference.
        let bound = adversary_program(&table, loss, measure);
        assert!((mechanism.privacy - bound).abs() < 1e-3, "seed {seed}: {bound} {mechanism:?}");
        hidden += usize::from(mechanism.privacy > 1e-3);
    }
    assert!(hidden > 20, "{hidden}");
}

#[test]
fn the_program_of_a_hundred_regions_of_a_city_is_solved() {
    let source = "city:2000:1".parse().unwrap();
    let city = import::read_map(&source, &import::Options::default(), &()).unwrap();
    let table = RegionTable::new(&city.map, MAX_REGIONS);
    assert_eq!(table.count(), MAX_REGIONS);
    let mechanism = Mechanism::solve(&table, 300.0, Measure::Metres).unwrap();
    check(&table, &mechanism, 300.0, Measure::Metres);
    // With the whole loss spent, the adversary errs nearly as much as the user loses.
    assert!((200.0..=300.0).contains(&mechanism.privacy), "{}", mechanism.privacy);
}

#[test]
fn draws_follow_the_mechanism() {
    let scene = Scene::random(140);
    let settings = OptimalSettings { regions: 6, loss: 150.0, measure: Measure::Metres, seed: 1 };
    let scheme = Optimal::new(&scene.atlas, settings).unwrap();
    for own in 0..scheme.table.count() {
        let mut counts = vec![0.0; scheme.table.count()];
        for query in 0..20_000 {
            let mut random = SchemeRandom::new(1, &[query]);
            counts[scheme.mechanism.draw(own, &mut random)] += 1.0 / 20_000.0;
        }
        for (published, share) in counts.into_iter().enumerate() {
            let expected = scheme.mechanism.probability(own, published);
            assert!((share - expected).abs() < 0.015, "{own} {published}: {share} {expected}");
        }
    }
}

#[test]
fn regions_divide_the_map_and_are_at_most_as_many_as_asked_for() {
    for seed in 0..100 {
        let scene = Scene::random(seed);
        let max = 2 + seed as usize % 30;
        let table = RegionTable::new(&scene.town.map, max);
        let all: Vec<StreetId> =
            (0..table.count()).flat_map(|region| table.streets(region).to_vec()).collect();
        let distinct: BTreeSet<StreetId> = all.iter().copied().collect();
        assert_eq!((all.len(), distinct.len()), (scene.town.map.street_count(), all.len()));
        // Components of the map cannot be joined.
        let sum: f64 = table.prior.iter().sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
}
