//! Requests without an answer: the error has the API's own shape, and nothing is sent; or nothing but
//! the region of a set, where only the answer shows that it is not complete.

use super::reference::within;
use super::{APIS, Api, CompatibleWorld, beside, get, overpass, places};
use crate::fixture::ServiceMode;
use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

#[tokio::test]
async fn a_user_who_is_not_hidden_in_time_gets_an_error_and_nothing_is_sent() {
    let mut world = CompatibleWorld::new().await;
    for (api, kind) in APIS.into_iter().zip(["504", "DEADLINE_EXCEEDED", "UNKNOWN_ERROR", "504"]) {
        let before = world.accepted();
        let reply = world.send(api.request(&world.token, beside(7, 0.5, 3.0)));
        world.wait_accepted(before, 1).await;
        world.world.ticks(7).await;
        let (found, message) = api.error(&reply.await.unwrap());
        assert_eq!((&*found, world.world.sent()), (kind, Vec::new()), "{api:?}");
        assert!(message.contains("not enough users"), "{message}");
    }
}

#[tokio::test]
async fn a_failed_service_is_an_error_of_the_api() {
    let mut world = CompatibleWorld::new().await;
    world.world.fixture.probe.set_mode(ServiceMode::Down);
    let at = beside(7, 0.5, 3.0);
    for (api, kind) in APIS.into_iter().zip(["502", "UNAVAILABLE", "UNKNOWN_ERROR", "502"]) {
        let reply = world.ask(api.request(&world.token, at), at, 1).await;
        let (found, message) = api.error(&reply);
        assert_eq!((&*found, &*message), (kind, "the service did not answer"), "{api:?}");
    }
}

#[tokio::test]
async fn an_answer_that_turns_out_incomplete_is_an_error_after_one_request_for_the_set() {
    let mut world = CompatibleWorld::with(|config, _| config.answers.max_objects = 1).await;
    let mut places = (0..500).map(|street| beside(street, 0.3, 9.0));
    let at = places.find(|at| within(*at, &["cafe"], 390.0).len() > 1).unwrap();
    for api in APIS {
        let reply = world.ask(api.request(&world.token, at), at, 1).await;
        assert!(api.error(&reply).1.contains("not complete"), "{api:?}");
        let sent = world.world.sent();
        let [inquiry] = &sent[..] else { panic!("{api:?}: {sent:?}") };
        // The probe records all that a service receives: streets and a question.
        assert!(inquiry.contains("Within") && inquiry.contains("StreetId"), "{inquiry}");
        for secret in [at.0.to_string(), at.1.to_string(), "jo".into(), "400".into()] {
            assert!(!inquiry.contains(&secret), "{secret}: {inquiry}");
        }
        world.world.ticks(7).await;
        assert_eq!(world.world.sent(), Vec::<String>::new(), "{api:?}: nothing further is sent");
    }
}

#[tokio::test]
async fn what_cannot_be_exact_with_these_settings_is_refused_before_anything_is_sent() {
    let mut world = CompatibleWorld::with(|config, _| config.answers.max_objects = 29).await;
    let at @ (lon, lat) = beside(7, 0.5, 3.0);
    let circle = json!({"circle": {"center": {"latitude": lat, "longitude": lon}, "radius": 400}});
    let body = json!({
        "locationRestriction": circle, "rankPreference": "DISTANCE", "maxResultCount": 10
    });
    let legacy = format!("maps/api/place/nearbysearch/json?location={lat},{lon}");
    for (api, request) in [
        (Api::Places, places(&world.token, "*", &body)),
        (Api::Legacy, get(&world.token, &format!("{legacy}&rankby=distance&type=cafe"))),
        (Api::Photon, get(&world.token, &format!("reverse?lat={lat}&lon={lon}&limit=3"))),
    ] {
        let (kind, message) = world.refused(api, request).await;
        assert!(message.contains("`limits.answer_objects`"), "{message}");
        assert!(["INVALID_ARGUMENT", "INVALID_REQUEST", "400"].contains(&&*kind), "{kind}");
    }
    // All places within a radius are asked for, whose number is not known before.
    for api in APIS {
        let (status, body) = world.ask(api.request(&world.token, at), at, 1).await;
        assert_eq!(status, StatusCode::OK, "{api:?}: {body}");
    }
}

