//! Matching on small towns and on random drives.

use super::*;
use meshcloak::map::{Extent, MapBuilder, RawStreet, StreetId};
use meshcloak::town::{Town, town};
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

fn sighting(seconds: u64, x: f64, y: f64) -> Sighting {
    Sighting { at: Duration::from_secs(seconds), point: Point::new(x, y) }
}

fn matched(town: &Town, sightings: &[Sighting]) -> Matched {
    Matcher::new(&town.map, MatchSettings::default()).match_trip(sightings)
}

fn streets(piece: &MatchedPiece) -> Vec<u32> {
    piece.stops.iter().map(|stop| stop.position.street.0).collect()
}

#[test]
fn a_trip_does_not_jump_between_parallel_streets() {
    //  C ───────────── D    15 m apart, joined at the ends only
    //  │               │
    //  A ───────────── B
    let town = town("A 0,0  B 1000,0  C 0,15  D 1000,15 | A-B C-D A-C B-D");
    let ys = [1.0, -3.0, 9.0, 2.0, 10.0, -1.0, 8.5, 3.0];
    let trip: Vec<Sighting> = ys
        .iter()
        .enumerate()
        .map(|(n, &y)| sighting(n as u64 * 10, 100.0 + 100.0 * n as f64, y))
        .collect();
    let nearest: Vec<u32> = trip
        .iter()
        .map(|sighting| town.map.snap(sighting.point, None).unwrap().position.street.0)
        .collect();
    assert_eq!(nearest, [0, 0, 1, 0, 1, 0, 1, 0]);
    let matched = matched(&town, &trip);
    assert_eq!(matched.pieces.len(), 1);
    assert_eq!(streets(&matched.pieces[0]), [0; 8]);
    assert_eq!(matched.pieces[0].route.length(), Length::metres(700.0));
}

#[test]
fn the_direction_of_travel_chooses_between_two_carriageways() {
    //  B ◀── A    12 m apart
    //  C ──▶ D
    let town = town("A 1000,12  B 0,12  C 0,0  D 1000,0 | A>B C>D B-C D-A");
    let east: Vec<Sighting> =
        (0..8).map(|n| sighting(n * 10, 100.0 + 100.0 * n as f64, 6.5)).collect();
    let west: Vec<Sighting> =
        (0..8).map(|n| sighting(n * 10, 800.0 - 100.0 * n as f64, 5.5)).collect();
    assert_eq!(streets(&matched(&town, &east).pieces[0]), [1; 8]);
    assert_eq!(streets(&matched(&town, &west).pieces[0]), [0; 8]);
}

#[test]
fn a_standing_object_on_a_one_way_street_stays_there() {
    //  A ─▶ B, and a long way back
    let town = town("A 0,0  B 400,0  C 200,900 | A>B B-C C-A");
    let xs = [100.0, 104.0, 97.0, 101.0, 95.0, 103.0, 160.0, 220.0];
    let trip: Vec<Sighting> =
        xs.iter().enumerate().map(|(n, &x)| sighting(n as u64 * 15, x, 2.0)).collect();
    let matched = matched(&town, &trip);
    assert_eq!(matched.pieces.len(), 1, "{matched:?}");
    assert_eq!(streets(&matched.pieces[0]), [0; 8]);
    assert!(matched.pieces[0].route.length() <= Length::metres(130.0), "{matched:?}");
}

#[test]
fn a_trip_breaks_without_a_street_and_without_a_path() {
    //  A ── B      C ── D      two parts, 200 m between them
    let town = town("A 0,0  B 300,0  C 500,0  D 800,0 | A-B C-D");
    let xs = [50.0, 150.0, 250.0, 550.0, 650.0];
    let mut trip: Vec<Sighting> =
        xs.iter().enumerate().map(|(n, &x)| sighting(n as u64 * 15, x, 3.0)).collect();
    let halves = matched(&town, &trip);
    assert_eq!((halves.pieces.len(), halves.no_path, halves.off_map), (2, 1, 0));
    assert_eq!(halves.pieces[1].first, 3);
    trip.insert(3, sighting(40, 400.0, 0.0));
    let halves = matched(&town, &trip);
    assert_eq!((halves.pieces.len(), halves.no_path, halves.off_map), (2, 0, 1));
    assert_eq!((halves.pieces[0].stops.len(), halves.pieces[1].first), (3, 4));
}

