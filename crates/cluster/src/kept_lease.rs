//! A lease that a task renews until it is released or lost.

use crate::error::ClusterError;
use crate::lease::{Lease, Renewal};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// A lease with its renewing task. Dropping it ends the renewals; the lease then expires.
#[derive(Debug)]
pub struct KeptLease {
    epoch: u64,
    state: watch::Receiver<State>,
    release: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ClusterError>>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    held_until: Instant,
    is_lost: bool,
}

impl Lease {
    /// Starts a task that renews this lease every third of its TTL.
    pub fn keep(self) -> KeptLease {
        let (sender, state) =
            watch::channel(State { held_until: self.held_until(), is_lost: false });
        let (release, released) = oneshot::channel();
        let epoch = self.epoch();
        KeptLease { epoch, state, release, task: tokio::spawn(renew(self, sender, released)) }
    }
}

impl KeptLease {
    /// Returns the epoch of the lease.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether the lease is held, by the local monotonic clock.
    pub fn is_held(&self) -> bool {
        let state = *self.state.borrow();
        !state.is_lost && Instant::now() < state.held_until
    }

    /// Waits until the lease is lost: a renewal was refused, or the TTL has passed since the last
    /// acknowledged renewal was sent. Cancel safe.
    pub async fn lost(&self) {
        let mut state = self.state.clone();
        loop {
            let State { held_until, is_lost } = *state.borrow_and_update();
            if is_lost || Instant::now() >= held_until {
                return;
            }
            tokio::select! {
                () = sleep_until(held_until) => {}
                changed = state.changed() => if changed.is_err() {
                    sleep_until(held_until).await;
                    return;
                },
            }
        }
    }

    /// Gives the lease up, so that another engine can acquire it at once.
    ///
    /// # Errors
    /// If NATS is unavailable; the lease then ends by expiry.
    pub async fn release(self) -> Result<(), ClusterError> {
        self.release.send(()).ok();
        // A task that ended before has lost the lease.
        self.task.await.unwrap_or(Ok(()))
    }
}

async fn renew(
    mut lease: Lease,
    state: watch::Sender<State>,
    mut released: oneshot::Receiver<()>,
) -> Result<(), ClusterError> {
    let mut next = Instant::now() + lease.pause();
    loop {
        tokio::select! {
            () = sleep_until(next) => {}
            request = &mut released => return match request {
                Ok(()) => lease.release().await,
                Err(_) => Ok(()),
            },
        }
        next = Instant::now() + lease.pause();
        match lease.renew().await {
            Renewal::Renewed => {}
            // Tries again sooner: the write may have been lost with a connection.
            Renewal::Unknown => next = Instant::now() + lease.pause() / 4,
            Renewal::Lost => {
                tracing::warn!(shard = %lease.shard(), epoch = lease.epoch(), "lease lost");
                state.send_modify(|state| state.is_lost = true);
                return Ok(());
            }
        }
        state.send_modify(|state| state.held_until = lease.held_until());
    }
}
