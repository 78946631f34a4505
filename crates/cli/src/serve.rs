//! `meshcloak serve`: the gateway as a process, with its signals.

use crate::progress::Console;
use anyhow::{Context as _, Result, bail};
use clap::Args;
use demo::Demo;
use demo::agents::{AgentSettings, CITY};
use gateway::config::{Config, ConfigError, Source, Sources};
use gateway::gateway::Gateway;
use gateway::logs;
use gateway::page::{PageMode, PageOptions};
use gateway::prepare::prepare;
use gateway::serve::Running;
use gateway::server::app;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};

/// Settings come from, the last first: flags, the environment (MESHCLOAK_SECTION_NAME), the file,
/// the defaults. SIGHUP reads limits, keys and certificate again; SIGTERM and SIGINT end it, after
/// everyone who waits was told.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  meshcloak serve --demo
  meshcloak serve --example > meshcloak.toml && meshcloak serve --config meshcloak.toml --check
  meshcloak serve --map porto.osm.pbf --listen 0.0.0.0:8443 --set server.tls_certificate=c.pem \\
    --set server.tls_key=k.pem")]
pub struct Serve {
    /// Settings, TOML.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The map (`map.source`).
    #[arg(long, value_name = "MAP")]
    map: Option<String>,
    /// Where people are listened to (`server.listen`).
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// What is promised (`engine.guarantee`).
    #[arg(long, value_name = "GUARANTEE")]
    guarantee: Option<String>,
    /// Any setting.
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Open to everyone without a key, on loopback alone.
    #[arg(long)]
    demo: bool,
    /// How many people live in the demo.
    #[arg(long, value_name = "NUMBER", default_value_t = AgentSettings::default().users,
          value_parser = clap::value_parser!(u32).range(0..=100_000), requires = "demo")]
    people: u32,
    /// A folder with an evaluation's report, to be linked from the page.
    #[arg(long, value_name = "FOLDER")]
    report: Option<PathBuf>,
    /// Read and check everything, open the map and the service, and end.
    #[arg(long)]
    check: bool,
    /// Write all settings with their defaults, and end.
    #[arg(long)]
    example: bool,
}

impl Serve {
    /// Runs the gateway until it is told to end.
    pub fn run(&self, console: &Console) -> Result<()> {
        if self.example {
            print!("{}", Config::example());
            return Ok(());
        }
        let sources = self.sources()?;
        let config = Config::load(&sources)?;
        let subscriber = logs::subscriber(&config.log, std::io::stderr);
        tracing::subscriber::set_global_default(subscriber).context("logs")?;
        logs::hush_panics();
        have_files(config.server.connections, console);
        let prepared = prepare(config, sources.mode(), console);
        console.clear();
        let gateway = prepared?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        if self.check {
            let reached = runtime.block_on(gateway.learn_categories());
            reached.context("`service.source`")?;
            println!("everything is in order");
            return Ok(());
        }
        runtime.block_on(async {
            let running = self.start(gateway).await?;
            console.note(&format!("listening on {}", running.address()));
            if let Some(address) = running.operator_address() {
                console.note(&format!("the operator's page is at http://{address}/"));
            }
            if !gateway::page::is_embedded() {
                console.note("this program was built without Node: there is no page in it");
            }
            if self.demo {
                println!("MeshCloak is at http://{}/", running.address());
            }
            self.follow_signals(running).await
        })
    }

    /// Opens the sockets; in the demo, for a crowd as well.
    async fn start(&self, gateway: Arc<Gateway>) -> Result<Running> {
        let app = app(Arc::clone(&gateway));
        let site = PageOptions { mode: PageMode::Operator, report: self.report.clone() };
        if !self.demo {
            return Ok(Running::start_watched(gateway, app, site, |_| ()).await?);
        }
        let settings = AgentSettings { users: self.people, ..AgentSettings::default() };
        let demo = Demo::new(Arc::clone(&gateway), settings);
        let app = app.merge(demo.routes(self.report.clone()));
        let running = Running::start_watched(gateway, app, site, demo.observer()).await?;
        demo.start().context("cannot start the agents of the demo")?;
        Ok(running)
    }

    /// Reads the settings again on SIGHUP; ends on SIGTERM and SIGINT.
    async fn follow_signals(&self, running: Running) -> Result<()> {
        let mut hangup = signal(SignalKind::hangup())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        loop {
            tokio::select! {
                _ = hangup.recv() => {
                    running.reload(self.sources().and_then(|sources| Config::load(&sources)));
                }
                _ = terminate.recv() => break,
                _ = interrupt.recv() => break,
                () = running.broken() => {
                    running.stop().await;
                    bail!("the engine has ended");
                }
            }
        }
        running.stop().await;
        Ok(())
    }

    fn sources(&self) -> Result<Sources, ConfigError> {
        let mut sources = Sources::new().environment(std::env::vars());
        let named = self.map.is_some() || std::env::var_os("MESHCLOAK_MAP_SOURCE").is_some();
        if self.demo && self.config.is_none() && !named {
            sources = sources.flag("map.source", CITY).flag("engine.region", "cells");
        }
        if let Some(path) = &self.config {
            sources = sources.file(Source::read(path)?);
        }
        let flags = [
            ("map.source", &self.map),
            ("server.listen", &self.listen),
            ("engine.guarantee", &self.guarantee),
        ];
        for (key, value) in flags {
            if let Some(value) = value {
                sources = sources.flag(key, value);
            }
        }
        for (key, value) in &self.set {
            sources = sources.flag(key, value);
        }
        Ok(if self.demo { sources.demo() } else { sources })
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, as in limits.k_max=20")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// Each connection is a file: has as many of them as the system allows, and says if that is less
/// than there may be connections.
fn have_files(connections: usize, console: &Console) {
    let mut limits = getrlimit(Resource::Nofile);
    limits.current = limits.maximum;
    // What cannot be raised stays as it is, and is what is compared.
    setrlimit(Resource::Nofile, limits).ok();
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    if files < connections as u64 + 100 {
        console.note(&format!(
            "the system allows {files} open files, fewer than `server.connections` \
             ({connections}) needs: see LimitNOFILE, or ulimit -n"
        ));
    }
}
