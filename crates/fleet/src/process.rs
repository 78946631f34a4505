//! Starts the roles of a process of the cluster.

use crate::engine::{EngineCity, Host, HostParts, RunningEngine};
use crate::frontend::{Frontend, FrontendParts, RunningFrontend};
use crate::plan::CityCells;
use cluster::{Cluster, ClusterError, ClusterSettings};
use gateway::config::{ClusterConfig, Config};
use gateway::gateway::Gateway;
use meshcloak::map::StreetMap;
use std::sync::Arc;

/// Connects to the NATS servers of a configuration.
///
/// # Errors
/// If a file cannot be read or no server can be reached.
pub async fn connect(config: &ClusterConfig) -> Result<Cluster, ClusterError> {
    let servers: Vec<&str> = config.servers.iter().map(String::as_str).collect();
    let certificate = config.certificate.clone().zip(config.key.clone());
    let settings = ClusterSettings {
        roots: config.tls_roots.clone(),
        certificate,
        credentials: config.credentials.clone(),
        nkey: config.nkey.clone(),
        name: process_name(config),
        insecure: config.insecure,
        ..ClusterSettings::new(&servers)
    };
    Cluster::connect(&settings).await
}

/// Returns the name of this process for people.
pub fn process_name(config: &ClusterConfig) -> String {
    let host = || std::fs::read_to_string("/etc/hostname").map(|name| name.trim().to_owned());
    config.name.clone().or_else(|| host().ok()).unwrap_or_else(|| "meshcloak".into())
}

/// Returns the cells of a city if engines divide it.
pub fn city_cells(config: &Config, map: &StreetMap) -> Option<CityCells> {
    let length = config.engine.region_rule().cell_length();
    length.filter(|_| config.cluster.shards > 1).map(|length| CityCells::new(map, length))
}

/// Starts an engine for the cities of a configuration.
///
/// # Errors
/// If NATS is unavailable or refuses an operation.
pub async fn start_engine(
    cluster: &Cluster,
    config: &Config,
    cities: Vec<EngineCity>,
) -> Result<RunningEngine, ClusterError> {
    let parts = HostParts {
        cluster: cluster.clone(),
        config: config.clone(),
        cities,
        name: process_name(&config.cluster),
        clock_skew_ms: 0,
    };
    Host::start(parts).await
}

/// Starts the frontend of a gateway whose client API is at `address`.
///
/// # Errors
/// If NATS is unavailable.
pub async fn start_frontend(
    cluster: &Cluster,
    gateway: &Arc<Gateway>,
    address: String,
) -> Result<RunningFrontend, ClusterError> {
    let config = gateway.config();
    let cells = gateway.cities().iter().map(|city| city_cells(&config, city.map())).collect();
    let parts = FrontendParts {
        cluster: cluster.clone(),
        gateway: Arc::clone(gateway),
        name: process_name(&config.cluster),
        address,
        cells,
    };
    Frontend::start(parts).await
}
