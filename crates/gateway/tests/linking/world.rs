//! A gateway with moving users and a recording service; the truth about each publication.

use crate::crowd::{Crowd, INTERVAL, KINDS, User};
use crate::publication::{Batch, Publication};
use crate::recorder::Recorder;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use gateway::answers::answer_round;
use gateway::batch::{BatchEngine, Round};
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{AfterStart, Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::server::app;
use gateway::service::RemoteSettings;
use gateway::walk::Walker;
use meshcloak::RegionRule;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::map::StreetMap;
use meshcloak::units::Length;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt as _;

/// What is recorded.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub users: usize,
    pub ticks: u32,
    /// Seconds.
    pub tick: u32,
    pub region: RegionRule,
    /// `history` is with the clock `published`.
    pub guarantee: Guarantee,
    /// Injected leak: requests are sent in the order of users.
    pub leaks_order: bool,
    pub seed: u64,
}

/// Runs a gateway and returns all publications, in order of time.
pub async fn record(setting: Setting) -> Vec<Publication> {
    let source = "city:1000:7".parse().unwrap();
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(2000.0)))));
    let recorder = Recorder::default();
    let url = recorder.start(objects(walker.atlas().map())).await;
    let gateway = gateway(&walker, &url, setting);
    gateway.refresh_categories().await.unwrap();
    let mut engine = BatchEngine::new(Arc::clone(&gateway));
    let mut crowd = Crowd::new(walker.atlas().map(), setting.users, setting.seed);
    let mut found = Vec::new();
    let (mut answers, mut sent) = (tokio::task::JoinSet::new(), 0);
    for tick in 0..setting.ticks {
        let now = tick * setting.tick;
        for (number, user) in crowd.users.iter().enumerate() {
            if (now..now + setting.tick).any(|second| second % INTERVAL == user.phase) {
                let body = query(&crowd, number, tick, user);
                answers.spawn(send(Arc::clone(&gateway), body));
                sent += 1;
            }
        }
        wait_for_arrivals(&gateway, sent).await;
        gateway.clock().advance(u64::from(setting.tick) * 1000);
        let mut round = engine.turn(gateway.clock().now());
        if setting.leaks_order {
            sort_by_user(&mut round);
        }
        let truth = truth(&round);
        let requests = round.requests.clone();
        answer_round(Arc::clone(&gateway), round).await;
        let batch = Batch { map: walker.atlas().map(), tick, requests, hits: recorder.take() };
        found.extend(batch.publications(&truth));
        while answers.try_join_next().is_some() {}
        crowd.advance(setting.tick);
    }
    found
}

/// Returns when `sent` queries were accepted.
async fn wait_for_arrivals(gateway: &Gateway, sent: u64) {
    let arrived = async {
        while gateway.metrics().exact_counts().0 < sent {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), arrived).await.expect("all are accepted");
}

fn gateway(walker: &Arc<Walker>, url: &str, setting: Setting) -> Arc<Gateway> {
    let remote = RemoteSettings::of_source(&format!("webhook+{url}")).unwrap();
    let categories = (0..KINDS).map(|kind| (category(kind), category(kind))).collect();
    let service = RemoteSettings { categories, ..remote }.open(walker).unwrap();
    let mut config = Config { keys: None, ..Config::default() };
    (config.engine.region, config.engine.guarantee) = (setting.region, setting.guarantee);
    config.engine.history_clock = HistoryClock::Published;
    (config.engine.after_start, config.engine.record) = (AfterStart::New, None);
    config.limits.rate = 1_000_000;
    config.limits.person_rate = 60_000;
    config.service.wait = Duration::from_secs(600);
    // Before its first answer the service is assumed to need the whole time-out for each request: with a
    // longer one the first queries of a tick of 5 s would be refused.
    config.service.timeout = Duration::from_secs(10);
    config.service.concurrency = 8;
    let cities = vec![CityParts::only(Arc::clone(walker), service)];
    let parts = Parts { config, mode: Mode::Demo, cities, clock: Clock::manual() };
    Arc::new(Gateway::new(parts).unwrap())
}

fn category(kind: usize) -> String {
    format!("category-{kind}")
}

/// Objects of all categories at some terminals of the map.
fn objects(map: &StreetMap) -> Vec<Value> {
    let object = |(number, terminal): (usize, _)| {
        let at = map.frame().unwrap().lon_lat(map.terminal(terminal));
        let properties = json!({"name": "object", "category": category(number % KINDS)});
        let geometry = json!({"type": "Point", "coordinates": [at.lon, at.lat]});
        let id = number.to_string();
        json!({"type": "Feature", "id": id, "geometry": geometry, "properties": properties})
    };
    map.terminals().step_by(9).enumerate().map(object).collect()
}

/// Kinds with an even number ask for the nearest objects, the others within a radius.
fn query(crowd: &Crowd<'_>, number: usize, tick: u32, user: &User) -> Value {
    let at = crowd.lon_lat(user);
    let question = match user.kind % 2 {
        0 => {
            json!({"find": "nearest", "count": 3, "along": "plane", "category": category(user.kind)})
        }
        _ => {
            json!({"find": "within", "radius": 400, "along": "plane", "category": category(user.kind)})
        }
    };
    json!({"ticket": format!("{number} {tick}"), "person": number.to_string(), "lon": at.lon,
        "lat": at.lat, "k": user.k, "dt": 5, "dc": 1500, "speed": 20, "question": question})
}

async fn send(gateway: Arc<Gateway>, body: Value) -> bool {
    let request = Request::post("/v1/queries").header("content-type", "application/json");
    let request = request.body(Body::from(body.to_string())).unwrap();
    let response = app(gateway).oneshot(request).await.unwrap();
    to_bytes(response.into_body(), usize::MAX).await.is_ok()
}

/// User and request of each served query.
fn truth(round: &Round) -> Vec<(usize, usize)> {
    let members = round.sets.iter().flat_map(|set| &set.members);
    let user = |ticket: &str| ticket.split(' ').next().unwrap().parse().unwrap();
    members.map(|member| (user(member.pending.origin.ticket.expose()), member.request)).collect()
}

/// Sorts the requests of a round by their first users.
fn sort_by_user(round: &mut Round) {
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for (user, request) in truth(round) {
        let known = first.entry(request).or_insert(user);
        *known = user.min(*known);
    }
    let mut order: Vec<usize> = (0..round.requests.len()).collect();
    order.sort_by_key(|request| first[request]);
    let mut moved = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| moved[old] = new);
    round.requests = order.iter().map(|&old| round.requests[old].clone()).collect();
    for set in &mut round.sets {
        set.members.iter_mut().for_each(|member| member.request = moved[member.request]);
        set.requests.iter_mut().for_each(|request| *request = moved[*request]);
        set.requests.sort_unstable();
    }
}
