//! Accepts connections up to a limit, serves HTTP/1.1 on them, and closes those that stall.

use crate::address_slots::AddressSlots;
use crate::tls::Tls;
use crate::write_timeout::WriteTimeout;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// Limits and encryption of the connections of a socket.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// Largest number of open connections.
    pub connections: usize,
    /// Largest number of open connections of one address.
    pub per_address: usize,
    /// Time-out of a TLS handshake and of a request head.
    pub read_timeout: Duration,
    /// Time after which a connection is closed if the client reads nothing.
    pub write_timeout: Duration,
    /// Certificate; `None` disables TLS.
    pub tls: Option<Arc<Tls>>,
}

/// Time for open connections to finish after closing has begun.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves `app` on a socket until `closing` becomes true and all connections have ended.
pub async fn listen(
    listener: TcpListener,
    app: Router,
    limits: ConnectionLimits,
    mut closing: watch::Receiver<bool>,
) {
    let permits = Arc::new(Semaphore::new(limits.connections));
    let addresses = Arc::new(AddressSlots::default());
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = until_true(&mut closing) => break,
        };
        while connections.try_join_next().is_some() {}
        let Ok((stream, peer)) = accepted else {
            // Most likely out of file descriptors: waits until some are closed.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
            tracing::debug!("connection closed: `server.connections` is reached");
            continue;
        };
        let Some(slot) = addresses.acquire(peer.ip(), limits.per_address) else {
            tracing::debug!("connection closed: `server.connections_per_address` is reached");
            continue;
        };
        let (app, limits, closing) = (app.clone(), limits.clone(), closing.clone());
        connections.spawn(async move {
            accept(stream, app, &limits, closing).await;
            drop((permit, slot));
        });
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    tokio::time::timeout(CLOSE_TIMEOUT, ended).await.ok();
}

/// Performs the TLS handshake if TLS is enabled, and serves the connection.
async fn accept(
    stream: TcpStream,
    app: Router,
    limits: &ConnectionLimits,
    closing: watch::Receiver<bool>,
) {
    // Nagle's algorithm would delay answers. A failure only costs latency.
    stream.set_nodelay(true).ok();
    let stream = WriteTimeout::new(stream, limits.write_timeout);
    match &limits.tls {
        None => serve_connection(stream, app, limits, closing).await,
        Some(tls) => {
            let handshake = tls.acceptor().accept(stream);
            if let Ok(Ok(stream)) = tokio::time::timeout(limits.read_timeout, handshake).await {
                serve_connection(stream, app, limits, closing).await;
            }
        }
    }
}

async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    app: Router,
    limits: &ConnectionLimits,
    mut closing: watch::Receiver<bool>,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.read_timeout)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
        .with_upgrades();
    tokio::pin!(connection);
    // Errors of a connection are the client's and are not logged.
    tokio::select! {
        ended = connection.as_mut() => drop(ended),
        () = until_true(&mut closing) => {
            connection.as_mut().graceful_shutdown();
            drop(connection.await);
        }
    }
}

/// Waits until a flag is true.
pub(crate) async fn until_true(flag: &mut watch::Receiver<bool>) {
    // A dropped sender counts as true.
    flag.wait_for(|flag| *flag).await.map(drop).ok();
}
