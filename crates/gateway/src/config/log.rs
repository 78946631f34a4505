//! Settings of the log.

use super::parse::one_of;
use super::setting::Setting;
use super::settings::setting;

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

impl Default for LogConfig {
    fn default() -> LogConfig {
        LogConfig { format: LogFormat::Text, level: tracing::Level::INFO }
    }
}

/// Settings of this section.
pub(super) const SETTINGS: &[Setting] = &[
    setting!("log.format", "\"text\"", "Log format: text or json.", |c, text| {
        c.log.format = one_of(text, &[("text", LogFormat::Text), ("json", LogFormat::Json)])?;
    }),
    setting!(
        "log.level",
        "\"info\"",
        "Log level: error, warn, info, debug or trace.",
        |c, text| {
            use tracing::Level;
            let levels = [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE];
            let names = ["error", "warn", "info", "debug", "trace"];
            let words: Vec<(&str, Level)> = names.into_iter().zip(levels).collect();
            c.log.level = one_of(text, &words)?;
        }
    ),
];
