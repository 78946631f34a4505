//! Location among several maps, against a search of all maps.

use super::*;
use meshcloak::distance::Atlas;
use meshcloak::map::{Extent, Frame, MapBuilder};
use meshcloak::town::Town;
use meshcloak::units::Length;
use rand::RngExt as _;
use std::collections::BTreeSet;

const SNAP: f64 = 50.0;

/// Towns on Earth: some apart, some that overlap, two that are equal.
fn maps(seed: u64) -> CityMaps {
    let origins = [(8.2, 53.1), (8.21, 53.1), (8.2, 53.103), (8.2, 53.1), (-179.999, 10.0)];
    let towns = [seed, seed + 1, seed + 2, seed, seed + 3];
    let named = origins.into_iter().zip(towns).map(|((lon, lat), town)| {
        let mut builder = MapBuilder::from_map(&Town::random(town).map);
        builder.set_frame(Frame::at(LonLat { lon, lat }));
        let map = builder.build(Extent::Whole).unwrap().map;
        let walker = Walker::new(Arc::new(Atlas::new(map, Length::metres(100.0))));
        (format!("town-{town}"), Arc::new(walker))
    });
    CityMaps::new(named, Some(SNAP))
}

/// Searches all maps.
fn naive(maps: &CityMaps, lon_lat: LonLat) -> Option<(CityId, Position)> {
    let mut best: Option<(f64, CityId, Position)> = None;
    for map in maps.iter() {
        let point = map.map().frame().unwrap().point(lon_lat);
        if let Some(snapped) = map.map().snap(point, Some(SNAP))
            && best.is_none_or(|(distance, ..)| snapped.distance < distance)
        {
            best = Some((snapped.distance, map.id(), snapped.position));
        }
    }
    best.map(|(_, city, position)| (city, position))
}

fn found(maps: &CityMaps, lon_lat: LonLat) -> Option<(CityId, Position)> {
    maps.locate(lon_lat).map(|found| (found.city, found.position.into_exposed()))
}

/// Points near the maps and far from them.
fn points(maps: &CityMaps, random: &mut impl rand::Rng) -> Vec<LonLat> {
    let mut points = Vec::new();
    for map in maps.iter() {
        let bounds = map.map().bounds();
        for _ in 0..20 {
            let x = random.random_range(bounds.min.x - 80.0..=bounds.max.x + 80.0);
            let y = random.random_range(bounds.min.y - 80.0..=bounds.max.y + 80.0);
            let LonLat { lon, lat } = map.map().frame().unwrap().lon_lat(Point::new(x, y));
            points.extend(LonLat::new((lon + 540.0).rem_euclid(360.0) - 180.0, lat));
        }
    }
    let (lon, lat) = (random.random_range(-180.0..180.0), random.random_range(-90.0..90.0));
    points.extend([LonLat { lon, lat }]);
    points
}

#[test]
fn the_nearest_street_of_all_maps_is_found() {
    let (mut cities, mut off_map) = (BTreeSet::new(), 0);
    for seed in 0..60 {
        let maps = maps(seed);
        for point in points(&maps, &mut Town::generator(seed)) {
            let expected = naive(&maps, point);
            assert_eq!(found(&maps, point), expected, "seed {seed} {point:?}");
            cities.extend(expected.map(|(city, _)| city));
            off_map += usize::from(expected.is_none());
        }
    }
    let cities: Vec<u16> = cities.into_iter().map(|city| city.0).collect();
    assert_eq!(cities, [0, 1, 2, 4], "of two equal maps the first is found");
    assert!(off_map > 100, "only {off_map} points were off all maps");
}

#[test]
fn a_cap_that_is_too_small_is_noticed() {
    let mut lost = 0;
    for seed in 0..60 {
        let mut maps = maps(seed);
        let points = points(&maps, &mut Town::generator(seed));
        for map in &mut maps.maps {
            let map = Arc::get_mut(map).unwrap();
            map.cap = SphericalCap::none();
        }
        lost += points.iter().filter(|&&at| found(&maps, at) != naive(&maps, at)).count();
    }
    assert!(lost > 1000, "{lost}");
}

#[test]
fn a_zone_belongs_to_the_city_around_it_or_to_the_nearest() {
    let maps = maps(7);
    let city = |lon, lat| maps.city_of_zone(LonLat { lon, lat }).id().0;
    assert_eq!(city(-179.9, 10.1), 4);
    assert_eq!(city(179.9, 9.9), 4, "across the date line");
    assert!(city(9.0, 53.0) < 4);
    for map in maps.iter().filter(|map| map.id() != CityId(3)) {
        let street = map.map().shape(meshcloak::map::StreetId(0))[0];
        let LonLat { lon, lat } = map.map().frame().unwrap().lon_lat(street);
        let lon = (lon + 540.0).rem_euclid(360.0) - 180.0;
        assert_eq!(city(lon, lat), naive(&maps, LonLat { lon, lat }).unwrap().0.0);
    }
    let middle = SpherePoint::middle(
        [(179.0, 1.0), (-179.0, 3.0)].map(|(lon, lat)| LonLat { lon, lat }).into_iter(),
    );
    assert!(middle.lon.abs() > 179.9 && (middle.lat - 2.0).abs() < 0.1);
}
