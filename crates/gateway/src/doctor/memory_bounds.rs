//! Bounds of the memory of a gateway by its parts: what maps and settings allow at most.

use super::maps::ExaminedMap;
use crate::config::{AccountLimits, Config, Role};
use crate::keys::KeyFile;
use crate::service::RemoteSettings;
use crate::service::postgis::PostgisSettings;
use meshcloak::constraint_graph::{MAX_CELL_EDGES_PER_QUERY, MAX_EDGES};
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::mesh_cloak::RegionRule;
use meshcloak::{guard, mesh};
use std::time::Duration;

/// Memory of one query in progress, in bytes: its place in the engine, its ticket and its question.
const BYTES_PER_QUERY: u64 = 1 << 10;

/// Buffers of one connection, in bytes.
const BYTES_PER_CONNECTION: u64 = 64 << 10;

/// Memory of a user of the last hour, in bytes: quota and rate counter.
const BYTES_PER_USER: u64 = 256;

/// Memory of a previous position under `history`, in bytes: an entry of a hash table at its lowest load.
const BYTES_PER_POSITION: u64 = 128;

/// Memory of an accepted query within the horizon, in bytes: its place in the queue of expiry.
const BYTES_PER_PAST_QUERY: u64 = 32;

/// Largest size of an edge of the graph of a batch, in bytes: in the lists of a thread, and in the graph.
const BYTES_PER_EDGE: u64 = 8;

/// Memory of one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemoryBound {
    /// What takes the memory; the setting that limits it, if one does.
    pub name: &'static str,
    pub bytes: u64,
    /// What lowers the bound.
    pub advice: &'static str,
}

/// What bounds are computed from.
pub(super) struct MemoryPlan<'a> {
    pub config: &'a Config,
    /// Limits of each account.
    pub accounts: Vec<AccountLimits>,
    /// Streets of each map, and the size of its distances when all are in use.
    pub maps: Vec<MapSize>,
    /// Threads of an engine.
    pub threads: u64,
}

/// Sizes of a map.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapSize {
    pub streets: usize,
    pub distances: u64,
}

