//! Logging. Only events of this crate, `cluster` and `fleet` are written: those of libraries may
//! quote private input.

use crate::config::{LogConfig, LogFormat};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry;

/// Targets of the events that are written. The client of NATS logs payloads; it is not among them.
const OWN_TARGETS: [&str; 3] = [env!("CARGO_CRATE_NAME"), "cluster", "fleet"];

/// Builds the subscriber that writes the log.
pub fn subscriber<W>(config: &LogConfig, writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let own = Targets::new().with_targets(OWN_TARGETS.map(|target| (target, config.level)));
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

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::io::Write;
    use std::sync::Arc;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn events_of_a_cluster_are_written_and_those_of_libraries_are_not() {
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = subscriber(&LogConfig::default(), move || writer.clone());
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!("of the gateway");
            tracing::info!(target: "fleet::engine::host", "of an engine");
            tracing::warn!(target: "cluster::log", "of the log");
            tracing::debug!(target: "fleet::engine::host", "below the level");
            tracing::error!(target: "async_nats", "of a library");
        });
        let text = String::from_utf8(lines.0.lock().clone()).unwrap();
        for written in ["of the gateway", "of an engine", "of the log"] {
            assert!(text.contains(written), "{text}");
        }
        assert!(!text.contains("of a library") && !text.contains("below the level"), "{text}");
    }
}
