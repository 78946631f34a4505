//! `meshcloak serve`: runs the gateway as a process and handles its signals.

use crate::cluster_process;
use crate::progress::Console;
use crate::signals::{Request, Signals};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use demo::Demo;
use demo::agents::{AgentSettings, CITY};
use gateway::check::check;
use gateway::config::{Config, ConfigError, Mode, Source, Sources};
use gateway::gateway::Gateway;
use gateway::logs;
use gateway::page::{PageOptions, with_host_check};
use gateway::prepare::prepare;
use gateway::serve::Running;
use gateway::server::app;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most simulated users of the demo.
const MAX_PEOPLE: i64 = 100_000;

/// Settings of the demo. All agents have one account, so its limits do not hold for them.
const DEMO: [(&str, &str); 3] =
    [("engine.region", "reach"), ("limits.rate", "10000000"), ("limits.users", "100000000")];

/// Settings, by descending precedence: flags, environment (MESHCLOAK_SECTION_NAME), file, defaults.
/// SIGHUP reloads limits, keys and certificate. SIGTERM and SIGINT stop the gateway after all
/// waiting queries received a response.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  meshcloak serve --demo
  meshcloak serve --example > meshcloak.toml && meshcloak serve --config meshcloak.toml --check
  meshcloak serve --map porto.osm.pbf --listen 0.0.0.0:8443 --set server.tls_certificate=c.pem \\
    --set server.tls_key=k.pem
  meshcloak serve --map porto.meshmap --cluster nats://10.0.0.1:4222 --role engine")]
pub struct Serve {
    /// Settings file, TOML.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Map (`map.source`).
    #[arg(long, value_name = "MAP")]
    map: Option<String>,
    /// Address of the client API, host:port (`server.listen`).
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Privacy guarantee (`engine.guarantee`).
    #[arg(long, value_name = "GUARANTEE")]
    guarantee: Option<String>,
    /// Clock of the guarantee history (`engine.history_clock`).
    #[arg(long, value_name = "CLOCK")]
    history_clock: Option<String>,
    /// NATS servers of a cluster, separated by commas (`cluster.servers`).
    #[arg(long, value_name = "URLS")]
    cluster: Option<String>,
    /// Role in a cluster: all, frontend or engine (`cluster.role`).
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Any setting, as in limits.k_max=20; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    set: Vec<Setting>,
    /// Demo with simulated users: no keys, loopback only.
    #[arg(long)]
    demo: bool,
    /// Number of simulated users in the demo, 0 to 100000.
    #[arg(long, value_name = "NUMBER", default_value_t = AgentSettings::default().users,
          value_parser = clap::value_parser!(u32).range(0..=MAX_PEOPLE), requires = "demo")]
    people: u32,
    /// Folder with the report of an evaluation, linked from the page.
    #[arg(long, value_name = "FOLDER")]
    report: Option<PathBuf>,
    /// Check settings, files, addresses, map, service and cluster, then exit.
    #[arg(long)]
    check: bool,
    /// Print all settings with their defaults, then exit.
    #[arg(long)]
    example: bool,
}

/// A setting given by `--set`.
#[derive(Clone, Debug)]
pub struct Setting {
    /// `section.name`.
    pub key: String,
    /// Value as text.
    pub value: String,
}

impl Serve {
    /// Runs the gateway until a signal stops it.
    pub fn run(&self, console: &Console) -> Result<()> {
        if self.example {
            print!("{}", Config::example());
            return Ok(());
        }
        let sources = self.sources()?;
        let config = Config::load(&sources)?;
        let subscriber = logs::subscriber(&config.log, std::io::stderr);
        tracing::subscriber::set_global_default(subscriber).context("cannot start the log")?;
        logs::redact_panics();
        if self.check {
            return check_all(&config, sources.mode(), self.report.as_deref(), console);
        }
        raise_file_limit(config.server.connections, console);
        if !config.cluster.servers.is_empty() {
            return cluster_process::run(&config, sources.mode(), console, || self.sources());
        }
        let prepared = prepare(config, sources.mode(), console);
        console.clear();
        let gateway = prepared?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(async {
            let signals = Signals::install()?;
            let running = self.start(gateway).await?;
            console.note(&format!("listening on {}", running.address()));
            if let Some(address) = running.page_address() {
                console.note(&format!("operator page: http://{address}/"));
            }
            if !gateway::page::is_embedded() {
                console.note("built without Node: the web page is missing");
            }
            if self.demo {
                println!("MeshCloak is at http://{}/", running.address());
            }
            self.follow_signals(signals, running).await
        })
    }

