//! Configuration: one list of settings, read from a file, the environment and flags, by ascending
//! precedence. Parsing, names, flags, checks and the example file all derive from that list.
//!
//! A setting is named `section.name` in the file, `MESHCLOAK_SECTION_NAME` in the environment and
//! by `--set section.name=value` on the command line. Some settings have an alias. Every value is checked before anything runs.

mod check;
mod cluster;
mod engine;
mod example;
mod limits;
mod log;
mod map;
mod parse;
mod presence;
mod questions;
mod results;
mod server;
mod service;
mod setting;
mod settings;
mod sources;
#[cfg(test)]
mod tests;
mod users;

pub use cluster::{ClusterConfig, Role};
pub use engine::{AfterStart, EngineConfig};
pub use limits::{AccountLimits, AnswersConfig};
pub use log::{LogConfig, LogFormat};
pub use map::{CityConfig, MapConfig};
pub use presence::PresenceConfig;
pub use questions::QuestionsConfig;
pub use results::ResultsConfig;
pub use server::{PageAddress, ServerConfig, TlsFiles};
pub use service::ServiceConfig;
pub use setting::Setting;
pub use settings::settings;
pub use sources::{ConfigError, Mode, Source, Sources};
pub use users::UsersConfig;

use std::path::PathBuf;

/// All settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Sockets and connections.
    pub server: ServerConfig,
    /// Street maps.
    pub map: MapConfig,
    /// Batches and guarantee.
    pub engine: EngineConfig,
    /// Decoys.
    pub questions: QuestionsConfig,
    /// Presence reports.
    pub presence: PresenceConfig,
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
    /// Role and cluster.
    pub cluster: ClusterConfig,
    /// Log.
    pub log: LogConfig,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            server: ServerConfig::default(),
            map: MapConfig::default(),
            engine: EngineConfig::default(),
            questions: QuestionsConfig::default(),
            presence: PresenceConfig::default(),
            limits: AccountLimits::default(),
            keys: Some(PathBuf::from("keys.json")),
            answers: AnswersConfig::default(),
            results: ResultsConfig::default(),
            users: UsersConfig::default(),
            service: ServiceConfig::default(),
            cluster: ClusterConfig::default(),
            log: LogConfig::default(),
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
