//! Signals of a server process.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Handlers of SIGHUP, SIGTERM and SIGINT. They are installed before the first socket is opened: a
/// reload of a process that answers `/ready` must not end it.
pub(crate) struct Signals {
    hangup: Signal,
    terminate: Signal,
    interrupt: Signal,
}

/// Request of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// Read the settings again.
    Reload,
    /// End the process.
    Stop,
}

impl Signals {
    /// Installs the handlers. Must be called in a Tokio runtime.
    ///
    /// # Errors
    /// The operating system refuses a handler.
    pub(crate) fn install() -> std::io::Result<Signals> {
        Ok(Signals {
            hangup: signal(SignalKind::hangup())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits until the process is asked to end.
    pub(crate) async fn stop(&mut self) {
        while self.next().await != Request::Stop {}
    }

    /// Waits for the next request, from the installation on.
    pub(crate) async fn next(&mut self) -> Request {
        tokio::select! {
            _ = self.hangup.recv() => Request::Reload,
            _ = self.terminate.recv() => Request::Stop,
            _ = self.interrupt.recv() => Request::Stop,
        }
    }
}
