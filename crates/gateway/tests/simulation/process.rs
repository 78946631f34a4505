//! The gateway's process of a schedule: it can be killed, and another one starts with its files.

use crate::log::End;
use crate::plan::Plan;
use crate::service::{FaultyService, SeenRequests};
use crate::world::walker;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::http::request::Builder;
use gateway::batch::{BatchEngine, Round};
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{AfterStart, Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::keys::{KeyFile, LimitOverrides};
use gateway::server::app;
use gateway::service::BuiltIn;
use meshcloak::guarantee::Guarantee;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tower::ServiceExt as _;

/// What outlives a process.
pub struct Installation {
    config: Config,
    mode: Mode,
    key: String,
    /// Key file and record of served users, if the process is killed under `history`.
    _folder: Option<TempDir>,
    start: Instant,
    pub seen: SeenRequests,
}

/// A running gateway.
pub struct Process {
    pub gateway: Arc<Gateway>,
    pub engine: BatchEngine,
    pub rounds: JoinSet<()>,
    /// Requests whose responses are not recorded.
    pub unrecorded: JoinSet<()>,
    app: Router,
    /// Empty if no key is needed.
    key: String,
    start: Instant,
}

impl Installation {
    /// Prepares the files of a schedule that begins now.
    pub fn new(plan: &Plan) -> Installation {
        let (mut config, mut key) = (config(plan), String::new());
        let folder = (plan.has_restart() && plan.is_history).then(|| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("keys.json");
            let add = |file: &mut KeyFile| file.add("app", LimitOverrides::default());
            key = KeyFile::update(&path, add).unwrap().secret;
            config.keys = Some(path);
            config.engine.record = Some(folder.path().join("served"));
            folder
        });
        let mode = if folder.is_some() { Mode::Guarded } else { Mode::Demo };
        let (start, seen) = (Instant::now(), SeenRequests::default());
        Installation { config, mode, key, _folder: folder, start, seen }
    }

    /// Starts a process.
    pub async fn start(&self, plan: &Plan, after_start: AfterStart) -> Process {
        let inner = BuiltIn::new(walker());
        let service = FaultyService::new(inner, plan, self.start, Arc::clone(&self.seen));
        let mut config = self.config.clone();
        config.engine.after_start = after_start;
        let gateway = Gateway::new(Parts {
            config,
            mode: self.mode,
            cities: vec![CityParts::only(walker(), Box::new(service))],
            clock: Clock::manual(),
        });
        let gateway = Arc::new(gateway.unwrap());
        gateway.set_shuffle_seed(plan.seed + 1);
        gateway.refresh_categories().await.unwrap();
        Process {
            app: app(Arc::clone(&gateway)),
            engine: BatchEngine::new(Arc::clone(&gateway)),
            rounds: JoinSet::new(),
            unrecorded: JoinSet::new(),
            key: self.key.clone(),
            start: self.start,
            gateway,
        }
    }
}

impl Process {
    /// Runs a batch.
    pub fn turn(&mut self) -> Round {
        self.engine.turn(self.gateway.clock().now())
    }

    /// Ends the process as `kill -9` does: nothing is delivered and nothing is written.
    pub async fn kill(self) {
        let Process { gateway, engine, mut rounds, mut unrecorded, app, .. } = self;
        rounds.shutdown().await;
        unrecorded.shutdown().await;
        drop((engine, app));
        // Threads that deliver results end by themselves; the record is locked until then.
        while Arc::strong_count(&gateway) > 1 {
            sleep(Duration::from_millis(1)).await;
        }
    }

    /// Sends a query and waits for the response.
    pub fn send(&self, body: &Value) -> impl Future<Output = End> + use<> {
        let (app, start) = (self.app.clone(), self.start);
        let request = Request::post("/v1/queries").header("content-type", "application/json");
        let request = self.authorized(request).body(Body::from(body.to_string())).unwrap();
        async move {
            let response = app.oneshot(request).await.unwrap();
            let at = start.elapsed().as_millis();
            let body = to_bytes(response.into_body(), 1 << 24).await.unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            End { at, outcome: body["outcome"].as_str().unwrap_or("none").to_owned() }
        }
    }

    fn authorized(&self, request: Builder) -> Builder {
        match self.key.as_str() {
            "" => request,
            key => request.header("authorization", format!("Bearer {key}")),
        }
    }

    /// Sends the cancellation of a ticket.
    pub fn cancel(&mut self, ticket: usize) {
        let request = Request::delete(format!("/v1/queries/{ticket}"));
        let request = self.authorized(request).body(Body::empty()).unwrap();
        let response = self.app.clone().oneshot(request);
        self.unrecorded.spawn(async { drop(response.await) });
    }

    /// Repeats a query on another connection.
    pub fn repeat(&mut self, body: &Value) {
        let response = self.send(body);
        self.unrecorded.spawn(async { drop(response.await) });
    }
}

fn config(plan: &Plan) -> Config {
    let mut config = Config { keys: None, ..Config::default() };
    config.limits.rate = 1_000_000;
    config.limits.person_rate = 60_000;
    config.engine.queue = plan.queue;
    config.engine.region = meshcloak::RegionRule::default();
    config.questions.decoys = plan.decoys;
    config.questions.diversity = plan.diversity;
    config.service.concurrency = plan.slots;
    config.service.wait = Duration::from_millis(plan.max_wait);
    config.engine.horizon = Duration::from_secs(plan.horizon);
    if plan.is_history {
        config.engine.guarantee = Guarantee::History;
    }
    config
}
