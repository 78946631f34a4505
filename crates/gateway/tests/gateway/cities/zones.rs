//! Zones of users who move between cities.

use super::{NORTH, SOUTH, TwoCities};
use crate::fixture::{call, place_on, post};
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

impl TwoCities {
    async fn put_zone(&self, person: &str, zone: Value) {
        let settings = json!({"k": 2, "dt": 3, "zones": [zone]});
        let request = Request::put(format!("/v1/people/{person}/settings"))
            .header("content-type", "application/json")
            .body(Body::from(settings.to_string()));
        let (status, body) = call(self.app.clone(), request.unwrap()).await;
        assert_eq!(status, 200, "{body}");
    }

    fn circle(&self, city: usize, radius: u32) -> Value {
        let (lon, lat) = place_on(self.city(city).map(), 3, 0.5);
        json!({"circle": {"lon": lon, "lat": lat, "radius": radius}, "never": true})
    }

    /// Whether a query is refused as inside a `never` zone.
    async fn is_refused(&self, ticket: &str, person: &str, city: usize) -> bool {
        let posted = self.begin(self.query(ticket, person, city, 3)).await;
        if !posted.is_finished() {
            return false;
        }
        let (_, body) = posted.await.unwrap();
        assert_eq!(body["reason"], "never", "{body}");
        true
    }
}

#[tokio::test]
async fn a_zone_applies_in_its_own_city() {
    let world = TwoCities::open().await;
    for (city, other, person) in [(SOUTH, NORTH, "ann"), (NORTH, SOUTH, "bob")] {
        world.put_zone(person, world.circle(city, 100)).await;
        assert!(world.is_refused(&format!("{person}1"), person, city).await);
        assert!(!world.is_refused(&format!("{person}2"), person, other).await);
    }
}

#[tokio::test]
async fn a_zone_that_reaches_into_another_city_applies_there_too() {
    let world = TwoCities::open().await;
    world.put_zone("ann", world.circle(SOUTH, 20_000)).await;
    assert!(world.is_refused("1", "ann", SOUTH).await);
    assert!(world.is_refused("2", "ann", NORTH).await, "12 km from the centre");
    let (lon, lat) = place_on(world.city(NORTH).map(), 3, 0.5);
    let corners = json!([[lon - 0.1, lat - 0.2], [lon + 0.1, lat - 0.2], [lon, lat + 0.05]]);
    world.put_zone("bob", json!({"polygon": corners, "never": true})).await;
    assert!(world.is_refused("3", "bob", NORTH).await);
    let (_, body) = post(world.app.clone(), world.query("4", "bob", SOUTH, 3)).await;
    assert_eq!(body["reason"], "never", "{body}");
}
