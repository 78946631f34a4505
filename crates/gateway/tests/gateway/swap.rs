//! Requests to the service do not depend on which member of a set is where.

use crate::fixture::{Fixture, place, post, query};
use futures_util::future::join_all;
use serde_json::json;

/// Returns the requests for users at these positions: user, street, part of the street.
async fn requests(users: &[(&str, u32, f64)]) -> Vec<String> {
    let mut fixture = Fixture::open().await;
    let app = fixture.app.clone();
    let posts = users.iter().map(|&(user, street, part)| {
        let mut body = query(&format!("ticket of {user}"), user, street);
        let (lon, lat) = place(street, part);
        body["lon"] = json!(lon);
        body["lat"] = json!(lat);
        body["k"] = json!(users.len());
        body["question"] = match user {
            "ann" => json!({"find": "within", "radius": 90, "along": "plane"}),
            "bob" => json!({"find": "within", "radius": 410, "along": "plane"}),
            _ => json!({"find": "nearest", "count": 7, "along": "streets"}),
        };
        post(app.clone(), body)
    });
    let (answers, ()) = futures_util::join!(join_all(posts), fixture.tick());
    assert!(answers.iter().all(|(_, answer)| answer["outcome"] == "answered"), "{answers:?}");
    let mut requests = fixture.probe.take();
    requests.sort();
    requests
}

#[tokio::test]
async fn swapping_members_does_not_change_the_requests() {
    let walker = crate::fixture::walker();
    let map = walker.atlas().map();
    let first = meshcloak::map::StreetId(3);
    let end = map.street(first).to;
    let next = map.leaving(end).iter().map(|arm| arm.street).find(|&street| street != first);
    let (here, there) = (first.0, next.unwrap().0);
    let one = requests(&[("ann", here, 0.4), ("bob", there, 0.5), ("cyd", here, 0.6)]).await;
    assert_eq!(one.len(), 2, "one request for each kind of question");
    let swapped = requests(&[("bob", here, 0.55), ("cyd", there, 0.45), ("ann", here, 0.5)]).await;
    assert_eq!(one, swapped);
    let order = requests(&[("cyd", here, 0.35), ("ann", there, 0.6), ("bob", here, 0.65)]).await;
    assert_eq!(one, order);
}
