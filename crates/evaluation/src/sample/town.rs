//! A small town as files of the formats that results are computed from, with trips on it, so that the
//! sample recognises changed importers and changed matching.

use meshcloak::map::StreetMap;
use meshcloak::mix::mix64;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use traffic::SimulatedQuery;

/// Junctions on each side of the grid.
const SIDE: u32 = 9;

/// Metres between two junctions.
const BLOCK: f64 = 140.0;

/// Degrees of a metre in the OSM file, about.
const DEGREES: f64 = 1.0 / 111_000.0;

/// A junction: number, and position in metres.
fn junctions() -> impl Iterator<Item = (u32, f64, f64)> {
    (0..SIDE * SIDE).map(|number| {
        let shift = |salt: u64| (mix64(u64::from(number) ^ salt) % 61) as f64 - 30.0;
        let (column, row) = (f64::from(number % SIDE), f64::from(number / SIDE));
        (number, column * BLOCK + shift(1), row * BLOCK + shift(2))
    })
}

/// Streets of the grid by their junctions, with whether they are one-way. Every fourth line of the
/// grid is one-way; one street leads out of the town and not back.
fn streets() -> Vec<(u32, u32, bool)> {
    let mut streets = Vec::new();
    for line in 0..SIDE {
        let is_one_way = line % 4 == 2;
        for step in 0..SIDE - 1 {
            streets.push((line * SIDE + step, line * SIDE + step + 1, is_one_way));
            streets.push((step * SIDE + line, (step + 1) * SIDE + line, false));
        }
    }
    streets.push((SIDE * SIDE - 1, SIDE * SIDE, true));
    streets
}

/// All points: the junctions, and the end of the street that leads out.
fn points() -> Vec<(u32, f64, f64)> {
    let end = f64::from(SIDE) * BLOCK;
    junctions().chain([(SIDE * SIDE, end, end)]).collect()
}

/// Writes the town as CSV; returns the path of the map.
pub(super) fn write_csv(folder: &Path) -> io::Result<PathBuf> {
    let mut nodes = "id,x,y\n".to_owned();
    for (number, x, y) in points() {
        let _ = writeln!(nodes, "{number},{x},{y}");
    }
    let mut rows = "id,from,to,oneway\n".to_owned();
    for (id, (from, to, is_one_way)) in streets().into_iter().enumerate() {
        let _ = writeln!(rows, "{id},{from},{to},{}", u8::from(is_one_way));
    }
    fs::write(folder.join("csv-town.streets.csv"), rows)?;
    written(folder.join("csv-town.nodes.csv"), nodes)
}

/// Writes the town in the text format of Brinkhoff's generator.
pub(super) fn write_brinkhoff(folder: &Path) -> io::Result<PathBuf> {
    let mut nodes = String::new();
    for (number, x, y) in points() {
        let _ = writeln!(nodes, "{number}\t{} {} *", x.round() + 100.0, y.round() + 100.0);
    }
    let mut rows = String::new();
    for (id, (from, to, _)) in streets().into_iter().enumerate() {
        let _ = writeln!(rows, "{id} 6 {from} {to} *");
    }
    fs::write(folder.join("brinkhoff-town.edge"), rows)?;
    written(folder.join("brinkhoff-town.node"), nodes)
}

/// Writes the town as OSM XML: each street has a node between its ends.
pub(super) fn write_osm(folder: &Path) -> io::Result<PathBuf> {
    let points = points();
    let mut text = "<?xml version=\"1.0\"?>\n<osm version=\"0.6\">\n".to_owned();
    let mut node = |id: usize, x: f64, y: f64| {
        let (lon, lat) = (9.0 + x * DEGREES, y * DEGREES);
        let _ = writeln!(text, "<node id=\"{id}\" lat=\"{lat:.7}\" lon=\"{lon:.7}\"/>");
    };
    for &(number, x, y) in &points {
        node(number as usize + 1, x, y);
    }
    let streets = streets();
    for (id, (from, to, _)) in streets.iter().enumerate() {
        let ((_, ax, ay), (_, bx, by)) = (points[*from as usize], points[*to as usize]);
        node(1_000 + id, f64::midpoint(ax, bx) + 9.0, f64::midpoint(ay, by) - 7.0);
    }
    for (id, (from, to, is_one_way)) in streets.into_iter().enumerate() {
        let nodes = [from as usize + 1, 1_000 + id, to as usize + 1];
        let nodes = nodes.map(|node| format!("<nd ref=\"{node}\"/>")).concat();
        let one_way = if is_one_way { "<tag k=\"oneway\" v=\"yes\"/>" } else { "" };
        let highway = "<tag k=\"highway\" v=\"residential\"/>";
        let _ = writeln!(text, "<way id=\"{id}\">{nodes}{highway}{one_way}</way>");
    }
    text.push_str("</osm>\n");
    written(folder.join("osm-town.osm"), text)
}

/// Writes queries as recorded trips: taxis if the map has a projection, else reports of Brinkhoff's
/// generator.
pub(super) fn write_trips(
    file: PathBuf,
    map: &StreetMap,
    queries: &[SimulatedQuery],
) -> io::Result<PathBuf> {
    let Some(frame) = map.frame() else { return write_reports(file, map, queries) };
    let users = queries.iter().map(|query| query.user).max().unwrap_or(0);
    let mut text = "shape,timestamps,TRIP_ID\n".to_owned();
    for user in 0..=users {
        let trip = || queries.iter().filter(|query| query.user == user);
        let point = |query: &SimulatedQuery| {
            let at = frame.lon_lat(map.point(query.position));
            format!("{:.6} {:.6}", at.lon, at.lat)
        };
        let shape: Vec<String> = trip().map(point).collect();
        let seconds: Vec<String> =
            trip().map(|query| (1_400_000_000 + query.asked_at / 1_000).to_string()).collect();
        let (shape, seconds) = (shape.join(", "), seconds.join(", "));
        let _ = writeln!(text, "\"LINESTRING ({shape})\",\"{seconds}\",T{user}");
    }
    written(file, text)
}

/// Writes queries as a trace of Brinkhoff's generator: the number of a query is its time stamp.
fn write_reports(
    file: PathBuf,
    map: &StreetMap,
    queries: &[SimulatedQuery],
) -> io::Result<PathBuf> {
    let mut text = String::new();
    for query in queries {
        let kind = if query.number == 0 { "newpoint" } else { "point" };
        let (user, stamp, point) = (query.user, query.number, map.point(query.position));
        let speed = query.distance_constraint.as_metres();
        let _ = writeln!(
            text,
            "{kind}\t{user}\t{stamp}\t0\t{stamp}\t{}\t{}\t{speed}\t{}\t{}",
            point.x, point.y, point.x, point.y
        );
    }
    written(file, text)
}

fn written(path: PathBuf, text: String) -> io::Result<PathBuf> {
    fs::write(&path, text)?;
    Ok(path)
}
