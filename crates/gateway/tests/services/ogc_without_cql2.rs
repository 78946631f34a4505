//! OGC API Features without CQL2, and with the extension `S_DWITHIN`: a test server with paging that
//! refuses unknown parameters.

use crate::pois::{Thing, categories, check, client, things};
use crate::recording_server::{Heard, Listener, Reply};
use crate::town::{hamlet, inquiry, question, region};
use gateway::service::{OgcFilter, RemoteSettings};
use meshcloak::town::Town;
use meshcloak::units::Point;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const CORE: &str = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core";
const PATH: &str = "/o/collections/pois/items";

/// A parsed filter.
enum Clause {
    Near { lines: Vec<Vec<(f64, f64)>>, metres: f64 },
    Box([f64; 4]),
    All,
}

fn conformance(classes: &[&str]) -> Reply {
    Reply::ok(json!({ "conformsTo": classes }).to_string())
}

fn answer(things: &[Thing], classes: &[&str], request: &Heard) -> Reply {
    if request.target == "/o/conformance" {
        return conformance(classes);
    }
    let url = reqwest::Url::parse(&format!("http://x{}", request.target)).unwrap();
    let pairs: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
    if request.method != "GET" || url.path() != PATH || request.target.len() > 8_000 {
        return Reply::bad(404, "not here");
    }
    match (page(things, &pairs), are_known(&pairs)) {
        (Some(page), true) => Reply::ok(page.to_string()),
        _ => Reply::bad(400, "not understood"),
    }
}

fn are_known(pairs: &BTreeMap<String, String>) -> bool {
    let known = ["bbox", "filter", "filter-lang", "limit", "offset"];
    pairs.keys().all(|key| known.contains(&key.as_str()))
        && pairs.get("filter-lang").is_none_or(|language| language == "cql2-text")
}

fn page(things: &[Thing], pairs: &BTreeMap<String, String>) -> Option<Value> {
    let number = |key: &str| pairs.get(key).map_or(Some(0), |text| text.parse().ok());
    let (limit, offset): (usize, usize) = (number("limit")?, number("offset")?);
    let filter = pairs.get("filter").map_or("", String::as_str);
    let (category, clause) = match filter.split_once("' AND ") {
        Some((start, rest)) => (start.strip_prefix("category='"), rest),
        None => (None, filter),
    };
    let clause = match pairs.get("bbox") {
        Some(text) => Clause::Box(numbers(text, ',')?.try_into().ok()?),
        None if clause.starts_with("S_INTERSECTS(geom,MULTIPOLYGON(((") => Clause::All,
        None => dwithin(clause)?,
    };
    let fits = |thing: &&Thing| {
        category.is_none_or(|wanted| wanted == thing.category) && holds(&clause, thing)
    };
    let found: Vec<&Thing> = things.iter().filter(fits).collect();
    let features: Vec<Value> = found.iter().skip(offset).take(limit).map(|t| feature(t)).collect();
    let mut page = json!({"type": "FeatureCollection", "numberMatched": found.len(), "links": []});
    if offset + limit < found.len() {
        let mut next = reqwest::Url::parse("http://x/").unwrap();
        next.query_pairs_mut().extend_pairs(pairs.iter().filter(|(key, _)| *key != "offset"));
        next.query_pairs_mut().append_pair("offset", &(offset + limit).to_string());
        let href = format!("{PATH}?{}", next.query().unwrap());
        page["links"] = json!([{"rel": "self", "href": "/"}, {"rel": "next", "href": href}]);
    }
    page["features"] = features.into();
    Some(page)
}

fn feature(thing: &Thing) -> Value {
    // An area, represented by its centre.
    let (west, east) = (thing.lon - 0.000_25, thing.lon + 0.000_25);
    let ring = json!([[west, thing.lat], [east, thing.lat], [west, thing.lat]]);
    let geometry = json!({"type": "Polygon", "coordinates": [ring]});
    let properties = json!({"name": thing.name, "category": thing.category});
    json!({"type": "Feature", "id": thing.id, "geometry": geometry, "properties": properties})
}

fn numbers(text: &str, between: char) -> Option<Vec<f64>> {
    text.split(between).map(|number| number.parse().ok()).collect()
}

