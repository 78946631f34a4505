//! The reference of a divided city: `meshcloak cloak --region cell` on one engine, over the arrivals
//! that the log records.

use crate::town::{DC_MAX, NAME, SOURCE, Town};
use cluster::testing::Servers;
use cluster::{Body, Followed, Log, LogSettings, Members, Tick};
use meshcloak::map::{StreetId, StreetMap};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

/// Accepted queries of a tick and a shard.
pub type Accepted = (u64, u16, Members);

/// Returns the labels of streets.
pub fn labels(map: &StreetMap, region: &[u32]) -> BTreeSet<String> {
    region.iter().map(|street| map.street_label(StreetId(*street)).to_owned()).collect()
}

/// Reads the accepted queries of the log, by tick and shard.
pub async fn read_log(servers: &Servers, town: &Town) -> Vec<Accepted> {
    let settings = LogSettings {
        replicas: town.config.cluster.replicas,
        max_age: town.config.engine.horizon + Duration::from_secs(60),
    };
    let cluster = servers.connect().await;
    let log = Log::open(&cluster, &NAME.parse().unwrap(), &settings).await.unwrap();
    let mut follower = log.follow().await.unwrap();
    let mut ticks = Vec::new();
    while let Some(found) = follower.try_next().await.unwrap() {
        if let Followed::Record(record) = found
            && let Body::Tick(Tick { at, accepted: Some(members), .. }) = record.record.body
        {
            ticks.push((at.as_millis(), record.shard, members));
        }
    }
    ticks.sort_by_key(|(at, shard, _)| (*at, *shard));
    ticks
}

/// Outcomes of `meshcloak cloak` on one engine.
pub fn cloak(town: &Town, cell_metres: f64, queries: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("q.csv"), folder.path().join("o.ndjson"));
    std::fs::write(&input, queries).unwrap();
    let guarantee = format!("{:?}", town.config.engine.guarantee).to_lowercase();
    let run = Command::new(env!("CARGO_BIN_EXE_meshcloak"))
        .args(["cloak", SOURCE, "--region", "cell", "--guarantee", &guarantee])
        .args(if guarantee == "history" { &["--horizon", "60"][..] } else { &[] })
        .args(["--cell-length", &cell_metres.to_string(), "--dc-max", &DC_MAX.to_string()])
        .arg("--queries")
        .arg(&input)
        .arg("--out")
        .arg(&output)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let outcomes = std::fs::read_to_string(&output).unwrap();
    outcomes.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|item| item.as_str().unwrap()).collect()
}

pub fn millis(value: &Value) -> u64 {
    (value.as_f64().unwrap() * 1e3).round() as u64
}
