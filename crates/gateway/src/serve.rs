//! A gateway that runs: sockets, the engine's thread, and an orderly end.

use crate::config::{Config, ConfigError};
use crate::engine::Round;
use crate::gateway::Gateway;
use crate::listen::{Manners, listen, turned};
use crate::page::{self, BatchMonitor, PageOptions};
use crate::server::operator_app;
use crate::ticker::{Ticker, deliver};
use crate::tls::{Tls, TlsError};
use axum::Router;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Why it does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A socket cannot be had.
    #[error("`{key}` is `{address}`: {problem}")]
    Socket {
        /// The setting.
        key: &'static str,
        /// Its value.
        address: SocketAddr,
        /// What the system says.
        problem: io::Error,
    },
    /// Certificate or key cannot be read.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// No thread can be had.
    #[error("no thread: {0}")]
    Thread(io::Error),
}

/// A gateway that runs.
#[derive(Debug)]
pub struct Running {
    gateway: Arc<Gateway>,
    address: SocketAddr,
    operator_address: Option<SocketAddr>,
    tls: Option<Arc<Tls>>,
    ticker: Ticker,
    delivered: JoinHandle<()>,
    listeners: Vec<JoinHandle<()>>,
    closing: watch::Sender<bool>,
    broken: watch::Receiver<bool>,
}

impl Running {
    /// Opens the sockets and starts the engine; `app` is what people can reach.
    pub async fn start(gateway: Arc<Gateway>, app: Router) -> Result<Running, ServeError> {
        Running::start_watched(gateway, app, PageOptions::default(), |_| ()).await
    }

    /// The same, with somebody who is shown every round: the demo, which knows everyone anyway.
    pub async fn start_watched(
        gateway: Arc<Gateway>,
        app: Router,
        site: PageOptions,
        onlooker: impl FnMut(&Round) + Send + 'static,
    ) -> Result<Running, ServeError> {
        let config = Config::clone(&gateway.config()).server;
        let (socket, address) = bind("server.listen", config.listen)?;
        let operator = match config.metrics {
            Some(address) => Some(bind("server.metrics", address)?),
            None => None,
        };
        let tls = config.tls.as_ref().map(Tls::read).transpose()?.map(Arc::new);
        let closing = watch::Sender::new(false);
        let monitor = Arc::new(BatchMonitor::default());
        let patience = config.request_timeout;
        let reading = config.idle_timeout;
        let manners =
            Manners { connections: config.connections, patience, reading, tls: tls.clone() };
        let mut listeners = vec![tokio::spawn(listen(socket, app, manners, closing.subscribe()))];
        let operator_address = operator.as_ref().map(|(_, address)| *address);
        if let Some((socket, _)) = operator {
            let manners = Manners { connections: 64, patience, reading, tls: None };
            let app =
                operator_app(Arc::clone(&gateway)).merge(page::operator(&gateway, &monitor, &site));
            listeners.push(tokio::spawn(listen(socket, app, manners, closing.subscribe())));
        }
        let (ticker, rounds) = Ticker::start(Arc::clone(&gateway)).map_err(ServeError::Thread)?;
        let rounds = monitor.watch(&gateway, rounds, onlooker);
        tokio::spawn(learn(Arc::clone(&gateway)));
        let (break_down, broken) = watch::channel(false);
        let delivered = tokio::spawn(attend(Arc::clone(&gateway), rounds, break_down));
        tracing::info!(%address, "serving");
        Ok(Running {
            gateway,
            address,
            operator_address,
            tls,
            ticker,
            delivered,
            listeners,
            closing,
            broken,
        })
    }

    /// The gateway itself.
    pub fn gateway(&self) -> &Arc<Gateway> {
        &self.gateway
    }

    /// Where people are listened to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where metrics are served.
    pub fn operator_address(&self) -> Option<SocketAddr> {
        self.operator_address
    }

    /// Takes over limits, keys and certificate; what cannot be read leaves the old ones in use.
    pub fn reload(&self, config: Result<Config, ConfigError>) {
        let config = match config {
            Ok(config) => config,
            Err(error) => return tracing::error!(%error, "the configuration is not taken over"),
        };
        if let Err(error) = self.gateway.reload(&config) {
            tracing::error!(%error, "the keys are not taken over");
        }
        if let (Some(tls), Some(files)) = (&self.tls, &config.server.tls)
            && let Err(error) = tls.reload(files)
        {
            tracing::error!(%error, "the certificate is not taken over");
        }
        tracing::info!("configuration read again");
    }

    /// Waits until the engine has ended without having been told to: all that is left to do then
    /// is to stop.
    pub async fn broken(&self) {
        turned(&mut self.broken.clone()).await;
    }

    /// An orderly end: nothing more is accepted, those who wait are served or have expired,
    /// everyone is told, and the connections end.
    pub async fn stop(self) {
        tracing::info!("stopping");
        self.gateway.begin_to_stop();
        let ticker = self.ticker;
        tokio::task::spawn_blocking(move || ticker.stop()).await.ok();
        self.delivered.await.ok();
        self.gateway.sessions().wait_until_closed().await;
        self.closing.send_replace(true);
        for listener in self.listeners {
            listener.await.ok();
        }
        tracing::info!("stopped");
    }
}

/// Delivers rounds; if they end while nobody wants to stop, something has broken.
async fn attend(
    gateway: Arc<Gateway>,
    rounds: UnboundedReceiver<Round>,
    break_down: watch::Sender<bool>,
) {
    deliver(Arc::clone(&gateway), rounds).await;
    if !*gateway.stopping().borrow() {
        tracing::error!("the engine has ended");
        gateway.begin_to_stop();
        break_down.send_replace(true);
    }
}

/// Connections that may wait to be accepted: who finds no room tries again after a second.
const BACKLOG: u32 = 4096;

fn bind(key: &'static str, wanted: SocketAddr) -> Result<(TcpListener, SocketAddr), ServeError> {
    let wrong = |problem| ServeError::Socket { key, address: wanted, problem };
    let socket = if wanted.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
    let socket = socket.map_err(wrong)?;
    socket.set_reuseaddr(true).map_err(wrong)?;
    socket.bind(wanted).map_err(wrong)?;
    let listener = socket.listen(BACKLOG).map_err(wrong)?;
    let address = listener.local_addr().map_err(wrong)?;
    Ok((listener, address))
}

/// Asks the service for its categories until it answers, and now and then afterwards.
async fn learn(gateway: Arc<Gateway>) {
    let mut stopping = gateway.stopping();
    loop {
        let pause = match gateway.learn_categories().await {
            Ok(()) => Duration::from_secs(600),
            Err(error) => {
                tracing::warn!(error = error.label(), "the service does not name its categories");
                Duration::from_secs(2)
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = turned(&mut stopping) => return,
        }
    }
}
