//! Answers equal brute force from the position of the request, which is beside the street.

use super::reference::{Near, by_distance, within};
use super::{CompatibleWorld, beside, get, overpass, places};
use crate::fixture::{ServiceMode, element_of};
use serde_json::{Value, json};

/// Positions beside streets, with radii.
fn questions() -> impl Iterator<Item = ((f64, f64), f64)> {
    let radii = [35.5, 150.0, 400.0, 990.0, 1900.0];
    let offsets = [0.0, 4.0, 15.0, 30.0];
    (0..10_usize).map(move |n| {
        let street = 11 + 43 * n as u32;
        (beside(street, 0.2 + 0.06 * n as f64, offsets[n % 4]), radii[n % 5])
    })
}

/// FNV-1a of an id without its low 11 bits: the number of an element that is not of OpenStreetMap.
fn number(id: &str) -> u64 {
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    hash >> 11
}

#[tokio::test]
async fn overpass_answers_equal_brute_force() {
    let mut world = CompatibleWorld::new().await;
    let mut found = 0;
    for ((lon, lat), metres) in questions() {
        let around = format!("(around:{metres},{lat},{lon})");
        let query = format!(
            "[out:json][timeout:25];(node[\"amenity\"=\"cafe\"]{around};nwr{around}[shop=bakery];);\
             out tags center;"
        );
        let request = overpass(&world.token, &query);
        let (status, body) = world.ask(request, (lon, lat), 2).await;
        assert_eq!(status, 200, "{body}");
        let near = within((lon, lat), &["cafe", "bakery"], metres);
        let mut expected: Vec<Value> = near.iter().map(element).collect();
        expected.sort_by_key(|element| element["id"].as_u64());
        assert_eq!(body["elements"], Value::from(expected), "{metres}");
        assert_eq!(body["version"], 0.6);
        found += near.len();
    }
    assert!(found > 50, "{found}");
}

fn element(near: &Near) -> Value {
    let key = if near.category == "cafe" { "amenity" } else { "shop" };
    json!({"type": "node", "id": number(&near.id), "lat": near.lat, "lon": near.lon,
           "tags": {key: near.category, "name": near.name, "ref": near.id}})
}

#[tokio::test]
async fn ways_and_relations_equal_brute_force_by_their_points() {
    let mut world = CompatibleWorld::new().await;
    world.world.fixture.probe.set_mode(ServiceMode::Elements);
    let mut found = [0; 3];
    for ((lon, lat), metres) in questions() {
        for (statement, letters) in [("node", "n"), ("way", "w"), ("nwr", "nwr")] {
            let query = format!(
                "[out:json];{statement}[amenity=cafe](around:{metres},{lat},{lon});out tags center;"
            );
            let request = overpass(&world.token, &query);
            let (status, body) = world.ask(request, (lon, lat), 1).await;
            assert_eq!(status, 200, "{body}");
            let near = within((lon, lat), &["cafe"], metres).into_iter();
            let near = near.map(|near| Near { id: element_of(&near.id), ..near });
            let mut near: Vec<Near> = near.filter(|near| letters.contains(&near.id[..1])).collect();
            near.sort_by_key(|near| (near.id.as_bytes()[0], near.id[1..].parse::<u64>().unwrap()));
            // Types in the order of Overpass: nodes, ways, relations.
            near.sort_by_key(|near| "nwr".find(&near.id[..1]));
            let expected: Vec<Value> = near.iter().map(osm_element).collect();
            assert_eq!(body["elements"], Value::from(expected), "{statement} {metres}");
            near.iter().for_each(|near| found["nwr".find(&near.id[..1]).unwrap()] += 1);
        }
    }
    assert!(found.iter().all(|count| *count > 10), "{found:?}");
}

