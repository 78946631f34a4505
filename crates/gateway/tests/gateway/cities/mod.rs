//! A gateway with several cities: located by position, served apart, and users who travel.

mod answers;
mod categories;
mod travel;
mod zones;

use crate::fixture::{Probe, call, generous, place_on, post, query, walker, with};
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use gateway::answers::answer_round;
use gateway::batch::BatchEngine;
use gateway::city::{City, CityParts};
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::server::app;
use gateway::service::Service;
use gateway::walk::Walker;
use import::{Options, read_map};
use meshcloak::distance::Atlas;
use meshcloak::units::{Length, LonLat};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

/// Second city, 12 km north of the first.
fn north() -> Arc<Walker> {
    static NORTH: OnceLock<Arc<Walker>> = OnceLock::new();
    let north = NORTH.get_or_init(|| {
        let origin = Some(LonLat { lon: 9.0, lat: 48.108 });
        let options = Options { origin, ..Options::default() };
        let map = read_map(&"city:500:8".parse().unwrap(), &options, &()).unwrap().map;
        Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(2000.0)))))
    });
    Arc::clone(north)
}

/// A gateway with a city in the south and one in the north.
struct TwoCities {
    gateway: Arc<Gateway>,
    app: Router,
    probes: [Probe; 2],
    engines: Vec<BatchEngine>,
}

const SOUTH: usize = 0;
const NORTH: usize = 1;

impl TwoCities {
    async fn open() -> TwoCities {
        TwoCities::new(generous()).await
    }

    async fn new(config: Config) -> TwoCities {
        let world = TwoCities::with(config, |probe, _| Box::new(probe));
        world.gateway.refresh_categories().await.unwrap();
        world
    }

    /// With other services, and before their categories are known.
    fn with(config: Config, service: impl Fn(Probe, usize) -> Box<dyn Service>) -> TwoCities {
        let probes = [Probe::new(walker()), Probe::new(north())];
        let named = [("south", walker()), ("north", north())];
        let cities = named.into_iter().zip(&probes).enumerate();
        let cities = cities.map(|(number, ((name, walker), probe))| CityParts {
            name: name.into(),
            walker,
            service: service(probe.clone(), number),
        });
        let (mode, clock) = (Mode::Demo, Clock::manual());
        let parts = Parts { config, mode, cities: cities.collect(), clock };
        let gateway = Arc::new(Gateway::new(parts).unwrap());
        let engine = |city| BatchEngine::of_city(Arc::clone(&gateway), Arc::clone(city));
        let engines = gateway.cities().iter().map(engine).collect();
        TwoCities { app: app(Arc::clone(&gateway)), gateway, probes, engines }
    }

    fn city(&self, number: usize) -> &Arc<City> {
        self.gateway.cities().iter().nth(number).unwrap()
    }

    /// Advances the clock by a second, runs a batch in each city and delivers the results.
    async fn tick(&mut self) {
        self.gateway.clock().advance(1000);
        let now = self.gateway.clock().now();
        for engine in &mut self.engines {
            answer_round(Arc::clone(&self.gateway), engine.turn(now)).await;
        }
        self.gateway.purge_results();
    }

    /// Posts a query without waiting for its end.
    async fn begin(&self, body: Value) -> tokio::task::JoinHandle<(StatusCode, Value)> {
        let before = self.gateway.metrics().exact_counts().0;
        let posted = tokio::spawn(post(self.app.clone(), body));
        while self.gateway.metrics().exact_counts().0 == before && !posted.is_finished() {
            tokio::task::yield_now().await;
        }
        posted
    }

    async fn delete(&self, ticket: &str) -> (StatusCode, Value) {
        let path = format!("/v1/queries/{ticket}");
        call(self.app.clone(), Request::delete(path).body(Body::empty()).unwrap()).await
    }

    /// Returns the number of requests that each service has received since the last call.
    fn sent(&self) -> [usize; 2] {
        [SOUTH, NORTH].map(|city| self.probes[city].take().len())
    }

    /// Builds a query on a street of a city.
    fn query(&self, ticket: &str, person: &str, city: usize, street: u32) -> Value {
        let (lon, lat) = place_on(self.city(city).map(), street, 0.5);
        let body = with(query(ticket, person, 0), "lon", json!(lon));
        with(body, "lat", json!(lat))
    }
}
