//! `meshcloak cluster status`.

use super::{Connection, LISTEN, aligned};
use anyhow::Result;
use clap::Args;
use cluster::{Bucket, Cluster, NodeId, Owner};
use fleet::message::{Beat, FrontendBeat};
use fleet::peers::Peers;

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

/// What a cluster tells of itself.
#[derive(serde::Serialize)]
struct State {
    shards: Vec<Beat>,
    silent: Vec<String>,
    frontends: Vec<FrontendBeat>,
}

impl Status {
    pub(super) async fn run(&self) -> Result<()> {
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
