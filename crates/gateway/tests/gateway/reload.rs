//! Reloading: all or nothing, visible in health and metrics.

use crate::fixture::{call, gateway_of, generous, walker};
use crate::log_capture::LogCapture;
use axum::body::Body;
use axum::http::Request;
use futures_util::FutureExt as _;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{Config, Mode, Source, Sources};
use gateway::gateway::{Gateway, Parts};
use gateway::inquiry::Inquiry;
use gateway::keys::{KeyFile, LimitOverrides};
use gateway::serve::Running;
use gateway::server::app;
use gateway::service::{Objects, Service, ServiceError, ServiceFuture};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

const SETTINGS: &str = "[server]\nlisten = \"127.0.0.1:0\"\nmetrics = \"\"\n";

async fn start(keys: &Path) -> Running {
    let mut config = Config { keys: Some(keys.to_owned()), ..generous() };
    config.server.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.server.metrics = None;
    let (gateway, _) = gateway_of(config, Mode::Guarded, Clock::start());
    Running::start(Arc::clone(&gateway), app(gateway)).await.unwrap()
}

fn sources(keys: &Path, more: &str) -> Sources {
    let keys = keys.to_str().unwrap();
    let text = format!("{SETTINGS}\n[accounts]\nkeys = \"{keys}\"\n{more}");
    Sources::new().file(Source::from_text("gate.toml", &text))
}

/// Returns the value of a metric.
fn metric(running: &Running, name: &str) -> u64 {
    let text = running.gateway().metrics().render(0);
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap().parse().unwrap()
}

/// Returns the status of `/health`.
async fn health(running: &Running) -> u16 {
    let request = Request::get("/health").body(Body::empty()).unwrap();
    call(app(Arc::clone(running.gateway())), request).await.0.as_u16()
}

#[tokio::test]
async fn a_failed_reload_changes_nothing_and_is_one_error_until_a_good_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let add = |file: &mut KeyFile| file.add("app", LimitOverrides::default());
    let key = KeyFile::update(&path, add).unwrap();
    let running = start(&path).await;
    let (log, _guard) = LogCapture::start();
    let is_known = || running.gateway().directory().account(Some(&key.secret)).is_some();
    let good = std::fs::read_to_string(&path).unwrap();
    let k_max = || running.gateway().config().limits.k_max;
    let before = k_max();
    for (number, (content, more)) in
        [("{", "[limits]\nk_max = 7"), (good.as_str(), "[limits]\nk_max = 1")].iter().enumerate()
    {
        std::fs::write(&path, content).unwrap();
        running.reload(Ok(sources(&path, more)));
        assert!(is_known() && k_max() == before, "nothing changes");
        assert!(running.gateway().metrics().reload_failed());
        assert_eq!(metric(&running, "meshcloak_reload_failures_total"), number as u64 + 1);
        assert_eq!(metric(&running, "meshcloak_last_reload_successful"), 0);
        assert_eq!(health(&running).await, 503);
    }
    let text = log.text();
    let errors: Vec<&str> = text.lines().filter(|line| line.contains("ERROR")).collect();
    let [unreadable, invalid] = errors[..] else { panic!("two errors: {text}") };
    assert!(!text.contains("configuration read again"), "{text}");
    assert!(unreadable.contains("revoked keys are still accepted"), "{text}");
    assert!(invalid.contains("no longer lists are revoked"), "{text}");
    KeyFile::update(&path, |file| file.revoke(&key.id)).unwrap();
    running.reload(Ok(sources(&path, "[limits]\nk_max = 7")));
    assert!(!is_known() && k_max() == 7);
    assert!(!running.gateway().metrics().reload_failed());
    assert_eq!(metric(&running, "meshcloak_last_reload_successful"), 1);
    assert_eq!(health(&running).await, 200);
    assert!(log.text().contains("configuration read again"));
    running.stop().await;
}

#[tokio::test]
async fn a_key_is_revoked_although_other_settings_are_invalid() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let add = |name: &str| {
        KeyFile::update(&path, |file| file.add(name, LimitOverrides::default())).unwrap()
    };
    let (revoked, kept, alone) = (add("app"), add("app"), add("other"));
    let running = start(&path).await;
    let access = |secret: &str| running.gateway().directory().access(Some(secret));
    let [mut ending, mut lasting] = [&revoked, &kept].map(|key| access(&key.secret).unwrap());
    for key in [&revoked, &alone] {
        KeyFile::update(&path, |file| file.revoke(&key.id)).unwrap();
    }
    let new = add("new");
    running.reload(Ok(sources(&path, "[limits]\nk_max = 1")));
    assert!(access(&revoked.secret).is_none() && access(&alone.secret).is_none());
    assert!(access(&kept.secret).is_some(), "it is listed");
    assert!(access(&new.secret).is_none(), "nothing else changes");
    ending.revoked().await;
    assert!(lasting.revoked().now_or_never().is_none(), "streams of other keys stay open");
    assert_eq!(health(&running).await, 503);
    running.reload(Ok(sources(&path, "")));
    assert!(access(&kept.secret).is_some() && access(&new.secret).is_some());
    assert!(lasting.revoked().now_or_never().is_none());
    assert_eq!(health(&running).await, 200);
    running.stop().await;
}

#[tokio::test]
async fn settings_that_need_a_restart_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    KeyFile::default().write(&path).unwrap();
    let text = |more: &str| format!("[accounts]\nkeys = \"{}\"\n{more}", path.to_str().unwrap());
    let load = |more: &str| Sources::new().file(Source::from_text("gate.toml", &text(more)));
    let running =
        Config::load(&load("[engine]\ntick = 2\n[map]\nsource = \"city:500:7\"")).unwrap();
    let restart = |more: &str| load(more).needing_restart(&running);
    assert!(restart("[engine]\ntick = 2\n[map]\nsource = \"city:500:7\"").is_empty());
    let changed =
        "[engine]\ntick = 3\nqueue = 9\n[limits]\nk_max = 7\n[map]\nsource = \"city:500:8\"";
    assert_eq!(restart(changed), ["map.source", "engine.tick"]);
    // A removed setting returns to its default. TLS cannot be switched on by a reload.
    let tls = "[server]\ntls_certificate = \"c\"\ntls_key = \"k\"";
    let expected = ["server.tls_certificate", "server.tls_key", "map.source", "engine.tick"];
    assert_eq!(restart(tls), expected);
}

/// A database that refuses the password.
struct RefusingService;

impl Service for RefusingService {
    fn name(&self) -> &'static str {
        "refusing"
    }

    fn ask<'a>(&'a self, _: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        Box::pin(async { Err(ServiceError::Down) })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        let (code, meaning) = ("28P01".to_owned(), "the user or password is wrong");
        Box::pin(async { Err(ServiceError::Refused { code, meaning }) })
    }
}

#[tokio::test]
async fn the_log_says_why_a_database_refuses() {
    let (log, _guard) = LogCapture::start();
    let mut config = generous();
    config.server.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.server.metrics = None;
    let (mode, service) = (Mode::Demo, Box::new(RefusingService));
    let parts = Parts {
        config,
        mode,
        cities: vec![CityParts::only(walker(), service)],
        clock: Clock::start(),
    };
    let gateway = Arc::new(Gateway::new(parts).unwrap());
    let running = Running::start(Arc::clone(&gateway), app(gateway)).await.unwrap();
    while !log.text().contains("cannot fetch the categories") {
        tokio::task::yield_now().await;
    }
    assert!(log.text().contains("the user or password is wrong (28P01)"), "{}", log.text());
    running.stop().await;
}