#[tokio::test]
async fn the_parts_of_a_union_are_asked_together_and_fail_together() {
    let mut world = CompatibleWorld::new().await;
    let at @ (lon, lat) = beside(7, 0.5, 3.0);
    let around = format!("(around:100,{lat},{lon})");
    let union = format!("[out:json];(node[amenity=cafe]{around};node[amenity=bank]{around};);out;");
    let request = || overpass(&world.token, &union);
    let (first, second) = (request(), request());
    let reply = world.ask(first, at, 2).await;
    assert_eq!((reply.0, world.world.sent().len()), (StatusCode::OK, 2));
    // Without `al` all parts expire, and none is sent.
    let before = world.accepted();
    let reply = world.send(second);
    world.wait_accepted(before, 2).await;
    world.world.ticks(7).await;
    let (kind, message) = Api::Overpass.error(&reply.await.unwrap());
    assert_eq!((&*kind, message.contains("was not asked")), ("504", true), "{message}");
    assert_eq!(world.world.sent(), Vec::<String>::new());
}

#[tokio::test]
async fn a_position_off_the_map_or_in_a_never_zone_is_refused() {
    let mut world = CompatibleWorld::new().await;
    let kinds = ["400", "INVALID_ARGUMENT", "INVALID_REQUEST", "400"];
    for (api, kind) in APIS.into_iter().zip(kinds) {
        let request = api.request(&world.token, (1.0, 2.0));
        let (found, message) = world.refused(api, request).await;
        assert_eq!((&*found, message.contains("off the map")), (kind, true), "{message}");
    }
    let at = beside(7, 0.5, 3.0);
    let zone = json!({"circle": {"lon": at.0, "lat": at.1, "radius": 900}, "never": true});
    world.world.put_settings("jo", &json!({"k": 2, "dt": 5, "zones": [zone]})).await;
    for (api, kind) in APIS.into_iter().zip(kinds) {
        let request = api.request(&world.token, at);
        let (found, message) = world.refused(api, request).await;
        assert_eq!((&*found, message.contains("`never`")), (kind, true), "{message}");
    }
}

#[tokio::test]
async fn rate_limits_hold_and_a_refused_part_refuses_the_whole() {
    let mut world = CompatibleWorld::with(|config, _| config.limits.person_rate = 12).await;
    let (lon, lat) = beside(7, 0.5, 3.0);
    let around = format!("(around:100,{lat},{lon})");
    let union = format!(
        "[out:json];(node[amenity=cafe]{around};node[amenity=bank]{around};node[shop=bakery]{around};);out;"
    );
    // The burst allows two queries; the third of the union is refused.
    let (kind, message) = world.refused(Api::Overpass, overpass(&world.token, &union)).await;
    assert_eq!((&*kind, message.contains("rate limit of the user")), ("429", true), "{message}");
    for (api, kind) in
        APIS.into_iter().zip(["429", "RESOURCE_EXHAUSTED", "OVER_QUERY_LIMIT", "429"])
    {
        let request = api.request(&world.token, (lon, lat));
        assert_eq!(world.refused(api, request).await.0, kind);
    }
}

#[tokio::test]
async fn places_that_cannot_be_answered_are_refused_by_name() {
    let mut world = CompatibleWorld::new().await;
    let (lon, lat) = beside(7, 0.5, 3.0);
    let base = json!({
        "locationRestriction": {"circle": {"center": {"latitude": lat, "longitude": lon}, "radius": 400}},
        "rankPreference": "DISTANCE",
    });
    let changed = |key: &str, value: Value| {
        let mut body = base.clone();
        body[key] = value;
        body
    };
    let circle = |radius: f64| json!({"circle": {"center": {"latitude": lat, "longitude": lon}, "radius": radius}});
    for (mask, body, named) in [
        ("*", changed("rankPreference", "POPULARITY".into()), "POPULARITY"),
        ("*", changed("rankPreference", Value::Null), "POPULARITY"),
        ("*", changed("rankPreference", 0.into()), "POPULARITY"),
        ("*", changed("rankPreference", 2.into()), "POPULARITY"),
        ("*", changed("rankPreference", 3.into()), "POPULARITY"),
        ("*", changed("maxResultCount", 21.into()), "maxResultCount"),
        ("*", changed("includedTypes", json!(["gas_station"])), "Unsupported types: gas_station"),
        ("*", changed("evOptions", json!({})), "evOptions"),
        ("*", changed("locationRestriction", circle(0.0)), "above 0"),
        ("*", changed("locationRestriction", circle(1901.0)), "at most 1900"),
        ("*", json!({"rankPreference": "DISTANCE"}), "locationRestriction"),
        ("places.stars", base.clone(), "places.stars"),
        ("routingSummaries", base.clone(), "routingSummaries"),
    ] {
        let request = places(&world.token, mask, &body);
        let (kind, message) = world.refused(Api::Places, request).await;
        assert_eq!((&*kind, message.contains(named)), ("INVALID_ARGUMENT", true), "{message}");
    }
    let mut request = places(&world.token, "*", &base);
    request.headers_mut().remove("x-goog-fieldmask");
    assert!(world.refused(Api::Places, request).await.1.contains("FieldMask is a required"));
}

