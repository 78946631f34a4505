//! Zones: larger k and dt, or no queries.

use super::{World, asking, neighbours, present};
use crate::fixture::{place, query, with};
use serde_json::{Value, json};

fn around((lon, lat): (f64, f64), rule: &Value) -> Value {
    let mut zone = json!({"circle": {"lon": lon, "lat": lat, "radius": 30}});
    zone.as_object_mut().unwrap().extend(rule.as_object().unwrap().clone());
    zone
}

#[tokio::test]
async fn queries_from_a_never_zone_are_refused_and_nothing_is_sent() {
    let mut world = World::new().await;
    let [here, there] = neighbours();
    let (lon, lat) = here;
    let box_around = json!([
        [lon - 0.002, lat - 0.002],
        [lon + 0.002, lat - 0.002],
        [lon + 0.002, lat + 0.002],
        [lon - 0.002, lat + 0.002]
    ]);
    let polygon = json!({"polygon": box_around, "never": true});
    for zone in [around(here, &json!({"never": true})), polygon] {
        let mut settings = asking();
        settings["zones"] = json!([zone]);
        world.put_settings("jo", &settings).await;
        world.put_settings("al", &asking()).await;
        assert_eq!(world.report("jo", here).await, json!([]));
        world.report("al", there).await;
        let body = with(query("t", "jo", 3), "lon", json!(lon));
        let body = with(body, "lat", json!(lat));
        let (status, body) = world.api("POST", "/v1/queries", Some(&body)).await;
        assert_eq!((status.as_u16(), &body["reason"]), (422, &json!("never")), "by every route");
        world.ticks(7).await;
        let body = world.answer("jo").await;
        assert_eq!(body["latest"]["reason"], "never");
        assert_eq!(body["answered"], Value::Null);
        assert!(world.sent().is_empty(), "al has no anonymity set");
        assert_eq!(world.answer("al").await["latest"]["outcome"], "expired");
    }
    let metrics = world.fixture.gateway.metrics();
    assert_eq!(metrics.exact_counts(), (2, [0, 2, 0, 0, 0, 0]), "jo was never accepted");
}

#[tokio::test]
async fn a_zone_can_raise_k_and_dt() {
    let mut world = World::new().await;
    let [here, there] = neighbours();
    let mut settings = asking();
    settings["zones"] = json!([around(here, &json!({"k": 3})), around(here, &json!({"dt": 20}))]);
    world.put_settings("jo", &settings).await;
    world.put_settings("al", &present()).await;
    world.put_settings("bo", &present()).await;
    world.report("jo", here).await;
    world.report("al", there).await;
    world.ticks(6).await;
    assert!(world.sent().is_empty(), "two users are too few in the zone");
    assert_eq!(world.answer("jo").await["latest"], Value::Null, "dt of the zone applies");
    world.report("al", there).await;
    world.report("bo", place(3, 0.5)).await;
    world.ticks(1).await;
    let body = world.answer("jo").await;
    assert_eq!(body["answered"]["receipt"]["k"], 3, "{body}");
    assert_eq!(world.sent().len(), 1);
    // Far from the zone two users are enough.
    let far = (0..400).map(|street| place(street, 0.5));
    let away = far.max_by(|a, b| gap(*a, here).total_cmp(&gap(*b, here))).unwrap();
    assert!(gap(away, here) > 0.01);
    world.ticks(60).await;
    world.report("jo", away).await;
    world.report("al", away).await;
    world.ticks(1).await;
    assert_eq!(world.answer("jo").await["answered"]["receipt"]["k"], 2);
}

fn gap(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

#[tokio::test]
async fn the_boundary_changes_daily_and_encloses_the_zone() {
    let world = World::new().await;
    let (gateway, home) = (&world.fixture.gateway, place(3, 0.5));
    for person in ["jo", "al"] {
        let mut settings = asking();
        settings["zones"] = json!([around(home, &json!({"never": true}))]);
        world.put_settings(person, &settings).await;
    }
    // Number of 10 m steps away from home that are inside, day by day.
    let directory = gateway.directory();
    let account = directory.named("okapi-app").unwrap();
    let reach = |person: &str| -> usize {
        let user = gateway.user_ids().user(account, person);
        let frame = gateway.city().atlas().map().frame().unwrap();
        let centre = frame.point(meshcloak::units::LonLat { lon: home.0, lat: home.1 });
        (0..80)
            .filter(|step| {
                let point =
                    meshcloak::units::Point::new(centre.x + f64::from(*step) * 10.0, centre.y);
                gateway.users().zone_minimum(user, gateway.clock(), |_| Some([point; 2])).is_err()
            })
            .count()
    };
    let mut reaches = Vec::new();
    for _ in 0..20 {
        let (jo, al) = (reach("jo"), reach("al"));
        assert!(jo >= 4 && al >= 4, "at least the 30 m of the zone");
        assert!(jo <= 64 && al <= 64, "at most three times the blur beyond");
        reaches.push((jo, al));
        gateway.clock().advance(86_400_000);
    }
    let days: std::collections::BTreeSet<_> = reaches.iter().collect();
    assert!(days.len() > 10, "{reaches:?}");
    assert!(reaches.iter().any(|(jo, al)| jo != al), "boundaries differ between users");
}
