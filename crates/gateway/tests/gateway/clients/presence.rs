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
    assert_eq!(receipt["k_asking"], 1, "one of them asks");
    for person in ["al", "bo"] {
        assert_eq!(world.answer(person).await["latest"]["outcome"], "present");
    }
    world.report("al", here).await;
    world.report("bo", there).await;
    world.ticks(30).await;
    let (_, ended) = world.fixture.gateway.metrics().exact_counts();
    assert_eq!(ended[4], 2, "the default patience is 30 s, whatever dt they have");
    world.ticks(2).await;
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

#[tokio::test]
async fn present_members_are_released_with_the_answers_of_their_set() {
    let mut world = World::new().await;
    for person in ["al", "bo"] {
        world.put_settings(person, &present()).await;
    }
    world.put_settings("jo", &asking()).await;
    let [here, there] = neighbours();
    world.report("al", here).await;
    world.report("bo", there).await;
    world.report("jo", place(3, 0.5)).await;
    let round = world.fixture.turn();
    assert!(round.ended.is_empty(), "no member is released before the service has answered");
    let sizes: Vec<_> = round.sets.iter().map(|s| (s.members.len(), s.present.len())).collect();
    assert_eq!(sizes, [(1, 2)]);
    assert_eq!(world.answer("al").await["latest"], Value::Null);
    world.fixture.answer(round).await;
    for (person, outcome) in [("al", "present"), ("bo", "present"), ("jo", "answered")] {
        assert_eq!(world.answer(person).await["latest"]["outcome"], outcome);
    }
}

#[tokio::test]
async fn presence_counts_as_the_settings_say() {
    for (counts, age, expected) in [(true, 0, true), (false, 0, false), (true, 2, false)] {
        let change = |config: &mut gateway::config::Config, _: &std::path::Path| {
            let age = std::time::Duration::from_secs(age);
            config.presence.rule.counts = counts;
            config.presence.rule.max_age = (!age.is_zero()).then_some(age);
        };
        let mut world = World::with(change).await;
        let alone = json!({ "k": 1, "dt": 0 });
        for person in ["al", "bo"] {
            world.put_settings(person, &alone).await;
        }
        world.put_settings("jo", &asking()).await;
        let [here, there] = neighbours();
        world.report("al", here).await;
        world.report("bo", there).await;
        world.ticks(3).await;
        world.report("jo", place(3, 0.5)).await;
        world.ticks(1).await;
        assert_eq!(world.sent().len(), usize::from(expected), "{counts} {age}");
    }
}

#[tokio::test]
async fn k_is_one_without_a_question_only() {
    let world = World::new().await;
    let mut settings = present();
    settings["k"] = json!(1);
    world.put_settings("al", &settings).await;
    settings["question"] = asking()["question"].clone();
    let path = "/v1/people/al/settings";
    let (status, body) = world.api("PUT", path, Some(&settings)).await;
    assert_eq!((status.as_u16(), &body["reason"]), (422, &json!("k")), "{body}");
}
