//! A running gateway: sockets, engines, reload and graceful shutdown.

mod reload;
mod service_threads;

pub use reload::ReloadError;

use service_threads::ServiceThreads;

use crate::batch::Round;
use crate::config::{Config, PageAddress, ServerConfig};
use crate::engines::{Engines, poll_categories};
use crate::gateway::Gateway;
use crate::keys::KeyError;
use crate::listen::{ConnectionLimits, listen, until_true};
use crate::page::{self, BatchMonitor, PageOptions, PageToken, with_host_check};
use crate::server::operator_app;
use crate::tls::{Tls, TlsError};
use axum::Router;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Reason why the gateway cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A socket cannot be opened.
    #[error("cannot listen on `{key}` = `{address}`: {problem}")]
    Socket {
        /// Setting.
        key: &'static str,
        /// Its value.
        address: SocketAddr,
        /// Error of the operating system.
        problem: io::Error,
    },
    /// The certificate or its key is invalid.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The token of the operator's page cannot be read.
    #[error("`server.page_token`: {0}")]
    PageToken(KeyError),
    /// The thread of an engine or those of the service cannot be started.
    #[error("cannot start a thread of the engine or the service: {0}")]
    Thread(io::Error),
}

/// A running gateway.
#[derive(Debug)]
pub struct Running {
    gateway: Arc<Gateway>,
    address: SocketAddr,
    operator_address: Option<SocketAddr>,
    page_address: Option<SocketAddr>,
    tls: Option<Arc<Tls>>,
    /// `None` if the engines are in other processes.
    engines: Option<Engines>,
    listeners: Vec<JoinHandle<()>>,
    closing: watch::Sender<bool>,
    /// Ends when dropped.
    _service_threads: ServiceThreads,
}

/// Where the engine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineSite {
    /// In this process.
    Local,
    /// Elsewhere in the cluster.
    Remote,
}

impl Running {
    /// Opens the sockets and starts the engine. `app` is the router of the client API.
    pub async fn start(gateway: Arc<Gateway>, app: Router) -> Result<Running, ServeError> {
        let site = EngineSite::Local;
        Running::open(gateway, app, PageOptions::default(), site, |_| ()).await
    }

    /// Opens the sockets of a frontend, whose engines are in other processes.
    pub async fn start_frontend(
        gateway: Arc<Gateway>,
        app: Router,
        page_options: PageOptions,
    ) -> Result<Running, ServeError> {
        Running::open(gateway, app, page_options, EngineSite::Remote, |_| ()).await
    }

    /// Same as [`Running::start`], with an observer of every round of the first city. For the demo, whose users are
    /// simulated: a round holds exact positions.
    pub async fn start_observed(
        gateway: Arc<Gateway>,
        app: Router,
        page_options: PageOptions,
        observer: impl FnMut(&Round) + Send + 'static,
    ) -> Result<Running, ServeError> {
        Running::open(gateway, app, page_options, EngineSite::Local, observer).await
    }

    async fn open(
        gateway: Arc<Gateway>,
        app: Router,
        page_options: PageOptions,
        site: EngineSite,
        observer: impl FnMut(&Round) + Send + 'static,
    ) -> Result<Running, ServeError> {
        let config = Config::clone(&gateway.config()).server;
        let (socket, address) = bind("server.listen", config.listen)?;
        let tls = config.tls.as_ref().map(Tls::read).transpose()?.map(Arc::new);
        let closing = watch::Sender::new(false);
        let monitor = Arc::new(BatchMonitor::default());
        let limits = ConnectionLimits {
            connections: config.connections,
            per_address: config.connections_per_address,
            read_timeout: config.request_timeout,
            write_timeout: config.idle_timeout,
            tls: tls.clone(),
        };
        let operator_limits =
            ConnectionLimits { connections: OPERATOR_CONNECTIONS, tls: None, ..limits.clone() };
        let page = page::operator(&gateway, &monitor, &page_options);
        let operator = OperatorSockets::bind(&gateway, &config, page)?;
        let mut listeners = vec![tokio::spawn(listen(socket, app, limits, closing.subscribe()))];
        for (socket, app) in operator.sockets {
            let limits = operator_limits.clone();
            listeners.push(tokio::spawn(listen(socket, app, limits, closing.subscribe())));
        }
        let service_threads = ServiceThreads::start(&gateway).map_err(ServeError::Thread)?;
        let local = site == EngineSite::Local;
        let engines = local.then(|| Engines::start(&gateway, &monitor, observer)).transpose();
        let engines = engines.map_err(ServeError::Thread)?;
        poll_categories(&gateway);
        tracing::info!(%address, "serving");
        Ok(Running {
            gateway,
            address,
            operator_address: operator.metrics,
            page_address: operator.page,
            tls,
            engines,
            listeners,
            closing,
            _service_threads: service_threads,
        })
    }

