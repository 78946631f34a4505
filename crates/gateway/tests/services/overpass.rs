//! Overpass, against a test server that parses the language strictly.

use crate::end_to_end;
use crate::overpass_server::{ServerLimits, UNLIMITED, id, mapping, start};
use crate::pois::{categories, check, client, things};
use crate::ql::parse;
use crate::recording_server::Heard;
use crate::town::{hamlet, inquiry, question, region, walker};
use gateway::service::RemoteSettings;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::town::Town;
use std::collections::BTreeSet;

fn settings(url: &str) -> RemoteSettings {
    let source = format!("overpass+{url}/api/interpreter");
    RemoteSettings { outline: 30.0, timeout: 120.0, ..RemoteSettings::of_source(&source).unwrap() }
}

#[tokio::test]
async fn answers_are_exact() {
    let walker = walker();
    let things = things(&walker, id);
    let server = start(things.clone(), UNLIMITED).await;
    let mut settings = settings(&server.url);
    settings.categories = mapping(categories(&things));
    let client = client(settings.open(&walker).unwrap());
    let known: Vec<String> = categories(&things).into_iter().collect();
    assert_eq!(client.categories().await.unwrap(), known);
    let seen = check(&walker, &client, &things, 25).await;
    assert_eq!(seen.exact, seen.asked);
    assert!(seen.found > 1_000 && seen.outside * 3 > seen.asked, "{seen:?}");
    end_to_end::check(&walker, settings.open(&walker).unwrap(), &things).await;
}

#[tokio::test]
async fn truncated_ranges_are_halved() {
    let walker = hamlet();
    let things = things(&walker, id);
    let limits = ServerLimits { query_bytes: 1_500, points: 7, elements: 12 };
    let server = start(things.clone(), limits).await;
    let mut settings = settings(&server.url);
    settings.categories = mapping(categories(&things));
    settings.overpass.max_query_bytes = limits.query_bytes;
    settings.overpass.max_points = limits.points;
    let client = client(settings.open(&walker).unwrap());
    let seen = check(&walker, &client, &things, 12).await;
    assert!(seen.exact * 2 > seen.asked && seen.exact < seen.asked, "{seen:?}");
}

#[tokio::test]
async fn the_same_region_is_sent_in_the_same_bytes() {
    let walker = hamlet();
    let server = start(things(&walker, id), UNLIMITED).await;
    let client = client(settings(&server.url).open(&walker).unwrap());
    let mut random = Town::generator(5);
    for _ in 0..10 {
        let (region, question) =
            (region(walker.map(), &mut random), question(walker.map(), &mut random));
        client.ask(&inquiry(walker.map(), &region, &question)).await.unwrap();
        let first = server.take();
        client.ask(&inquiry(walker.map(), &region, &question)).await.unwrap();
        assert_eq!(first, server.take());
        check_coordinates(walker.map(), &region, &first);
        let names = ["accept", "content-length", "content-type", "host", "user-agent"];
        for request in &first {
            let mut headers: Vec<&str> =
                request.headers.iter().map(|(name, _)| name.as_str()).collect();
            headers.sort_unstable();
            assert_eq!(headers, names);
        }
    }
}

/// Asserts that every coordinate sent is a bend or an end of a street of the region.
fn check_coordinates(map: &StreetMap, region: &[StreetId], requests: &[Heard]) {
    let whole = |degrees: f64| (degrees * 1e7).round() as i64;
    let bends = region.iter().flat_map(|&street| map.shape(street));
    let places = bends.map(|&bend| map.frame().unwrap().lon_lat(bend));
    let known: BTreeSet<(i64, i64)> =
        places.map(|place| (whole(place.lat), whole(place.lon))).collect();
    for request in requests {
        let url = reqwest::Url::parse(&format!("http://x/?{}", request.body)).unwrap();
        let (_, text) = url.query_pairs().next().unwrap();
        for statement in parse(&text).unwrap().statements {
            let around = statement.around.unwrap();
            // A range without limit is sent as the diagonal of the map.
            let fits = |&(lat, lon): &(f64, f64)| known.contains(&(whole(lat), whole(lon)));
            assert!(around.metres > 64_000.0 || around.points.iter().all(fits));
        }
    }
}
