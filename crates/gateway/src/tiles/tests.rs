use super::decode::{DecodedGeometry, decode};
use super::*;
use flate2::read::GzDecoder;
use import::{Options, read_map};
use meshcloak::units::Length;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

fn city() -> Tiles {
    let city = read_map(&"city:1500:5".parse().unwrap(), &Options::default(), &()).unwrap();
    Tiles::new(Arc::new(Atlas::new(city.map, Length::metres(500.0))))
}

fn layers(tiles: &Tiles, id: TileId) -> Vec<decode::DecodedLayer> {
    let tile = tiles.tile(id).expect("there is a tile of that number");
    let mut plain = Vec::new();
    if !tile.is_empty() {
        GzDecoder::new(&tile[..]).read_to_end(&mut plain).expect("it is gzip");
    }
    decode(&plain).expect("it is a vector tile")
}

/// All tiles of a zoom that the map touches.
fn cover(tiles: &Tiles, z: u8) -> Vec<TileId> {
    let side = side_of(z);
    let (min, max) = (tiles.world().min, tiles.world().max);
    let columns = (min.x / side) as u32..=(max.x / side) as u32;
    let rows = |x| ((min.y / side) as u32..=(max.y / side) as u32).map(move |y| TileId { z, x, y });
    columns.flat_map(rows).collect()
}

#[test]
fn close_up_every_street_and_every_place_is_in_some_tile() {
    let tiles = city();
    let (mut streets, mut pois) = (BTreeSet::new(), Vec::new());
    for id in cover(&tiles, CLOSEST) {
        for layer in layers(&tiles, id) {
            let ids = layer.features.iter().map(|feature| feature.id.expect("it is close"));
            match layer.name.as_str() {
                "streets" => streets.extend(ids),
                _ => pois.extend(ids),
            }
        }
    }
    assert_eq!(streets.len(), tiles.map().street_count());
    pois.sort_unstable();
    let all: Vec<u64> = tiles.map().pois().map(|poi| u64::from(poi.0)).collect();
    assert_eq!(pois, all, "each point of interest is in exactly one tile");
}

#[test]
fn a_street_is_drawn_where_it_is() {
    let tiles = city();
    let z = CLOSEST;
    for id in cover(&tiles, z).into_iter().step_by(7) {
        for feature in layers(&tiles, id).iter().flat_map(|layer| &layer.features) {
            let DecodedGeometry::Lines(lines) = &feature.geometry else { continue };
            let street = StreetId(feature.id.expect("it is close") as u32);
            for &(x, y) in lines.iter().flatten() {
                let part = |index: u32, step: i32| {
                    (f64::from(index) + f64::from(step) / 4096.0) * side_of(z)
                };
                let place = mercator::place(Point::new(part(id.x, x), part(id.y, y)));
                let point = tiles.frame().point(place);
                let shape = tiles.map().shape(street);
                let nearest = shape.windows(2).map(|ends| {
                    let fraction = point.nearest_fraction(ends[0], ends[1]);
                    ends[0].towards(ends[1], fraction).distance(point)
                });
                let metres = nearest.fold(f64::INFINITY, f64::min);
                assert!(metres < 0.5, "{metres} m beside {street:?} in {id:?}");
            }
        }
    }
}

#[test]
fn from_afar_the_map_is_one_small_tile() {
    let tiles = city();
    let centre = tiles.world().centre();
    let side = side_of(6);
    let id = TileId { z: 6, x: (centre.x / side) as u32, y: (centre.y / side) as u32 };
    let features: usize = layers(&tiles, id).iter().map(|layer| layer.features.len()).sum();
    assert!((1..tiles.map().street_count()).contains(&features), "{features}");
}

#[test]
fn tiles_that_do_not_exist_are_none_and_those_beside_the_map_are_empty() {
    let tiles = city();
    assert!(tiles.tile(TileId { z: 3, x: 8, y: 0 }).is_none());
    assert!(tiles.tile(TileId { z: CLOSEST + 1, x: 0, y: 0 }).is_none());
    assert!(tiles.tile(TileId { z: 255, x: 0, y: 0 }).is_none());
    assert_eq!(tiles.tile(TileId { z: 14, x: 0, y: 0 }).map(|tile| tile.len()), Some(0));
}

