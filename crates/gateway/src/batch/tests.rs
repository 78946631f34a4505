//! What the operator is told of a set that the guard rejects.

use super::*;
use crate::city::CityParts;
use crate::clock::Clock;
use crate::config::{Config, LogConfig, Mode};
use crate::gateway::Parts;
use crate::intake::parse_query;
use crate::page::BatchSummary;
use crate::service::BuiltIn;
use crate::submit::submit;
use crate::tickets::Route;
use crate::walk::Walker;
use meshcloak::constraint_graph::Coverage;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::guard::Promise;
use meshcloak::map::StreetId;
use meshcloak::presence::PresenceRule;
use meshcloak::scheme::{Description, Observer, Pace, Published, RegionDependence, State};
use meshcloak::units::Length;
use parking_lot::Mutex;
use std::io;

/// Publishes every query alone, although it promises `reciprocal`.
struct Alone {
    promise: Promise,
    published: Published,
}

impl Scheme for Alone {
    fn name(&self) -> &'static str {
        "alone"
    }

    fn describe(&self) -> Description {
        Description::unlisted(Pace::Batch, RegionDependence::Fixed)
    }

    fn promise(&self) -> Option<Promise> {
        Some(self.promise.clone())
    }

    fn cloak(&mut self, state: &State, _: Time, _: &mut dyn Observer) -> &mut Published {
        self.published.clear();
        for (index, query) in (0..).zip(&state.waiting) {
            self.published
                .add_mesh([query.id].into_iter(), |mesh| mesh.push(query.position.street));
            self.published.serve(index, index);
        }
        &mut self.published
    }
}

fn gateway() -> Arc<Gateway> {
    let source = "city:500:7".parse().unwrap();
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(300.0)))));
    let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
    let config = Config { keys: None, ..Config::default() };
    let cities = vec![CityParts::only(walker, service)];
    let parts = Parts { config, mode: Mode::Demo, cities, clock: Clock::manual() };
    Arc::new(Gateway::new(parts).unwrap())
}

fn submit_one(gateway: &Gateway, user: &str) {
    let account = Arc::clone(gateway.directory().account(None).unwrap());
    let map = gateway.city().atlas().map();
    let lon_lat = map.frame().unwrap().lon_lat(map.shape(StreetId(3))[0]);
    let text = serde_json::json!({
        "ticket": user, "person": user, "k": 2, "dt": 30, "dc": 200,
        "lon": lon_lat.lon, "lat": lon_lat.lat, "question": {"find": "nearest", "count": 1},
    });
    let query = parse_query(gateway, &account, text.to_string().as_bytes()).unwrap();
    let route = || Route::One(tokio::sync::oneshot::channel().0);
    submit(gateway, &account, [query], route, |_, _| ());
}

#[derive(Clone, Default)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl io::Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_failed_check_is_in_metrics_log_and_page() {
    let gateway = gateway();
    let atlas = Arc::clone(gateway.city().atlas());
    let promise = Promise {
        guarantee: Guarantee::Reciprocal,
        history_clock: HistoryClock::Asked,
        coverage: Coverage::Own,
        across_accounts: false,
        presence: PresenceRule::default(),
        cells: None,
        atlas,
    };
    let scheme = Box::new(Alone { promise, published: Published::default() });
    let mut engine = BatchEngine::with_scheme(Arc::clone(&gateway), scheme);
    submit_one(&gateway, "ann");
    submit_one(&gateway, "bob");
    gateway.clock().advance(1_000);
    let log = LogBuffer::default();
    let writer = log.clone();
    let subscriber = crate::logs::subscriber(&LogConfig::default(), move || writer.clone());
    let round =
        tracing::subscriber::with_default(subscriber, || engine.turn(gateway.clock().now()));
    assert!(round.requests.is_empty() && engine.waiting_count() == 2, "nothing is published");
    let metrics = gateway.metrics().render(0);
    for line in [
        "meshcloak_suppressed_sets_total 2",
        "meshcloak_unpublished_sets_total{reason=\"too_small\"} 2",
        "meshcloak_unpublished_sets_total{reason=\"not_clique\"} 0",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line}\n{metrics}");
    }
    let text = String::from_utf8(log.0.lock().clone()).unwrap();
    assert!(text.contains("ERROR") && text.contains("check=\"too_small\" sets=2"), "{text}");
    let summary = BatchSummary::default().after(&round);
    assert_eq!(summary.rejected.into_iter().collect::<Vec<_>>(), [("too_small", 2)]);
}
