//! Configuration: one list of settings, read from a file, the environment and flags, by ascending
//! precedence. Parsing, names, flags, checks and the example file all derive from that list.
//!
//! A setting is named `section.name` in the file, `MESHCLOAK_SECTION_NAME` in the environment and
//! by `--set section.name=value` on the command line. Some settings have an alias. Every value is checked before anything runs.

mod check;
mod example;
mod parse;
mod server;
mod setting;
mod settings;
mod sources;
#[cfg(test)]
mod tests;

pub use server::{PageAddress, ServerConfig, TlsFiles};
pub use setting::Setting;
pub use settings::settings;
pub use sources::{ConfigError, Mode, Source, Sources};

use crate::service::PlanarSettings;
use crate::service::postgis::TableName;
use import::MapSource;
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh_cloak::RegionRule;
use meshcloak::units::{Length, LonLat, Speed};
use std::path::PathBuf;
use std::time::Duration;

/// All settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Sockets and connections.
    pub server: ServerConfig,
    /// Street map.
    pub map: MapConfig,
    /// Batches and guarantee.
    pub engine: EngineConfig,
    /// Default limits of an account.
    pub limits: AccountLimits,
    /// File of keys; with `None` only the demo is accessible.
    pub keys: Option<PathBuf>,
    /// Limits of answers.
    pub answers: AnswersConfig,
    /// Storage of results for repeated tickets.
    pub results: ResultsConfig,
    /// Settings of users.
    pub users: UsersConfig,
    /// Location service.
    pub service: ServiceConfig,
    /// Log.
    pub log: LogConfig,
}

/// Street map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapConfig {
    /// File or built-in map.
    pub source: MapSource,
    /// File of additional points of interest, CSV.
    pub pois: Option<PathBuf>,
    /// Lon/lat of the origin of a map in metres.
    pub origin: Option<LonLat>,
    /// Largest snapping distance in metres; `None` means unlimited.
    pub snap: Option<f64>,
}

/// Batches and guarantee.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineConfig {
    /// Time between two batches.
    pub tick: Duration,
    /// Privacy guarantee.
    pub guarantee: Guarantee,
    /// Region sent to the service.
    pub region: RegionRule,
    /// How long `history` remembers a user's last position.
    pub horizon: Duration,
    /// Range of the prepared distance tables.
    pub dc_max: Length,
    /// Whether every k is met without the members of any one other account.
    pub across_accounts: bool,
    /// Largest number of queries in progress.
    pub queue: usize,
    /// Treatment of users after a start under `history`.
    pub after_start: AfterStart,
    /// File of hashes of served users; `None` stores none.
    pub record: Option<PathBuf>,
}

/// Treatment of users after a start under `history`, when no previous position is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterStart {
    /// Users served by an earlier process are refused for one horizon.
    Refuse,
    /// All users are new.
    New,
}

/// Limits of an account.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccountLimits {
    /// Queries per second.
    pub rate: u32,
    /// Queries per minute and user.
    pub person_rate: u32,
    /// Distinct users within an hour.
    pub users: usize,
    /// Open streams, WebSockets and waiting requests.
    pub connections: usize,
    /// Largest k.
    pub k_max: u32,
    /// Largest temporal tolerance.
    pub dt_max: Duration,
    /// Smallest distance constraint: a tiny one with k = 2 detects presence.
    pub dc_min: Length,
    /// Largest distance constraint.
    pub dc_max: Length,
    /// Largest declared speed: bounds the searches of the `history` guarantee.
    pub speed_max: Speed,
    /// Queries in progress per user.
    pub person_queue: u32,
}

/// Limits of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswersConfig {
    /// Largest number of objects of an answer.
    pub max_objects: usize,
    /// Largest size of the objects of an answer, in bytes.
    pub max_bytes: usize,
    /// Largest size of the results that clients have not read, in bytes.
    pub max_unread: usize,
}

