//! Sockets: accepts connections up to a number, speaks HTTP/1.1 on them, and lets go of those
//! that say or take nothing.

use crate::patient::Patient;
use crate::tls::Tls;
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

/// How connections are treated.
#[derive(Clone, Debug)]
pub struct Manners {
    /// How many at once.
    pub connections: usize,
    /// How long a handshake or the head of a request may take.
    pub patience: Duration,
    /// How long a client may take nothing of what it is told.
    pub reading: Duration,
    /// How they are encrypted, if they are.
    pub tls: Option<Arc<Tls>>,
}

/// How long connections may take to end.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Serves `app` on a socket until `closing` turns true and all connections have ended.
pub async fn listen(
    listener: TcpListener,
    app: Router,
    manners: Manners,
    mut closing: watch::Receiver<bool>,
) {
    let room = Arc::new(Semaphore::new(manners.connections));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = turned(&mut closing) => break,
        };
        while connections.try_join_next().is_some() {}
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors, most likely: some will be given back.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(seat) = Arc::clone(&room).try_acquire_owned() else {
            tracing::debug!("no room for another connection");
            continue;
        };
        let (app, manners, closing) = (app.clone(), manners.clone(), closing.clone());
        connections.spawn(async move {
            greet(stream, app, &manners, closing).await;
            drop(seat);
        });
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    tokio::time::timeout(LAST_WORDS, ended).await.ok();
}

/// Encrypts a connection if it is to be, and serves it.
async fn greet(stream: TcpStream, app: Router, manners: &Manners, closing: watch::Receiver<bool>) {
    // Without it answers wait for more; with an error they just do.
    stream.set_nodelay(true).ok();
    let stream = Patient::new(stream, manners.reading);
    match &manners.tls {
        None => converse(stream, app, manners, closing).await,
        Some(tls) => {
            let handshake = tls.acceptor().accept(stream);
            if let Ok(Ok(stream)) = tokio::time::timeout(manners.patience, handshake).await {
                converse(stream, app, manners, closing).await;
            }
        }
    }
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    app: Router,
    manners: &Manners,
    mut closing: watch::Receiver<bool>,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(manners.patience)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
        .with_upgrades();
    tokio::pin!(connection);
    // How a connection ends is between its two ends: an error here is theirs.
    tokio::select! {
        ended = connection.as_mut() => drop(ended),
        () = turned(&mut closing) => {
            connection.as_mut().graceful_shutdown();
            drop(connection.await);
        }
    }
}

/// Waits until a flag turns true.
pub(crate) async fn turned(flag: &mut watch::Receiver<bool>) {
    // Whoever could turn it has gone: as good as turned.
    flag.wait_for(|flag| *flag).await.map(drop).ok();
}
