//! Real sockets: idle and slow clients, connection limits, graceful shutdown.

use crate::fixture::{gateway_of, generous, query, with};
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::serve::Running;
use gateway::server::app;
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

pub fn on_any_port() -> Config {
    let mut config = generous();
    config.server.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.server.metrics = Some(config.server.listen);
    config.engine.tick = Duration::from_millis(100);
    config
}

pub async fn start(config: Config) -> Running {
    let (gateway, _) = gateway_of(config, Mode::Demo, Clock::start());
    Running::start(Arc::clone(&gateway), app(gateway)).await.unwrap()
}

/// Sends one request on a new connection and returns everything received.
async fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

fn post(ticket: &str, person: &str) -> String {
    let body = query(ticket, person, 3).to_string();
    let head = "POST /v1/queries HTTP/1.1\r\nhost: x\r\nconnection: close";
    format!(
        "{head}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test]
async fn queries_are_answered_and_metrics_are_on_the_operator_socket_only() {
    let running = start(on_any_port()).await;
    let address = running.address();
    let (ann, bob) = (post("1", "ann"), post("2", "bob"));
    let (ann, bob) = tokio::join!(exchange(address, &ann), exchange(address, &bob));
    for text in [&ann, &bob] {
        assert!(text.starts_with("HTTP/1.1 200 OK") && text.contains("\"answered\""), "{text}");
    }
    let get = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let counts = exchange(running.operator_address().unwrap(), get).await;
    assert!(counts.contains("meshcloak_batches_total"), "{counts}");
    assert!(
        exchange(address, get).await.starts_with("HTTP/1.1 404"),
        "metrics are not on the client socket"
    );
    running.stop().await;
}

#[tokio::test]
async fn a_large_content_length_is_refused_before_the_body_arrives() {
    let running = start(on_any_port()).await;
    let mut stream = TcpStream::connect(running.address()).await.unwrap();
    let head = "POST /v1/queries HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                content-length: 1073741824\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    // The server may close the connection at any time.
    for _ in 0..64 {
        if stream.write_all(&[b' '; 1024]).await.is_err() {
            break;
        }
    }
    let mut start = [0; 12];
    stream.read_exact(&mut start).await.unwrap();
    assert_eq!(&start, b"HTTP/1.1 413");
    running.stop().await;
}

#[tokio::test]
async fn idle_connections_time_out_and_do_not_block_others() {
    let mut config = on_any_port();
    config.server.request_timeout = Duration::from_millis(300);
    config.server.connections = 300;
    let running = start(config).await;
    let address = running.address();
    let mut silent = Vec::new();
    for number in 0..250 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        if number % 2 == 0 {
            stream.write_all(b"POST /v1/queries HTTP/1.1\r\nhost: x\r\ncontent-le").await.unwrap();
        }
        silent.push(stream);
    }
    let (ann, bob) = (post("1", "ann"), post("2", "bob"));
    let (ann, _) = tokio::join!(exchange(address, &ann), exchange(address, &bob));
    assert!(ann.contains("\"answered\""), "{ann}");
    // All of them are closed by the server.
    for mut stream in silent {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).await.ok();
    }
    let more = exchange(address, &post("1", "ann")).await;
    assert!(more.contains("\"answered\""), "{more}");
    running.stop().await;
}

/// How a client ends its connection.
#[derive(Clone, Copy, Debug)]
enum Close {
    /// Both directions, with FIN.
    Orderly,
    /// With RST.
    Reset,
    /// Its sending direction only, within a chunk.
    HalfOpen,
}

