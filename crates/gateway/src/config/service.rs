//! Settings of the location service.

use super::parse::{metres, path, seconds, whole};
use super::setting::Setting;
use super::settings::setting;
use crate::service::postgis::TableName;
use crate::service::{PlanarSettings, RemoteSettings};
use std::path::PathBuf;
use std::time::Duration;

/// Location service. Prints nothing: the address of a database may contain a password.
#[derive(Clone, PartialEq)]
pub struct ServiceConfig {
    /// `built-in`, the address of a PostgreSQL database, or a TOML file.
    pub source: String,
    /// Table of objects in the database.
    pub table: TableName,
    /// File of root certificates for the database; `None` disables its TLS.
    pub tls_roots: Option<PathBuf>,
    /// Largest distance of a database object from its street, in metres.
    pub off_street: f64,
    /// Time-out of one request, retries included.
    pub timeout: Duration,
    /// Time-out of all requests of one question together.
    pub question_timeout: Duration,
    /// Largest number of concurrent requests.
    pub concurrency: usize,
    /// Longest wait of a request for one of them to end, and for a circuit breaker.
    pub wait: Duration,
    /// Largest size of the answers held for refinement, in bytes.
    pub max_held: usize,
}

impl std::fmt::Debug for ServiceConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ServiceConfig(…)")
    }
}

impl Default for ServiceConfig {
    fn default() -> ServiceConfig {
        ServiceConfig {
            source: "built-in".into(),
            table: TableName::default(),
            tls_roots: None,
            off_street: PlanarSettings::default().max_street_distance,
            timeout: Duration::from_secs(2),
            question_timeout: Duration::from_secs(8),
            concurrency: 32,
            wait: Duration::from_secs(10),
            max_held: 512 << 20,
        }
    }
}

/// Settings of this section.
pub(super) const SETTINGS: &[Setting] = &[
    setting!(
        "service.source",
        "\"built-in\"",
        "Location service: built-in (the map's points of interest), postgresql://…, or a TOML file as in examples/services.",
        |c, text| {
            let known = text == "built-in"
                || text.starts_with("postgresql://")
                || text.starts_with("postgres://")
                || RemoteSettings::is_name(text);
            let expected = "built-in, postgresql://…, a file.toml, or PROTOCOL+URL with protocol \
                            overpass, ogc-features or webhook";
            known.then_some(()).ok_or(expected)?;
            c.service.source = text.to_owned();
        }
    ),
    setting!(
        "service.table",
        "\"meshcloak_pois\"",
        "Table of objects in the database; `meshcloak pois load` creates it.",
        |c, text| c.service.table = text.parse().map_err(|_| "a table, as in pois or city.pois")?
    ),
    setting!(
        "service.tls_roots",
        "\"\"",
        "File of root certificates for the database connection, PEM; \"\" disables its TLS.",
        |c, text| c.service.tls_roots = path(text)
    ),
    setting!(
        "service.off_street",
        "200",
        "Largest distance of a database object from its street in metres, 0 to 10000; farther ones are found in the plane only.",
        |c, text| c.service.off_street = metres(text, 0.0..=10_000.0)?
    ),
    setting!(
        "service.timeout",
        "2",
        "Time-out of each request in seconds from when it is sent, its repetition included, 0.05 to 60.",
        |c, text| c.service.timeout = seconds(text, 0.05..=60.0)?
    ),
    setting!(
        "service.question_timeout",
        "8",
        "Time-out of all requests of one question together in seconds (nearest needs two or more), 0.05 to 600.",
        |c, text| c.service.question_timeout = seconds(text, 0.05..=600.0)?
    ),
    setting!(
        "service.concurrency",
        "32",
        "Largest number of concurrent requests to the service, 1 to 10000.",
        |c, text| c.service.concurrency = whole(text, 1..=10_000)?
    ),
    setting!(
        "service.wait",
        "10",
        "Longest wait of a request for service.concurrency or for a failed service, in seconds, 0.1 to 600; queries are refused as busy if half of it is expected.",
        |c, text| c.service.wait = seconds(text, 0.1..=600.0)?
    ),
    setting!(
        "service.held_megabytes",
        "512",
        "Largest size of service answers held until their sets are complete, in MB, 1 to 1000000; further ones fail.",
        |c, text| c.service.max_held = whole::<usize>(text, 1..=1_000_000)? << 20
    ),
];
