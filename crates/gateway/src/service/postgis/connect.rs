//! Connections to a database over TCP or Unix sockets, with a limit on received bytes.

use super::address::ParsedAddress;
use super::byte_budget::{ByteBudget, MeteredStream};
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::AbortHandle;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Client, Config, Connection, NoTls};

/// A client with the task that drives its connection.
pub(super) struct DatabaseConnection {
    pub client: Client,
    pub budget: ByteBudget,
    _task: ConnectionTask,
}

/// Aborts the task on drop: the socket is closed at once, even during a query.
struct ConnectionTask(AbortHandle);

impl Drop for ConnectionTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Reason why a connection failed.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No host accepts connections.
    #[error("cannot connect to the database: {0}")]
    Io(#[from] io::Error),
    /// The database or its protocol refused the connection.
    #[error(transparent)]
    Database(#[from] tokio_postgres::Error),
}

/// Connects to the first host that accepts the connection.
pub(super) async fn connect(address: &ParsedAddress) -> Result<DatabaseConnection, ConnectError> {
    let ports = address.config.get_ports();
    let no_host = io::Error::new(io::ErrorKind::InvalidInput, "the address names no host");
    let mut last = ConnectError::Io(no_host);
    for (index, host) in address.config.get_hosts().iter().enumerate() {
        let port = ports.get(index).or(ports.first()).copied().unwrap_or(5432);
        let budget = ByteBudget::default();
        let connected = match host {
            Host::Unix(folder) => connect_unix(&address.config, folder, port, &budget).await,
            Host::Tcp(name) => connect_tcp(address, name, port, &budget).await,
        };
        match connected {
            Ok((client, _task)) => return Ok(DatabaseConnection { client, budget, _task }),
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn connect_unix(
    config: &Config,
    folder: &std::path::Path,
    port: u16,
    budget: &ByteBudget,
) -> Result<(Client, ConnectionTask), ConnectError> {
    let stream = UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await?;
    let stream = MeteredStream::new(stream, budget);
    let (client, connection) = config.connect_raw(stream, NoTls).await?;
    Ok(spawn(client, connection))
}

/// Connects by TCP, with TLS if the address has root certificates.
async fn connect_tcp(
    ParsedAddress { config, tls }: &ParsedAddress,
    name: &str,
    port: u16,
    budget: &ByteBudget,
) -> Result<(Client, ConnectionTask), ConnectError> {
    let stream = TcpStream::connect((name, port)).await?;
    // Without Nagle's algorithm small requests are sent at once; failure costs only time.
    stream.set_nodelay(true).ok();
    let stream = MeteredStream::new(stream, budget);
    let Some(tls) = tls else {
        let (client, connection) = config.connect_raw(stream, NoTls).await?;
        return Ok(spawn(client, connection));
    };
    let mut config = config.clone();
    config.ssl_mode(SslMode::Require);
    let (client, connection) = config.connect_raw(stream, tls.connector(name)).await?;
    Ok(spawn(client, connection))
}

/// Drives a connection on a task of its own. Its errors reach the pending requests.
fn spawn<S, T>(client: Client, connection: Connection<S, T>) -> (Client, ConnectionTask)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let task = tokio::spawn(async move { connection.await.ok() });
    (client, ConnectionTask(task.abort_handle()))
}
