//! Sets with equal regions share their requests: one for each region and kind of question of a
//! batch.

use super::{Timed, bodies, set_on, with_slots};
use meshcloak::cells::DEFAULT_CELLS_LENGTH;
use meshcloak::mesh_cloak::RegionRule;
use serde_json::{Value, json};
use std::time::Duration;

/// Queries on 60 streets of a small city: each cell holds many sets.
fn queries() -> Vec<Value> {
    let question = |number: u32| match number % 4 {
        0 => json!({"find": "within", "radius": 90 + number * 7, "along": "plane"}),
        1 => json!({"find": "within", "radius": 30 + number * 3, "along": "streets"}),
        _ => json!({"find": "nearest", "count": 1 + number % 20, "along": "plane"}),
    };
    let set = |street: u32| set_on(street * 8, 3, &[question(street), question(street + 1)]);
    (0..60).flat_map(set).collect()
}

#[tokio::test(start_paused = true)]
async fn no_body_is_sent_twice_in_a_batch_and_all_are_sent_again_in_the_next() {
    let mut config = with_slots(4);
    config.engine.region = RegionRule::Cells(DEFAULT_CELLS_LENGTH);
    let mut timed = Timed::start(config, |_| Duration::from_millis(10)).await;
    let mut batches = Vec::new();
    for round in 0..2 {
        let mut queries = queries();
        for query in &mut queries {
            query["ticket"] = json!(format!("{round}-{}", query["ticket"].as_str().unwrap()));
        }
        let count = queries.len();
        let ends = timed.ask(queries).await;
        timed.turn();
        let ends = ends.await.unwrap();
        for end in &ends {
            assert_eq!(end.body["outcome"], "answered", "{}", end.body);
            assert_eq!(end.body["receipt"]["exact"], true);
        }
        let sent = bodies(&timed.take_seen());
        let mut distinct = sent.clone();
        distinct.dedup();
        assert_eq!(sent, distinct, "a repeated body tells the number of sets");
        // Two questions per set: without sharing there would be 120 requests.
        assert!(count == 180 && (4..120).contains(&sent.len()), "{}", sent.len());
        batches.push(sent);
    }
    // An answer kept from the first batch would tell one app what another has asked.
    assert_eq!(batches[0], batches[1]);
}