fn osm_element(near: &Near) -> Value {
    let (letter, number) = near.id.split_at(1);
    let number: u64 = number.parse().unwrap();
    let tags = json!({"amenity": near.category, "name": near.name});
    match letter {
        "n" => {
            json!({"type": "node", "id": number, "lat": near.lat, "lon": near.lon, "tags": tags})
        }
        letter => {
            let element = if letter == "w" { "way" } else { "relation" };
            let center = json!({"lat": near.lat, "lon": near.lon});
            json!({"type": element, "id": number, "center": center, "tags": tags})
        }
    }
}

#[tokio::test]
async fn overpass_prints_as_much_as_out_says() {
    let mut world = CompatibleWorld::new().await;
    let (lon, lat) = beside(54, 0.3, 9.0);
    let cafes = within((lon, lat), &["cafe"], 1900.0);
    assert!(cafes.len() > 2);
    for (out, members) in [
        ("", &["id", "lat", "lon", "tags", "type"][..]),
        ("skel", &["id", "lat", "lon", "type"]),
        ("ids", &["id", "type"]),
        ("tags", &["id", "tags", "type"]),
        ("ids center", &["id", "lat", "lon", "type"]),
        ("body 2", &["id", "lat", "lon", "tags", "type"]),
    ] {
        let query = format!("[out:json];node(around:1900,{lat},{lon})[amenity=cafe];out {out};");
        let (status, body) = world.ask(overpass(&world.token, &query), (lon, lat), 1).await;
        assert_eq!(status, 200, "{body}");
        let elements = body["elements"].as_array().unwrap();
        assert_eq!(elements.len(), if out.ends_with('2') { 2 } else { cafes.len() });
        for element in elements {
            let mut keys: Vec<&String> = element.as_object().unwrap().keys().collect();
            keys.sort();
            assert_eq!(keys, members, "{out}");
        }
    }
    let name = &cafes[1].name;
    let named = cafes.iter().filter(|near| near.name == *name).count();
    let query =
        format!("[out:json];node(around:1900,{lat},{lon})[amenity=cafe][name=\"{name}\"];out;");
    let (_, body) = world.ask(overpass(&world.token, &query), (lon, lat), 1).await;
    assert_eq!(body["elements"].as_array().unwrap().len(), named);
}

