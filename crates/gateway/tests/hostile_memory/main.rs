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
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const SOURCES: [&str; 3] = ["overpass+URL/api", "ogc-features+URL/collections/a", "webhook+URL/"];

/// Size of a hostile answer in bytes.
const BODY: usize = 4 << 20;

/// Largest growth of the process per byte of an answer. Two of them are the copies of the body in
/// the test's server and in the gateway.
const MAX_RATIO: f64 = 16.0;

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

/// Tells a child process the index of its source; its standard input is the answer.
const SOURCE: &str = "MESHCLOAK_HOSTILE_SOURCE";

/// Returns the growth of this process, in bytes, while a service sends an answer.
async fn growth(source: &str, body: String) -> usize {
    let walker = town::hamlet();
    let server = Listener::start(move |_| Reply::ok(body.clone())).await;
    let before = process_bytes("VmRSS:");
    // Resets the peak to the current size.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    ask(&walker, source, &server.url).await;
    process_bytes("VmHWM:").saturating_sub(before)
}

/// Measures one answer of a source in a process of its own: memory that the allocator keeps from
/// other answers would hide or add growth.
fn growth_in_child(source: usize, body: &Path) -> usize {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "--nocapture",
            "a_hostile_answer_takes_memory_in_proportion_to_its_bytes",
        ])
        .env(SOURCE, source.to_string())
        .stdin(File::open(body).unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let growth = text.lines().find_map(|line| line.strip_prefix("growth "));
    growth.unwrap_or_else(|| panic!("no growth in {text}")).parse().unwrap()
}

#[tokio::test]
async fn a_hostile_answer_takes_memory_in_proportion_to_its_bytes() {
    if let Ok(source) = std::env::var(SOURCE) {
        let body = std::io::read_to_string(std::io::stdin()).unwrap();
        println!("growth {}", growth(SOURCES[source.parse::<usize>().unwrap()], body).await);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer");
    for (name, body) in answers::all(BODY) {
        std::fs::write(&file, body).unwrap();
        for (index, source) in SOURCES.iter().enumerate() {
            let growth = growth_in_child(index, &file);
            let ratio = growth as f64 / BODY as f64;
            println!("{source} {name}: {ratio:.1} times the answer");
            // The copies of the server and of the gateway.
            assert!(ratio >= 1.0, "{source} {name}: {growth} bytes for {BODY} are not all");
            assert!(ratio <= MAX_RATIO, "{source} {name}: {growth} bytes for {BODY}");
        }
    }
}