#[test]
fn a_map_without_a_place_on_earth_is_drawn_around_zero() {
    let map = meshcloak::town::town("A 5000,0  B 5300,0 | A-B").map;
    let tiles = Tiles::new(Arc::new(Atlas::new(map, Length::metres(500.0))));
    assert!(tiles.world().centre().distance(Point::new(0.5, 0.5)) < 1e-9);
    assert_eq!(cover(&tiles, 15).iter().map(|&id| layers(&tiles, id).len()).max(), Some(1));
}

/// The lines on a screen have so many points at most: what software should draw in about the time
/// that it takes for an empty map, by estimate.
const SCREEN: usize = 50_000;

/// A screen of 1280 × 800 shows so many tiles of 512 pixels in a row at most, and so many rows.
const ACROSS: u32 = 3;

/// How many points the lines on a screen have at most at a zoom, wherever one looks.
fn most_on_a_screen(tiles: &Tiles, zoom: u8) -> usize {
    let points = |id: TileId| -> usize {
        let features = layers(tiles, id).into_iter().flat_map(|layer| layer.features);
        let count = |geometry| match geometry {
            DecodedGeometry::Lines(lines) => lines.iter().map(Vec::len).sum(),
            DecodedGeometry::Point(_) => 1,
        };
        features.map(|feature| count(feature.geometry)).sum()
    };
    let all: BTreeMap<(u32, u32), usize> =
        cover(tiles, zoom).into_iter().map(|id| ((id.x, id.y), points(id))).collect();
    let screen = |&(x, y): &(u32, u32)| -> usize {
        let columns = x..x + ACROSS;
        columns
            .flat_map(|x| (y..y + ACROSS).map(move |y| (x, y)))
            .filter_map(|at| all.get(&at))
            .sum()
    };
    all.keys().map(screen).max().unwrap_or(0)
}

#[test]
fn of_sixty_thousand_streets_no_screen_shows_more_than_can_be_drawn_smoothly() {
    let source = "city:60000:1".parse().unwrap();
    let map = read_map(&source, &Options::default(), &()).unwrap().map;
    let tiles = Tiles::new(Arc::new(Atlas::new(map, Length::metres(1.0))));
    for zoom in 6..=CLOSEST {
        let points = most_on_a_screen(&tiles, zoom);
        assert!(points <= SCREEN, "{points} at {zoom}");
    }
}

/// No tile is heavier than this, gzipped.
const HEAVIEST: usize = 150_000;

#[test]
fn on_real_maps_no_tile_is_heavy_and_close_up_nothing_is_missing() {
    let Ok(folder) = std::env::var("MESHCLOAK_MAPS") else {
        eprintln!("MESHCLOAK_MAPS is not set: real maps are skipped");
        return;
    };
    for name in ["stockton/stockton.node", "porto/porto-city.osm.pbf", "paris/paris.nodes.csv.gz"] {
        let path = std::path::Path::new(&folder).join(name);
        let source = path.to_str().unwrap().parse().unwrap();
        let map = read_map(&source, &Options::default(), &()).unwrap().map;
        let tiles = Tiles::new(Arc::new(Atlas::new(map, Length::metres(1.0))));
        for zoom in 6..=CLOSEST {
            let weights =
                cover(&tiles, zoom).into_iter().map(|id| (tiles.tile(id).unwrap().len(), id));
            let (heaviest, id) = weights.max_by_key(|&(bytes, _)| bytes).unwrap();
            assert!(heaviest <= HEAVIEST, "{name}: {id:?} has {heaviest} bytes");
            let points = most_on_a_screen(&tiles, zoom);
            assert!(points <= SCREEN, "{name}: {points} at {zoom}");
        }
        let close = cover(&tiles, CLOSEST).into_iter().flat_map(|id| layers(&tiles, id));
        let streets = close.filter(|layer| layer.name == "streets");
        let drawn: BTreeSet<u64> =
            streets.flat_map(|layer| layer.features).filter_map(|feature| feature.id).collect();
        let map = tiles.map();
        let has_length = |street: &StreetId| map.metres(*street) > 1.0;
        let missing = map.streets().filter(has_length).filter(|s| !drawn.contains(&u64::from(s.0)));
        assert_eq!(missing.count(), 0, "{name}");
    }
}
