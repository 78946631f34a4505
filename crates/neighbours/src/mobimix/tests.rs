//! Properties of zones and attacks on random towns.

mod zones;

use super::attack::ZoneAdversary;
use super::*;
use crate::TravelTime;
use crate::normal::expected_pair_entropy;
use meshcloak::town::{Town, town};
use meshcloak::units::Length;
use traffic::{Leg, Profile, Simulation, SimulationSettings};

fn journeys(town: &Town, seed: u64, users: u32) -> Vec<Journey> {
    let profile = Profile::named("p1").unwrap();
    let settings = SimulationSettings { users, seed, ..SimulationSettings::default() };
    Simulation::new(&town.map, &profile, settings).record_journeys(300, &|| ())
}

fn settings(seed: u64) -> MobimixSettings {
    let half_side = [20.0, 60.0, 150.0, 400.0][seed as usize % 4];
    let window = [500, 2_000, 8_000][seed as usize % 3];
    MobimixSettings { half_side, window, ..MobimixSettings::default() }
}

/// Calls `check` for every visit of random users to random zones; returns how often it held.
fn count_visits(kind: ZoneKind, check: impl Fn(&Case<'_>, &Visit) -> bool) -> usize {
    let mut count = 0;
    for seed in 0..300 {
        let town = Town::random(seed);
        let journeys = journeys(&town, seed, 30);
        let settings = settings(seed);
        let model = history(&town.map, &journeys);
        let zones = Zones::place(&town.map, &model, &settings, kind);
        let visits = visits(&town.map, &zones, &model, &journeys);
        for (zone, visits) in zones.all().iter().zip(&visits) {
            for visit in visits {
                let journey = &journeys[visit.user as usize];
                let (town, settings, model) = (&town, &settings, &model);
                let case = Case { town, settings, model, zone, journey, seed };
                count += usize::from(check(&case, visit));
            }
        }
    }
    count
}

struct Case<'a> {
    town: &'a Town,
    settings: &'a MobimixSettings,
    model: &'a TrafficModel,
    zone: &'a Zone,
    journey: &'a Journey,
    seed: u64,
}

impl std::fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {} {:?}\n{}", self.seed, self.zone, self.town)
    }
}

#[test]
fn users_one_window_apart_keep_the_pairwise_entropy_in_non_rectangular_zones() {
    let count = count_visits(ZoneKind::NonRectangular, |case, visit| {
        let window = case.zone.window.unwrap() as f64 / 1000.0;
        let entropy = expected_pair_entropy(window / visit.after.deviation);
        assert!(entropy >= case.settings.alpha - 1e-6, "{entropy} {visit:?} {case}");
        assert_eq!(visit.before, TravelTime::default(), "all users enter at one point");
        // Injected fault: half the spread breaks the bound.
        let halved = expected_pair_entropy(2.0 * window / visit.after.deviation);
        assert!(halved < case.settings.alpha, "{halved} {visit:?} {case}");
        true
    });
    assert!(count > 1000, "{count} visits");
    let rectangles_that_break_it = count_visits(ZoneKind::Windowed, |case, visit| {
        let window = case.zone.window.unwrap() as f64 / 1000.0;
        let deviation = visit.before.deviation + visit.after.deviation;
        expected_pair_entropy(window / deviation) < case.settings.alpha
    });
    assert!(rectangles_that_break_it > 100, "{rectangles_that_break_it}");
}

#[test]
fn users_are_inside_the_rectangle_exactly_from_entering_to_leaving() {
    for kind in [ZoneKind::Rectangular, ZoneKind::Shifted] {
        let count = count_visits(kind, |case, visit| {
            let ZoneExtent::Rectangle(rectangle) = case.zone.extent else { panic!("{case}") };
            let map = &case.town.map;
            // Metres beyond the boundary; times are rounded to milliseconds at up to 50 m/s.
            let beyond = |at: u64| {
                let point = case.journey.point(map, at).unwrap();
                (rectangle.excess(point) - 1.0) * rectangle.sides.iter().fold(0.0, |a, &b| b.max(a))
            };
            for step in 0..=20 {
                let at = visit.entered + (visit.left - visit.entered) * step / 20;
                assert!(beyond(at) < 0.5, "{} {visit:?} {case}", beyond(at));
            }
            for end in [visit.entered, visit.left] {
                assert!(beyond(end) > -0.5, "{} {visit:?} {case}", beyond(end));
            }
            true
        });
        assert!(count > 1000, "{count} visits");
    }
}

