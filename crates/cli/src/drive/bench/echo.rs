//! Bare echo server, as a bound of what HTTP alone allows on the same machine.

use super::super::{GatewayClient, Transport};
use super::processor_time::ThreadTimes;
use super::{Bench, HTTP2_CONNECTIONS};
use anyhow::Result;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::post;
use gateway::listen::{ConnectionLimits, listen};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Duration of the measurement by requests.
const SECONDS: Duration = Duration::from_secs(3);

/// Requests at a time.
const WORKERS: usize = 64;
const HTTP2_WORKERS: usize = 1024;

/// Size of a request, about that of a query, in bytes.
const REQUEST: [u8; 230] = [b'x'; 230];

impl Bench<'_> {
    /// Returns the throughput of an echo server on one stream, in lines per second.
    pub(super) fn echo_streamed(&self, rate: u32) -> Result<f64> {
        let workload = self.workload(rate);
        let lines: Vec<Bytes> = workload
            .iter()
            .map(|second| {
                let all: Vec<&[u8]> = second.iter().flat_map(|p| [&*p.body, b"\n"]).collect();
                Bytes::from(all.concat())
            })
            .collect();
        let count: usize = workload.iter().map(Vec::len).sum();
        let (address, _closing) = self.server.block_on(echo())?;
        let load = async move {
            let client = GatewayClient::new(&format!("http://{address}"), None)?;
            let start = Instant::now();
            let chunks = futures_util::stream::iter(lines.into_iter().map(Ok::<_, std::io::Error>));
            let request = client.post("/", "application/x-ndjson");
            let mut response = request.body(reqwest::Body::wrap_stream(chunks)).send().await?;
            while response.chunk().await?.is_some() {}
            Ok(count as f64 / start.elapsed().as_secs_f64())
        };
        self.load.block_on(self.load.spawn(load))?
    }

    /// Returns the throughput of an echo server by requests, in requests per second.
    pub(super) fn echo_requests(&self, transport: Transport) -> Result<f64> {
        let (address, _closing) = self.server.block_on(echo())?;
        let client = GatewayClient::new(&format!("http://{address}"), None)?;
        let (clients, workers) = match transport {
            Transport::Http2 => {
                let connections: Result<_> =
                    (0..HTTP2_CONNECTIONS).map(|_| client.on_http2()).collect();
                (connections?, HTTP2_WORKERS)
            }
            _ => (vec![client], WORKERS),
        };
        let load = async move {
            let start = Instant::now();
            let clients = clients.iter().cycle().take(workers);
            let workers = clients.map(|client| tokio::spawn(repeat(client.clone(), start)));
            let mut all = 0;
            for worker in workers.collect::<Vec<_>>() {
                all += worker.await??;
            }
            Ok::<_, anyhow::Error>((all, start.elapsed()))
        };
        let before = ThreadTimes::now();
        let (all, elapsed) = self.load.block_on(self.load.spawn(load))??;
        println!("{:20} {}", "", ThreadTimes::now().since(&before).per_query(all));
        Ok(all as f64 / elapsed.as_secs_f64())
    }
}

/// Sends one request after the other. Returns their number.
async fn repeat(client: GatewayClient, start: Instant) -> Result<u64> {
    let mut count = 0;
    while start.elapsed() < SECONDS {
        let request = client.post("/", "application/json").body(Bytes::from_static(&REQUEST));
        request.send().await?.bytes().await?;
        count += 1;
    }
    Ok(count)
}

/// Starts an echo server; it stops when the sender is dropped.
async fn echo() -> Result<(SocketAddr, watch::Sender<bool>)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let closing = watch::Sender::new(false);
    let app = Router::new().route("/", post(|body: Body| std::future::ready(body)));
    let timeout = Duration::from_secs(10);
    let limits = ConnectionLimits {
        connections: 10_000,
        per_address: 10_000,
        read_timeout: timeout,
        write_timeout: timeout,
        tls: None,
    };
    tokio::spawn(listen(listener, app, limits, closing.subscribe()));
    Ok((address, closing))
}
