//! HTTP/2: many requests on one connection, and clients that stall, reset or send too much.

use crate::fixture::query;
use crate::sockets::{on_any_port, start};
use futures_util::future::join_all;
use gateway::serve::Running;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// A frame SETTINGS without settings.
const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

fn client() -> reqwest::Client {
    rustls::crypto::ring::default_provider().install_default().ok();
    reqwest::Client::builder().http2_prior_knowledge().build().unwrap()
}

fn ask(client: &reqwest::Client, running: &Running, number: u32) -> reqwest::RequestBuilder {
    let body = query(&format!("t{number}"), &format!("p{number}"), 3).to_string();
    let request = client.post(format!("http://{}/v1/queries", running.address()));
    request.header("content-type", "application/json").body(body)
}

#[tokio::test]
async fn many_queries_wait_on_one_connection() {
    let mut config = on_any_port();
    config.server.connections = 1;
    let running = start(config).await;
    let client = client();
    // The connection is there before the rest is sent: otherwise each request would open one.
    let first = client.get(format!("http://{}/health", running.address())).send().await.unwrap();
    assert_eq!(first.version(), reqwest::Version::HTTP_2);
    let all = (0..200).map(|number| ask(&client, &running, number).send());
    for response in join_all(all).await {
        let body = response.unwrap().text().await.unwrap();
        assert!(body.contains("\"answered\""), "{body}");
    }
    drop(client);
    running.stop().await;
}

#[tokio::test]
async fn clients_without_a_request_are_closed() {
    let mut config = on_any_port();
    config.server.request_timeout = Duration::from_millis(300);
    let running = start(config).await;
    let settled = [PREFACE, SETTINGS].concat();
    for start in [&b"P"[..], b"PRI", &PREFACE[..20], PREFACE, &settled] {
        let mut stream = TcpStream::connect(running.address()).await.unwrap();
        stream.write_all(start).await.unwrap();
        let mut rest = Vec::new();
        // Ends when the server closes the connection.
        let closed = timeout(Duration::from_secs(60), stream.read_to_end(&mut rest)).await;
        assert!(closed.is_ok(), "{start:?}");
    }
    running.stop().await;
}

#[tokio::test]
async fn large_headers_are_refused_and_others_are_served() {
    let running = start(on_any_port()).await;
    let client = client();
    let large = client.get(format!("http://{}/health", running.address()));
    let large = large.header("x-large", "x".repeat(40_000)).send().await;
    assert!(large.is_err() || large.is_ok_and(|response| response.status() == 431));
    let small = client.get(format!("http://{}/health", running.address())).send().await;
    assert_eq!(small.unwrap().status(), 200);
    drop(client);
    running.stop().await;
}

#[tokio::test]
async fn requests_that_are_reset_do_not_stop_others() {
    let running = start(on_any_port()).await;
    let (hostile, honest) = (client(), client());
    for round in 0..20 {
        let all =
            (0..100).map(|number| ask(&hostile, &running, 1_000 + 100 * round + number).send());
        // Dropped requests are reset.
        timeout(Duration::from_millis(2), join_all(all)).await.ok();
    }
    let both = (0..2).map(|number| ask(&honest, &running, number).send());
    for response in join_all(both).await {
        let body = response.unwrap().text().await.unwrap();
        assert!(body.contains("\"answered\""), "{body}");
    }
    drop((hostile, honest));
    running.stop().await;
}