    /// The gateway.
    pub fn gateway(&self) -> &Arc<Gateway> {
        &self.gateway
    }

    /// Address of the client API.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Address of the metrics.
    pub fn operator_address(&self) -> Option<SocketAddr> {
        self.operator_address
    }

    /// Address of the operator's page.
    pub fn page_address(&self) -> Option<SocketAddr> {
        self.page_address
    }

    /// Waits until an engine has failed. The caller should then call [`Running::stop`].
    pub async fn engine_failed(&self) {
        match &self.engines {
            Some(engines) => until_true(&mut engines.failed()).await,
            None => std::future::pending().await,
        }
    }

    /// Shuts down gracefully: accepts no more queries, runs a last batch, expires the queries that
    /// still wait, delivers all results and closes the connections.
    pub async fn stop(self) {
        tracing::info!("stopping");
        self.gateway.begin_stop();
        if let Some(engines) = self.engines {
            engines.stop().await;
        }
        self.gateway.sessions().wait_until_closed().await;
        self.closing.send_replace(true);
        for listener in self.listeners {
            listener.await.ok();
        }
        tracing::info!("stopped");
    }
}

/// Sockets of the operator, each with its routes.
struct OperatorSockets {
    sockets: Vec<(TcpListener, Router)>,
    metrics: Option<SocketAddr>,
    page: Option<SocketAddr>,
}

impl OperatorSockets {
    /// Opens the sockets of metrics and page, which may be one.
    fn bind(
        gateway: &Arc<Gateway>,
        config: &ServerConfig,
        page: Router,
    ) -> Result<OperatorSockets, ServeError> {
        let token = config.page_token.as_deref().map(PageToken::read).transpose();
        let page = match token.map_err(ServeError::PageToken)? {
            Some(token) => token.protect(page),
            None => page,
        };
        let mut operator = OperatorSockets { sockets: Vec::new(), metrics: None, page: None };
        let checked = |app| with_host_check(app, &config.hosts);
        if let PageAddress::At(wanted) = config.page {
            let (socket, address) = bind("server.page", wanted)?;
            operator.sockets.push((socket, checked(page.clone())));
            operator.page = Some(address);
        }
        if let Some(wanted) = config.metrics {
            let (socket, address) = bind("server.metrics", wanted)?;
            let mut app = operator_app(Arc::clone(gateway));
            if config.page == PageAddress::WithMetrics {
                app = app.merge(page);
                operator.page = Some(address);
            }
            operator.sockets.push((socket, checked(app)));
            operator.metrics = Some(address);
        }
        Ok(operator)
    }
}

/// Pending connections per socket. Beyond it the kernel drops SYNs and clients retry after 1 s.
const BACKLOG: u32 = 4096;

/// Largest number of connections to the operator's socket.
const OPERATOR_CONNECTIONS: usize = 64;

fn bind(key: &'static str, wanted: SocketAddr) -> Result<(TcpListener, SocketAddr), ServeError> {
    let error = |problem| ServeError::Socket { key, address: wanted, problem };
    let socket = if wanted.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
    let socket = socket.map_err(error)?;
    socket.set_reuseaddr(true).map_err(error)?;
    socket.bind(wanted).map_err(error)?;
    let listener = socket.listen(BACKLOG).map_err(error)?;
    let address = listener.local_addr().map_err(error)?;
    Ok((listener, address))
}
