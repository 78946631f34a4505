//! `meshcloak cluster balance`.

use super::{CHANGE, Connection, aligned};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use cluster::{CellLoad, City, Cluster, Division};
use fleet::peers::Peers;
use fleet::plan::{starts, weights};
use std::time::Duration;

#[derive(Debug, Args)]
#[command(
    after_help = "Half of the weight of a cell is its share of the streets, half its share of \
the queries of the last minute. Waiting queries move with their cells.

Example:
  meshcloak cluster balance porto --cluster nats://127.0.0.1:4222"
)]
pub struct Balance {
    /// City.
    city: String,
    /// Only print the division.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Balance {
    pub(super) async fn run(&self) -> Result<()> {
        let (cluster, bucket) = self.connection.open().await?;
        let city = City::new(&self.city)?;
        let division = Division::get(&bucket, &city).await?;
        let division = division.with_context(|| {
            format!(
                "{city} is not divided; expected a city whose engines have `cluster.shards` > 1"
            )
        })?;
        let queries = CellLoad::of_city(&bucket, &city, division.metres.len()).await?;
        let shards = u16::try_from(division.starts.len()).unwrap_or(u16::MAX);
        let starts = starts(&weights(&division.metres, &queries), shards);
        let balanced = division.with_starts(starts);
        print!("{}", text(&division, &balanced, &queries));
        if self.dry_run || balanced == division {
            return Ok(());
        }
        let Some(written) = balanced.put(&bucket, &city).await? else {
            bail!("the division of {city} was changed at the same time; try again");
        };
        wait(&cluster, &city, &written).await?;
        println!("{city} is divided anew (revision {})", written.revision);
        Ok(())
    }
}

/// Waits until all owners use a division.
async fn wait(cluster: &Cluster, city: &City, division: &Division) -> Result<()> {
    let peers = Peers::follow(cluster).await?;
    let deadline = tokio::time::Instant::now() + CHANGE;
    while tokio::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let owners = peers.owners().into_iter().filter(|owner| owner.city == city.as_str());
        let changed = owners.filter(|owner| owner.plan.revision >= division.revision).count();
        if changed == division.starts.len() {
            return Ok(());
        }
    }
    bail!("not all owners use the new division after {} s; see `cluster status`", CHANGE.as_secs())
}

/// Cells, street length and queries of each shard, before and after.
fn text(before: &Division, after: &Division, queries: &[u64]) -> String {
    let head = ["shard", "cells", "→", "km of street", "→", "queries/min", "→"];
    let mut rows = vec![head.map(str::to_owned)];
    for shard in 0..before.starts.len() as u16 {
        let columns = |division: &Division| {
            let cells = division.cells(shard);
            let metres: u64 =
                division.metres[cells.clone()].iter().map(|metres| u64::from(*metres)).sum();
            let queries: u64 = queries[cells.clone()].iter().sum();
            [cells.len().to_string(), format!("{:.1}", metres as f64 / 1e3), queries.to_string()]
        };
        let ([cells, km, load], [new_cells, new_km, new_load]) = (columns(before), columns(after));
        rows.push([(shard + 1).to_string(), cells, new_cells, km, new_km, load, new_load]);
    }
    aligned(&rows)
}