/// `S_DWITHIN(geom,MULTILINESTRING((lon lat,lon lat),(…)),12.3,meters)`
fn dwithin(text: &str) -> Option<Clause> {
    let text = text.strip_prefix("S_DWITHIN(geom,MULTILINESTRING((")?.strip_suffix(",meters)")?;
    let (lines, metres) = text.split_once(")),")?;
    let place = |text: &str| {
        let [lon, lat] = numbers(text, ' ')?.try_into().ok()?;
        Some((lon, lat))
    };
    let line = |text: &str| -> Option<Vec<(f64, f64)>> { text.split(',').map(place).collect() };
    let lines: Option<Vec<_>> = lines.split("),(").map(line).collect();
    let lines = lines?;
    let whole = lines.iter().all(|line| line.len() > 1);
    Some(Clause::Near { lines, metres: metres.parse().ok()? }).filter(|_| whole)
}

fn holds(clause: &Clause, thing: &Thing) -> bool {
    match clause {
        Clause::All => true,
        Clause::Box([west, south, east, north]) => {
            (*west..=*east).contains(&thing.lon) && (*south..=*north).contains(&thing.lat)
        }
        Clause::Near { lines, metres } => {
            let frame = meshcloak::map::Frame::at(
                meshcloak::units::LonLat::new(thing.lon, thing.lat).unwrap(),
            );
            let flat = |&(lon, lat): &(f64, f64)| {
                frame.point(meshcloak::units::LonLat::new(lon, lat).unwrap())
            };
            let zero = Point::default();
            lines.iter().any(|line| {
                let line: Vec<Point> = line.iter().map(flat).collect();
                line.windows(2).any(|pair| {
                    let part = zero.nearest_fraction(pair[0], pair[1]);
                    pair[0].towards(pair[1], part).distance(zero) <= *metres
                })
            })
        }
    }
}

fn settings(url: &str, things: &[Thing]) -> RemoteSettings {
    let source = format!("ogc-features+{url}/o/collections/pois");
    let mut settings = RemoteSettings::of_source(&source).unwrap();
    settings.categories = categories(things).into_iter().map(|name| (name.clone(), name)).collect();
    settings.ogc.limit = 30;
    settings.timeout = 120.0;
    settings
}

#[tokio::test]
async fn a_server_without_filters_gets_boxes_and_one_with_distances_gets_lines() {
    let walker = hamlet();
    // The centre of an area is rounded once more.
    let things = things(&walker, |number| format!("p{number}"));
    let centre = |thing: &Thing| {
        let (west, east) = (thing.lon - 0.000_25, thing.lon + 0.000_25);
        Thing { lon: west + (east - west) / 2.0, ..thing.clone() }
    };
    let centres: Vec<Thing> = things.iter().map(centre).collect();
    for (filter, classes) in [(OgcFilter::Auto, [CORE]), (OgcFilter::Dwithin, [CORE])] {
        let all = things.clone();
        let server = Listener::start(move |request| answer(&all, &classes, request)).await;
        let mut settings = settings(&server.url, &things);
        settings.ogc.filter = filter;
        settings.ogc.max_url_bytes = 2_500;
        let client = client(settings.open(&walker).unwrap());
        let seen = check(&walker, &client, &centres, 10).await;
        assert_eq!(seen.exact, seen.asked);
        assert!(seen.outside * 4 > seen.asked, "{seen:?}");
        let request = server.take();
        let word = if filter == OgcFilter::Auto { "bbox=" } else { "S_DWITHIN" };
        assert!(request.iter().filter(|request| request.target.contains(word)).count() > 40);
        // URLs of further pages are longer by the offset.
        assert!(request.iter().all(|request| request.target.len() <= 2_520));
    }
}

#[tokio::test]
async fn the_same_region_is_sent_in_the_same_bytes() {
    let walker = hamlet();
    let things = things(&walker, |number| format!("p{number}"));
    let filter = "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/filter";
    let of_features = "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/features-filter";
    let all = things.clone();
    let server =
        Listener::start(move |request| answer(&all, &[CORE, filter, of_features], request)).await;
    let client = client(settings(&server.url, &things).open(&walker).unwrap());
    let mut random = Town::generator(6);
    let mut clauses = 0;
    for round in 0..10 {
        let map = walker.map();
        let (region, question) = (region(map, &mut random), question(map, &mut random));
        client.ask(&inquiry(map, &region, &question)).await.unwrap();
        let mut first = server.take();
        if round == 0 {
            // Conformance is requested once.
            assert_eq!(first.remove(0).target, "/o/conformance");
        }
        client.ask(&inquiry(map, &region, &question)).await.unwrap();
        assert_eq!(first, server.take());
        clauses += first.iter().filter(|request| request.target.contains("S_INTERSECTS")).count();
        for request in &first {
            let mut names: Vec<&str> = request.headers.iter().map(|(name, _)| &**name).collect();
            names.sort_unstable();
            assert_eq!(names, ["accept", "host", "user-agent"]);
        }
    }
    assert!(clauses >= 10);
}
