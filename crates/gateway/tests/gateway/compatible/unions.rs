//! Unions: no batch separates their parts, whenever it begins, and under `history` they are one step
//! of the user.

use super::{CompatibleWorld, beside, overpass};
use axum::http::StatusCode;
use meshcloak::guarantee::Guarantee;

/// Categories of the parts: as many as a union may have.
const PARTS: [&str; 8] =
    ["cafe", "bank", "bar", "pharmacy", "school", "fuel", "parking", "restaurant"];

/// Unions that are sent while batches follow each other without a pause.
const UNIONS: usize = 200;

/// Returns the query of a union about a position.
fn union_at((lon, lat): (f64, f64)) -> String {
    let part = |category: &str| format!("node[amenity={category}](around:100,{lat},{lon});");
    format!("[out:json];({});out;", PARTS.map(part).concat())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_parts_of_a_union_are_in_one_batch_and_one_set_whenever_a_batch_begins() {
    let mut world = CompatibleWorld::new().await;
    let at = beside(7, 0.5, 3.0);
    for number in 0..UNIONS {
        world.world.report("al", at).await;
        let reply = world.send(overpass(&world.token, &union_at(at)));
        // The first batch with a part has `al`, so that a part in a later one would not be hidden.
        let round = loop {
            let round = world.world.fixture.batch();
            if !round.requests.is_empty() {
                break round;
            }
        };
        assert_eq!((round.sets.len(), round.requests.len()), (1, PARTS.len()), "union {number}");
        world.world.fixture.answer(round).await;
        assert_eq!(reply.await.unwrap().0, StatusCode::OK);
        assert_eq!(world.world.sent().len(), PARTS.len());
        world.world.ticks(1).await;
    }
}

#[tokio::test]
async fn under_history_a_part_is_not_bound_by_the_position_of_another() {
    let mut world =
        CompatibleWorld::with(|config, _| config.engine.guarantee = Guarantee::History).await;
    // `al` is on the same street, where `jo` cannot be in no time.
    let (at, other) = (beside(7, 0.5, 3.0), beside(7, 0.3, 3.0));
    for number in 0..3 {
        world.world.report("al", other).await;
        let before = world.accepted();
        let reply = world.send(overpass(&world.token, &union_at(at)));
        world.wait_accepted(before, PARTS.len() as u64).await;
        world.world.fixture.tick().await;
        assert_eq!(world.world.sent().len(), PARTS.len(), "union {number}");
        assert_eq!(reply.await.unwrap().0, StatusCode::OK);
        world.world.ticks(60).await;
    }
}
