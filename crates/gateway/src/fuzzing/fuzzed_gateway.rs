//! A gateway for fuzzed input of clients: every position is near a street, every rate is allowed.

use crate::accounts::Account;
use crate::batch::BatchEngine;
use crate::city::CityParts;
use crate::clock::Clock;
use crate::config::{Config, Mode};
use crate::gateway::{Gateway, Parts};
use crate::inquiry::Inquiry;
use crate::service::{Completeness, Objects, Service, ServiceFuture};
use crate::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::Guarantee;
use meshcloak::units::Length;
use std::sync::{Arc, OnceLock};

/// A gateway under `history` without queries, and its account.
pub(crate) struct FuzzedGateway {
    pub gateway: Arc<Gateway>,
    pub account: Arc<Account>,
}

/// A service that has no objects.
struct NoObjects;

impl Service for NoObjects {
    fn name(&self) -> &'static str {
        "none"
    }

    fn ask<'a>(&'a self, _: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        Box::pin(async { Ok(Objects::new(Vec::new(), Completeness::Complete)) })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(async { Ok(vec!["cafe".to_owned()]) })
    }
}

/// Returns the prepared map, the same for all gateways.
fn walker() -> Arc<Walker> {
    static WALKER: OnceLock<Arc<Walker>> = OnceLock::new();
    let walker = WALKER.get_or_init(|| {
        let source = "city:500:7".parse().expect("a city");
        let imported = import::read_map(&source, &import::Options::default(), &());
        let map = imported.expect("the built-in city is valid").map;
        Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(300.0)))))
    });
    Arc::clone(walker)
}

impl FuzzedGateway {
    pub fn new() -> FuzzedGateway {
        let mut config = Config { keys: None, ..Config::default() };
        config.map.snap = None;
        config.engine.guarantee = Guarantee::History;
        (config.limits.rate, config.limits.person_rate) = (10_000_000, 60_000);
        let cities = vec![CityParts::only(walker(), Box::new(NoObjects))];
        let parts = Parts { config, mode: Mode::Demo, cities, clock: Clock::manual() };
        let gateway = Arc::new(Gateway::new(parts).expect("the settings are valid"));
        let account = gateway.directory().account(None).cloned();
        FuzzedGateway { gateway, account: account.expect("the demo has an account") }
    }

    /// Runs batches until the queries have ended.
    pub fn run_batches(&self) {
        let mut engine = BatchEngine::new(Arc::clone(&self.gateway));
        for _ in 0..2 {
            self.gateway.clock().advance(100_000);
            drop(engine.turn(self.gateway.clock().now()));
        }
        assert_eq!(engine.waiting_count(), 0, "every tolerance has ended");
    }
}
