//! Logs, for people or for machines. Only what this crate says is let through: what libraries say
//! may quote what they were given.

use crate::config::{LogConfig, LogFormat};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry;

/// Where this crate's own words come from.
const OWN: &str = env!("CARGO_CRATE_NAME");

/// What hears and writes the logs.
pub fn subscriber<W>(config: &LogConfig, writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let own = Targets::new().with_target(OWN, config.level);
    let lines = tracing_subscriber::fmt::layer().with_writer(writer).with_target(false);
    let lines = match config.format {
        LogFormat::Text => lines.with_ansi(false).boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    registry().with(lines.with_filter(own))
}

/// From here on a panic says where in the program it was and nothing else: its own words may quote
/// what the program was working on.
pub fn hush_panics() {
    std::panic::set_hook(Box::new(|panic| match panic.location() {
        Some(place) => tracing::error!(file = place.file(), line = place.line(), "panicked"),
        None => tracing::error!("panicked"),
    }));
}
