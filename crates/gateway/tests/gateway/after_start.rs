//! `history` across restarts: users served by an earlier process are refused for one horizon.

use crate::fixture::{Fixture, call, generous, query, query_request};
use axum::http::StatusCode;
use futures_util::join;
use gateway::config::{AfterStart, Config, Mode};
use gateway::keys::{KeyFile, LimitOverrides};
use meshcloak::guarantee::Guarantee;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Gateways of successive processes with the same files.
struct Processes {
    config: Config,
    key: String,
}

impl Processes {
    fn new(folder: &Path) -> Processes {
        let path = folder.join("keys.json");
        let add = |file: &mut KeyFile| file.add("app", LimitOverrides::default());
        let key = KeyFile::update(&path, add).unwrap().secret;
        let mut config = Config { keys: Some(path), ..generous() };
        config.engine.guarantee = Guarantee::History;
        config.engine.horizon = Duration::from_secs(10);
        config.engine.after_start = AfterStart::Refuse;
        config.engine.record = Some(folder.join("served"));
        Processes { config, key }
    }

    async fn start(&self) -> Fixture {
        Fixture::new(self.config.clone(), Mode::Guarded).await
    }

    /// Asks for two users on a street and runs a batch. Returns the result of the first.
    async fn ask(
        &self,
        fixture: &mut Fixture,
        names: [&str; 2],
        street: u32,
    ) -> (StatusCode, Value) {
        let at = fixture.gateway.clock().now().as_millis();
        let [first, second] = names.map(|name| {
            let mut request =
                query_request(query(&format!("{name}{at}"), name, street).to_string());
            let bearer = format!("Bearer {}", self.key).parse().unwrap();
            request.headers_mut().insert("authorization", bearer);
            call(fixture.app.clone(), request)
        });
        join!(first, second, fixture.tick()).0
    }
}

#[tokio::test]
async fn an_impossible_jump_is_not_answered_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut processes = Processes::new(folder.path());
    let mut unknown = processes.start().await;
    let (_, refused) = processes.ask(&mut unknown, ["ann", "bob"], 3).await;
    assert_eq!(refused["reason"], "after-start", "an earlier process may have had no record");
    drop(unknown);
    std::fs::remove_file(folder.path().join("served")).unwrap();
    std::fs::remove_file(folder.path().join("served.old")).unwrap();
    std::fs::remove_file(folder.path().join("served.key")).unwrap();
    processes.config.engine.after_start = AfterStart::New;
    let mut first = processes.start().await;
    processes.config.engine.after_start = AfterStart::Refuse;
    let (_, served) = processes.ask(&mut first, ["ann", "bob"], 3).await;
    assert_eq!(
        (&served["outcome"], &served["receipt"]["history"]),
        (&json!("answered"), &json!("new"))
    );
    assert_eq!(
        processes.ask(&mut first, ["ann", "bob"], 250).await.1["reason"],
        "faster-than-declared"
    );
    // No shutdown: what counts is on disk.
    drop(first);
    let mut second = processes.start().await;
    let (status, refused) = processes.ask(&mut second, ["ann", "bob"], 250).await;
    assert_eq!(
        (status, &refused["reason"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("after-start"))
    );
    assert!(second.probe.take().is_empty(), "nothing is sent");
    let (_, new) = processes.ask(&mut second, ["cyd", "dan"], 3).await;
    assert_eq!(new["outcome"], "answered", "users who were never served are not refused");
    second.gateway.clock().advance(10_000);
    assert_eq!(processes.ask(&mut second, ["ann", "bob"], 250).await.1["outcome"], "answered");
    drop(second);
    // Without the refusal the jump is answered.
    processes.config.engine.after_start = AfterStart::New;
    let mut third = processes.start().await;
    let (_, jump) = processes.ask(&mut third, ["ann", "bob"], 3).await;
    assert_eq!(
        (&jump["outcome"], &jump["receipt"]["history"]),
        (&json!("answered"), &json!("new"))
    );
    drop(third);
    // A process under another guarantee leaves no record that would be incomplete.
    processes.config.engine.after_start = AfterStart::Refuse;
    processes.config.engine.guarantee = Guarantee::Reciprocal;
    let mut fourth = processes.start().await;
    let (_, served) = processes.ask(&mut fourth, ["eve", "fay"], 3).await;
    assert_eq!(served["outcome"], "answered");
    drop(fourth);
    processes.config.engine.guarantee = Guarantee::History;
    let mut fifth = processes.start().await;
    assert_eq!(processes.ask(&mut fifth, ["eve", "fay"], 250).await.1["reason"], "after-start");
}

#[tokio::test]
async fn without_a_record_all_users_are_refused_for_one_horizon() {
    let folder = tempfile::tempdir().unwrap();
    let mut processes = Processes::new(folder.path());
    processes.config.engine.record = None;
    let mut fixture = processes.start().await;
    assert_eq!(processes.ask(&mut fixture, ["ann", "bob"], 3).await.1["reason"], "after-start");
    fixture.gateway.clock().advance(10_000);
    assert_eq!(processes.ask(&mut fixture, ["ann", "bob"], 3).await.1["outcome"], "answered");
}
