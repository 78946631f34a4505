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
    let tile = tiles.tile(id).expect("the address is valid");
    let mut plain = Vec::new();
    if !tile.is_empty() {
        GzDecoder::new(&tile[..]).read_to_end(&mut plain).expect("tiles are gzipped");
    }
    decode(&plain).expect("tiles can be decoded")
}

/// All tiles of a zoom that intersect the bounds of the map.
fn cover(tiles: &Tiles, z: u8) -> Vec<TileId> {
    let side = side_of(z);
    let (min, max) = (tiles.bounds().min, tiles.bounds().max);
    let columns = (min.x / side) as u32..=(max.x / side) as u32;
    let rows = |x| ((min.y / side) as u32..=(max.y / side) as u32).map(move |y| TileId { z, x, y });
    columns.flat_map(rows).collect()
}

#[test]
fn at_max_zoom_every_street_and_poi_is_in_a_tile() {
    let tiles = city();
    let (mut streets, mut pois) = (BTreeSet::new(), Vec::new());
    for id in cover(&tiles, MAX_ZOOM) {
        for layer in layers(&tiles, id) {
            let ids = layer
                .features
                .iter()
                .map(|feature| feature.id.expect("features have ids at this zoom"));
            match layer.name.as_str() {
                "streets" => streets.extend(ids),
                _ => pois.extend(ids),
            }
        }
    }
    assert_eq!(streets.len(), tiles.map().street_count());
    pois.sort_unstable();
    let all: Vec<u64> = tiles.map().pois().map(|poi| u64::from(poi.0)).collect();
    assert_eq!(pois, all, "each POI is in exactly one tile");
}

#[test]
fn streets_are_drawn_at_their_true_position() {
    let tiles = city();
    let z = MAX_ZOOM;
    for id in cover(&tiles, z).into_iter().step_by(7) {
        for feature in layers(&tiles, id).iter().flat_map(|layer| &layer.features) {
            let DecodedGeometry::Lines(lines) = &feature.geometry else { continue };
            let street = StreetId(feature.id.expect("features have ids at this zoom") as u32);
            for &(x, y) in lines.iter().flatten() {
                let part = |index: u32, step: i32| {
                    (f64::from(index) + f64::from(step) / 4096.0) * side_of(z)
                };
                let lon_lat = mercator::unproject(Point::new(part(id.x, x), part(id.y, y)));
                let point = tiles.frame().point(lon_lat);
                let shape = tiles.map().shape(street);
                let nearest = shape.windows(2).map(|ends| {
                    let fraction = point.nearest_fraction(ends[0], ends[1]);
                    ends[0].towards(ends[1], fraction).distance(point)
                });
                let metres = nearest.fold(f64::INFINITY, f64::min);
                assert!(metres < 0.5, "{metres} m off {street:?} in {id:?}");
            }
        }
    }
}

#[test]
fn at_a_small_zoom_the_map_fits_one_tile() {
    let tiles = city();
    let centre = tiles.bounds().centre();
    let side = side_of(6);
    let id = TileId { z: 6, x: (centre.x / side) as u32, y: (centre.y / side) as u32 };
    let features: usize = layers(&tiles, id).iter().map(|layer| layer.features.len()).sum();
    assert!((1..tiles.map().street_count()).contains(&features), "{features}");
}

#[test]
fn invalid_addresses_have_no_tile_and_tiles_outside_the_map_are_empty() {
    let tiles = city();
    assert!(tiles.tile(TileId { z: 3, x: 8, y: 0 }).is_none());
    assert!(tiles.tile(TileId { z: MAX_ZOOM + 1, x: 0, y: 0 }).is_none());
    assert!(tiles.tile(TileId { z: 255, x: 0, y: 0 }).is_none());
    assert_eq!(tiles.tile(TileId { z: 14, x: 0, y: 0 }).map(|tile| tile.len()), Some(0));
}

#[test]
fn a_map_without_projection_is_centred_at_zero() {
    let map = meshcloak::town::town("A 5000,0  B 5300,0 | A-B").map;
    let tiles = Tiles::new(Arc::new(Atlas::new(map, Length::metres(500.0))));
    assert!(tiles.bounds().centre().distance(Point::new(0.5, 0.5)) < 1e-9);
    assert_eq!(cover(&tiles, 15).iter().map(|&id| layers(&tiles, id).len()).max(), Some(1));
}

/// Point budget of a screen: drawn in software in about the time of an empty map, by estimate.
const MAX_SCREEN_POINTS: usize = 50_000;

/// Largest number of columns and of rows of 512 pixel tiles on a screen of 1280 × 800.
const SCREEN_TILES: u32 = 3;

/// Returns the largest number of points on any screen at a zoom.
fn max_points_on_screen(tiles: &Tiles, zoom: u8) -> usize {
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
        let columns = x..x + SCREEN_TILES;
        columns
            .flat_map(|x| (y..y + SCREEN_TILES).map(move |y| (x, y)))
            .filter_map(|at| all.get(&at))
            .sum()
    };
    all.keys().map(screen).max().unwrap_or(0)
}

#[test]
fn screens_of_60000_streets_stay_within_the_point_budget() {
    let source = "city:60000:1".parse().unwrap();
    let map = read_map(&source, &Options::default(), &()).unwrap().map;
    let tiles = Tiles::new(Arc::new(Atlas::new(map, Length::metres(1.0))));
    for zoom in 6..=MAX_ZOOM {
        let points = max_points_on_screen(&tiles, zoom);
        assert!(points <= MAX_SCREEN_POINTS, "{points} at {zoom}");
    }
}

/// Size budget of a gzipped tile in bytes.
const MAX_TILE_BYTES: usize = 150_000;

#[test]
fn tiles_of_real_maps_stay_within_budget_and_are_complete_at_max_zoom() {
    let Ok(folder) = std::env::var("MESHCLOAK_MAPS") else {
        eprintln!("MESHCLOAK_MAPS is not set: real maps are skipped");
        return;
    };
    for name in ["stockton/stockton.node", "porto/porto-city.osm.pbf", "paris/paris.nodes.csv.gz"] {
        let path = std::path::Path::new(&folder).join(name);
        let source = path.to_str().unwrap().parse().unwrap();
        let map = read_map(&source, &Options::default(), &()).unwrap().map;
        let tiles = Tiles::new(Arc::new(Atlas::new(map, Length::metres(1.0))));
        for zoom in 6..=MAX_ZOOM {
            let sizes =
                cover(&tiles, zoom).into_iter().map(|id| (tiles.tile(id).unwrap().len(), id));
            let (largest, id) = sizes.max_by_key(|&(bytes, _)| bytes).unwrap();
            assert!(largest <= MAX_TILE_BYTES, "{name}: {id:?} has {largest} bytes");
            let points = max_points_on_screen(&tiles, zoom);
            assert!(points <= MAX_SCREEN_POINTS, "{name}: {points} at {zoom}");
        }
        let tiles_at_max = cover(&tiles, MAX_ZOOM).into_iter().flat_map(|id| layers(&tiles, id));
        let streets = tiles_at_max.filter(|layer| layer.name == "streets");
        let drawn: BTreeSet<u64> =
            streets.flat_map(|layer| layer.features).filter_map(|feature| feature.id).collect();
        let map = tiles.map();
        let has_length = |street: &StreetId| map.metres(*street) > 1.0;
        let missing = map.streets().filter(has_length).filter(|s| !drawn.contains(&u64::from(s.0)));
        assert_eq!(missing.count(), 0, "{name}");
    }
}