/// Body of a nearby search with further members.
fn search((lon, lat): (f64, f64), radius: f64, more: &Value) -> Value {
    let mut body = json!({
        "locationRestriction": {"circle": {"center": {"latitude": lat, "longitude": lon}, "radius": radius}},
        "rankPreference": "DISTANCE",
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[tokio::test]
async fn places_equal_brute_force_and_have_the_fields_of_the_mask() {
    let mut world = CompatibleWorld::new().await;
    for (at, metres) in questions() {
        // By its name, or by its number as in the client libraries of Google.
        let rank = if metres < 200.0 { json!(1) } else { json!("DISTANCE") };
        let types = json!({
            "includedTypes": ["cafe", "bank"], "maxResultCount": 7, "rankPreference": rank
        });
        let mask = "places.id,places.displayName.text,places.location,places.rating";
        let request = places(&world.token, mask, &search(at, metres, &types));
        let (status, body) = world.ask(request, at, 2).await;
        assert_eq!(status, 200, "{body}");
        let mut near = within(at, &["cafe", "bank"], metres);
        near.truncate(7);
        let expected: Vec<Value> = near
            .iter()
            .map(|near| {
                json!({"id": near.id, "displayName": {"text": near.name},
                       "location": {"latitude": near.lat, "longitude": near.lon}})
            })
            .collect();
        let expected = if near.is_empty() { json!({}) } else { json!({"places": expected}) };
        assert_eq!(body, expected, "{metres}");
    }
}

#[tokio::test]
async fn excluded_types_do_not_count() {
    let mut world = CompatibleWorld::new().await;
    let at = beside(97, 0.4, 12.0);
    let types = json!({"excludedTypes": ["cafe", "bank"], "languageCode": "de"});
    let request = places(&world.token, "places.id,places.types", &search(at, 1900.0, &types));
    let (status, body) = world.ask(request, at, 1).await;
    assert_eq!(status, 200, "{body}");
    let mut near = within(at, &[], 1900.0);
    near.retain(|near| near.category != "cafe" && near.category != "bank");
    near.truncate(20);
    let expected: Vec<Value> =
        near.iter().map(|near| json!({"id": near.id, "types": [near.category]})).collect();
    assert!(near.len() > 10, "{}", near.len());
    assert_eq!(body, json!({"places": expected}));
}

#[tokio::test]
async fn the_legacy_search_equals_brute_force() {
    let mut world = CompatibleWorld::new().await;
    let path = "maps/api/place/nearbysearch/json?type=cafe&location=";
    let json_of = |near: &Near| {
        json!({"geometry": {"location": {"lat": near.lat, "lng": near.lon}}, "name": near.name,
               "place_id": near.id, "types": [near.category]})
    };
    let mut by_rank = 0;
    for ((lon, lat), metres) in questions() {
        let request = get(&world.token, &format!("{path}{lat},{lon}&radius={metres}&key=AIzaX"));
        let (status, body) = world.ask(request, (lon, lat), 1).await;
        let near = within((lon, lat), &["cafe"], metres);
        let expected: Vec<Value> = near.iter().take(20).map(json_of).collect();
        let outcome = if near.is_empty() { "ZERO_RESULTS" } else { "OK" };
        assert_eq!((status.as_u16(), &body["status"]), (200, &outcome.into()));
        assert_eq!(body["results"], Value::from(expected));

        let request = get(
            &world.token,
            &format!("{path}{lat},{lon}&rankby=distance&minprice=None&maxprice=4"),
        );
        let (status, body) = world.ask(request, (lon, lat), 1).await;
        assert_eq!(status, 200, "{body}");
        let results = body["results"].as_array().unwrap();
        let mut near = by_distance((lon, lat));
        near.retain(|near| near.category == "cafe");
        let expected: Vec<Value> = near.iter().take(20).map(json_of).collect();
        if body["status"] == "OK" {
            assert_eq!(*results, expected);
            by_rank += results.len();
        } else {
            // A shorter list would be no exact answer.
            let message = body["error_message"].as_str().unwrap();
            assert!(results.is_empty() && message.contains("too many objects"), "{body}");
        }
    }
    assert!(by_rank > 100, "{by_rank}");
}

#[tokio::test]
async fn photon_equals_brute_force() {
    let mut world = CompatibleWorld::new().await;
    for ((lon, lat), metres) in questions() {
        let kilometres = metres / 1000.0;
        for (more, categories, limit) in [
            ("", &[][..], 1),
            ("&limit=50&osm_tag=amenity:cafe", &["cafe"], 50),
            (
                "&limit=4&osm_tag=amenity:cafe&osm_tag=amenity:bank&distance_sort=true",
                &["bank", "cafe"],
                4,
            ),
        ] {
            let path = format!("reverse?lon={lon}&lat={lat}&radius={kilometres}{more}");
            let queries = categories.len().max(1) as u64;
            let (status, body) = world.ask(get(&world.token, &path), (lon, lat), queries).await;
            assert_eq!(status, 200, "{body}");
            let features = body["features"].as_array().unwrap().iter();
            let found: Vec<Value> = features
                .map(|feature| {
                    assert_eq!(feature["properties"]["osm_type"], "N");
                    assert!(feature["properties"]["osm_key"].is_string(), "{feature}");
                    json!([
                        feature["properties"]["osm_id"],
                        feature["properties"]["osm_value"],
                        feature["properties"]["name"],
                        feature["geometry"]["coordinates"]
                    ])
                })
                .collect();
            let near = within((lon, lat), categories, metres);
            let expected: Vec<Value> = near
                .iter()
                .take(limit)
                .map(|near| {
                    json!([number(&near.id), near.category, near.name, [near.lon, near.lat]])
                })
                .collect();
            assert_eq!(found, expected, "{more}");
        }
    }
}