#[test]
fn a_trip_breaks_above_the_maximum_speed() {
    let town = town("A 0,0  B 5000,0 | A-B");
    let slow = matched(&town, &[sighting(0, 100.0, 0.0), sighting(60, 2_900.0, 0.0)]);
    assert_eq!((slow.pieces.len(), slow.no_path), (1, 0));
    let fast = matched(&town, &[sighting(0, 100.0, 0.0), sighting(50, 2_900.0, 0.0)]);
    assert_eq!((fast.pieces.len(), fast.no_path), (2, 1));
}

#[test]
fn a_trip_breaks_after_a_long_gap() {
    let town = town("A 0,0  B 5000,0 | A-B");
    let trip = [sighting(0, 100.0, 0.0), sighting(600, 200.0, 0.0), sighting(1_201, 300.0, 0.0)];
    let halves = matched(&town, &trip);
    assert_eq!((halves.pieces.len(), halves.silent, halves.no_path), (2, 1, 0));
}

#[test]
fn results_do_not_depend_on_threads() {
    let map = blocks(12);
    let trips: Vec<Vec<Sighting>> =
        (0..50).map(|seed| drive(&map, &mut Town::generator(seed)).1).collect();
    let settings = MatchSettings::default();
    let alone: Vec<Matched> =
        trips.iter().map(|trip| Matcher::new(&map, settings).match_trip(trip)).collect();
    let reported = std::sync::atomic::AtomicU64::new(0);
    let report = |count| _ = reported.fetch_add(count, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(Matcher::match_all(&map, settings, &trips, &report), alone);
    assert_eq!(reported.into_inner(), 50);
    let quality = Quality::of(&map, &trips, &alone);
    assert!(quality.share() > 0.99 && quality.gap(0.5) < 12.0, "{quality:?}");
    assert_eq!(quality.matched + quality.alone + quality.off_map, quality.sightings);
}

#[test]
fn distant_and_invalid_points_are_off_the_map() {
    let town = town("A 0,0  B 300,0 | A-B");
    assert_eq!(matched(&town, &[]), Matched::default());
    let odd = [sighting(0, 1e9, 0.0), sighting(1, f64::NAN, 0.0), sighting(2, 100.0, 0.0)];
    let odd = matched(&town, &odd);
    assert_eq!((odd.off_map, odd.pieces.len(), odd.pieces[0].stops.len()), (2, 1, 1));
}

/// Long blocks of 200 by 40 m, every third street one-way; noise of 12 m often confuses them.
fn blocks(side: usize) -> StreetMap {
    let mut builder = MapBuilder::new();
    let mut terminals = Vec::new();
    for index in 0..side * side {
        let point = Point::new((index % side) as f64 * 200.0, (index / side) as f64 * 40.0);
        terminals.push(builder.terminal(&index.to_string(), point).unwrap());
    }
    let mut street = |from: usize, to: usize, one_way: bool| {
        let label = format!("{from}-{to}");
        let (from, to) = (terminals[from], terminals[to]);
        let raw = RawStreet {
            label: &label,
            from,
            to,
            written_metres: None,
            one_way,
            bends: &[],
            name: "",
            class: "",
        };
        builder.street(raw).unwrap();
    };
    for row in 0..side {
        for column in 0..side {
            let here = row * side + column;
            if column + 1 < side {
                street(here, here + 1, row % 3 == 1);
            }
            if row + 1 < side {
                street(here, here + side, column % 3 == 1);
            }
        }
    }
    builder.build(Extent::LargestPart).unwrap().map
}

/// A random drive without U-turns, recorded every 10 s at 9 m/s: positions and sightings.
fn drive(map: &StreetMap, random: &mut Pcg64Mcg) -> (Vec<Position>, Vec<Sighting>) {
    let first = StreetId(random.random_range(0..map.street_count() as u32));
    let mut sections =
        vec![RouteSection { street: first, from: Length::ZERO, to: map.street(first).length }];
    let mut at = map.street(first).to;
    for _ in 0..25 {
        let last = sections[sections.len() - 1].street;
        let onward: Vec<_> = map.leaving(at).iter().filter(|arm| arm.street != last).collect();
        let Some(&&arm) = onward.get(random.random_range(0..onward.len().max(1))) else {
            break;
        };
        let length = map.street(arm.street).length;
        let forward = map.street(arm.street).from == at;
        let (from, to) = if forward { (Length::ZERO, length) } else { (length, Length::ZERO) };
        sections.push(RouteSection { street: arm.street, from, to });
        at = arm.terminal;
    }
    let route = Route::new(Position { street: first, offset: Length::ZERO }, sections);
    let stops = (route.length().as_metres() / 90.0) as u64;
    let truth: Vec<Position> =
        (0..stops).map(|n| route.at(Length::metres(90.0 * n as f64 + 13.0))).collect();
    let mut noise = || (0..12).map(|_| random.random_range(-1.0..1.0)).sum::<f64>() / 2.0 * 12.0;
    let sightings = truth.iter().enumerate().map(|(n, &position)| {
        let Point { x, y } = map.point(position);
        sighting(n as u64 * 10, x + noise(), y + noise())
    });
    let sightings = sightings.collect();
    (truth, sightings)
}

#[test]
fn noisy_drives_are_matched_better_than_by_snapping() {
    let map = blocks(20);
    let settings = MatchSettings { sigma: 12.0, ..MatchSettings::default() };
    // Positions near a junction are ambiguous and not counted.
    let is_clear = |position: &Position| {
        let length = map.street(position.street).length;
        position.offset.min(length - position.offset) >= Length::metres(15.0)
    };
    let [mut all, mut by_matching, mut by_snapping] = [0_usize; 3];
    for seed in 0..60 {
        let (truth, sightings) = drive(&map, &mut Town::generator(seed));
        let matched = Matcher::new(&map, settings).match_trip(&sightings);
        for piece in &matched.pieces {
            checks::assert_drivable(&map, piece.route.start(), &piece.route);
            for (stop, position) in piece.stops.iter().zip(&truth[piece.first..]) {
                let is_right = stop.position.street == position.street && is_clear(position);
                by_matching += usize::from(is_right);
                assert_eq!(map.point(piece.route.at(stop.distance)), map.point(stop.position));
            }
        }
        for (position, sighting) in
            truth.iter().zip(&sightings).filter(|(position, _)| is_clear(position))
        {
            let nearest = map.snap(sighting.point, None).unwrap().position.street;
            all += 1;
            by_snapping += usize::from(nearest == position.street);
        }
    }
    let [matching, snapping] = [by_matching, by_snapping].map(|right| right as f64 / all as f64);
    assert!(all > 1_000, "only {all} sightings");
    let is_better = (1.0 - matching) * 2.5 < 1.0 - snapping;
    assert!(matching > 0.94 && is_better, "matching {matching:.3}, snapping {snapping:.3}");
}

#[test]
fn random_sightings_on_random_towns_give_drivable_routes() {
    let mut pieces = 0;
    for seed in 0..400 {
        let town = Town::random(seed);
        let mut random = Town::generator(seed);
        let mut coordinate = || random.random_range(-500.0..500.0);
        let trip: Vec<Sighting> =
            (0..12).map(|n| sighting(n * 20, coordinate(), coordinate())).collect();
        let settings = MatchSettings { radius: 150.0, ..MatchSettings::default() };
        let matched = Matcher::new(&town.map, settings).match_trip(&trip);
        let placed: usize = matched.pieces.iter().map(|piece| piece.stops.len()).sum();
        assert_eq!(placed + matched.off_map, trip.len(), "seed {seed}\n{town}");
        for piece in &matched.pieces {
            checks::assert_drivable(&town.map, piece.route.start(), &piece.route);
            let last = piece.stops[piece.stops.len() - 1];
            assert_eq!(last.distance, piece.route.length(), "seed {seed}\n{town}");
            pieces += usize::from(piece.stops.len() > 1);
        }
    }
    assert!(pieces > 100, "only {pieces} pieces");
}
