//! A server for the part of Overpass QL that `ql` parses. Every third object has an outline: a way or
//! a relation around its point, or a large area with the point on its edge. It is found by the
//! outline and returned with it.

use crate::pois::Thing;
use crate::ql::{Around, Query, Statement, Tag, parse};
use crate::recording_server::{Heard, Listener, Reply};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Limits of the server.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    pub query_bytes: usize,
    pub points: usize,
    /// Largest number of elements; beyond it the answer is truncated, with a remark.
    pub elements: usize,
}

pub const UNLIMITED: ServerLimits =
    ServerLimits { query_bytes: 32_000, points: 100, elements: usize::MAX };

const KEYS: [&str; 5] = ["amenity", "shop", "tourism", "leisure", "office"];

/// Half the side of a square outline, in metres.
const HALF_SIDE: f64 = 20.0;

/// A large area with a notch, in metres east and north of its point. The tip of the notch, which is
/// the point, is the part of the outline nearest to the centre.
const LARGE: [(f64, f64); 8] = [
    (0.0, 0.0),
    (-50.0, 10.0),
    (-50.0, 400.0),
    (550.0, 400.0),
    (550.0, -400.0),
    (-50.0, -400.0),
    (-50.0, -10.0),
    (0.0, 0.0),
];

/// Metres per degree: 10,000 km from the equator to a pole.
const DEGREE: f64 = 1e7 / 90.0;

pub fn id(number: usize) -> String {
    match number % 9 {
        2 | 5 => format!("way/{number}"),
        8 => format!("relation/{number}"),
        _ => format!("node/{number}"),
    }
}

/// Returns the outline of an object in metres east and north of its point; empty for a node.
fn outline(thing: &Thing) -> Vec<(f64, f64)> {
    let (_, number) = thing.id.split_once('/').unwrap();
    let side = HALF_SIDE;
    match number.parse::<usize>().unwrap() % 9 {
        2 => LARGE.to_vec(),
        5 | 8 => vec![(-side, -side), (side, -side), (side, side), (-side, side), (-side, -side)],
        _ => Vec::new(),
    }
}

/// Returns the tag of a category.
pub fn tag(category: &str) -> (&'static str, &str) {
    (KEYS[category.len() % 5], category)
}

pub fn mapping(categories: impl IntoIterator<Item = String>) -> BTreeMap<String, String> {
    let tag = |name: String| {
        let (key, value) = tag(&name);
        (name.clone(), format!("{key}={value}"))
    };
    categories.into_iter().map(tag).collect()
}

pub async fn start(things: Vec<Thing>, limits: ServerLimits) -> Listener {
    Listener::start(move |request| answer(&things, limits, request)).await
}

fn answer(things: &[Thing], limits: ServerLimits, request: &Heard) -> Reply {
    let form = ("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned());
    if request.method != "POST"
        || request.target != "/api/interpreter"
        || !request.headers.contains(&form)
    {
        return Reply::bad(405, "POST a form to /api/interpreter");
    }
    let url = reqwest::Url::parse(&format!("http://x/?{}", request.body)).unwrap();
    let pairs: Vec<_> = url.query_pairs().collect();
    let [(key, text)] = &pairs[..] else { return Reply::bad(400, "one field") };
    if key != "data" || text.len() > limits.query_bytes {
        return Reply::bad(413, "too long");
    }
    let query = match parse(text) {
        Ok(query) => query,
        Err(why) => return Reply::bad(400, &why),
    };
    let long = |statement: &Statement| {
        statement.around.as_ref().is_none_or(|around| around.points.len() > limits.points)
    };
    if query.statements.iter().any(long) || query.out != ["body", "geom", "qt"] {
        return Reply::bad(400, "too many points, or unexpected output");
    }
    Reply::ok(results(things, &query, limits.elements).to_string())
}

fn results(things: &[Thing], query: &Query, max: usize) -> Value {
    let wanted = |thing: &&Thing| query.statements.iter().any(|statement| fits(statement, thing));
    let mut elements: Vec<Value> = things.iter().filter(wanted).map(element).collect();
    let mut answer = json!({"version": 0.6, "generator": "test"});
    if elements.len() > max {
        elements.truncate(max);
        answer["remark"] = "runtime error: Query ran out of memory in \"query\" at line 1.".into();
    }
    answer["elements"] = elements.into();
    answer
}

fn element(thing: &Thing) -> Value {
    let (kind, number) = thing.id.split_once('/').unwrap();
    let (key, value) = tag(&thing.category);
    let id: u64 = number.parse().unwrap();
    let mut element = json!({"type": kind, "id": id, "tags": {key: value, "name": thing.name}});
    let shrink = thing.lat.to_radians().cos();
    let units = |degrees: f64| (degrees * 1e7).round();
    let place = |&(east, north): &(f64, f64)| {
        let lat = units(thing.lat) + units(north / DEGREE);
        let lon = units(thing.lon) + units(east / DEGREE / shrink);
        json!({"lat": lat / 1e7, "lon": lon / 1e7})
    };
    let points: Vec<Value> = outline(thing).iter().map(place).collect();
    match kind {
        "node" => {
            element["lat"] = thing.lat.into();
            element["lon"] = thing.lon.into();
        }
        "way" => element["geometry"] = points.into(),
        _ => {
            let member = |part: &[Value]| json!({"type": "way", "ref": 1, "role": "outer", "geometry": part});
            element["members"] = json!([member(&points[..3]), member(&points[2..])]);
        }
    }
    element
}

fn fits(statement: &Statement, thing: &Thing) -> bool {
    let (key, value) = tag(&thing.category);
    let has = |wanted: &Tag| match wanted {
        Tag::Is(k, v) => k == key && v == value,
        Tag::AnyOf(keys) => keys.iter().any(|k| k == key),
    };
    statement.tags.iter().all(has)
        && statement.around.as_ref().is_some_and(|around| near(around, thing))
}

/// Returns whether the outline of an object is within range of the line, on a sphere.
fn near(around: &Around, thing: &Thing) -> bool {
    let shrink = thing.lat.to_radians().cos();
    let flat = |&(lat, lon): &(f64, f64)| {
        ((lon - thing.lon) * DEGREE * shrink, (lat - thing.lat) * DEGREE)
    };
    let line: Vec<(f64, f64)> = around.points.iter().map(flat).collect();
    let corners = outline(thing);
    let sides = corners.windows(2).flat_map(|side| {
        let part = |n: i32| f64::from(n) / 8.0;
        let between = move |a: f64, b: f64, n: i32| a + (b - a) * part(n);
        let [(west, south), (east, north)] = [side[0], side[1]];
        (0..=8).map(move |n| (between(west, east, n), between(south, north, n)))
    });
    let mut outline: Vec<(f64, f64)> = sides.collect();
    if outline.is_empty() {
        outline.push((0.0, 0.0));
    }
    let segments = || line.windows(2).map(|pair| [pair[0], pair[1]]).chain([[line[0], line[0]]]);
    outline.iter().any(|&point| segments().any(|segment| gap(point, segment) <= around.metres))
}

fn gap(point: (f64, f64), segment: [(f64, f64); 2]) -> f64 {
    let [point, a, b] =
        [point, segment[0], segment[1]].map(|(x, y)| meshcloak::units::Point::new(x, y));
    a.towards(b, point.nearest_fraction(a, b)).distance(point)
}
