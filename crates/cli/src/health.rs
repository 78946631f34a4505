//! `meshcloak health`: asks a running gateway for its state, where there is no other client.

use anyhow::{Context as _, Result, bail};
use clap::Args;
use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

/// Time-out of the connection, and of each read and write.
const TIMEOUT: Duration = Duration::from_secs(4);

/// Largest part of a response that is read.
const MAX_BYTES: u64 = 4096;

/// Asks `/health` and `/ready` of the operator's socket. The exit code is 0 if both say ok.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  meshcloak health
  meshcloak health http://127.0.0.1:9464")]
pub struct Health {
    /// Address of the operator's socket (`server.metrics`), which has no TLS.
    #[arg(value_name = "URL", default_value = "http://127.0.0.1:9464")]
    url: String,
}

impl Health {
    /// Sends both requests.
    pub fn run(&self) -> Result<()> {
        let host = self.url.strip_prefix("http://").map(|host| host.trim_end_matches('/'));
        let Some(host) = host else { bail!("`{}`: expected http://host:port", self.url) };
        for path in ["/health", "/ready"] {
            let status = get(host, path).with_context(|| format!("{}{path}", self.url))?;
            if status != "200" {
                bail!("{}{path}: status {status}", self.url);
            }
        }
        Ok(())
    }
}

/// Requests a path and returns the status.
fn get(host: &str, path: &str) -> Result<String> {
    let address = host.to_socket_addrs()?.next().context("the host has no address")?;
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    // One write: the gateway may answer and close after the first part of a request.
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut text = Vec::new();
    stream.take(MAX_BYTES).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let status = text.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    status.map(str::to_owned).context("the response is not HTTP")
}
