//! `meshcloak cluster status` and `meshcloak cluster move` with waiting queries.

use crate::frontend::{TestFrontend, query};
use crate::town::{NAME, Town};
use cluster::testing::Servers;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::{Position, StreetId};
use meshcloak::units::Length;
use std::process::Command;
use std::time::Duration;

/// Runs `meshcloak cluster` and returns its output.
pub async fn cluster_command(servers: &Servers, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshcloak"));
    command.arg("cluster").args(arguments).args(["--cluster", &servers.urls().join(",")]);
    let run = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_keeps_waiting_queries_and_the_past() {
    for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
        let servers = Servers::start(1).await;
        let town = Town::new(guarantee);
        let frontend = TestFrontend::start(servers.connect().await).await;
        let one = town.engine(&servers, "one").await;
        let first = frontend.owner_above(0, 0).await;
        assert_eq!(first.name, "one");
        let two = town.engine(&servers, "two").await;
        let place = Position { street: StreetId(0), offset: Length::ZERO };
        let dt = Duration::from_secs(50);
        // Forty users with k = 41 wait.
        let waiting = (1..=40).map(|number| query(number, number, place, 41, dt)).collect();
        frontend.submit(&town, 0, waiting).await;
        let status: serde_json::Value =
            serde_json::from_str(&cluster_command(&servers, &["status", "--json"]).await).unwrap();
        assert_eq!(status["shards"][0]["name"], "one");
        assert_eq!(status["shards"][0]["waiting"], 40);
        let moved = cluster_command(&servers, &["move", NAME, "two"]).await;
        assert!(moved.contains("moved to two"), "{moved}");
        let second = frontend.owner_above(0, first.epoch).await;
        assert_eq!((second.name.as_str(), second.moved_from), ("two", first.epoch));
        frontend.submit(&town, 0, vec![query(41, 41, place, 2, dt)]).await;
        for number in 1..=41 {
            frontend.served(number).await;
        }
        let ends: usize = frontend.received.lock().parts.iter().map(|part| part.ended.len()).sum();
        assert_eq!(ends, 0, "{guarantee:?}: no query has failed");
        let status = cluster_command(&servers, &["status"]).await;
        for text in ["town", "1/1", "two", "test", &second.epoch.to_string()] {
            assert!(status.contains(text), "{text} in\n{status}");
        }
        one.stop().await;
        two.stop().await;
    }
}