#[tokio::test]
async fn a_broken_connection_cancels_the_queries_of_its_stream() {
    let (gateway, _) = gateway_of(on_any_port(), Mode::Demo, Clock::start());
    let running = Running::start(Arc::clone(&gateway), app(Arc::clone(&gateway))).await.unwrap();
    let mut half_open = Vec::new();
    for close in [Close::Orderly, Close::Reset, Close::HalfOpen] {
        let mut stream = TcpStream::connect(running.address()).await.unwrap();
        let line = |number: u32| {
            let body = query(&format!("{close:?}{number}"), &format!("{close:?}{number}"), 3);
            format!("{}\n", with(with(body, "k", json!(50)), "dt", json!(30)))
        };
        let lines: String = (0..5).map(line).collect();
        let head = "POST /v1/queries/stream HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked";
        let kind = "content-type: application/x-ndjson";
        let chunk = format!("{head}\r\n{kind}\r\n\r\n{:x}\r\n{lines}\r\n9\r\n", lines.len());
        stream.write_all(chunk.as_bytes()).await.unwrap();
        let count = async |expected: usize| {
            while gateway.under_way().load(Ordering::Relaxed) != expected {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let limit = Duration::from_secs(20);
        timeout(limit, count(5)).await.expect("the queries wait");
        match close {
            Close::Orderly => drop(stream),
            Close::Reset => {
                stream.set_zero_linger().unwrap();
                drop(stream);
            }
            Close::HalfOpen => {
                stream.shutdown().await.unwrap();
                half_open.push(stream);
            }
        }
        timeout(limit, count(0)).await.unwrap_or_else(|_| panic!("{close:?}: they still wait"));
    }
    running.stop().await;
}

#[tokio::test]
async fn more_connections_than_allowed_are_closed() {
    let mut config = on_any_port();
    config.server.connections = 2;
    let running = start(config).await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(running.address()).await.unwrap();
        stream.write_all(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let mut answer = [0; 15];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200 OK");
        open.push(stream);
    }
    let mut third = TcpStream::connect(running.address()).await.unwrap();
    let mut nothing = Vec::new();
    third.read_to_end(&mut nothing).await.ok();
    assert!(nothing.is_empty());
    drop(open);
    running.stop().await;
}

/// Returns an address of this machine that is not loopback; `None` without a network.
fn own_address() -> Option<IpAddr> {
    let socket = std::net::UdpSocket::bind(("0.0.0.0", 0)).ok()?;
    // Sends nothing; the system chooses the address for this destination.
    socket.connect(("192.0.2.1", 9)).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

#[tokio::test]
async fn an_address_has_a_bounded_number_of_connections() {
    let Some(address) = own_address() else {
        println!("skipped: this machine has no address but loopback");
        return;
    };
    let mut config = on_any_port();
    config.server.listen = SocketAddr::from((address, 0));
    config.server.insecure = true;
    config.server.connections_per_address = 3;
    let running = start(config).await;
    let health = "GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let mut open = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(running.address()).await.unwrap();
        stream.write_all(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let mut answer = [0; 15];
        stream.read_exact(&mut answer).await.unwrap();
        open.push(stream);
    }
    let mut fourth = TcpStream::connect(running.address()).await.unwrap();
    let mut nothing = Vec::new();
    fourth.read_to_end(&mut nothing).await.ok();
    assert!(nothing.is_empty(), "beyond the limit of the address");
    drop(open);
    // The connections end in the background.
    let again = async {
        loop {
            let mut stream = TcpStream::connect(running.address()).await.unwrap();
            let mut answer = Vec::new();
            if stream.write_all(health.as_bytes()).await.is_ok()
                && stream.read_to_end(&mut answer).await.is_ok()
                && answer.starts_with(b"HTTP/1.1 200 OK")
            {
                break;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(60), again).await.expect("the slots are free again");
    running.stop().await;
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_disconnected() {
    let mut config = on_any_port();
    config.server.idle_timeout = Duration::from_millis(300);
    let running = start(config).await;
    let mut stream = TcpStream::connect(running.address()).await.unwrap();
    let head = "POST /v1/queries/stream HTTP/1.1\r\nhost: x\r\n\
                content-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    // Each line produces a refusal that is never read. Ends only because the server disconnects.
    let lines = "x\n".repeat(4096);
    let chunk = format!("{:x}\r\n{lines}\r\n", lines.len());
    while stream.write_all(chunk.as_bytes()).await.is_ok() {}
    let (ann, bob) = (post("1", "ann"), post("2", "bob"));
    let address = running.address();
    let (ann, _) = tokio::join!(exchange(address, &ann), exchange(address, &bob));
    assert!(ann.contains("\"answered\""), "{ann}");
    running.stop().await;
}

#[tokio::test]
async fn a_query_that_waits_at_shutdown_expires() {
    let mut config = on_any_port();
    config.engine.tick = Duration::from_secs(60);
    let running = start(config).await;
    let address = running.address();
    let request = post("1", "ann");
    let waiting = tokio::spawn(async move { exchange(address, &request).await });
    let gateway = running.gateway().clone();
    while gateway.under_way().load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    running.stop().await;
    let response = waiting.await.unwrap();
    assert!(
        response.starts_with("HTTP/1.1 200 OK") && response.contains("\"expired\""),
        "{response}"
    );
    assert!(TcpStream::connect(address).await.is_err(), "the socket is closed");
}
