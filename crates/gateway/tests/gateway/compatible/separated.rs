//! A union whose parts a batch separates: the parts that it collected are answered together, and the
//! rest arrives when nobody is left to hide it.

use super::{Api, CompatibleWorld, beside, overpass};
use axum::http::StatusCode;

/// Categories of the parts, in order of submission: as many as a union may have, so that a batch
/// often falls between two.
const PARTS: [&str; 8] =
    ["cafe", "bank", "bar", "pharmacy", "school", "fuel", "parking", "restaurant"];

/// Whether a batch falls between two parts is up to the scheduler of the machine.
const MAX_ATTEMPTS: usize = 5_000;

/// Sends a union from another thread, and runs a batch as soon as a part is accepted. Returns whether
/// the batch separated the parts, after checking the error and all that was sent.
async fn separates() -> bool {
    let mut world = CompatibleWorld::new().await;
    let at @ (lon, lat) = beside(7, 0.5, 3.0);
    let part = |category: &str| format!("node[amenity={category}](around:100,{lat},{lon});");
    let union = format!("[out:json];({});out;", PARTS.map(part).concat());
    world.world.report("al", at).await;
    let before = world.accepted();
    let reply = world.send(overpass(&world.token, &union));
    while world.accepted() == before {
        std::hint::spin_loop();
    }
    let round = world.world.fixture.turn();
    world.wait_accepted(before, PARTS.len() as u64).await;
    world.world.fixture.answer(round).await;
    let sent = world.world.sent();
    // `al` has left with the first batch, and the parts in it.
    world.world.ticks(7).await;
    assert_eq!(world.world.sent(), Vec::<String>::new(), "more is sent after {sent:?}");
    for (number, category) in PARTS.iter().enumerate() {
        let is_sent = sent.iter().any(|inquiry| inquiry.contains(&format!("\"{category}\"")));
        assert_eq!(is_sent, number < sent.len(), "{category}: {sent:?}");
    }
    let reply = reply.await.unwrap();
    if sent.len() == PARTS.len() {
        assert_eq!(reply.0, StatusCode::OK);
        return false;
    }
    assert!(!sent.is_empty());
    let (kind, message) = Api::Overpass.error(&reply);
    assert_eq!(
        (&*kind, &*message),
        (
            "504",
            "not enough users were near to hide a part of this request in time; the others were \
             asked for a set of users"
        )
    );
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_union_that_a_batch_separates_the_parts_that_are_not_hidden_are_never_asked() {
    for _ in 0..MAX_ATTEMPTS {
        if separates().await {
            return;
        }
    }
    panic!("no batch separated the parts of a union");
}
