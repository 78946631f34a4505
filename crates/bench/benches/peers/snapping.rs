//! The street nearest to a point; answer: number of points within 50 m of a street.

use crate::table::Table;
use bench::maps;
use meshcloak::map::StreetMap;
use meshcloak::units::Point;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use rstar::RTree;
use rstar::primitives::Line;

const POINTS: usize = 100_000;
const LIMIT: f64 = 50.0;

/// Distance between samples of streets for programs that index points, in metres.
const SAMPLE: f64 = 5.0;

pub fn measure(table: &mut Table) {
    let maps = maps();
    let map = maps.last().expect("there is a map").read();
    let points = points(&map);
    let task = format!("nearest street of {POINTS} points");
    let coordinates = |points: &[Point]| points.iter().flat_map(|p| [p.x, p.y]).collect::<Vec<_>>();
    let bytes = |points: &[Point]| coordinates(points).into_iter().map(f64::to_le_bytes);
    table.write(&format!("{task}.f64"), bytes(&points));
    table.write(&format!("{task}, samples.f64"), bytes(&samples(&map)));
    table.measure(&task, || {
        points.iter().filter(|&&point| map.snap(point, Some(LIMIT)).is_some()).count() as f64
    });
    let tree = RTree::bulk_load(segments(&map).collect());
    table.measure_peer(&task, "rstar, segments", || {
        let near = |point: &&Point| {
            let point = [point.x, point.y];
            let nearest = tree.nearest_neighbor_iter_with_distance_2(point).next();
            nearest.is_some_and(|(_, squared)| squared <= LIMIT * LIMIT)
        };
        points.iter().filter(near).count() as f64
    });
}

/// Draws points within 60 m of the shape of a street in both coordinates.
fn points(map: &StreetMap) -> Vec<Point> {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let shape = &map.tables().shape_points;
    let point = |_| {
        let point = shape[random.random_range(0..shape.len())];
        let mut shift = || random.random_range(-60.0..60.0);
        Point::new(point.x + shift(), point.y + shift())
    };
    (0..POINTS).map(point).collect()
}

fn segments(map: &StreetMap) -> impl Iterator<Item = Line<[f64; 2]>> {
    map.streets().flat_map(|street| {
        let pairs = map.shape(street).windows(2);
        pairs.map(|pair| Line::new([pair[0].x, pair[0].y], [pair[1].x, pair[1].y]))
    })
}

/// Samples the streets every [`SAMPLE`] metres.
fn samples(map: &StreetMap) -> Vec<Point> {
    let mut samples = Vec::new();
    for Line { from, to } in segments(map) {
        let (from, to) = (Point::new(from[0], from[1]), Point::new(to[0], to[1]));
        let parts = (from.distance(to) / SAMPLE).ceil().max(1.0);
        samples.extend((0..=parts as u32).map(|part| from.towards(to, f64::from(part) / parts)));
    }
    samples
}