/// Storage of results for repeated tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultsConfig {
    /// Storage time.
    pub keep: Duration,
    /// Largest number of results per account.
    pub max_count: usize,
    /// Largest size of the results per account, in bytes.
    pub max_bytes: usize,
}

/// Settings of users.
#[derive(Clone, Debug, PartialEq)]
pub struct UsersConfig {
    /// File of settings and tokens; `None` keeps them in memory.
    pub file: Option<PathBuf>,
    /// Largest number of users with settings.
    pub max_count: usize,
    /// Largest random shift of a zone's boundary, in metres.
    pub blur: f64,
    /// Accepted clock error of a phone.
    pub skew: Duration,
}

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
    /// Time-out, retries included.
    pub timeout: Duration,
    /// Largest number of concurrent requests.
    pub concurrency: usize,
    /// Longest wait of a request for one of them to end.
    pub wait: Duration,
    /// Largest size of the answers held for refinement, in bytes.
    pub max_held: usize,
}

impl std::fmt::Debug for ServiceConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ServiceConfig(…)")
    }
}

/// Log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogConfig {
    /// Format.
    pub format: LogFormat,
    /// Least severe level that is written.
    pub level: tracing::Level,
}

/// Log format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// One line of text per event.
    Text,
    /// One JSON object per event.
    Json,
}

impl Default for Config {
    fn default() -> Config {
        let dc_max = Length::metres(2000.0);
        Config {
            server: ServerConfig::default(),
            map: MapConfig {
                source: MapSource::default(),
                pois: None,
                origin: None,
                snap: Some(50.0),
            },
            engine: EngineConfig {
                tick: Duration::from_secs(1),
                guarantee: Guarantee::Reciprocal,
                region: RegionRule::default(),
                horizon: meshcloak::guarantee::DEFAULT_HORIZON,
                dc_max,
                across_accounts: false,
                queue: 200_000,
                after_start: AfterStart::Refuse,
                record: Some(PathBuf::from("served.record")),
            },
            limits: AccountLimits {
                rate: 1_000,
                person_rate: 60,
                users: 10_000,
                connections: 5_000,
                k_max: 50,
                dt_max: Duration::from_secs(60),
                dc_min: Length::metres(50.0),
                dc_max,
                speed_max: Speed::metres_per_second(70.0),
                person_queue: 64,
            },
            keys: Some(PathBuf::from("keys.json")),
            answers: AnswersConfig {
                max_objects: 1_000,
                max_bytes: 256 << 10,
                max_unread: 256 << 20,
            },
            results: ResultsConfig {
                keep: Duration::from_secs(60),
                max_count: 100_000,
                max_bytes: 256 << 20,
            },
            users: UsersConfig {
                file: None,
                max_count: 100_000,
                blur: 200.0,
                skew: Duration::from_secs(30),
            },
            service: ServiceConfig {
                source: "built-in".into(),
                table: TableName::default(),
                tls_roots: None,
                off_street: PlanarSettings::default().max_street_distance,
                timeout: Duration::from_secs(2),
                concurrency: 32,
                wait: Duration::from_secs(10),
                max_held: 512 << 20,
            },
            log: LogConfig { format: LogFormat::Text, level: tracing::Level::INFO },
        }
    }
}

impl Config {
    /// Applies all sources to the defaults and checks the result.
    pub fn load(sources: &Sources) -> Result<Config, ConfigError> {
        let mut config = Config::default();
        for assignment in sources.collect()? {
            (assignment.setting.set)(&mut config, &assignment.value)
                .map_err(|expected| assignment.error(expected))?;
        }
        let config = config.normalised();
        check::check(&config, sources.mode())?;
        Ok(config)
    }

    /// Replaces TLS files without paths by `None`.
    fn normalised(mut self) -> Config {
        self.server.tls = self.server.tls.filter(|tls| *tls != TlsFiles::default());
        self
    }

    /// Renders the example configuration: all settings with explanations and defaults.
    pub fn example() -> String {
        example::example()
    }
}
