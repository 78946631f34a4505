//! TLS, and replacement of the certificate while the gateway runs.

use crate::fixture::{gateway_of, generous};
use gateway::clock::Clock;
use gateway::config::{Config, Mode, TlsFiles};
use gateway::serve::Running;
use gateway::server::app;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gateway/tls").join(name)
}

/// Connects, trusting one certificate only and speaking these protocols.
async fn connect(
    address: SocketAddr,
    certificate: &str,
    protocols: &[&[u8]],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(file(certificate)).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

/// Requests `/health`, trusting one certificate only.
async fn get_health(address: SocketAddr, certificate: &str) -> std::io::Result<String> {
    let mut stream = connect(address, certificate, &[]).await?;
    let head = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(head).await?;
    let mut text = Vec::new();
    stream.read_to_end(&mut text).await.ok();
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[tokio::test]
async fn a_certificate_is_renewed_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let files = TlsFiles {
        certificate: folder.path().join("chain.pem"),
        key: folder.path().join("key.pem"),
    };
    let install = |name: &str| {
        std::fs::copy(file(&format!("{name}.pem")), &files.certificate).unwrap();
        std::fs::copy(file(&format!("{name}.key")), &files.key).unwrap();
    };
    install("one");
    let mut config: Config = generous();
    config.server.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.server.metrics = None;
    config.server.tls = Some(files.clone());
    let (gateway, _) = gateway_of(config.clone(), Mode::Demo, Clock::start());
    let running = Running::start(Arc::clone(&gateway), app(gateway)).await.unwrap();
    let address = running.address();
    assert!(get_health(address, "one.pem").await.unwrap().starts_with("HTTP/1.1 200 OK"));
    assert!(get_health(address, "two.pem").await.is_err(), "another certificate is not trusted");
    let mut stream = connect(address, "one.pem", &[b"h2", b"http/1.1"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    // The preface and an empty SETTINGS frame are answered with a SETTINGS frame.
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let mut frame = [0; 9];
    stream.read_exact(&mut frame).await.unwrap();
    assert_eq!(frame[3], 4, "{frame:?}");
    std::fs::write(&files.certificate, "not a certificate").unwrap();
    assert!(running.apply(&config).is_err());
    assert!(get_health(address, "one.pem").await.is_ok(), "the old one stays in use");
    install("two");
    running.apply(&config).unwrap();
    assert!(get_health(address, "two.pem").await.unwrap().starts_with("HTTP/1.1 200 OK"));
    assert!(get_health(address, "one.pem").await.is_err());
    running.stop().await;
}
