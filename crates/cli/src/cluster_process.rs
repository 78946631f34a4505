//! `meshcloak serve` in a cluster: the roles of one process, and its signals.

use crate::progress::Console;
use crate::signals::{Request, Signals};
use anyhow::{Context as _, Result};
use fleet::engine::{EngineCity, RunningEngine, router};
use fleet::frontend::RunningFrontend;
use fleet::page;
use fleet::peers::Peers;
use fleet::process::{connect, start_engine, start_frontend};
use gateway::config::{CityConfig, Config, ConfigError, Mode, Role, Sources};
use gateway::gateway::Gateway;
use gateway::page::{PageMode, PageOptions, with_host_check};
use gateway::prepare::{prepare, read_walker};
use gateway::serve::Running;
use gateway::server::app;
use std::sync::Arc;
use tokio::net::TcpListener;

/// The running roles of a process.
struct Process {
    engine: Option<RunningEngine>,
    frontend: Option<(Running, RunningFrontend)>,
}

/// Runs the roles of a configuration until a signal stops them.
pub fn run(
    config: &Config,
    mode: Mode,
    console: &Console,
    sources: impl Fn() -> Result<Sources, ConfigError>,
) -> Result<()> {
    let (gateway, cities) = match config.cluster.role {
        Role::Engine => (None, read_cities(config, console)?),
        Role::Frontend => (Some(prepare(config.clone(), mode, console)?), Vec::new()),
        Role::All => {
            let gateway = prepare(config.clone(), mode, console)?;
            let cities = cities_of(config, &gateway);
            (Some(gateway), cities)
        }
    };
    console.clear();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut signals = Signals::install()?;
        let process = tokio::select! {
            process = start(config, gateway, cities, console) => process?,
            () = signals.stop() => return Ok(()),
        };
        follow_signals(signals, process, sources).await
    })
}

/// Reads the maps of an engine.
fn read_cities(config: &Config, console: &Console) -> Result<Vec<EngineCity>> {
    let read = |city: CityConfig| {
        let walker = read_walker(config, &city, console)?;
        let digest = import::prepared::digest(walker.map());
        Ok(EngineCity::new(&city.name, walker.atlas(), digest, config))
    };
    config.map.cities().into_iter().map(read).collect()
}

/// Returns the cities of a gateway for an engine in the same process.
fn cities_of(config: &Config, gateway: &Gateway) -> Vec<EngineCity> {
    let city = |city: &Arc<gateway::city::City>| {
        EngineCity::new(city.name(), city.atlas(), city.digest(), config)
    };
    gateway.cities().iter().map(city).collect()
}

async fn start(
    config: &Config,
    gateway: Option<Arc<Gateway>>,
    cities: Vec<EngineCity>,
    console: &Console,
) -> Result<Process> {
    let cluster = connect(&config.cluster).await?;
    let engine = match config.cluster.role {
        Role::Frontend => None,
        Role::All | Role::Engine => Some(start_engine(&cluster, config, cities).await?),
    };
    if let (Some(engine), None) = (&engine, &gateway) {
        serve_operator(config, engine, console).await?;
    }
    let frontend = match gateway {
        None => None,
        Some(gateway) => {
            let peers = Arc::new(Peers::follow(&cluster).await?);
            let mode = PageMode::Operator;
            let site = PageOptions { mode, report: None, cluster: Some(page::routes(peers)) };
            let app = app(Arc::clone(&gateway));
            let running = Running::start_frontend(Arc::clone(&gateway), app, site).await?;
            let address = running.address().to_string();
            console.note(&format!("listening on {address}"));
            if let Some(address) = running.page_address() {
                console.note(&format!("operator page: http://{address}/"));
            }
            let frontend = start_frontend(&cluster, &gateway, address).await?;
            Some((running, frontend))
        }
    };
    Ok(Process { engine, frontend })
}

/// Serves metrics and health of a process without clients.
async fn serve_operator(config: &Config, engine: &RunningEngine, console: &Console) -> Result<()> {
    let Some(address) = config.server.metrics else { return Ok(()) };
    let listener = TcpListener::bind(address).await;
    let listener =
        listener.with_context(|| format!("cannot listen on `server.metrics` = {address}"))?;
    console.note(&format!("engine metrics: http://{}/metrics", listener.local_addr()?));
    let app = with_host_check(router(Arc::clone(engine.host())), &config.server.hosts);
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(())
}

/// Reloads the settings on SIGHUP; stops on SIGTERM and SIGINT.
async fn follow_signals(
    mut signals: Signals,
    process: Process,
    sources: impl Fn() -> Result<Sources, ConfigError>,
) -> Result<()> {
    while signals.next().await == Request::Reload {
        if let Some((running, _)) = &process.frontend {
            running.reload(sources());
        }
    }
    let Process { engine, frontend } = process;
    if let Some((running, frontend)) = frontend {
        running.gateway().begin_stop();
        frontend.stop().await;
        running.stop().await;
    }
    if let Some(engine) = engine {
        engine.stop().await;
    }
    Ok(())
}
