//! Connections: errors, credentials, TLS.

use cluster::testing::{Proxy, Servers};
use cluster::{Cluster, ClusterSettings};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

#[tokio::test]
async fn a_missing_or_silent_server_is_named_in_time() {
    let mut servers = Servers::start(1).await;
    let proxy = Proxy::start(servers.server(0).address()).await;
    proxy.hold();
    for url in ["nats://127.0.0.1:1".to_owned(), proxy.url()] {
        let mut settings = ClusterSettings::new(&[&url]);
        settings.timeout = Duration::from_millis(500);
        let error = Cluster::connect(&settings).await.unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot connect to NATS at {url}: ")), "{error}");
    }
    let cluster = servers.connect().await;
    assert!(cluster.is_connected() && cluster.max_payload() == 1 << 20);
    assert!(cluster.server_version().starts_with("2."));
}

/// Answers one client as a server of this version would.
async fn fake_server(version: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let info = format!(
            "INFO {{\"server_id\":\"x\",\"version\":\"{version}\",\"max_payload\":1048576,\"proto\":1,\"headers\":true}}\r\n"
        );
        stream.write_all(info.as_bytes()).await.unwrap();
        let mut buffer = [0; 4_096];
        while let Ok(1..) = stream.read(&mut buffer).await {
            stream.write_all(b"PONG\r\n").await.ok();
        }
    });
    url
}

#[tokio::test]
async fn a_server_without_expiry_of_keys_is_refused() {
    let old = ClusterSettings::new(&[&fake_server("2.9.10").await]);
    let error = Cluster::connect(&old).await.unwrap_err().to_string();
    assert_eq!(error, "NATS server 2.9.10 is too old: key expiry needs 2.11 or newer");
    let new = ClusterSettings::new(&[&fake_server("2.11.0").await]);
    assert!(Cluster::connect(&new).await.is_ok());
}

/// A user's public NKey and its seed; generated for this test.
const NKEY: &str = "UCBNXUYM3G3MGJBFL2PPV7VK7IULDJPVE6KSCMBAUPBGLOCTR7JLDMTY";
const SEED: &str = "SUAMRZ4DNPURHBSWV5BSB5OFHZCO35TZFKYDILOKBFCHLBMEHVUK7V2ICU";

#[tokio::test]
async fn an_nkey_opens_the_server_and_errors_quote_no_seed() {
    let lines = format!("authorization {{ users: [{{ nkey: {NKEY} }}] }}");
    let servers = Servers::with_config(1, &lines).await;
    let mut settings = servers.settings();
    let error = Cluster::connect(&settings).await.unwrap_err().to_string();
    assert!(error.contains("refused the credentials"), "{error}");
    let file = servers.folder().join("user.nk");
    std::fs::write(&file, SEED).unwrap();
    settings.nkey = Some(file.clone());
    assert!(Cluster::connect(&settings).await.unwrap().is_connected());
    // A seed whose checksum is wrong.
    let reversed: String = SEED.split_at(4).1.chars().rev().collect();
    std::fs::write(&file, format!("{}{reversed}", SEED.split_at(4).0)).unwrap();
    let error = Cluster::connect(&settings).await.unwrap_err().to_string();
    assert!(!error.contains("SUA"), "{error}");
}

#[tokio::test]
async fn a_credentials_file_opens_the_server() {
    let servers = Servers::with_config(1, include_str!("jwt/server.conf")).await;
    let mut settings = servers.settings();
    assert!(Cluster::connect(&settings).await.is_err());
    settings.credentials =
        Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nats/jwt/user.creds"));
    assert!(Cluster::connect(&settings).await.unwrap().is_connected());
}

/// Makes a certificate authority, a server certificate and a client certificate.
fn certificates(folder: &Path) {
    let script = "openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=ca \
        -addext basicConstraints=critical,CA:TRUE
        for name in server client; do
          openssl req -newkey rsa:2048 -nodes -keyout $name.key -out $name.csr -subj /CN=$name
          printf 'subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n' > ext
          openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out $name.pem
        done";
    let output = Command::new("sh").args(["-ec", script]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn certificates_of_both_sides_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let file = |name: &str| folder.path().join(name);
    let lines = format!(
        "tls {{ cert_file: {:?}, key_file: {:?}, ca_file: {:?}, verify: true }}",
        file("server.pem"),
        file("server.key"),
        file("ca.pem")
    );
    let servers = Servers::with_config(1, &lines).await;
    let mut settings = servers.settings();
    settings.roots = Some(file("ca.pem"));
    let without = Cluster::connect(&settings).await;
    assert!(without.is_err(), "the server demands a certificate");
    settings.certificate = Some((file("client.pem"), file("client.key")));
    assert!(Cluster::connect(&settings).await.unwrap().is_connected());
    settings.roots = Some(file("client.pem"));
    let error = Cluster::connect(&settings).await.unwrap_err().to_string();
    assert!(error.contains("cannot connect to NATS at"), "{error}");
}
