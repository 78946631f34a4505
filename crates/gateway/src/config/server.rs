//! Settings of sockets and connections.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Sockets and connections.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerConfig {
    /// Address of the client API.
    pub listen: SocketAddr,
    /// Address of the operator's socket; `None` disables it.
    pub metrics: Option<SocketAddr>,
    /// Address of the operator's page.
    pub page: PageAddress,
    /// File of the token of the page; `None` needs none.
    pub page_token: Option<PathBuf>,
    /// Host names of the operator's sockets, besides `localhost`.
    pub hosts: Vec<String>,
    /// Allows sockets in the clear off loopback.
    pub insecure: bool,
    /// Certificate and key; `None` disables TLS.
    pub tls: Option<TlsFiles>,
    /// Largest number of open client connections.
    pub connections: usize,
    /// Largest number of open connections of one address.
    pub connections_per_address: usize,
    /// Time-out of a request head, and then of its body.
    pub request_timeout: Duration,
    /// Time after which an idle stream, or a client that reads nothing, is disconnected.
    pub idle_timeout: Duration,
}

impl ServerConfig {
    /// Address of the operator's page; `None` if it is disabled.
    pub fn page_address(&self) -> Option<SocketAddr> {
        match self.page {
            PageAddress::Disabled => None,
            PageAddress::WithMetrics => self.metrics,
            PageAddress::At(address) => Some(address),
        }
    }
}

/// Address of the operator's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageAddress {
    /// No page.
    Disabled,
    /// On the socket of the metrics.
    WithMetrics,
    /// On a socket of its own.
    At(SocketAddr),
}

/// Files of the TLS certificate chain and private key, PEM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// Certificate chain.
    pub certificate: PathBuf,
    /// Private key.
    pub key: PathBuf,
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            metrics: Some(SocketAddr::from(([127, 0, 0, 1], 9464))),
            page: PageAddress::WithMetrics,
            page_token: None,
            hosts: Vec::new(),
            insecure: false,
            tls: None,
            connections: 10_000,
            connections_per_address: 1_000,
            request_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(300),
        }
    }
}