#[test]
fn attacks_never_exclude_the_target_and_only_reduce_the_set() {
    for seed in 0..150 {
        let town = Town::random(200 + seed);
        let journeys = journeys(&town, seed, 60);
        let model = history(&town.map, &journeys);
        let settings = settings(seed);
        for kind in ZoneKind::ALL {
            let outcome = evaluate(&town.map, &journeys, &model, &settings, kind);
            let [none, timing, transition, combined] = &outcome.attacks[..] else { panic!() };
            for attack in [timing, transition, combined] {
                assert_eq!(attack.effective.count(), none.effective.count());
                assert!(attack.effective.sum() <= none.effective.sum(), "seed {seed}");
                assert!(attack.bits.sum() <= none.bits.sum() + 1e-9, "seed {seed}");
                assert!(attack.effective.sum() >= attack.effective.count() as f64);
            }
            // A narrower window gives smaller sets.
            let narrow = MobimixSettings { window: settings.window / 2, ..settings };
            let fewer = evaluate(&town.map, &journeys, &model, &narrow, kind);
            if kind == ZoneKind::Windowed {
                assert!(fewer.attacks[0].effective.sum() <= none.effective.sum(), "seed {seed}");
            }
        }
    }
}

/// A crossroads of four equal streets, and users who cross it straight at 10 m/s.
fn crossroads(starts: &[(usize, u64)]) -> (Town, Vec<Journey>) {
    crossroads_at(starts, [90_000; 4])
}

/// The same with the milliseconds from the end of each street to the junction.
fn crossroads_at(starts: &[(usize, u64)], times: [u64; 4]) -> (Town, Vec<Journey>) {
    let town = town("O 0,0 N 0,900 E 900,0 S 0,-900 W -900,0 | N-O E-O S-O W-O");
    let map = &town.map;
    let leg = |street: usize, outward: bool| {
        let direction =
            if outward { traffic::Direction::Backward } else { traffic::Direction::Forward };
        Leg::new(meshcloak::map::StreetId(street as u32), direction)
    };
    let journey = |(number, &(street, start)): (usize, &(usize, u64))| {
        let (inward, outward) = (leg(street, false), leg((street + 2) % 4, true));
        let waypoint = |at, leg, along, event| traffic::Waypoint {
            at,
            leg,
            along: Length::metres(along),
            event,
        };
        let waypoints = [
            waypoint(start, inward, 0.0, traffic::WaypointEvent::SetsOut),
            waypoint(start + times[street], outward, 0.0, traffic::WaypointEvent::Enters),
            waypoint(start + 2 * times[street], outward, 900.0, traffic::WaypointEvent::Continues),
        ];
        Journey::from_waypoints(map, number.to_string(), &waypoints)
    };
    let journeys = starts.iter().enumerate().map(journey).collect();
    (town, journeys)
}

#[test]
fn users_who_meet_are_mixed_and_a_user_alone_is_not() {
    // Users 0 to 3 meet at the junction; user 5 passes it ten minutes later.
    let starts = [(0, 0), (1, 1_000), (2, 500), (3, 0), (0, 900_000), (1, 600_000)];
    let (town, journeys) = crossroads(&starts);
    let model = history(&town.map, &journeys);
    let settings = MobimixSettings { k: 4, ..MobimixSettings::default() };
    let outcome = evaluate(&town.map, &journeys, &model, &settings, ZoneKind::Windowed);
    // Targets are users 1, 3 and 5.
    assert_eq!(outcome.attacks[0].effective.sum(), 4.0 + 4.0 + 1.0);
    assert_eq!(outcome.meetings.alone.value(), Some(1.0 / 3.0));
    assert_eq!(outcome.meetings.mixed.value(), Some(2.0 / 3.0));
    // Without a window the result is the same: no other user is near.
    let rectangular = evaluate(&town.map, &journeys, &model, &settings, ZoneKind::Rectangular);
    assert_eq!(rectangular.attacks[0].effective.sum(), 9.0);
}

#[test]
fn turns_that_nobody_takes_reveal_the_target() {
    // All history goes straight on; the adversary links each target by its turn.
    let starts: Vec<(usize, u64)> = (0..40).map(|user| (user % 4, 100 * user as u64)).collect();
    let (town, journeys) = crossroads(&starts);
    let model = history(&town.map, &journeys);
    let settings = MobimixSettings::default();
    let zones = Zones::place(&town.map, &model, &settings, ZoneKind::Rectangular);
    let visits = visits(&town.map, &zones, &model, &journeys);
    let [visits] = &visits[..] else { panic!("one zone") };
    let target = visits.iter().find(|visit| visit.user == 2).unwrap();
    let other = visits.iter().find(|visit| visit.user == 1).unwrap();
    let attack = |attack| {
        let zone = &zones.all()[0];
        ZoneAdversary { zone, model: &model, attack }.attack(target, &[other], settings.alpha)
    };
    assert_eq!(attack(ZoneAttack::None).effective, 2);
    assert_eq!(attack(ZoneAttack::Transition).effective, 1);
    assert_eq!(attack(ZoneAttack::Transition).success, 1.0);
}
