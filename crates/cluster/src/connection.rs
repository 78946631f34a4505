//! Connection to NATS: addresses, TLS, credentials and time-outs.
//!
//! The client reconnects by itself and may send a request after the caller has given up on it. So a
//! time-out of a write means "may be written, also later"; leases and the log are safe because each
//! write names the sequence that it follows, and a late write is refused.

use crate::access::Access;
use crate::error::ClusterError;
use async_nats::Subscriber;
use async_nats::connection::State;
use async_nats::{Client, ConnectErrorKind, ConnectOptions};
use std::path::PathBuf;
use std::time::Duration;

/// How to reach NATS.
#[derive(Clone, Debug)]
pub struct ClusterSettings {
    /// Addresses of servers, `nats://host:port` or `tls://host:port`; at least one.
    pub servers: Vec<String>,
    /// File of trusted root certificates (PEM); without it the system's roots count.
    pub roots: Option<PathBuf>,
    /// Files of the client certificate and its key (PEM).
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// File of credentials: a JWT and its NKey seed.
    pub credentials: Option<PathBuf>,
    /// File of an NKey seed.
    pub nkey: Option<PathBuf>,
    /// Name of this client in the server's lists.
    pub name: String,
    /// Time-out of each operation.
    pub timeout: Duration,
    /// Whether the client also uses servers that the servers name. Without TLS and `insecure` it
    /// does not: they may be off loopback.
    pub discover: bool,
    /// Whether positions may travel in the clear to servers off loopback.
    pub insecure: bool,
}

impl ClusterSettings {
    /// Returns settings without TLS and credentials, with a time-out of 2 seconds.
    pub fn new(servers: &[&str]) -> ClusterSettings {
        ClusterSettings {
            servers: servers.iter().map(|&server| server.into()).collect(),
            roots: None,
            certificate: None,
            credentials: None,
            nkey: None,
            name: "meshcloak".into(),
            timeout: Duration::from_secs(2),
            discover: true,
            insecure: false,
        }
    }
}

/// Longest wait between two attempts to reconnect.
const MAX_RECONNECT_DELAY: Duration = Duration::from_millis(250);

/// A connection to NATS. Clones share it.
#[derive(Clone)]
pub struct Cluster {
    client: Client,
    timeout: Duration,
}

impl Cluster {
    /// Connects to one of the servers, and reconnects to any of them from then on.
    ///
    /// # Errors
    /// If a setting or file is invalid, no server accepts the connection in time, or the server is
    /// older than 2.11.
    pub async fn connect(settings: &ClusterSettings) -> Result<Cluster, ClusterError> {
        let access = Access::read(settings)?;
        let servers = settings.servers.join(", ");
        let fail = |problem: String| ClusterError::Connect { servers: servers.clone(), problem };
        let connecting =
            access.apply(options(settings, access.is_encrypted))?.connect(access.servers.clone());
        let client = match tokio::time::timeout(settings.timeout, connecting).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(fail(describe(&error))),
            Err(_) => {
                return Err(fail(format!("no answer within {} ms", settings.timeout.as_millis())));
            }
        };
        if !client.is_server_compatible(2, 11, 0) {
            return Err(ClusterError::ServerTooOld { version: client.server_info().version });
        }
        Ok(Cluster { client, timeout: settings.timeout })
    }

    /// Returns the client, for subjects without persistence.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the largest payload of a message in bytes, headers included.
    pub fn max_payload(&self) -> usize {
        self.client.max_payload()
    }

    /// Returns the version of the server that is connected.
    pub fn server_version(&self) -> String {
        self.client.server_info().version
    }

    /// Whether a server is connected at present.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Returns the time-out of each operation.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Subscribes to a subject.
    ///
    /// # Errors
    /// If NATS is unavailable.
    pub async fn subscribe(&self, subject: String) -> Result<Subscriber, ClusterError> {
        let action = || format!("subscribe to {subject}");
        let subscribed = self.within(action, self.client.subscribe(subject.clone())).await?;
        subscribed.map_err(|error| ClusterError::Unavailable {
            action: action(),
            problem: error.to_string(),
        })
    }

    /// Runs an operation with the time-out.
    pub(crate) async fn within<T>(
        &self,
        action: impl FnOnce() -> String,
        operation: impl Future<Output = T>,
    ) -> Result<T, ClusterError> {
        let timed = tokio::time::timeout(self.timeout, operation).await;
        timed.map_err(|_| ClusterError::Timeout { action: action(), limit: self.timeout })
    }
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cluster({:?})", self.client.connection_state())
    }
}

fn options(settings: &ClusterSettings, is_encrypted: bool) -> ConnectOptions {
    let options = ConnectOptions::new()
        .name(&settings.name)
        .connection_timeout(settings.timeout)
        .request_timeout(Some(settings.timeout))
        // Two pings without an answer end the connection.
        .ping_interval(settings.timeout.min(Duration::from_secs(1)))
        .reconnect_delay_callback(|attempts| {
            let exponent = u32::try_from(attempts.min(8)).unwrap_or(8);
            Duration::from_millis(2u64.saturating_pow(exponent)).min(MAX_RECONNECT_DELAY)
        });
    match settings.discover && (is_encrypted || settings.insecure) {
        true => options,
        false => options.ignore_discovered_servers(),
    }
}

/// Describes a failed connection. The texts of the client quote addresses and files, no secrets;
/// those of credentials are not passed on.
fn describe(error: &async_nats::ConnectError) -> String {
    match error.kind() {
        ConnectErrorKind::Authentication => "the key in the file cannot sign".into(),
        ConnectErrorKind::AuthorizationViolation => {
            "the server refused the credentials (settings: credentials, nkey, certificate)".into()
        }
        kind => match std::error::Error::source(error) {
            Some(source) => format!("{kind}: {source}"),
            None => kind.to_string(),
        },
    }
}
