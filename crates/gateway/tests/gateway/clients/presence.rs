//! Present users without a question: members of anonymity sets that cause no request.

use super::{World, asking, neighbours, present};
use crate::fixture::{place, query};
use serde_json::{Value, json};

#[tokio::test]
async fn present_users_cause_no_request_and_wait_for_an_asker() {
    let mut world = World::new().await;
    for person in ["al", "bo"] {
        world.put_settings(person, &present()).await;
    }
    world.put_settings("jo", &asking()).await;
    let [here, there] = neighbours();
    world.report("al", here).await;
    world.report("bo", there).await;
    world.ticks(3).await;
    assert!(world.sent().is_empty(), "no user asks");
    assert_eq!(world.answer("al").await["latest"], Value::Null, "they are still waiting");
    world.report("jo", place(3, 0.5)).await;
    world.ticks(1).await;
    assert_eq!(world.sent().len(), 1);
    let receipt = &world.answer("jo").await["answered"]["receipt"];
    assert_eq!(receipt["k_reached"], 3, "all three are in the set");
    for person in ["al", "bo"] {
        assert_eq!(world.answer(person).await["latest"]["outcome"], "present");
    }
    world.report("al", here).await;
    world.report("bo", there).await;
    world.ticks(7).await;
    for person in ["al", "bo"] {
        assert_eq!(world.answer(person).await["latest"]["outcome"], "present", "it ran out");
    }
    assert!(world.sent().is_empty());
    let (accepted, ended) = world.fixture.gateway.metrics().exact_counts();
    assert_eq!((accepted, ended), (5, [1, 0, 0, 0, 4, 0]), "none is lost");
}

#[tokio::test]
async fn a_query_without_a_question_is_presence_too_and_ends_with_the_gateway() {
    let mut world = World::new().await;
    let app = world.fixture.app.clone();
    let post = |mut body: Value| {
        body.as_object_mut().unwrap().remove("question");
        body["dt"] = json!(60);
        let mut request = crate::fixture::query_request(body.to_string());
        let bearer = format!("Bearer {}", world.key).parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        tokio::spawn(crate::fixture::call(app.clone(), request))
    };
    let posts = [post(query("1", "al", 3)), post(query("2", "bo", 3))];
    while world.fixture.gateway.metrics().exact_counts().0 < 2 {
        tokio::task::yield_now().await;
    }
    world.ticks(2).await;
    world.fixture.end().await;
    for post in posts {
        let (status, body) = post.await.unwrap();
        assert_eq!((status.as_u16(), &body["outcome"]), (200, &json!("expired")), "{body}");
    }
    assert!(world.sent().is_empty());
}
