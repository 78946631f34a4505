//! Settings of sockets and connections.

use super::Config;
use super::parse::{address, one_of, origins, path, seconds, whole};
use super::setting::Setting;
use super::settings::setting;
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
    /// Whether the compatible APIs are served.
    pub compatible: bool,
    /// Whether the app for phones is served.
    pub app: bool,
    /// Origins of web pages that may use the client API.
    pub origins: Vec<String>,
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
            compatible: false,
            app: false,
            origins: Vec::new(),
            request_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(300),
        }
    }
}

/// Settings of this section.
pub(super) const SETTINGS: &[Setting] = &[
    setting!(
        "server.listen",
        "\"127.0.0.1:8080\"",
        "Address of the client API, host:port.",
        |c, text| c.server.listen = address(text)?
    ),
    setting!(
        "server.metrics",
        "\"127.0.0.1:9464\"",
        "Address of the operator's socket (metrics), host:port; \"\" disables it.",
        |c, text| { c.server.metrics = if text.is_empty() { None } else { Some(address(text)?) } }
    ),
    setting!(
        "server.page",
        "\"metrics\"",
        "Address of the operator's page, host:port, or metrics for the socket of the metrics; \"\" disables it.",
        |c, text| {
            c.server.page = match text {
                "" => PageAddress::Disabled,
                "metrics" => PageAddress::WithMetrics,
                _ => PageAddress::At(address(text)?),
            }
        }
    ),
    setting!(
        "server.page_token",
        "\"\"",
        "File of the token that opens the operator's page; \"\" needs none, on loopback only.",
        |c, text| c.server.page_token = path(text)
    ),
    setting!(
        "server.hosts",
        "\"\"",
        "Host names of the operator's sockets, separated by commas; localhost and IP addresses are always accepted.",
        |c, text| {
            let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
            c.server.hosts = names.map(str::to_owned).collect();
        }
    ),
    setting!(
        "server.insecure",
        "false",
        "Whether sockets off loopback may be without TLS: true or false.",
        |c, text| c.server.insecure = one_of(text, &[("true", true), ("false", false)])?
    ),
    setting!(
        "server.tls_certificate",
        "\"\"",
        "File of the TLS certificate chain, PEM; \"\" disables TLS. Reloaded on SIGHUP.",
        |c, text| tls(c).certificate = PathBuf::from(text)
    ),
    setting!(
        "server.tls_key",
        "\"\"",
        "File of the private key of the certificate, PEM. Reloaded on SIGHUP.",
        |c, text| tls(c).key = PathBuf::from(text)
    ),
    setting!(
        "server.connections",
        "10000",
        "Largest number of open client connections, 1 to 1000000; further ones are closed.",
        |c, text| c.server.connections = whole(text, 1..=1_000_000)?
    ),
    setting!(
        "server.connections_per_address",
        "1000",
        "Largest number of open connections of one address (IPv6: one /64), 1 to 1000000; loopback is not limited.",
        |c, text| c.server.connections_per_address = whole(text, 1..=1_000_000)?
    ),
    setting!(
        "server.compatible",
        "false",
        "Whether users with a token may ask in the form of Overpass, Google Places and Photon: true or false.",
        |c, text| c.server.compatible = one_of(text, &[("true", true), ("false", false)])?
    ),
    setting!(
        "server.app",
        "false",
        "Whether the app for phones is served at /app, and users with a token may ask at /v1/me: true or false.",
        |c, text| c.server.app = one_of(text, &[("true", true), ("false", false)])?
    ),
    setting!(
        "server.origins",
        "\"\"",
        "Origins of web pages that may use the client API, https or on localhost, separated by commas; \"\" allows none.",
        |c, text| c.server.origins = origins(text)?
    ),
    setting!(
        "server.request_timeout",
        "10",
        "Time-out of a request head, and then of its body, in seconds, 0.1 to 600.",
        |c, text| c.server.request_timeout = seconds(text, 0.1..=600.0)?
    ),
    setting!(
        "server.idle_timeout",
        "300",
        "Seconds until an idle stream, or a client that reads nothing, is disconnected, 1 to 86400.",
        |c, text| c.server.idle_timeout = seconds(text, 1.0..=86_400.0)?
    ),
];

fn tls(config: &mut Config) -> &mut TlsFiles {
    config.server.tls.get_or_insert_default()
}
