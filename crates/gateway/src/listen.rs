//! Accepts connections up to a limit, serves HTTP/1.1 or HTTP/2 on them, and closes those that stall.
//!
//! ```text
//! TLS         ALPN: h2 or http/1.1
//! cleartext   the first bytes: "PRI" begins HTTP/2 with prior knowledge
//! ```
//!
//! A client has to send its first bytes and its first request within `read_timeout`. WebSockets need
//! HTTP/1.1.

use crate::address_slots::AddressSlots;
use crate::tls::Tls;
use crate::write_timeout::WriteTimeout;
use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::Service;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

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
            sleep(Duration::from_millis(50)).await;
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
    timeout(CLOSE_TIMEOUT, ended).await.ok();
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
    let Some(tls) = &limits.tls else {
        let protocol = timeout(limits.read_timeout, Protocol::of_first_bytes(&stream)).await;
        let stream = WriteTimeout::new(stream, limits.write_timeout);
        if let Ok(Some(protocol)) = protocol {
            protocol.serve(stream, app, limits, closing).await;
        }
        return;
    };
    let handshake = tls.acceptor().accept(WriteTimeout::new(stream, limits.write_timeout));
    if let Ok(Ok(stream)) = timeout(limits.read_timeout, handshake).await {
        let is_h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        let protocol = if is_h2 { Protocol::Http2 } else { Protocol::Http1 };
        protocol.serve(stream, app, limits, closing).await;
    }
}

/// Version of HTTP on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Http1,
    Http2,
}

/// Begin of a connection with HTTP/2; no method of HTTP/1.1 begins so.
const HTTP2_START: &[u8] = b"PRI";

/// Pause before more of the first bytes are looked for.
const FIRST_BYTES_PAUSE: Duration = Duration::from_millis(5);

/// Requests at a time on one connection with HTTP/2.
const MAX_STREAMS: u32 = 1_000;

/// Bytes of all headers of a request with HTTP/2.
const MAX_HEADERS: u32 = 16 << 10;

/// Bytes that wait for the client on one connection with HTTP/2, for each request.
const SEND_BUFFER: usize = 16 << 10;

impl Protocol {
    /// Looks at the first bytes of a connection; `None` if it is closed.
    async fn of_first_bytes(stream: &TcpStream) -> Option<Protocol> {
        loop {
            let mut first = [0; HTTP2_START.len()];
            let count = stream.peek(&mut first).await.ok().filter(|&count| count > 0)?;
            let seen = first.get(..count)?;
            if !HTTP2_START.starts_with(seen) {
                return Some(Protocol::Http1);
            }
            if seen == HTTP2_START {
                return Some(Protocol::Http2);
            }
            sleep(FIRST_BYTES_PAUSE).await;
        }
    }

    async fn serve(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        app: Router,
        limits: &ConnectionLimits,
        closing: watch::Receiver<bool>,
    ) {
        match self {
            Protocol::Http1 => serve_http1(stream, app, limits, closing).await,
            Protocol::Http2 => serve_http2(stream, app, limits, closing).await,
        }
    }
}

async fn serve_http1(
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

/// A client that sends no request within `read_timeout`, or later does not answer a ping within it, is
/// gone.
async fn serve_http2(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    app: Router,
    limits: &ConnectionLimits,
    mut closing: watch::Receiver<bool>,
) {
    let has_request = Arc::new(AtomicBool::new(false));
    let service =
        FirstRequest { service: TowerToHyperService::new(app), has_come: Arc::clone(&has_request) };
    let silence = async {
        sleep(limits.read_timeout).await;
        if has_request.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    };
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEADERS)
        .max_send_buf_size(SEND_BUFFER)
        .keep_alive_interval(limits.read_timeout)
        .keep_alive_timeout(limits.read_timeout)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        ended = connection.as_mut() => drop(ended),
        () = silence => {}
        () = until_true(&mut closing) => {
            connection.as_mut().graceful_shutdown();
            drop(connection.await);
        }
    }
}

/// A service that notes that a request has come.
struct FirstRequest<S> {
    service: S,
    has_come: Arc<AtomicBool>,
}

impl<S: Service<Request<Incoming>>> Service<Request<Incoming>> for FirstRequest<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn call(&self, request: Request<Incoming>) -> S::Future {
        self.has_come.store(true, Ordering::Relaxed);
        self.service.call(request)
    }
}

/// Waits until a flag is true.
pub(crate) async fn until_true(flag: &mut watch::Receiver<bool>) {
    // A dropped sender counts as true.
    flag.wait_for(|flag| *flag).await.map(drop).ok();
}
