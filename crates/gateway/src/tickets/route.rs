//! Destinations of results.

use crate::outbox::Outbox;
use crate::outcome::Finished;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Destination of a result.
#[derive(Debug)]
pub enum Route {
    /// A request that waits for it.
    One(oneshot::Sender<Finished>),
    /// A stream, as one line.
    Stream(Arc<Outbox>),
    /// Any other receiver.
    Listener(Box<dyn ResultListener>),
}

/// Receiver of a result. Called under the lock of the tickets, so it must not take that lock.
pub trait ResultListener: Send + std::fmt::Debug {
    /// Receives the result of a query.
    fn on_result(self: Box<Self>, finished: &Finished);
}

impl Route {
    /// Delivers the result. Does nothing if the receiver is gone.
    pub fn deliver(self, ticket: &Arc<str>, finished: &Finished) {
        match self {
            Route::One(sender) => drop(sender.send(finished.clone())),
            Route::Stream(outbox) => outbox.push_result(ticket, finished),
            Route::Listener(listener) => listener.on_result(finished),
        }
    }

    /// Whether nothing receives the result any more. Sessions can be resumed.
    pub(super) fn is_gone(&self) -> bool {
        match self {
            Route::One(sender) => sender.is_closed(),
            Route::Stream(outbox) => outbox.is_abandoned(),
            Route::Listener(_) => false,
        }
    }
}
