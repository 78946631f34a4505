//! Present users of one frontend in the sets of users who ask at another: they are released with the
//! answers, although their frontend has no question of the set.

use crate::process::{Frontend, query};
use crate::town::{NAME, Town};
use axum::Router;
use axum::routing::post;
use cluster::testing::{Servers, eventually};
use fleet::peers::Peers;
use futures_util::future::join_all;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::StreetId;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;
use tokio::sync::watch;

/// Present users. The owner tells the number of waiting queries in tens, rounded up: 20 means all.
const PRESENT: u32 = 11;

/// A service that holds its answers, which are empty, until it is opened.
struct HeldService {
    url: String,
    gate: watch::Sender<bool>,
    requests: Arc<AtomicUsize>,
}

impl HeldService {
    async fn start() -> HeldService {
        let (gate, opened) = watch::channel(false);
        let requests = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&requests);
        let answer = async move || {
            count.fetch_add(1, Ordering::Relaxed);
            opened.clone().wait_for(|is_open| *is_open).await.unwrap();
            r#"{"type":"FeatureCollection","features":[],"complete":true}"#
        };
        let app = Router::new().fallback(post(answer));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("webhook+http://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        HeldService { url, gate, requests }
    }
}

/// Starts a frontend whose rounds wait for the service for as long as the test lasts.
fn frontend(
    town: &Town,
    servers: &Servers,
    folder: &TempDir,
    service: &HeldService,
    name: &str,
) -> Frontend {
    let mut arguments = vec!["--role".into(), "frontend".into()];
    arguments.extend(["--cluster".into(), servers.urls().join(",")]);
    for setting in ["service.timeout=60", "service.question_timeout=60", "service.wait=600"] {
        arguments.extend(["--set".into(), setting.into()]);
    }
    arguments.extend(["--set".into(), "presence.patience=600".into()]);
    arguments.extend(["--set".into(), format!("service.source={}", service.url)]);
    Frontend::with_arguments(&arguments, town, folder.path(), name)
}

/// Queries in the middle of different streets; without a question if they are presence reports.
fn queries(town: &Town, name: &str, is_present: bool) -> Vec<Value> {
    let query = |number: u32| {
        let mut query = query(town, &format!("{name}{number}"), StreetId(37 * number), 2);
        match is_present {
            true => drop(query.as_object_mut().unwrap().remove("question")),
            false => query["question"] = json!({ "find": "within", "radius": 100 }),
        }
        query
    };
    (0..PRESENT).map(query).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn present_users_of_another_frontend_are_released_with_the_answers_of_their_sets() {
    tokio::task::LocalSet::new().run_until(release_present_users()).await;
}

async fn release_present_users() {
    rustls::crypto::ring::default_provider().install_default().ok();
    let (servers, folder) = (Servers::start(1).await, tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("secret"), [7; 32]).unwrap();
    let town = Town::new(Guarantee::Reciprocal);
    let service = HeldService::start().await;
    let engine = town.engine(&servers, "one").await;
    let start = |name| Arc::new(frontend(&town, &servers, &folder, &service, name));
    let [asking, present] = ["f1", "f2"].map(start);
    asking.ready().await;
    present.ready().await;
    let peers = Peers::follow(&servers.connect().await).await.unwrap();
    let send = |frontend: &Arc<Frontend>, queries: Vec<Value>| -> Vec<_> {
        let send = |query: Value| {
            let frontend = Arc::clone(frontend);
            tokio::task::spawn_local(async move { frontend.post(&query).await })
        };
        queries.into_iter().map(send).collect()
    };

    let reports = send(&present, queries(&town, "present", true));
    eventually("all reports wait", async || {
        peers.owner(NAME, 0).filter(|owner| owner.waiting >= u64::from(PRESENT))
    })
    .await;
    let asked = send(&asking, queries(&town, "asking", false));
    let first = eventually("the service is asked", async || {
        peers.owner(NAME, 0).filter(|_| service.requests.load(Ordering::Relaxed) > 0)
    })
    .await;
    eventually("two ticks", async || {
        peers.owner(NAME, 0).filter(|owner| owner.at >= first.at + 2_000)
    })
    .await;
    let is_held = reports.iter().chain(&asked).all(|reply| !reply.is_finished());
    assert!(is_held, "no member is released before the service has answered");
    service.gate.send_replace(true);
    eventually("all members are released", async || {
        reports.iter().chain(&asked).all(tokio::task::JoinHandle::is_finished).then_some(())
    })
    .await;
    for (replies, outcome) in [(asked, "answered"), (reports, "present")] {
        for reply in join_all(replies).await {
            let reply = reply.unwrap();
            assert_eq!(reply["outcome"], outcome, "{reply}");
        }
    }
    engine.stop().await;
}