impl<'a> MemoryPlan<'a> {
    pub fn new(config: &'a Config, keys: &KeyFile, maps: &[ExaminedMap]) -> MemoryPlan<'a> {
        let limits = keys.accounts.iter().map(|account| account.limits.apply_to(config.limits));
        let mut accounts: Vec<AccountLimits> = limits.collect();
        if accounts.is_empty() {
            accounts.push(config.limits);
        }
        let maps = maps.iter().map(|map| {
            let atlas = map.walker.atlas();
            // An allocator rounds sizes up by at most a quarter.
            let distances = (atlas.full_bytes() as u64).saturating_mul(5) / 4;
            MapSize { streets: atlas.map().street_count(), distances }
        });
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
        MemoryPlan { config, accounts, maps: maps.collect(), threads }
    }

    /// Returns the bounds of what grows with the streets in use, in normal operation.
    pub fn of_maps(&self) -> Vec<MemoryBound> {
        let distances = self.maps.iter().map(|map| map.distances).fold(0, u64::saturating_add);
        let advice = "lower `engine.dc_max`, or use a smaller map";
        let mut bounds = vec![MemoryBound { name: "distances", bytes: distances, advice }];
        if self.config.cluster.role != Role::Frontend {
            let guard = self.cities().saturating_mul(guard::MAX_CACHE_BYTES as u64);
            let advice = "serve fewer cities with this process";
            bounds.push(MemoryBound { name: "guard", bytes: guard, advice });
        }
        if self.has_meshes() {
            let meshes = self.maps.iter().map(|map| mesh::max_cache_bytes(map.streets) as u64);
            let meshes = meshes.sum::<u64>().saturating_mul(self.threads);
            let advice = "set `engine.region` to `cell`, or RAYON_NUM_THREADS to fewer threads";
            bounds.push(MemoryBound { name: "meshes", bytes: meshes, advice });
        }
        bounds
    }

    /// Returns the bounds of what grows with queries and clients.
    pub fn of_load(&self) -> Vec<MemoryBound> {
        let Config { engine, server, answers, results, service, cluster, .. } = self.config;
        let setting = |name, bytes| MemoryBound { name, bytes, advice: "" };
        let queue = (engine.queue as u64).saturating_mul(BYTES_PER_QUERY);
        let mut bounds = vec![setting("`engine.queue`", queue)];
        if cluster.role != Role::Frontend {
            bounds.push(setting("graph (`limits.people`)", self.graph()));
        }
        if engine.guarantee == Guarantee::History {
            bounds.push(setting("history (`limits.people`)", self.history()));
        }
        if cluster.role == Role::Engine {
            return bounds;
        }
        let accounts = self.accounts.len() as u64;
        let connections = (server.connections as u64).saturating_mul(BYTES_PER_CONNECTION);
        let held = (service.max_held as u64).saturating_mul(self.cities());
        bounds.extend([
            setting("`limits.people`", self.users().saturating_mul(BYTES_PER_USER)),
            setting("`server.connections`", connections),
            setting("`limits.unread_mb`", answers.max_unread as u64),
            setting("`results.megabytes`", (results.max_bytes as u64).saturating_mul(accounts)),
            setting("`service.held_megabytes`", held),
            setting("`max_memory` of the service", self.reading()),
        ]);
        bounds
    }

    fn cities(&self) -> u64 {
        self.maps.len() as u64
    }

    fn has_meshes(&self) -> bool {
        let is_mesh = matches!(self.config.engine.region, RegionRule::Mesh(_));
        is_mesh && self.config.cluster.role != Role::Frontend
    }

    /// Users of all accounts within an hour.
    fn users(&self) -> u64 {
        self.accounts.iter().map(|account| account.users as u64).fold(0, u64::saturating_add)
    }

    /// Edges among waiting queries. A user has at most one waiting query.
    fn graph(&self) -> u64 {
        let waiting = self.users().min(self.config.engine.queue as u64);
        let complete = waiting.saturating_mul(waiting) / 2;
        let limit = if self.config.engine.region.is_single_cell() {
            waiting.saturating_mul(MAX_CELL_EDGES_PER_QUERY as u64)
        } else {
            self.cities().saturating_mul(MAX_EDGES as u64)
        };
        complete.min(limit).saturating_mul(BYTES_PER_EDGE)
    }

    /// Previous positions; under the clock `published` both intake and engine have them.
    fn history(&self) -> u64 {
        let horizon = self.config.engine.horizon_rule().longest();
        let hours = horizon.as_secs().div_ceil(HOUR.as_secs()).max(1);
        let positions = self.users().saturating_mul(hours).saturating_mul(BYTES_PER_POSITION);
        let rate = self.accounts.iter().map(|account| u64::from(account.rate));
        let queries = rate.fold(0, u64::saturating_add).saturating_mul(horizon.as_secs());
        let tables = match self.config.engine.history_clock {
            HistoryClock::Asked => 1,
            HistoryClock::Published => 2,
        };
        positions
            .saturating_add(queries.saturating_mul(BYTES_PER_PAST_QUERY))
            .saturating_mul(tables)
    }

    /// Answers that are being read from an external service.
    fn reading(&self) -> u64 {
        let source = &self.config.service.source;
        let max = match RemoteSettings::named(source) {
            Some(settings) => settings.map_or(0, |settings| settings.max_memory),
            None if source == "built-in" => 0,
            None => PostgisSettings::new(source).max_memory,
        };
        (max as u64).saturating_mul(self.cities())
    }
}

/// Time for which users count against `limits.people`.
const HOUR: Duration = Duration::from_secs(3600);

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(config: &Config, accounts: usize, maps: usize) -> MemoryPlan<'_> {
        let map = MapSize { streets: 1_000, distances: 7 << 20 };
        let (accounts, maps) = (vec![config.limits; accounts], vec![map; maps]);
        MemoryPlan { config, accounts, maps, threads: 3 }
    }

    /// Bound of one part; 0 if it has none.
    fn of(plan: &MemoryPlan<'_>, name: &str) -> u64 {
        let bounds = [plan.of_maps(), plan.of_load()].concat();
        bounds.iter().find(|bound| bound.name == name).map_or(0, |bound| bound.bytes)
    }

    #[test]
    fn bounds_grow_with_accounts_or_with_cities() {
        let mut config = Config::default();
        config.engine.guarantee = Guarantee::History;
        config.engine.region = RegionRule::default();
        config.service.source = "postgresql://db.example/city".to_owned();
        let one = plan(&config, 1, 1);
        for (name, accounts, cities) in [
            ("distances", 1, 3),
            ("guard", 1, 3),
            ("meshes", 1, 3),
            ("`engine.queue`", 1, 1),
            ("history (`limits.people`)", 2, 1),
            ("`limits.people`", 2, 1),
            ("`server.connections`", 1, 1),
            ("`limits.unread_mb`", 1, 1),
            ("`results.megabytes`", 2, 1),
            ("`service.held_megabytes`", 1, 3),
            ("`max_memory` of the service", 1, 3),
        ] {
            assert!(of(&one, name) > 0, "{name}");
            assert_eq!(of(&plan(&config, 2, 1), name), accounts * of(&one, name), "{name}");
            assert_eq!(of(&plan(&config, 1, 3), name), cities * of(&one, name), "{name}");
        }
    }

    #[test]
    fn only_what_a_process_does_is_counted() {
        let mut config = Config::default();
        let default = plan(&config, 1, 1);
        for name in ["meshes", "history (`limits.people`)", "`max_memory` of the service"] {
            assert_eq!(of(&default, name), 0, "{name}");
        }
        config.cluster.role = Role::Frontend;
        assert_eq!(of(&plan(&config, 1, 1), "guard"), 0);
        config.cluster.role = Role::Engine;
        assert_eq!(of(&plan(&config, 1, 1), "`results.megabytes`"), 0);
    }

    #[test]
    fn the_graph_is_bounded_by_queue_users_and_region() {
        let mut config = Config::default();
        let graph = |config: &Config| of(&plan(config, 1, 1), "graph (`limits.people`)");
        assert_eq!(graph(&config), 10_000 * 1_449 * 8);
        config.engine.region = RegionRule::default();
        assert_eq!(graph(&config), 10_000 * 5_000 * 8);
        config.engine.queue = 100;
        assert_eq!(graph(&config), 100 * 50 * 8);
        (config.engine.queue, config.limits.users) = (1_000_000, 1_000_000);
        assert_eq!(graph(&config), 8 << 26);
    }

    #[test]
    fn the_clock_published_keeps_positions_twice_and_a_long_horizon_more() {
        let mut config = Config::default();
        config.engine.guarantee = Guarantee::History;
        let history = |config: &Config| plan(config, 1, 1).history();
        let asked = history(&config);
        assert_eq!(asked, 10_000 * 128 + 1_000 * 600 * 32);
        config.engine.history_clock = HistoryClock::Published;
        assert_eq!(history(&config), 2 * asked);
        config.engine.horizon = 3 * HOUR;
        assert_eq!(history(&config), 2 * (3 * 10_000 * 128 + 1_000 * 10_800 * 32));
    }
}
