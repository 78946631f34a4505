//! `meshcloak cluster`: the state of a cluster, and orderly moves.

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use cluster::{Bucket, City, Cluster, NodeId, Owner, Want};
use fleet::message::{Beat, FrontendBeat};
use fleet::peers::Peers;
use fleet::process::connect;
use gateway::config::ClusterConfig;
use std::path::PathBuf;
use std::time::Duration;

/// Cities, owners and frontends of a cluster.
#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// Show cities, owners, epochs, lag and frontends.
    Status(Status),
    /// Move a city to another engine between two ticks.
    Move(Move),
}

/// Connection to the cluster.
#[derive(Debug, Args)]
struct Connection {
    /// NATS servers, separated by commas (`cluster.servers`).
    #[arg(long, value_name = "URLS", env = "MESHCLOAK_CLUSTER_SERVERS")]
    cluster: String,
    /// File of NATS credentials (`cluster.credentials`).
    #[arg(long, value_name = "FILE", env = "MESHCLOAK_CLUSTER_CREDENTIALS")]
    credentials: Option<PathBuf>,
    /// File of an NKey seed (`cluster.nkey`).
    #[arg(long, value_name = "FILE", env = "MESHCLOAK_CLUSTER_NKEY")]
    nkey: Option<PathBuf>,
    /// File of CA certificates (`cluster.tls_roots`).
    #[arg(long, value_name = "FILE", env = "MESHCLOAK_CLUSTER_TLS_ROOTS")]
    tls_roots: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  meshcloak cluster status --cluster nats://127.0.0.1:4222")]
pub struct Status {
    #[command(flatten)]
    connection: Connection,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  meshcloak cluster move porto engine-2 --cluster nats://127.0.0.1:4222")]
pub struct Move {
    /// City.
    city: String,
    /// Engine: its name or id, as in `cluster status`.
    engine: String,
    /// Number of the shard.
    #[arg(long, default_value_t = 0)]
    shard: u16,
    #[command(flatten)]
    connection: Connection,
}

/// Time in which every live process gives a sign of life.
const LISTEN: Duration = Duration::from_millis(2_200);

/// Longest wait for a move.
const MOVE: Duration = Duration::from_secs(20);

/// What a cluster tells of itself.
#[derive(serde::Serialize)]
struct State {
    shards: Vec<Beat>,
    silent: Vec<String>,
    frontends: Vec<FrontendBeat>,
}

impl ClusterCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(async {
            match self {
                ClusterCommand::Status(status) => status.run().await,
                ClusterCommand::Move(wanted) => wanted.run().await,
            }
        })
    }
}

impl Connection {
    async fn open(&self) -> Result<(Cluster, Bucket)> {
        let servers = self.cluster.split(',').map(|server| server.trim().to_owned()).collect();
        let config = ClusterConfig {
            servers,
            credentials: self.credentials.clone(),
            nkey: self.nkey.clone(),
            tls_roots: self.tls_roots.clone(),
            name: Some("meshcloak cluster".into()),
            ..ClusterConfig::default()
        };
        let cluster = connect(&config).await?;
        let bucket = Bucket::find(&cluster).await.context("no engine has started yet")?;
        Ok((cluster, bucket))
    }
}

impl Status {
    async fn run(&self) -> Result<()> {
        let (cluster, bucket) = self.connection.open().await?;
        let state = read(&cluster, &bucket).await?;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&state)?);
            return Ok(());
        }
        print!("{}", text(&state));
        Ok(())
    }
}

async fn read(cluster: &Cluster, bucket: &Bucket) -> Result<State> {
    let peers = Peers::follow(cluster).await?;
    tokio::time::sleep(LISTEN).await;
    let shards = peers.owners();
    let owners = Owner::all(bucket).await?;
    let is_heard = |owner: &Owner| {
        let heard = |beat: &Beat| {
            (beat.city.as_str(), beat.shard) == (owner.shard.city.as_str(), owner.shard.number)
        };
        shards.iter().any(heard)
    };
    let silent = owners.iter().filter(|owner| !is_heard(owner));
    let silent = silent.map(|owner| format!("{} of {}", owner.shard, owner.name)).collect();
    Ok(State { silent, frontends: peers.frontends(), shards })
}

fn text(state: &State) -> String {
    let head = ["city", "shard", "owner", "engine", "epoch", "waiting", "lag ms", "log", "history"];
    let mut rows = vec![head.map(str::to_owned)];
    for beat in &state.shards {
        rows.push([
            beat.city.clone(),
            format!("{}/{}", beat.shard + 1, beat.shards),
            beat.name.clone(),
            NodeId(beat.engine).to_string(),
            beat.epoch.to_string(),
            beat.waiting.to_string(),
            beat.lag_ms.to_string(),
            beat.seen.sequence.to_string(),
            match beat.unknown_seconds {
                0 => beat.guarantee.clone(),
                seconds => format!("unknown for {seconds} s"),
            },
        ]);
    }
    let mut text = aligned(&rows);
    for silent in &state.silent {
        text.push_str(&format!("silent: {silent}\n"));
    }
    text.push('\n');
    let head = ["frontend", "id", "address", "state"];
    let mut rows = vec![head.map(str::to_owned)];
    for beat in &state.frontends {
        let state = if beat.is_stopping { "stopping" } else { "ok" };
        let id = NodeId(beat.frontend).to_string();
        rows.push([beat.name.clone(), id, beat.address.clone(), state.to_owned()]);
    }
    text + &aligned(&rows)
}

/// Formats rows with columns aligned left.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..N).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

impl Move {
    async fn run(&self) -> Result<()> {
        let (cluster, bucket) = self.connection.open().await?;
        let shard = City::new(&self.city)?.shard(self.shard);
        let engine = self.engine(&cluster).await?;
        let Some(owner) = Owner::get(&bucket, &shard).await? else {
            bail!("{shard} has no owner");
        };
        if owner.engine == engine {
            println!("{shard} is owned by {} already", owner.name);
            return Ok(());
        }
        Want::get(&bucket, &shard).await?.set(&bucket, &shard, engine).await?;
        let deadline = tokio::time::Instant::now() + MOVE;
        while tokio::time::Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let owner = Owner::get(&bucket, &shard).await?;
            if let Some(owner) = owner.filter(|owner| owner.engine == engine) {
                println!("{shard} moved to {} (epoch {})", owner.name, owner.epoch);
                return Ok(());
            }
        }
        bail!("{shard} has not moved within {} s; see `cluster status`", MOVE.as_secs())
    }

    /// Finds the id of the engine.
    async fn engine(&self, cluster: &Cluster) -> Result<NodeId> {
        if let Ok(id) = self.engine.parse() {
            return Ok(id);
        }
        let peers = Peers::follow(cluster).await?;
        tokio::time::sleep(LISTEN).await;
        let named = peers.engines().into_iter().filter(|engine| engine.name == self.engine);
        let found: Vec<u64> = named.map(|engine| engine.engine).collect();
        match found[..] {
            [id] => Ok(NodeId(id)),
            [] => bail!("no live engine is named `{}`; see `cluster status`", self.engine),
            _ => bail!("several engines are named `{}`; use an id", self.engine),
        }
    }
}
