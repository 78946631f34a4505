//! Properties of the extent and the placement of zones.

use super::*;
use std::collections::BTreeSet;

#[test]
fn all_positions_between_entering_and_leaving_are_on_hidden_parts() {
    for kind in ZoneKind::ALL {
        let count = count_visits(kind, |case, visit| {
            let map = &case.town.map;
            let parts = case.zone.hidden_parts(map, case.model);
            let slack = Length::metres(0.5); // times are rounded to milliseconds
            for step in 1..=20 {
                // At the junction itself the user is still on the way in.
                let at = visit.entered + ((visit.left - visit.entered) * step / 20).max(1);
                let passage = case.journey.passage(at).unwrap();
                let along = passage.along(at);
                let is_hidden = |part: &HiddenPart| {
                    part.leg == passage.leg
                        && part.from <= along + slack
                        && along <= part.to + slack
                };
                assert!(parts.iter().any(is_hidden), "{kind:?} {passage:?} {parts:?} {case}");
            }
            true
        });
        assert!(count > 1000, "{count} visits");
    }
}

#[test]
fn zones_share_no_street_and_lie_at_the_busiest_junctions() {
    let (mut placed, mut passed_over) = (0, 0);
    for seed in 0..200 {
        let town = Town::random(seed);
        let model = history(&town.map, &journeys(&town, seed, 30));
        let settings = MobimixSettings { zones: 1 + seed as usize % 6, ..settings(seed) };
        let map = &town.map;
        for kind in ZoneKind::ALL {
            let streets = |zone: &Zone| -> BTreeSet<usize> {
                let parts = zone.hidden_parts(map, &model).into_iter();
                let hidden = parts.map(|part| part.leg.street().index());
                let arms = map.arriving(zone.terminal).iter().map(|arm| arm.street.index());
                hidden.chain(arms).collect()
            };
            let zones = Zones::place(map, &model, &settings, kind);
            assert!(zones.all().len() <= settings.zones);
            let mut taken = BTreeSet::new();
            for zone in zones.all() {
                let own = streets(zone);
                assert!(own.is_disjoint(&taken), "seed {seed} {kind:?}\n{town}");
                taken.extend(own);
                placed += 1;
            }
            // A junction without a zone is quieter than all zones, or a zone has one of its streets.
            let least = zones.all().iter().map(|zone| model.crossings(zone.terminal)).min();
            let quota = zones.all().len() == settings.zones;
            for terminal in map.terminals().filter(|&terminal| zones.at(terminal).is_none()) {
                let crossings = model.crossings(terminal);
                if crossings == 0 || quota && Some(crossings) <= least {
                    continue;
                }
                let Some(zone) = Zone::build(map, terminal, &model, &settings, kind) else {
                    continue;
                };
                assert!(!streets(&zone).is_disjoint(&taken), "seed {seed} {kind:?}\n{town}");
                passed_over += 1;
            }
        }
    }
    assert!(placed > 250 && passed_over > 100, "{placed} {passed_over}");
}

#[test]
fn the_hidden_length_counts_each_piece_of_street_once() {
    let starts: Vec<(usize, u64)> = (0..8).map(|user| (user % 4, 1_000 * user as u64)).collect();
    let (town, journeys) = crossroads(&starts);
    let model = history(&town.map, &journeys);
    let settings = MobimixSettings { half_side: 70.0, ..MobimixSettings::default() };
    let zones = Zones::place(&town.map, &model, &settings, ZoneKind::Rectangular);
    // Each of four streets is hidden for 70 m, in both directions.
    let hidden = zones.all()[0].hidden_metres(&town.map, &model);
    assert!((hidden - 280.0).abs() < 0.2, "{hidden}");
    assert_eq!(zones.all()[0].hidden_parts(&town.map, &model).len(), 8);
}

#[test]
fn the_junction_of_a_shifted_rectangle_is_equally_far_in_time_from_all_sides() {
    // From north and south users drive half as fast as from east and west.
    let starts: Vec<(usize, u64)> = (0..400).map(|user| (user % 4, 700 * user as u64)).collect();
    let times = [120_000, 60_000, 120_000, 60_000];
    let (town, journeys) = crossroads_at(&starts, times);
    let model = TrafficModel::learn(&town.map, journeys.iter());
    let settings = MobimixSettings { zones: 1, ..MobimixSettings::default() };
    let seconds = |kind: ZoneKind| {
        let zones = Zones::place(&town.map, &model, &settings, kind);
        let ZoneExtent::Rectangle(rectangle) = zones.all()[0].extent else { panic!("rectangle") };
        // Sides are in the order east, north, west, south; streets north, east, south, west.
        let [east, north, west, south] = rectangle.sides;
        let metres = [north, east, south, west];
        let [a, b, c, d] = [0, 1, 2, 3].map(|at| metres[at] * times[at] as f64 / 900_000.0);
        [a, b, c, d]
    };
    let spread = |seconds: [f64; 4]| {
        let max = seconds.iter().copied().fold(0.0, f64::max);
        max / seconds.iter().copied().fold(f64::INFINITY, f64::min)
    };
    assert!((spread(seconds(ZoneKind::Windowed)) - 2.0).abs() < 1e-9);
    let shifted = spread(seconds(ZoneKind::Shifted));
    assert!(shifted < 1.1, "{shifted}");
}
