//! Requests that no correct client sends, and those of a gateway that has just started: refused in the
//! shape of the API, by a sentence without the position, before anything is sent.

use super::{APIS, Api, CompatibleWorld, beside, get, overpass, places};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};

/// Position of the requests; its digits must be in no sentence.
fn here() -> (f64, f64) {
    beside(7, 0.5, 3.0)
}

/// Refuses a request, and returns the kind and sentence of the error.
async fn refused(
    world: &mut CompatibleWorld,
    api: Api,
    request: Request<Body>,
) -> (String, String) {
    let (kind, message) = world.refused(api, request).await;
    let (lon, lat) = here();
    for degrees in [lon, lat] {
        let digits = format!("{degrees:.4}");
        assert!(!message.contains(&digits), "{digits}: {message}");
    }
    (kind, message)
}

#[tokio::test]
async fn until_the_categories_are_known_the_answer_is_to_come_again() {
    let mut world = CompatibleWorld::starting(|_, _| {}).await;
    let kinds = ["503", "UNAVAILABLE", "UNKNOWN_ERROR", "503"];
    for (api, kind) in APIS.into_iter().zip(kinds) {
        let request = api.request(&world.token, here());
        let (found, message) = refused(&mut world, api, request).await;
        assert_eq!((&*found, message.contains("retry")), (kind, true), "{api:?}: {message}");
    }
    world.world.fixture.gateway.refresh_categories().await.unwrap();
    for api in APIS {
        let request = api.request(&world.token, here());
        assert_eq!(world.ask(request, here(), 1).await.0, StatusCode::OK, "{api:?}");
    }
}

#[tokio::test]
async fn a_form_has_the_field_data_only() {
    let mut world = CompatibleWorld::new().await;
    let (lon, lat) = here();
    let query = format!("[out:json];node[amenity=cafe](around:400,{lat},{lon});out;");
    let form = |fields: &[(&str, &str)]| {
        form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
    };
    let token = world.token.clone();
    let posted = |text: &str| overpass(&token, text);
    let in_url = |text: &str| get(&token, &format!("api/interpreter?{text}"));
    for (fields, named) in [
        (&[("jsonp", "f"), ("data", &*query)][..], "`jsonp`"),
        (&[("data", &query), ("bbox", "1,2,3,4")], "`bbox`"),
        (&[("data", &query), ("data", &query)], "`data` occurs twice"),
        (&[("data", &query), (&format!("x](around:400,{lat},{lon}"), "")], "without a name"),
    ] {
        for request in [posted(&form(fields)), in_url(&form(fields))] {
            let (kind, message) = refused(&mut world, Api::Overpass, request).await;
            assert_eq!((&*kind, message.contains(named)), ("400", true), "{message}");
        }
    }
    let plain = world.ask(posted(&query), here(), 1).await;
    assert!(!plain.1["elements"].as_array().unwrap().is_empty(), "{}", plain.1);
    for request in [posted(&form(&[("data", &query)])), in_url(&form(&[("data", &query)]))] {
        assert!(world.ask(request, here(), 1).await == plain);
    }
}

#[tokio::test]
async fn malformed_queries_of_overpass_are_refused_without_their_position() {
    let mut world = CompatibleWorld::new().await;
    let (lon, lat) = here();
    for (text, named) in [
        (format!("[out:json];node[amenity=cafe]({lat},{lon},{lat},{lon});out;"), "(a number…)"),
        (format!("[out:json];node[amenity=cafe](around:400 {lat},{lon});out;"), "a number found"),
        (format!("[out:json][bbox:{lat},{lon},49,10];node[amenity=cafe];out;"), "`[bbox:…]`"),
        (format!("[out:json];node[amenity=cafe](around:-5,{lat},{lon});out;"), "above 0"),
        (format!("[out:json];node[amenity=cafe](around:nan,{lat},{lon});out;"), "a radius"),
        (format!("[out:json];{}", "(".repeat(9000)), "begins with `(`"),
        (format!("{{{{geocodeArea:x}}}}(around:400,{lat},{lon});out;"), "`[out:json]`"),
        (format!("[out:json];node[amenity=\"\\ud8\"](around:400,{lat},{lon});out;"), "expected"),
        (format!("[out:json];node[amenity=cafe](around:400,{lat},{lon}0e9);out;"), "latitude"),
        (" ".repeat(17_000), "larger than"),
    ] {
        let request = overpass(&world.token, &text);
        let (kind, message) = refused(&mut world, Api::Overpass, request).await;
        assert_eq!((&*kind, message.contains(named)), ("400", true), "{named}: {message}");
    }
    let request = Request::post(format!("/compatible/{}/api/interpreter", world.token));
    let request = request.body(Body::from(&b"\xff[out:json]"[..])).unwrap();
    assert!(refused(&mut world, Api::Overpass, request).await.1.contains("UTF-8"));
}

