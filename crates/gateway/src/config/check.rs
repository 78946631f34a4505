//! Conditions that involve several settings.

use super::{Config, ConfigError, Mode, PageAddress, Role};
use meshcloak::guarantee::Guarantee;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Checks the conditions that involve several settings. The error names all that are violated.
pub(super) fn check(config: &Config, mode: Mode) -> Result<(), ConfigError> {
    let mut conflicts = limit_conflicts(config);
    conflicts.extend(map_conflicts(config));
    conflicts.extend(socket_conflicts(config));
    conflicts.extend(mode_conflicts(config, mode));
    conflicts.extend(cluster_conflicts(config));
    if conflicts.is_empty() { Ok(()) } else { Err(ConfigError::Conflict(conflicts.join("\n"))) }
}

fn limit_conflicts(config: &Config) -> Vec<String> {
    let mut conflicts = Vec::new();
    let (min, max) = (config.limits.dc_min, config.limits.dc_max);
    if min > max {
        conflicts.push(format!("`limits.dc_min` ({min}) is above `limits.dc_max` ({max})"));
    }
    let prepared = config.engine.dc_max;
    if max > prepared {
        conflicts.push(format!("`limits.dc_max` ({max}) is above `engine.dc_max` ({prepared})"));
    }
    if config.engine.cell_length.is_some() && config.engine.region.cell_length().is_none() {
        let region = config.engine.region.name();
        conflicts.push(format!(
            "`engine.cell_length` has no effect with `engine.region` \"{region}\"; expected cells or \
             cell, or a length of 0"
        ));
    }
    conflicts
}

/// Settings of one map contradict several cities.
fn map_conflicts(config: &Config) -> Vec<String> {
    let map = &config.map;
    let mut conflicts = Vec::new();
    if !map.several.is_empty() && map.origin.is_some() {
        conflicts.push(
            "`map.origin` is for one map: with `map.cities` write NAME=SOURCE@LON,LAT".into(),
        );
    }
    if !map.several.is_empty() && map.pois.is_some() {
        conflicts.push(
            "`map.pois` is for one map: with `map.cities` add points of interest to each map, \
             as in `meshcloak map convert --pois FILE`"
                .into(),
        );
    }
    conflicts
}

/// Sockets off loopback need TLS, or the page a token.
fn socket_conflicts(config: &Config) -> Vec<String> {
    let server = &config.server;
    let mut conflicts = Vec::new();
    if let Some(tls) = &server.tls
        && [&tls.certificate, &tls.key].contains(&&PathBuf::new())
    {
        conflicts.push("`server.tls_certificate` and `server.tls_key` must be set together".into());
    }
    if server.tls.is_none() && !server.insecure && !is_loopback(server.listen) {
        conflicts.push(format!(
            "`server.listen` is {}, off loopback and without TLS: positions and keys would be \
             sent in the clear. Set `server.tls_certificate` and `server.tls_key`, or listen on \
             127.0.0.1 behind a proxy that does TLS, or set `server.insecure = true`",
            server.listen
        ));
    }
    let own_page = match server.page {
        PageAddress::At(address) => Some(("server.page", address)),
        _ => None,
    };
    let metrics = server.metrics.map(|address| ("server.metrics", address));
    for (key, address) in metrics.into_iter().chain(own_page) {
        if !server.insecure && !is_loopback(address) {
            conflicts.push(format!(
                "`{key}` is {address}, off loopback and without TLS. Use 127.0.0.1, or set \
                 `server.insecure = true` if the network is trusted"
            ));
        }
    }
    if let Some(page) = server.page_address()
        && server.page_token.is_none()
        && !is_loopback(page)
    {
        conflicts.push(format!(
            "the operator's page is on {page}, off loopback, and open to all: set \
             `server.page_token`, or `server.page` to another address or \"\""
        ));
    }
    conflicts
}

/// A cluster needs servers, a shared secret, and cells if cities are divided.
fn cluster_conflicts(config: &Config) -> Vec<String> {
    let cluster = &config.cluster;
    let mut conflicts = Vec::new();
    if cluster.servers.is_empty() {
        if cluster.role != Role::All {
            conflicts
                .push("`cluster.role` needs `cluster.servers`, as in nats://10.0.0.1:4222".into());
        }
        return conflicts;
    }
    if cluster.role != Role::Engine && cluster.secret.is_none() {
        conflicts.push(
            "`cluster.secret` is missing: frontends need a file of at least 32 random bytes, equal \
             on all of them"
                .into(),
        );
    }
    if cluster.shards > 1 && !config.engine.region.is_single_cell() {
        conflicts.push("`cluster.shards` above 1 needs `engine.region = \"cell\"`".into());
    }
    if cluster.certificate.is_some() != cluster.key.is_some() {
        conflicts.push("`cluster.certificate` and `cluster.key` must be set together".into());
    }
    conflicts
}

fn mode_conflicts(config: &Config, mode: Mode) -> Vec<String> {
    let mut conflicts = Vec::new();
    let listen = config.server.listen;
    if mode == Mode::Demo && !is_loopback(listen) {
        conflicts.push(format!(
            "`server.listen` is {listen}; the demo needs no key, so it must be on loopback"
        ));
    }
    if mode == Mode::Guarded && config.engine.guarantee == Guarantee::Paper {
        conflicts.push(
            "`engine.guarantee` is `paper`, whose overlapping sets can be traced to one member; \
             outside the demo use reciprocal or history"
                .into(),
        );
    }
    if mode == Mode::Guarded && config.keys.is_none() {
        conflicts.push("`accounts.keys` is empty: every request would be refused".into());
    }
    conflicts
}

fn is_loopback(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}
