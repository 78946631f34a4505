//! Settings of a cluster.

use super::parse::{one_of, path, seconds, whole};
use super::setting::Setting;
use super::settings::setting;
use std::path::PathBuf;
use std::time::Duration;

/// Role of this process, and its connection to NATS.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterConfig {
    /// Servers; empty without a cluster.
    pub servers: Vec<String>,
    /// What this process does.
    pub role: Role,
    /// Name of this process for people; `None` uses the host name.
    pub name: Option<String>,
    /// Time without a renewal after which another engine may take over.
    pub lease: Duration,
    /// Servers that hold a copy of the log.
    pub replicas: usize,
    /// Shards of every city.
    pub shards: u16,
    /// File of the key of user hashes, equal on all frontends.
    pub secret: Option<PathBuf>,
    /// File of NATS credentials (JWT and seed).
    pub credentials: Option<PathBuf>,
    /// File of an NKey seed.
    pub nkey: Option<PathBuf>,
    /// File of CA certificates.
    pub tls_roots: Option<PathBuf>,
    /// File of the client certificate.
    pub certificate: Option<PathBuf>,
    /// File of the key of the client certificate.
    pub key: Option<PathBuf>,
    /// Whether positions may travel in the clear to servers off loopback.
    pub insecure: bool,
}

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Clients, engine and service in one process.
    All,
    /// Clients and service; engines are elsewhere.
    Frontend,
    /// Engine of cities.
    Engine,
}

impl Default for ClusterConfig {
    fn default() -> ClusterConfig {
        ClusterConfig {
            servers: Vec::new(),
            role: Role::All,
            name: None,
            lease: Duration::from_secs(3),
            replicas: 3,
            shards: 1,
            secret: None,
            credentials: None,
            nkey: None,
            tls_roots: None,
            certificate: None,
            key: None,
            insecure: false,
        }
    }
}

/// Settings of this section.
pub(super) const SETTINGS: &[Setting] = &[
    setting!(
        "cluster.servers",
        "\"\"",
        "NATS servers of a cluster, nats://host:port or tls://host:port, separated by commas; \"\" is a single process.",
        |c, text| {
            let servers = text.split(',').map(str::trim).filter(|server| !server.is_empty());
            c.cluster.servers = servers.map(str::to_owned).collect();
        }
    ),
    setting!(
        "cluster.role",
        "\"all\"",
        "Role of this process: all, frontend (clients and service) or engine (owns cities).",
        |c, text| {
            let words =
                [("all", Role::All), ("frontend", Role::Frontend), ("engine", Role::Engine)];
            c.cluster.role = one_of(text, &words)?;
        }
    ),
    setting!(
        "cluster.name",
        "\"\"",
        "Name of this process in `cluster status`; \"\" is the host name.",
        |c, text| c.cluster.name = Some(text.to_owned()).filter(|name| !name.is_empty())
    ),
    setting!(
        "cluster.lease",
        "3",
        "Seconds without a renewal after which another engine takes over, 1 to 60.",
        |c, text| c.cluster.lease = seconds(text, 1.0..=60.0)?
    ),
    setting!(
        "cluster.replicas",
        "3",
        "NATS servers that hold a copy of the log, 1 to 5; 1 loses the log with its server.",
        |c, text| c.cluster.replicas = whole(text, 1..=5)?
    ),
    setting!(
        "cluster.shards",
        "1",
        "Engines that divide each city, 1 to 64; above 1 needs engine.region = \"cell\".",
        |c, text| c.cluster.shards = whole(text, 1..=64)?
    ),
    setting!(
        "cluster.secret",
        "\"\"",
        "File with the key of user hashes, 32 bytes or more, equal on all frontends.",
        |c, text| c.cluster.secret = path(text)
    ),
    setting!(
        "cluster.credentials",
        "\"\"",
        "File of NATS credentials (JWT and seed); \"\" for none.",
        |c, text| c.cluster.credentials = path(text)
    ),
    setting!("cluster.nkey", "\"\"", "File of an NKey seed; \"\" for none.", |c, text| {
        c.cluster.nkey = path(text);
    }),
    setting!(
        "cluster.tls_roots",
        "\"\"",
        "File of CA certificates of the NATS servers, PEM; \"\" uses those of the system.",
        |c, text| c.cluster.tls_roots = path(text)
    ),
    setting!(
        "cluster.certificate",
        "\"\"",
        "File of the client certificate for NATS, PEM; \"\" for none.",
        |c, text| c.cluster.certificate = path(text)
    ),
    setting!("cluster.key", "\"\"", "File of the key of cluster.certificate, PEM.", |c, text| c
        .cluster
        .key =
        path(text)),
    setting!(
        "cluster.insecure",
        "false",
        "Allow NATS servers off loopback without TLS: true or false.",
        |c, text| c.cluster.insecure = one_of(text, &[("true", true), ("false", false)])?
    ),
];
