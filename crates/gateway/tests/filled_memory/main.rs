//! The doctor's bound of memory against a gateway that has grown: users on every street under
//! `history` with regions `reach`, and then every row of distances. The only test of this binary,
//! because it measures the process.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![cfg(target_os = "linux")]

use axum::body::Body;
use axum::http::{Request, StatusCode};
use gateway::answers::answer_round;
use gateway::batch::BatchEngine;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{AfterStart, Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::prepare::read_walker;
use gateway::server::app;
use gateway::service::BuiltIn;
use meshcloak::distance::{Atlas, Rows};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::Position;
use meshcloak::mesh_cloak::RegionRule;
use meshcloak::units::Length;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

const MEGABYTE: usize = 1 << 20;

/// Returns a value of `/proc/self/status` in bytes.
fn process_bytes(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_matches(|c: char| !c.is_ascii_digit()).parse::<usize>().unwrap() << 10
}

/// Settings whose bounds are small, so that the maps take most of the memory.
fn config() -> Config {
    let mut config = Config { keys: None, ..Config::default() };
    config.map.source = "city:2000:7".parse().unwrap();
    (config.engine.after_start, config.engine.record) = (AfterStart::New, None);
    (config.engine.guarantee, config.engine.region) = (Guarantee::History, RegionRule::default());
    (config.engine.queue, config.server.connections) = (5_000, 10);
    (config.limits.users, config.limits.rate) = (5_000, 1_000_000);
    (config.engine.horizon, config.service.wait) =
        (Duration::from_secs(2), Duration::from_secs(600));
    config.results.max_bytes = MEGABYTE;
    config.answers.max_unread = MEGABYTE;
    config.service.max_held = MEGABYTE;
    config
}

/// Returns the memory that the doctor states in bytes: of all, and of the distances.
async fn examined(config: &Config) -> (usize, usize) {
    let findings = gateway::doctor::examine(config, Mode::Demo, &()).await;
    let message = &findings.iter().find(|found| found.topic == "memory").unwrap().message;
    println!("{message}");
    let after = |name: &str| {
        let rest = message.split_once(name).unwrap().1.trim_start();
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap();
        digits.parse::<usize>().unwrap() * MEGABYTE
    };
    (after("at most"), after("distances"))
}

/// A user on each street asks; the distance constraints of all are `metres`.
async fn ask_everywhere(gateway: &Arc<Gateway>, engine: &mut BatchEngine, metres: f64) {
    let city = gateway.cities().iter().next().unwrap();
    let map = city.map();
    let (app, before) = (app(Arc::clone(gateway)), gateway.metrics().exact_counts().0);
    let queries = map.streets().map(|street| {
        let position = Position { street, offset: map.street(street).length.part(0.5) };
        let at = map.frame().unwrap().lon_lat(map.point(position));
        let body = json!({
            "ticket": format!("{street:?}-{metres}"), "person": format!("{street:?}"),
            "lon": at.lon, "lat": at.lat, "k": 2, "dt": 5, "dc": metres, "speed": 60,
            "question": {"find": "nearest", "count": 3},
        });
        let request = Request::post("/v1/queries").header("content-type", "application/json");
        tokio::spawn(app.clone().oneshot(request.body(Body::from(body.to_string())).unwrap()))
    });
    let queries: Vec<_> = queries.collect();
    let accepted = || gateway.metrics().exact_counts().0;
    let expected = before + queries.len() as u64;
    while accepted() < expected {
        assert!(!queries.iter().any(JoinHandle::is_finished), "a query was refused");
        tokio::task::yield_now().await;
    }
    for _ in 0..7 {
        gateway.clock().advance(1000);
        let round = engine.turn(gateway.clock().now());
        answer_round(Arc::clone(gateway), round).await;
    }
    for query in queries {
        assert_eq!(query.await.unwrap().unwrap().status(), StatusCode::OK);
    }
}

/// Reads every row in the order that takes most memory; returns the size of rows and matrix.
fn read_every_row(atlas: &Atlas) -> usize {
    let Rows::Streets(reach) = atlas.rows() else { panic!("rows of terminals") };
    for part in [3, 1] {
        let max = Length::from_units(atlas.dc_max().units() / part);
        assert!(atlas.map().streets().all(|street| reach.within(street, max).count() > 0));
    }
    atlas.matrix().fill();
    reach.bytes() + atlas.matrix().bytes()
}

#[tokio::test]
async fn a_gateway_that_has_grown_stays_within_the_bound_of_the_doctor() {
    let config = config();
    let (bound, distances) = examined(&config).await;

    let city = config.map.cities().remove(0);
    let walker = read_walker(&config, &city, &()).unwrap();
    let before = process_bytes("VmRSS:");
    let rows = read_every_row(walker.atlas());
    let grown = process_bytes("VmRSS:") - before;
    println!("rows {} MB, grown by {} MB", rows / MEGABYTE, grown / MEGABYTE);
    assert!(distances / 2 < grown && grown < distances + MEGABYTE, "{grown}, doctor {distances}");
    assert!(distances / 2 < rows && rows < distances, "{rows} bytes of rows, doctor {distances}");

    let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
    let cities = vec![CityParts::only(walker, service)];
    let parts = Parts { config, mode: Mode::Demo, cities, clock: Clock::manual() };
    let gateway = Arc::new(Gateway::new(parts).unwrap());
    gateway.refresh_categories().await.unwrap();
    let mut engine = BatchEngine::new(Arc::clone(&gateway));
    for metres in [300.0, 600.0, 1_900.0] {
        ask_everywhere(&gateway, &mut engine, metres).await;
    }
    let (answered, peak) = (gateway.metrics().exact_counts().1[0], process_bytes("VmHWM:"));
    println!("{answered} answered, peak {} MB", peak / MEGABYTE);
    assert!(answered > 1_000, "{answered} answered");
    assert!(peak <= bound, "peak {peak}, at most {bound} by the doctor");
}
