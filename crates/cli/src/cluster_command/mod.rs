//! `meshcloak cluster`: the state of a cluster, orderly moves, and the division of a city.

mod balance;
mod move_city;
mod status;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use cluster::{Bucket, Cluster};
use fleet::process::connect;
use gateway::config::ClusterConfig;
use std::path::PathBuf;
use std::time::Duration;

/// Cities, owners and frontends of a cluster.
#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// Show cities, owners, epochs, lag and frontends.
    Status(status::Status),
    /// Move a city to another engine between two ticks.
    Move(move_city::Move),
    /// Divide a city anew among its engines, by streets and load.
    Balance(balance::Balance),
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
    /// Allow servers off loopback without TLS (`cluster.insecure`).
    #[arg(long)]
    insecure: bool,
}

/// Time in which every live process gives a sign of life.
const LISTEN: Duration = Duration::from_millis(2_200);

/// Longest wait for a change.
const CHANGE: Duration = Duration::from_secs(20);

impl ClusterCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(async {
            match self {
                ClusterCommand::Status(status) => status.run().await,
                ClusterCommand::Move(wanted) => wanted.run().await,
                ClusterCommand::Balance(balance) => balance.run().await,
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
            insecure: self.insecure,
            name: Some("meshcloak cluster".into()),
            ..ClusterConfig::default()
        };
        let cluster = connect(&config).await?;
        let bucket = Bucket::find(&cluster).await.context("no engine has started yet")?;
        Ok((cluster, bucket))
    }
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
