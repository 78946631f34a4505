//! `meshcloak cluster move`.

use super::{CHANGE, Connection, LISTEN};
use anyhow::{Result, bail};
use clap::Args;
use cluster::{City, Cluster, NodeId, Owner, Want};
use fleet::peers::Peers;
use std::time::Duration;

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

impl Move {
    pub(super) async fn run(&self) -> Result<()> {
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
        let deadline = tokio::time::Instant::now() + CHANGE;
        while tokio::time::Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let owner = Owner::get(&bucket, &shard).await?;
            if let Some(owner) = owner.filter(|owner| owner.engine == engine) {
                println!("{shard} moved to {} (epoch {})", owner.name, owner.epoch);
                return Ok(());
            }
        }
        bail!("{shard} has not moved within {} s; see `cluster status`", CHANGE.as_secs())
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
