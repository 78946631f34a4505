//! Answers from the device against all objects of built-in cities.

use super::*;
use meshcloak::town::Town;
use rand::RngExt as _;

fn city(seed: u64) -> StreetMap {
    let source = format!("city:500:{seed}").parse().unwrap();
    import::read_map(&source, &import::Options::default(), &()).unwrap().map
}

const SIZE: AnswerSize = AnswerSize { empty: 100, object: None };

#[test]
fn answers_from_the_device_equal_those_of_all_objects() {
    let (mut answered, mut refused) = (0, 0);
    for seed in 0..6 {
        let map = city(seed);
        assert!(map.pois().len() > 20);
        let mut random = Town::generator(seed);
        for size in [90.0, 400.0, 2_000.0] {
            let grid = ContentGrid::new(&map, size, SIZE).unwrap();
            for _ in 0..60 {
                let bounds = map.bounds();
                let mut point = || {
                    let (x, y) = (random.random::<f64>(), random.random::<f64>());
                    Point::new(
                        bounds.min.x + (1.4 * x - 0.2) * bounds.width(),
                        bounds.min.y + (1.4 * y - 0.2) * bounds.height(),
                    )
                };
                let (home, asked) = (point(), point());
                let range = [50.0, 300.0, 900.0][random.random_range(0..3)];
                let cells =
                    region(&grid, &[home], [300.0, 3_000.0, f64::INFINITY][seed as usize % 3]);
                let all = map.pois().filter(|&poi| map.poi(poi).point.distance(asked) <= range);
                let all: Vec<PoiId> = all.collect();
                match answer(&map, &grid, &cells, asked, range) {
                    Some(found) => {
                        assert_eq!(found, all, "seed {seed} {size} {asked:?}");
                        answered += usize::from(!all.is_empty());
                        // Injected fault: without a cell that holds an object there is no answer.
                        if let Some(&first) = all.first() {
                            let lost = grid.cell(map.poi(first).point);
                            let fewer: Vec<u32> =
                                cells.iter().copied().filter(|&cell| cell != lost).collect();
                            assert_eq!(answer(&map, &grid, &fewer, asked, range), None);
                        }
                    }
                    None => refused += 1,
                }
            }
        }
    }
    assert!(answered > 40 && refused > 100, "{answered} {refused}");
}

#[test]
fn a_larger_radius_answers_more_and_costs_more() {
    let map = city(3);
    let profile = traffic::Profile::named("city").unwrap();
    let simulated = traffic::SimulationSettings { users: 200, ..Default::default() };
    let journeys =
        traffic::Simulation::new(&map, &profile, simulated).record_journeys(1200, &|| ());
    let grid = ContentGrid::new(&map, 250.0, SIZE).unwrap();
    let outcomes = [500.0, 1_500.0, f64::INFINITY].map(|radius| {
        let settings = CacheSettings { radius, range: 300.0, interval: 60_000 };
        evaluate(&map, &grid, &journeys, SIZE, &settings)
    });
    for pair in outcomes.windows(2) {
        assert!(pair[0].answered.sum() < pair[1].answered.sum());
        assert!(pair[0].bytes.sum() < pair[1].bytes.sum());
        assert!(pair[0].unique.sum() >= pair[1].unique.sum());
    }
    let city = &outcomes[2];
    assert_eq!((city.answered.value(), city.unique.value()), (Some(1.0), Some(0.0)));
    let stale = |days: f64| city.stale_answers(0.001, days).unwrap();
    assert!(stale(1.0) < stale(30.0) && stale(30.0) < 1.0);
}

#[test]
fn a_grid_of_too_many_cells_is_refused() {
    assert!(ContentGrid::new(&city(1), 0.5, SIZE).is_err());
}