    /// Opens the sockets; with `--demo` also starts the agents.
    async fn start(&self, gateway: Arc<Gateway>) -> Result<Running> {
        let app = app(Arc::clone(&gateway));
        let site = PageOptions { report: self.report.clone(), ..PageOptions::default() };
        if !self.demo {
            return Ok(Running::start_observed(gateway, app, site, |_| ()).await?);
        }
        let settings = AgentSettings { users: self.people, ..AgentSettings::default() };
        let demo = Demo::new(Arc::clone(&gateway), settings);
        // The demo needs no key, so that a site with a rebound name could use it.
        let app = with_host_check(app.merge(demo.routes(self.report.clone())), &[]);
        let running = Running::start_observed(gateway, app, site, demo.observer()).await?;
        demo.start().context("cannot start the agents of the demo")?;
        Ok(running)
    }

    /// Reloads the settings on SIGHUP; stops on SIGTERM and SIGINT.
    async fn follow_signals(&self, mut signals: Signals, running: Running) -> Result<()> {
        loop {
            tokio::select! {
                request = signals.next() => match request {
                    Request::Reload => running.reload(self.sources()),
                    Request::Stop => break,
                },
                () = running.engine_failed() => {
                    running.stop().await;
                    bail!("the engine thread has stopped; see the log");
                }
            }
        }
        running.stop().await;
        Ok(())
    }

    fn sources(&self) -> Result<Sources, ConfigError> {
        let mut sources = Sources::new().environment(std::env::vars());
        let has_map = self.map.is_some() || std::env::var_os("MESHCLOAK_MAP_SOURCE").is_some();
        for (key, value) in DEMO.into_iter().filter(|_| self.demo && self.config.is_none()) {
            sources = sources.flag(key, value);
        }
        if self.demo && self.config.is_none() && !has_map {
            sources = sources.flag("map.source", CITY);
        }
        if let Some(path) = &self.config {
            sources = sources.file(Source::read(path)?);
        }
        let flags = [
            ("map.source", &self.map),
            ("server.listen", &self.listen),
            ("engine.guarantee", &self.guarantee),
            ("engine.history_clock", &self.history_clock),
            ("cluster.servers", &self.cluster),
            ("cluster.role", &self.role),
        ];
        for (key, value) in flags {
            if let Some(value) = value {
                sources = sources.flag(key, value);
            }
        }
        for Setting { key, value } in &self.set {
            sources = sources.flag(key, value);
        }
        Ok(if self.demo { sources.demo() } else { sources })
    }
}

/// Opens everything that a start opens. The error lists all problems.
fn check_all(config: &Config, mode: Mode, report: Option<&Path>, console: &Console) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let problems = runtime.block_on(async {
        let mut problems = check(config, mode, console).await;
        if let Some(report) = report.filter(|report| !report.is_dir()) {
            problems.push(format!("`--report`: {} is not a folder", report.display()));
        }
        if !config.cluster.servers.is_empty() {
            let connected = fleet::process::connect(&config.cluster).await;
            problems.extend(connected.err().map(|error| format!("`cluster.servers`: {error}")));
        }
        problems
    });
    console.clear();
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    println!("configuration is valid");
    Ok(())
}

/// Parses KEY=VALUE.
pub fn setting(text: &str) -> Result<Setting, String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, as in limits.k_max=20")?;
    Ok(Setting { key: key.trim().to_owned(), value: value.trim().to_owned() })
}

/// Raises the limit of open files to its maximum; notes if `connections` sockets exceed it.
fn raise_file_limit(connections: usize, console: &Console) {
    let mut limits = getrlimit(Resource::Nofile);
    limits.current = limits.maximum;
    // On failure the current limit stays in force and is compared below.
    setrlimit(Resource::Nofile, limits).ok();
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    if files < connections as u64 + 100 {
        console.note(&format!(
            "the system allows {files} open files, too few for `server.connections` = \
             {connections}: raise LimitNOFILE or ulimit -n"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        serve: Serve,
    }

    fn config(line: &[&str]) -> Config {
        let Line { serve } = Line::parse_from([&["meshcloak"], line].concat());
        Config::load(&serve.sources().unwrap()).unwrap()
    }

    #[test]
    fn the_demo_has_room_for_all_its_agents() {
        let limits = config(&["--demo"]).limits;
        assert!(limits.users as i64 >= MAX_PEOPLE && i64::from(limits.rate) >= MAX_PEOPLE);
        let set = config(&["--demo", "--set", "limits.rate=7"]).limits;
        assert_eq!(set.rate, 7);
    }
}
