//! Lost logs: whatever remembers a record that the log no longer holds makes the owner refuse
//! `history` for one horizon, also under `engine.after_start = "new"`.

use crate::frontend::{TestFrontend, query};
use crate::town::{NAME, Town};
use cluster::testing::{Servers, eventually};
use fleet::engine::RunningEngine;
use fleet::message::{EndCode, Seen};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::{Position, StreetId};
use meshcloak::units::Length;
use std::sync::Arc;
use std::time::Duration;

const LOG: &str = "MC_LOG_town";
const BUCKET: &str = "KV_meshcloak";
const DT: Duration = Duration::from_secs(20);

/// Servers, a city and a frontend.
struct Scene {
    servers: Servers,
    town: Town,
    frontend: TestFrontend,
    next: u64,
}

impl Scene {
    async fn new() -> Scene {
        let servers = Servers::start(1).await;
        let frontend = TestFrontend::start(servers.connect().await).await;
        Scene { servers, town: Town::new(Guarantee::History), frontend, next: 1 }
    }

    /// Submits queries of two users in one place. Returns how they ended; `None` if both were served.
    async fn ask(&mut self) -> Option<EndCode> {
        let place = Position { street: StreetId(0), offset: Length::ZERO };
        let numbers = [self.next, self.next + 1];
        self.next += 2;
        let queries = numbers.map(|number| query(number, number % 2, place, 2, DT));
        self.frontend.submit(&self.town, 0, queries.into()).await;
        eventually("both queries have ended", async || {
            let received = self.frontend.received.lock();
            let members =
                received.parts.iter().flat_map(|part| &part.sets).flat_map(|s| &s.members);
            let served: Vec<u64> = members.map(|member| member.number).collect();
            let mut ended = received.parts.iter().flat_map(|part| &part.ended);
            let code = ended.find(|(number, _)| numbers.contains(number)).map(|(_, code)| *code);
            let is_served = numbers.iter().all(|number| served.contains(number));
            if is_served { Some(None) } else { code.map(Some) }
        })
        .await
    }

    /// The newest record that the frontend was told of.
    fn seen(&self) -> Seen {
        let received = self.frontend.received.lock();
        received.parts.iter().map(|part| part.seen).max_by_key(|seen| seen.at).unwrap()
    }

    /// Starts an engine and waits until it owns the city.
    async fn engine(&self, name: &str) -> RunningEngine {
        let engine = self.town.engine(&self.servers, name).await;
        eventually("the engine owns the city", async || {
            self.frontend.peers.owner(NAME, 0).filter(|beat| beat.name == name)
        })
        .await;
        engine
    }

    async fn delete(&self, stream: &str) {
        let cluster = self.servers.connect().await;
        let context = async_nats::jetstream::new(cluster.client().clone());
        context.delete_stream(stream).await.unwrap();
    }

    /// Makes the log forget its newest records, as if replicas that missed them had become leaders.
    async fn shorten(&self, lost: u64) {
        let cluster = self.servers.connect().await;
        let context = async_nats::jetstream::new(cluster.client().clone());
        let mut stream = context.get_stream(LOG).await.unwrap();
        let info = stream.info().await.unwrap().clone();
        let mut kept = Vec::new();
        for sequence in 1..=info.state.last_sequence - lost {
            kept.push(stream.get_raw_message(sequence).await.unwrap());
        }
        context.delete_stream(LOG).await.unwrap();
        context.create_stream(info.config).await.unwrap();
        for message in kept {
            let sequence = message.sequence;
            let published = context.publish(message.subject, message.payload).await.unwrap();
            assert_eq!(published.await.unwrap().sequence, sequence);
        }
    }
}

/// Returns the status of an engine's health probe, its body, and the metrics.
async fn operators_view(engine: &RunningEngine) -> (u16, String, String) {
    rustls::crypto::ring::default_provider().install_default().ok();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = fleet::engine::router(Arc::clone(engine.host()));
    let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let health = reqwest::get(format!("{url}/health")).await.unwrap();
    let status = health.status().as_u16();
    let metrics = reqwest::get(format!("{url}/metrics")).await.unwrap().text().await.unwrap();
    server.abort();
    (status, health.text().await.unwrap(), metrics)
}

