//! Categories of the services of two cities.

use super::{NORTH, SOUTH, TwoCities};
use crate::fixture::{Probe, generous, with};
use gateway::inquiry::Inquiry;
use gateway::service::{Objects, Service, ServiceFuture};
use serde_json::json;

/// A service with one category.
struct Listing {
    inner: Probe,
    category: &'static str,
}

impl Service for Listing {
    fn name(&self) -> &'static str {
        "listing"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        self.inner.ask(inquiry)
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(async { Ok(vec![self.category.to_owned()]) })
    }
}

/// Returns the reason for which a question is refused, or `waiting`.
async fn outcome(world: &TwoCities, ticket: &str, city: usize, category: &str) -> String {
    let question = json!({"find": "nearest", "count": 1, "category": category});
    let body = with(world.query(ticket, ticket, city, 3), "question", question);
    let posted = world.begin(body).await;
    if !posted.is_finished() {
        return "waiting".into();
    }
    posted.await.unwrap().1["reason"].as_str().unwrap().into()
}

#[tokio::test]
async fn a_question_needs_a_category_of_the_city_that_it_is_asked_in() {
    let world = TwoCities::with(generous(), |inner, city| {
        Box::new(Listing { inner, category: ["cafe", "museum"][city] })
    });
    assert_eq!(outcome(&world, "1", SOUTH, "cafe").await, "busy");
    world.city(SOUTH).refresh_categories().await.unwrap();
    assert_eq!(outcome(&world, "2", SOUTH, "cafe").await, "waiting");
    assert_eq!(outcome(&world, "3", NORTH, "cafe").await, "busy");
    assert_eq!(outcome(&world, "4", SOUTH, "museum").await, "busy", "it may be one of the north");
    world.city(NORTH).refresh_categories().await.unwrap();
    assert_eq!(outcome(&world, "5", NORTH, "museum").await, "waiting");
    assert_eq!(outcome(&world, "6", NORTH, "cafe").await, "question");
    assert_eq!(outcome(&world, "7", SOUTH, "museum").await, "question");
    assert_eq!(outcome(&world, "8", SOUTH, "zoo").await, "question");
}
