//! A city, its settings, and engines that own it.

use cluster::Cluster;
use cluster::testing::Servers;
use fleet::engine::{EngineCity, Host, HostParts, RunningEngine};
use fleet::message::Beat;
use fleet::plan::{CityCells, Plan};
use fleet::process::city_cells;
use gateway::config::{AfterStart, Config};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::{Position, StreetMap};
use meshcloak::mesh_cloak::RegionRule;
use meshcloak::units::{Length, Point};
use rand::RngExt as _;
use rand_pcg::Pcg64;
use std::sync::Arc;
use std::time::Duration;

/// Map of the tests.
pub const SOURCE: &str = "city:2000:7";
/// Name of the city.
pub const NAME: &str = "town";
/// Largest distance constraint in metres.
pub const DC_MAX: f64 = 1_000.0;

/// A city with prepared distances.
pub struct Town {
    pub atlas: Arc<Atlas>,
    pub config: Config,
    digest: u64,
    bounds: [Point; 2],
    cells: Option<CityCells>,
}

impl Town {
    /// Reads the city. Engines have one shard, a lease of 2 seconds and a horizon of one minute.
    pub fn new(guarantee: Guarantee) -> Town {
        let source = SOURCE.parse().unwrap();
        let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
        let digest = import::prepared::digest(&map);
        let points = || map.terminals().map(|terminal| map.terminal(terminal));
        let bound = |pick: fn(f64, f64) -> f64, start: f64| {
            let [x, y] = [|p: Point| p.x, |p: Point| p.y]
                .map(|axis: fn(Point) -> f64| points().map(axis).fold(start, pick));
            Point::new(x, y)
        };
        let bounds = [bound(f64::min, f64::INFINITY), bound(f64::max, f64::NEG_INFINITY)];
        let mut config = Config::default();
        config.engine.guarantee = guarantee;
        config.engine.horizon = Duration::from_secs(60);
        config.engine.after_start = AfterStart::New;
        config.engine.region = RegionRule::default();
        config.engine.dc_max = Length::metres(DC_MAX);
        config.cluster.replicas = 1;
        config.cluster.lease = Duration::from_secs(2);
        let atlas = Arc::new(Atlas::new(map, Length::metres(DC_MAX)));
        Town { atlas, config, digest, bounds, cells: None }
    }

    /// Divides the city into shards, with cells of this many metres.
    pub fn divided(mut self, shards: u16, cell_metres: f64) -> Town {
        self.config.cluster.shards = shards;
        self.config.engine.region = RegionRule::Cell(Length::metres(3_000.0));
        self.config.engine.cell_length = Some(Length::metres(cell_metres));
        self.cells = city_cells(&self.config, self.map());
        self
    }

    /// Returns the division that an owner uses.
    pub fn plan(&self, owner: &Beat) -> Plan {
        let cells = self.cells.as_ref().unwrap();
        Plan::new(self.map(), cells, owner.plan.revision, &owner.plan.starts)
    }

    pub fn map(&self) -> &StreetMap {
        self.atlas.map()
    }

    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Starts an engine.
    pub async fn engine(&self, servers: &Servers, name: &str) -> RunningEngine {
        self.engine_of(servers, name, NAME).await
    }

    /// Starts an engine of a city with this map.
    pub async fn engine_of(&self, servers: &Servers, name: &str, city: &str) -> RunningEngine {
        self.engine_on(servers.connect().await, name, city).await
    }

    /// Starts an engine of a city with this map, on a connection.
    pub async fn engine_on(&self, cluster: Cluster, name: &str, city: &str) -> RunningEngine {
        let city = EngineCity::new(city, &self.atlas, self.digest, &self.config);
        let parts = HostParts {
            cluster,
            config: self.config.clone(),
            cities: vec![city],
            name: name.into(),
            clock_skew_ms: 0,
        };
        Host::start(parts).await.unwrap()
    }

    /// Returns a random point in millimetres, and the position that it snaps to.
    pub fn random_place(&self, random: &mut Pcg64) -> (Point, Position) {
        let [min, max] = self.bounds;
        loop {
            let millis =
                |min: f64, max: f64, share: f64| ((min + (max - min) * share) * 1e3).round() / 1e3;
            let x = millis(min.x, max.x, random.random());
            let point = Point::new(x, millis(min.y, max.y, random.random()));
            if let Some(snapped) = self.map().snap(point, Some(50.0)) {
                return (point, snapped.position);
            }
        }
    }
}
