//! Peak memory while hostile answers of services are read: a small multiple of their size, for
//! every HTTP connector. The only test of this binary, because it measures the process.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![cfg(target_os = "linux")]

mod answers;
#[expect(dead_code, reason = "shared with the tests of the services")]
#[path = "../services/recording_server.rs"]
mod recording_server;
#[allow(dead_code, reason = "shared with the tests of PostGIS")]
#[path = "../postgis/town.rs"]
mod town;

use gateway::question::{Along, Category, Operation, Question};
use gateway::service::{OgcFilter, RemoteSettings};
use gateway::walk::Walker;
use meshcloak::units::Length;
use recording_server::{Listener, Reply};
use std::sync::Arc;

const SOURCES: [&str; 3] = ["overpass+URL/api", "ogc-features+URL/collections/a", "webhook+URL/"];

/// Size of a hostile answer in bytes.
const BODY: usize = 4 << 20;

/// Largest growth of the process per byte of an answer. Two of them are the copies of the body in
/// the test's server and in the gateway.
const MAX_RATIO: usize = 16;

/// Returns a value of `/proc/self/status` in bytes.
fn process_bytes(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_matches(|c: char| !c.is_ascii_digit()).parse::<usize>().unwrap() << 10
}

/// Sends the inquiry of one service and ignores the answer.
async fn ask(walker: &Arc<Walker>, source: &str, url: &str) {
    let mut settings = RemoteSettings::of_source(&source.replace("URL", url)).unwrap();
    let categories = settings.open(walker).map(|service| async move {
        let _ = service.categories().await;
    });
    if let Ok(categories) = categories {
        categories.await;
    }
    settings.categories = [("cafe".to_owned(), "amenity=cafe".to_owned())].into();
    settings.ogc.filter = OgcFilter::Intersects;
    settings.timeout = 120.0;
    let operation = Operation::Within { radius: Length::metres(500.0), along: Along::Plane };
    let question = Question { operation, category: Category::Any };
    let region: Vec<_> = walker.map().streets().take(4).collect();
    let service = settings.open(walker).unwrap();
    let _ = service.ask(&town::inquiry(walker.map(), &region, &question)).await;
}

#[tokio::test]
async fn a_hostile_answer_takes_memory_in_proportion_to_its_bytes() {
    let walker = town::hamlet();
    let answers = answers::all(BODY);
    // Freed memory may stay with the process, so all growth is measured from here.
    let before = process_bytes("VmRSS:");
    for (name, body) in answers {
        let server = Listener::start(move |_| Reply::ok(body.clone())).await;
        for source in SOURCES {
            // Resets the peak to the current size.
            std::fs::write("/proc/self/clear_refs", "5").unwrap();
            ask(&walker, source, &server.url).await;
            let growth = process_bytes("VmHWM:").saturating_sub(before);
            let ratio = growth / BODY;
            println!("{source} {name}: {ratio} times the answer");
            assert!(ratio <= MAX_RATIO, "{source} {name}: {growth} bytes for {BODY}");
        }
    }
}
