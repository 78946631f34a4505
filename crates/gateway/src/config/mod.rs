//! What an operator can set: one list of settings with their defaults, read from a file, from the
//! environment and from flags, in that order of growing precedence.
//!
//! A setting is named `section.name` in the file, `MESHCLOAK_SECTION_NAME` in the environment and
//! by `--set section.name=value` on the command line. Every value is checked before anything runs.

mod example;
mod parse;
mod settings;
mod sources;

pub use settings::{Setting, settings};
pub use sources::{ConfigError, Mode, Source, Sources};

use crate::service::PlanarSettings;
use crate::service::postgis::TableName;
use import::MapSource;
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh_cloak::RegionRule;
use meshcloak::units::{Length, LonLat};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Sockets and connections.
    pub server: ServerConfig,
    /// The map.
    pub map: MapConfig,
    /// How people are hidden.
    pub engine: EngineConfig,
    /// What people may ask, unless their account says otherwise.
    pub limits: Limits,
    /// Where the keys are; none: nobody gets in, but in the demo.
    pub keys: Option<PathBuf>,
    /// How results are kept for those who repeat a ticket.
    pub results: ResultsConfig,
    /// People's own settings.
    pub people: PeopleConfig,
    /// The service behind.
    pub service: ServiceConfig,
    /// What is logged.
    pub log: LogConfig,
}

/// Sockets and connections.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerConfig {
    /// Where people are listened to.
    pub listen: SocketAddr,
    /// Where metrics are served; `None`: nowhere.
    pub metrics: Option<SocketAddr>,
    /// Certificate chain and private key, PEM.
    pub tls: Option<TlsFiles>,
    /// How many connections there may be at once.
    pub connections: usize,
    /// How long the head, and then the body, of a request may take.
    pub request_timeout: Duration,
    /// How long a stream may be silent with nobody waiting, and a client take nothing.
    pub idle_timeout: Duration,
}

/// Certificate chain and private key, PEM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// The chain.
    pub certificate: PathBuf,
    /// The key.
    pub key: PathBuf,
}

/// The map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapConfig {
    /// What it is named by.
    pub source: MapSource,
    /// Further points of interest.
    pub pois: Option<PathBuf>,
    /// Where the zero of a map in metres lies.
    pub origin: Option<LonLat>,
    /// How far from a street one may be, in metres; `None`: any distance.
    pub snap: Option<f64>,
}

/// How people are hidden.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineConfig {
    /// Time between two batches.
    pub tick: Duration,
    /// What is promised.
    pub guarantee: Guarantee,
    /// Which streets the service is asked about.
    pub region: RegionRule,
    /// For how long `history` minds where people were.
    pub horizon: Duration,
    /// The largest distance constraint that the map is prepared for.
    pub dc_max: Length,
    /// How many queries may be under way at once.
    pub queue: usize,
}

/// What people may ask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Queries per second of an account.
    pub rate: u32,
    /// Queries per minute of one person.
    pub person_rate: u32,
    /// The largest k.
    pub k_max: u32,
    /// The longest patience.
    pub dt_max: Duration,
    /// The smallest distance constraint: a tiny one with k = 2 is a presence detector.
    pub dc_min: Length,
    /// The largest distance constraint.
    pub dc_max: Length,
}

/// How results are kept for those who repeat a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultsConfig {
    /// For how long.
    pub keep: Duration,
    /// How many of an account at most.
    pub most: usize,
    /// How many bytes of an account at most.
    pub bytes: usize,
}

/// People's own settings.
#[derive(Clone, Debug, PartialEq)]
pub struct PeopleConfig {
    /// Where they are kept; `None`: in memory alone.
    pub file: Option<PathBuf>,
    /// How many people can have some.
    pub most: usize,
    /// How far the edge of a place is moved, in metres.
    pub blur: f64,
    /// How far the clock of a phone may be off to be believed.
    pub skew: Duration,
}

/// The service behind. Its source is not printed: the address of a database may hold a password.
#[derive(Clone, PartialEq)]
pub struct ServiceConfig {
    /// Which one: `built-in`, or the address of a PostgreSQL database.
    pub source: String,
    /// The table of its objects, if it is a database.
    pub table: TableName,
    /// Whom to trust to be the database; `None`: it is not encrypted.
    pub tls_roots: Option<PathBuf>,
    /// How far from its street an object of it may be, if it is a database; metres.
    pub off_street: f64,
    /// How long it may take, retries included.
    pub timeout: Duration,
    /// How many requests may be under way at once.
    pub concurrency: usize,
}

impl std::fmt::Debug for ServiceConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ServiceConfig(…)")
    }
}

/// What is logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogConfig {
    /// For people or for machines.
    pub format: LogFormat,
    /// How much.
    pub level: tracing::Level,
}

/// For people or for machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines of text.
    Text,
    /// One JSON object a line.
    Json,
}

impl Default for Config {
    fn default() -> Config {
        let dc_max = Length::metres(2000.0);
        Config {
            server: ServerConfig {
                listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
                metrics: Some(SocketAddr::from(([127, 0, 0, 1], 9464))),
                tls: None,
                connections: 10_000,
                request_timeout: Duration::from_secs(10),
                idle_timeout: Duration::from_secs(300),
            },
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
                queue: 200_000,
            },
            limits: Limits {
                rate: 1_000,
                person_rate: 60,
                k_max: 50,
                dt_max: Duration::from_secs(60),
                dc_min: Length::metres(50.0),
                dc_max,
            },
            keys: Some(PathBuf::from("keys.json")),
            results: ResultsConfig {
                keep: Duration::from_secs(60),
                most: 100_000,
                bytes: 256 << 20,
            },
            people: PeopleConfig {
                file: None,
                most: 100_000,
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
            },
            log: LogConfig { format: LogFormat::Text, level: tracing::Level::INFO },
        }
    }
}

impl Config {
    /// Reads everything, or says which value of which source is wrong and what was expected.
    pub fn load(sources: &Sources) -> Result<Config, ConfigError> {
        let mut config = Config::default();
        for given in sources.collect()? {
            let setting = given.setting();
            (setting.set)(&mut config, &given.value).map_err(|expected| given.wrong(expected))?;
        }
        config.server.tls = config.server.tls.filter(|tls| *tls != TlsFiles::default());
        sources.check(&config)?;
        Ok(config)
    }

    /// The configuration file that says what holds without one.
    pub fn example() -> String {
        example::example()
    }
}