#[tokio::test]
async fn parameters_that_cannot_be_answered_are_refused_by_name() {
    let mut world = CompatibleWorld::new().await;
    let (lon, lat) = beside(7, 0.5, 3.0);
    let legacy = format!("maps/api/place/nearbysearch/json?location={lat},{lon}");
    let photon = format!("reverse?lon={lon}&lat={lat}");
    for (api, path, named) in [
        (Api::Legacy, format!("{legacy}&radius=400&keyword=tea"), "`keyword`"),
        (Api::Legacy, format!("{legacy}&radius=400&opennow"), "`opennow`"),
        (Api::Legacy, format!("{legacy}&radius=400&maxprice=3"), "`maxprice`"),
        (Api::Legacy, format!("{legacy}&radius=400&minprice=1"), "`minprice`"),
        (Api::Legacy, format!("{legacy}&radius=400&pagetoken=x"), "`pagetoken`"),
        (Api::Legacy, format!("{legacy}&radius=400&rankby=prominence"), "distance only"),
        (
            Api::Legacy,
            format!("{legacy}&radius=400&rankby=distance&type=cafe"),
            "`radius` must not",
        ),
        (Api::Legacy, format!("{legacy}&rankby=distance"), "needs `type`"),
        (Api::Legacy, legacy.clone(), "`radius` or"),
        (Api::Legacy, format!("{legacy}&radius=2000&type=cafe"), "at most 1900"),
        (Api::Legacy, format!("{legacy}&radius=-1"), "above 0"),
        (Api::Legacy, format!("{legacy}&radius=400&type=zoo"), "Unsupported types: zoo"),
        (Api::Legacy, "maps/api/place/nearbysearch/json?radius=3".into(), "`location`"),
        (Api::Photon, format!("{photon}&layer=street"), "`layer`"),
        (Api::Photon, format!("{photon}&lang=de"), "`lang`"),
        (Api::Photon, format!("{photon}&distance_sort=false"), "`distance_sort`"),
        (Api::Photon, format!("{photon}&osm_tag=amenity"), "`osm_tag`"),
        (Api::Photon, format!("{photon}&osm_tag=!amenity:cafe"), "`osm_tag`"),
        (Api::Photon, format!("{photon}&osm_tag=shop:cafe"), "only `amenity=cafe`"),
        (Api::Photon, format!("{photon}&osm_tag=highway:primary"), "`highway`"),
        (Api::Photon, format!("{photon}&osm_tag=amenity:zebra"), "zebra"),
        (Api::Photon, format!("{photon}&limit=20&radius=5"), "at most 1900"),
        (Api::Photon, format!("{photon}&lon=9"), "occurs twice"),
        (Api::Photon, "reverse?lon=9".into(), "`lat` is missing"),
    ] {
        let (kind, message) = world.refused(api, get(&world.token, &path)).await;
        let expected = if api == Api::Legacy { "INVALID_REQUEST" } else { "400" };
        assert_eq!((&*kind, message.contains(named)), (expected, true), "{named}: {message}");
    }
}

#[tokio::test]
async fn overpass_queries_that_cannot_be_answered_are_refused_by_name() {
    let mut world = CompatibleWorld::new().await;
    let (lon, lat) = beside(7, 0.5, 3.0);
    for (text, named) in [
        (format!("[out:json];node[amenity=cafe](around:2500,{lat},{lon});out;"), "at most 1900"),
        (format!("[out:json];node[cuisine=thai](around:250,{lat},{lon});out;"), "`cuisine`"),
        (format!("[out:json];node[amenity=<b>](around:250,{lat},{lon});out;"), "expected"),
        (format!("[out:json];node[amenity=\"<b>\"](around:250,{lat},{lon});out;"), "&lt;b&gt;"),
        (String::new(), "no query"),
        ("data=".into(), "`[out:json]`"),
    ] {
        let request = overpass(&world.token, &text);
        let (kind, message) = world.refused(Api::Overpass, request).await;
        assert_eq!((&*kind, message.contains(named)), ("400", true), "{named}: {message}");
        assert!(!message.contains('<'), "{message}");
    }
}

#[tokio::test]
async fn another_method_is_refused_in_the_shape_of_the_api() {
    let world = CompatibleWorld::new().await;
    for api in APIS {
        let mut request = api.request(&world.token, beside(7, 0.5, 3.0));
        *request.method_mut() = Method::DELETE;
        let (status, body) = world.send(request).await.unwrap();
        assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{api:?}");
        let message = match api {
            Api::Overpass => body.as_str().unwrap().contains("<strong"),
            Api::Places => body["error"]["status"] == "INVALID_ARGUMENT",
            Api::Legacy => body["status"] == "INVALID_REQUEST",
            Api::Photon => body["message"].is_string(),
        };
        assert!(message, "{api:?}: {body}");
    }
    assert!(world.world.sent().is_empty());
}