#[tokio::test]
async fn a_name_selects_by_its_characters_and_a_tiny_radius_is_a_radius() {
    let mut world = CompatibleWorld::new().await;
    let at @ (lon, lat) = here();
    let cafe = super::reference::within(at, &["cafe"], 1900.0).swap_remove(0);
    let escaped: String = cafe.name.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    for (name, radius, count) in
        [(&*cafe.name, "1900", 1), (&escaped, "1900", 1), ("", "1900", 0), (&escaped, "1e-300", 0)]
    {
        let query = format!(
            "[out:json];node[amenity=cafe][name=\"{name}\"](around:{radius},{lat},{lon});out;"
        );
        let (status, body) = world.ask(overpass(&world.token, &query), at, 1).await;
        let elements = body["elements"].as_array().unwrap();
        assert_eq!((status, elements.len()), (StatusCode::OK, count), "{name} {radius}: {body}");
    }
}

#[tokio::test]
async fn malformed_requests_for_places_are_refused_without_their_position() {
    let mut world = CompatibleWorld::new().await;
    let (lon, lat) = here();
    let with = |center: Value, key: &str, value: Value| {
        let mut body = json!({
            "locationRestriction": {"circle": {"center": center, "radius": 400}},
            "rankPreference": "DISTANCE", "includedTypes": ["cafe"],
        });
        body[key] = value;
        body
    };
    let center = json!({"latitude": lat, "longitude": lon});
    let changed = |key: &str, value: Value| with(center.clone(), key, value);
    let text = json!({"latitude": lat.to_string(), "longitude": lon});
    let unsorted = json!({"latitude": lat, "longitude": lon, "altitude": lat});
    for (mask, body, named) in [
        ("*", with(text, "maxResultCount", 5.into()), "expected f64"),
        ("*", with(unsorted, "maxResultCount", 5.into()), "`altitude`"),
        ("*", changed("maxResultCount", (-1).into()), "maxResultCount"),
        ("*", changed("maxResultCount", "5".into()), "expected i64"),
        ("*", changed("rankPreference", true.into()), "POPULARITY"),
        ("*", changed("rankPreference", json!([lat])), "POPULARITY"),
        ("*", changed("pageToken", "x".into()), "`pageToken`"),
        ("*", changed("excludedTypes", json!(["cafe"])), "Conflicting types: cafe"),
        ("*", changed("excludedTypes", json!(["zebra"])), "Unsupported types: zebra"),
        ("*", changed("excludedPrimaryTypes", json!(["zebra"])), "Unsupported types: zebra"),
        ("places.location.lat", changed("regionCode", "de".into()), "places.location.lat"),
        ("*", json!([center]), "expected"),
    ] {
        let request = places(&world.token, mask, &body);
        let (kind, message) = refused(&mut world, Api::Places, request).await;
        assert_eq!((&*kind, message.contains(named)), ("INVALID_ARGUMENT", true), "{message}");
    }
    let mut request = places(&world.token, "*", &changed("languageCode", "de".into()));
    *request.uri_mut() = format!("{}?rankPreference=POPULARITY", request.uri()).parse().unwrap();
    let (_, message) = refused(&mut world, Api::Places, request).await;
    assert!(message.contains("the parameter `rankPreference`"), "{message}");
}

#[tokio::test]
async fn malformed_parameters_are_refused_without_their_position() {
    let mut world = CompatibleWorld::new().await;
    let (lon, lat) = here();
    let legacy = "maps/api/place/nearbysearch/json";
    for (api, path, named) in [
        (Api::Legacy, format!("{legacy}?{lat},{lon}"), "without a name"),
        (Api::Legacy, format!("{legacy}?location={lat},{lon},0&radius=5"), "latitude,longitude"),
        (Api::Legacy, format!("{legacy}?location={lat},{lon}&radius=nan"), "above 0"),
        (Api::Legacy, format!("{legacy}?location=nan,inf&radius=5"), "latitude"),
        (Api::Photon, format!("reverse?{lat},{lon}"), "without a name"),
        (Api::Photon, format!("reverse?lat={lat}&lon={lon}x"), "`lon` is not a number"),
        (Api::Photon, format!("reverse?lat={lat}&lon={lon}&radius=inf"), "above 0"),
        (Api::Photon, format!("reverse?lat=%ff&lon={lon}"), "`lat` is not a number"),
    ] {
        let request = get(&world.token, &path);
        let (kind, message) = refused(&mut world, api, request).await;
        let expected = if api == Api::Legacy { "INVALID_REQUEST" } else { "400" };
        assert_eq!((&*kind, message.contains(named)), (expected, true), "{path}: {message}");
    }
}
