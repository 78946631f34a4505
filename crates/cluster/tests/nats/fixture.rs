//! Logs, records and holders for the tests.

use cluster::testing::Servers;
use cluster::{
    Append, Body, Bucket, City, Cluster, Entry, Followed, Follower, Holder, Log, LogId, LogRecord,
    LogSettings, Members, NodeId, Record, Tick,
};
use meshcloak::map::{Position, StreetId};
use meshcloak::query::UserId;
use meshcloak::units::{Length, Speed, Time};
use std::time::Duration;

pub const HORIZON: Duration = Duration::from_secs(600);
/// Begin of city time in tests.
pub const START: u64 = 1_700_000_000_000;

pub fn city() -> City {
    City::new("oldenburg").unwrap()
}

pub fn settings(replicas: usize) -> LogSettings {
    LogSettings { replicas, max_age: HORIZON + Duration::from_secs(60) }
}

pub fn holder(name: &str) -> Holder {
    Holder { id: NodeId::random().unwrap(), name: name.into() }
}

pub async fn bucket(cluster: &Cluster, replicas: usize) -> Bucket {
    Bucket::open(cluster, replicas).await.unwrap()
}

/// Opens the log and gives it an identity.
pub async fn open(cluster: &Cluster, replicas: usize) -> (Log, LogId) {
    let log = Log::open(cluster, &city(), &settings(replicas)).await.unwrap();
    let identity = log.identify(START, false).await.unwrap();
    (log, identity.log)
}

/// One server with an identified log.
pub async fn one_server() -> (Servers, Cluster, Log, LogId) {
    let servers = Servers::start(1).await;
    let cluster = servers.connect().await;
    let (log, id) = open(&cluster, 1).await;
    (servers, cluster, log, id)
}

pub fn epoch_record(log: LogId, epoch: u64) -> Record {
    let body = Body::Epoch { engine: NodeId(epoch), plan: 0 };
    Record { log, epoch, map: 7, wall_ms: START + epoch, body }
}

/// A tick with `count` positions of users that differ from tick to tick.
pub fn tick_record(log: LogId, epoch: u64, tick: u64, count: u64) -> Record {
    let at = Time::from_millis(START + tick * 1_000);
    let entry = |number: u64| Entry {
        user: UserId(tick * 1_000_000 + number),
        position: Position {
            street: StreetId(number as u32),
            offset: Length::from_units(tick as u32),
        },
        at,
        speed: Some(Speed::from_units(320)),
    };
    let accepted = Some(Members::Positions((0..count).map(entry).collect()));
    let tick = Tick { at, accepted, left: Some(Members::Users(vec![UserId(tick)])) };
    Record { log, epoch, map: 7, wall_ms: at.as_millis(), body: Body::Tick(tick) }
}

/// Appends a record that must be acknowledged.
pub async fn append(log: &Log, expected: u64, record: &Record) -> u64 {
    match log.append(0, expected, record).await.unwrap() {
        Append::Acknowledged(sequence) => sequence,
        other => panic!("{other:?}"),
    }
}

/// Reads to the end of the log.
pub async fn read_all(follower: &mut Follower) -> Vec<Followed> {
    let mut all = Vec::new();
    while let Some(found) = follower.try_next().await.unwrap() {
        all.push(found);
    }
    all
}

/// Returns the records among what was read.
pub fn records(found: &[Followed]) -> Vec<LogRecord> {
    let records = found.iter().filter_map(|found| match found {
        Followed::Record(record) => Some(record.clone()),
        _ => None,
    });
    records.collect()
}
