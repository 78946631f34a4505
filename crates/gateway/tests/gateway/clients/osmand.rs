//! OsmAnd, and Traccar Client before version 9: a query string, or a form.

use super::{World, asking, message, messages, neighbours, present};
use axum::body::Body;
use axum::http::Request;

#[tokio::test]
async fn every_version_can_report_by_query_string_and_form() {
    let [here, there] = neighbours();
    for name in messages("osmand", "") {
        for method in 0..3 {
            let mut world = World::new().await;
            world.put_settings("jo", &asking()).await;
            world.put_settings("al", &present()).await;
            for (person, at) in [("jo", here), ("al", there)] {
                let path = format!("/v1/phones/traccar/{}", world.token(person).await);
                let text = message(&name, at, world.unix());
                let query = format!("{path}?{text}");
                let form = "application/x-www-form-urlencoded";
                let request = match method {
                    0 => Request::get(query).body(Body::empty()),
                    1 => Request::post(query).body(Body::empty()),
                    _ => Request::post(path).header("content-type", form).body(Body::from(text)),
                };
                assert_eq!(world.send(request.unwrap()).await.0, 200, "{name}");
            }
            world.ticks(1).await;
            let body = world.answer("jo").await;
            assert_eq!(body["answered"]["outcome"], "answered", "{name}: {body}");
            assert_eq!(world.sent().len(), 1);
        }
    }
}

#[tokio::test]
async fn malformed_reports_are_refused_and_empty_ones_dropped() {
    let mut world = World::new().await;
    world.put_settings("jo", &asking()).await;
    let path = format!("/v1/phones/traccar/{}", world.token("jo").await);
    for (query, status) in [
        ("", 200),
        ("id=1&timestamp=1377177267&cell=257,02,16,2224&wifi=00-14-22-01-23-45,-80", 200),
        ("id=1&lat=53.1&lon=8.2&valid=false", 200),
        ("id=1&lat=53.1", 200),
        ("id=1&lat=x&lon=8.2", 400),
        ("id=1&lat=53.1&lon=NaN", 400),
        ("id=1&lat=53.1&lon=8.2&timestamp=yesterday", 400),
        ("id=1&location=8.2", 400),
    ] {
        let request = Request::get(format!("{path}?{query}")).body(Body::empty()).unwrap();
        assert_eq!(world.send(request).await.0, status, "{query}");
    }
    world.ticks(1).await;
    assert_eq!(world.fixture.gateway.metrics().exact_counts().0, 0);
}
