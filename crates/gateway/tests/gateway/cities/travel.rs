//! Users who ask in another city than before (docs/SPEC.md §6).

use super::{NORTH, SOUTH, TwoCities};
use crate::fixture::{generous, post, with};
use gateway::config::Config;
use meshcloak::guarantee::Guarantee;
use serde_json::json;
use std::time::Duration;

fn history() -> Config {
    let mut config = generous();
    config.engine.guarantee = Guarantee::History;
    config.engine.horizon = Duration::from_secs(60);
    config
}

#[tokio::test]
async fn a_query_in_another_city_cancels_the_waiting_ones() {
    let mut world = TwoCities::open().await;
    // Alone in the south for two batches; the second query carries the first.
    let waiting = ["1", "2"].map(|ticket| {
        let body = with(world.query(ticket, "ann", SOUTH, 3), "dt", json!(20));
        world.begin(body)
    });
    let waiting = futures_util::future::join_all(waiting).await;
    world.tick().await;
    let moved = world.begin(world.query("3", "ann", NORTH, 3)).await;
    let neighbours = [
        world.begin(world.query("4", "bob", SOUTH, 3)).await,
        world.begin(world.query("5", "cem", NORTH, 3)).await,
    ];
    world.tick().await;
    assert_eq!(moved.await.unwrap().1["outcome"], "answered");
    for older in waiting {
        assert_eq!(older.await.unwrap().1["outcome"], "cancelled");
    }
    assert_eq!(world.sent(), [0, 1], "the user has left the south");
    for _ in 0..3 {
        world.tick().await;
    }
    let [bob, cem] = neighbours;
    assert_eq!(bob.await.unwrap().1["outcome"], "expired");
    assert_eq!(cem.await.unwrap().1["outcome"], "answered");
    let (accepted, ended) = world.gateway.metrics().exact_counts();
    assert_eq!((accepted, ended), (5, [2, 1, 2, 0, 0, 0]));
}

#[tokio::test]
async fn a_query_that_has_not_been_collected_is_cancelled_as_well() {
    let mut world = TwoCities::open().await;
    let older = world.begin(world.query("1", "ann", SOUTH, 3)).await;
    let south = world.begin(world.query("2", "bob", SOUTH, 3)).await;
    let newer = world.begin(world.query("3", "ann", NORTH, 3)).await;
    let north = world.begin(world.query("4", "cem", NORTH, 3)).await;
    world.tick().await;
    assert_eq!(older.await.unwrap().1["outcome"], "cancelled");
    assert_eq!(newer.await.unwrap().1["outcome"], "answered");
    assert_eq!(north.await.unwrap().1["outcome"], "answered");
    assert!(!south.is_finished());
    assert_eq!(world.sent(), [0, 1]);
}

#[tokio::test]
async fn a_user_cannot_be_in_the_same_batch_of_two_cities() {
    let mut world = TwoCities::open().await;
    let older = world.begin(world.query("1", "ann", SOUTH, 3)).await;
    let other = world.begin(world.query("2", "bob", SOUTH, 3)).await;
    // The batch of the south has collected; that of the north, of the same time, has not.
    world.gateway.clock().advance(1000);
    let now = world.gateway.clock().now();
    let south = world.engines[SOUTH].turn(now);
    assert_eq!(south.sets.len(), 1);
    let (status, body) = post(world.app.clone(), world.query("3", "ann", NORTH, 3)).await;
    assert_eq!((status.as_u16(), &body["reason"]), (503, &json!("busy")), "within one millisecond");
    world.engines[NORTH].turn(now);
    let newer = world.begin(world.query("3", "ann", NORTH, 3)).await;
    assert!(!newer.is_finished(), "accepted for the next batch");
    gateway::answers::answer_round(world.gateway.clone(), south).await;
    assert_eq!(older.await.unwrap().1["outcome"], "answered", "published before");
    assert_eq!(other.await.unwrap().1["outcome"], "answered");
}

#[tokio::test]
async fn under_history_a_change_of_city_waits_for_the_horizon() {
    let mut world = TwoCities::new(history()).await;
    for (ticket, name) in [("1", "ann"), ("2", "bob")] {
        drop(world.begin(world.query(ticket, name, SOUTH, 3)).await);
    }
    world.tick().await;
    assert_eq!(world.sent(), [1, 0]);
    world.gateway.clock().advance(30_000);
    let (status, body) = post(world.app.clone(), world.query("3", "ann", NORTH, 3)).await;
    assert_eq!((status.as_u16(), &body["reason"]), (503, &json!("other-city")), "{body}");
    assert!(body["message"].as_str().unwrap().contains("retry in 30 s"), "{body}");
    // The old city is open: the user has not left it, as far as the gateway knows.
    let stayed = world.begin(world.query("4", "bob", SOUTH, 3)).await;
    assert!(!stayed.is_finished());
    world.gateway.clock().advance(30_001);
    let moved = world.begin(world.query("5", "ann", NORTH, 3)).await;
    let other = world.begin(world.query("6", "cem", NORTH, 3)).await;
    world.tick().await;
    let (_, moved) = moved.await.unwrap();
    assert_eq!(moved["outcome"], "answered");
    assert_eq!(moved["receipt"]["history"], "new", "no previous position counts");
    assert_eq!(other.await.unwrap().1["outcome"], "answered");
    let (_, body) = post(world.app.clone(), world.query("7", "ann", SOUTH, 3)).await;
    assert_eq!(body["reason"], "other-city", "the way back");
    let again = world.begin(world.query("8", "ann", NORTH, 3)).await;
    let other = world.begin(world.query("9", "cem", NORTH, 3)).await;
    world.tick().await;
    assert_eq!(again.await.unwrap().1["receipt"]["history"], json!(null), "a known past");
    assert_eq!(other.await.unwrap().1["outcome"], "answered");
}