/// Checks what an engine tells its operator about lost logs and `history`.
async fn check_view(engine: &RunningEngine, has_loss: bool, is_refused: bool) {
    let (expected, state) = if is_refused { (503, "history-unknown") } else { (200, "ok") };
    let (health, metrics) = eventually("the health has this status", async || {
        let (status, health, metrics) = operators_view(engine).await;
        (status == expected).then_some((health, metrics))
    })
    .await;
    assert!(health.contains(&format!("\"state\":\"{state}\"")), "{health}");
    let row = |name: &str| {
        let mut rows = metrics.lines().filter_map(|line| line.split_once(' '));
        let value = rows.find(|(key, _)| key.split('{').next() == Some(name));
        value.unwrap_or_else(|| panic!("no {name} in\n{metrics}")).1.parse::<f64>().unwrap()
    };
    assert_eq!(row("meshcloak_engine_lost_logs_total") > 0.0, has_loss, "{metrics}");
    assert_eq!(row("meshcloak_engine_history_unknown_seconds") > 0.0, is_refused, "{metrics}");
    assert_eq!(row("meshcloak_engine_takeovers_total"), 1.0);
    assert_eq!(row("meshcloak_engine_refused_appends_total"), 0.0);
    assert!(row("meshcloak_engine_epoch") > 0.0 && row("meshcloak_engine_lag_seconds") > 0.0);
}

fn is_unknown(end: Option<EndCode>) -> bool {
    matches!(end, Some(EndCode::HistoryUnknown(1..=61)))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_log_is_the_first_one_only_if_the_bucket_knows_no_other() {
    let mut scene = Scene::new().await;
    let engine = scene.engine("one").await;
    assert_eq!(scene.ask().await, None, "the first start");
    engine.stop().await;
    let engine = scene.engine("two").await;
    assert_eq!(scene.ask().await, None, "the log has survived the engine");
    engine.stop().await;
    scene.delete(LOG).await;
    let engine = scene.engine("three").await;
    assert!(is_unknown(scene.ask().await), "the bucket knows that there was a log");
    engine.stop().await;
    // Control: nothing is left that could remember, as on new servers.
    scene.delete(LOG).await;
    scene.delete(BUCKET).await;
    let engine = scene.engine("four").await;
    assert_eq!(scene.ask().await, None);
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_log_that_a_frontend_remembers_is_refused() {
    let mut scene = Scene::new().await;
    let engine = scene.engine("one").await;
    assert_eq!(scene.ask().await, None);
    let seen = scene.seen();
    engine.stop().await;
    scene.delete(LOG).await;
    scene.delete(BUCKET).await;
    // The frontend remembers; its own queries and those of others are refused.
    scene.frontend.seen.lock().push(seen);
    let other = TestFrontend::start(scene.servers.connect().await).await;
    let engine = scene.engine("two").await;
    assert!(is_unknown(scene.ask().await));
    scene.frontend = other;
    assert!(is_unknown(scene.ask().await), "the loss is in the log");
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_is_shorter_than_a_frontend_has_seen_is_refused_also_by_later_owners() {
    let mut scene = Scene::new().await;
    let engine = scene.engine("one").await;
    assert_eq!(scene.ask().await, None);
    assert_eq!(scene.ask().await, None);
    check_view(&engine, false, false).await;
    let seen = scene.seen();
    engine.stop().await;
    scene.shorten(2).await;
    scene.frontend.seen.lock().push(seen);
    let engine = scene.engine("two").await;
    assert!(is_unknown(scene.ask().await), "the log is shorter than {seen:?}");
    check_view(&engine, true, true).await;
    engine.stop().await;
    // No process remembers the user; the log does.
    scene.frontend.seen.lock().clear();
    let engine = scene.engine("three").await;
    assert!(is_unknown(scene.ask().await));
    check_view(&engine, false, true).await;
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shorter_log_that_nobody_remembers_is_not_noticed() {
    let mut scene = Scene::new().await;
    let engine = scene.engine("one").await;
    assert_eq!(scene.ask().await, None);
    engine.stop().await;
    scene.shorten(1).await;
    let engine = scene.engine("two").await;
    assert_eq!(scene.ask().await, None, "control of the test above");
    engine.stop().await;
}
