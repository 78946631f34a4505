//! Logging. Only events of this crate are written: those of libraries may quote private input.

use crate::config::{LogConfig, LogFormat};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry;

/// Target of the events of this crate.
const OWN_TARGET: &str = env!("CARGO_CRATE_NAME");

/// Builds the subscriber that writes the log.
pub fn subscriber<W>(config: &LogConfig, writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let own = Targets::new().with_target(OWN_TARGET, config.level);
    let lines = tracing_subscriber::fmt::layer().with_writer(writer).with_target(false);
    let lines = match config.format {
        LogFormat::Text => lines.with_ansi(false).boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    registry().with(lines.with_filter(own))
}

/// Installs a panic hook that logs the source location and omits the message, which may quote
/// private data.
pub fn redact_panics() {
    std::panic::set_hook(Box::new(|panic| match panic.location() {
        Some(at) => tracing::error!(file = at.file(), line = at.line(), "panicked"),
        None => tracing::error!("panicked"),
    }));
}
