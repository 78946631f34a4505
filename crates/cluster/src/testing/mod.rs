//! Real NATS servers and a faulty network, for tests of this crate and of the command.
//!
//! Nothing here waits for a fixed time: readiness is observed by polling, up to [`PATIENCE`].

mod free_port;
mod proxy;
mod server;
mod servers;

pub use proxy::Proxy;
pub use server::Server;
pub use servers::Servers;

use std::time::Duration;
use tokio::time::Instant;

/// Longest wait for an expected event. Elections take up to 9 seconds, on a busy machine more.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// Repeats a check until it returns a value.
///
/// # Panics
/// If it returns none within [`PATIENCE`].
pub async fn eventually<T>(what: &str, mut check: impl AsyncFnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(value) = check().await {
            return value;
        }
        assert!(Instant::now() < end, "not within {PATIENCE:?}: {what}");
        tokio::time::sleep(PAUSE).await;
    }
}
