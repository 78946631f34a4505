//! Time that a takeover needs to replay the log of a city under `history`.
//!
//! `cargo run --release -p cluster --features testing --example replay` starts three NATS servers on
//! loopback, appends 660 ticks of one second (horizon 600 s and a minute), and replays them. Every user
//! asks once in 20 s; 44 % of the queries leave. The replay runs three times; the slowest counts.

#![expect(clippy::unwrap_used, reason = "a measurement that cannot be set up has failed")]

use cluster::testing::Servers;
use cluster::{Append, Body, City, Entry, Log, LogId, LogSettings, Members, NodeId, Record, Tick};
use meshcloak::guarantee::HistoryClock;
use meshcloak::map::{Position, StreetId};
use meshcloak::query::UserId;
use meshcloak::units::{Length, Speed, Time};
use std::time::{Duration, Instant};

const HORIZON: Duration = Duration::from_secs(600);
const TICKS: u64 = 660;
/// Seconds between two queries of a user.
const INTERVAL: u64 = 20;
const START: u64 = 1_700_000_000_000;

fn record(log: LogId, at: u64, body: Body) -> Record {
    Record { log, epoch: 1, map: 7, wall_ms: at, body }
}

/// A tick with this many accepted queries.
fn tick(log: LogId, tick: u64, queries: u64) -> Record {
    let at = Time::from_millis(START + tick * 1_000);
    // Hashes of users have no order.
    let user = |number: u64| {
        UserId(((tick % INTERVAL) * queries + number).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    };
    let entry = |number: u64| Entry {
        user: user(number),
        position: Position {
            street: StreetId((number * 7_919 % 20_000) as u32),
            offset: Length::from_units((number % 3_000) as u32),
        },
        at: Time::from_millis(at.as_millis() - number % 1_000),
        speed: Some(Speed::from_units(320)),
    };
    let accepted = Some(Members::Positions((0..queries).map(entry).collect()));
    let left = Some(Members::Users((0..queries * 44 / 100).map(user).collect()));
    record(log, at.as_millis(), Body::Tick(Tick { at, accepted, left }))
}

async fn append(log: &Log, expected: u64, record: &Record) -> u64 {
    match log.append(0, expected, record).await.unwrap() {
        Append::Acknowledged(sequence) => sequence,
        other => panic!("{other:?}"),
    }
}

async fn measure(queries: u64) {
    let servers = Servers::start(3).await;
    let cluster = servers.connect().await;
    let settings = LogSettings { replicas: 3, max_age: HORIZON + Duration::from_secs(60) };
    let log = Log::open(&cluster, &City::new("town").unwrap(), &settings).await.unwrap();
    let id = log.identify(START, false).await.unwrap().log;
    let epoch = Body::Epoch { engine: NodeId(1), plan: 0 };
    let mut last = append(&log, 0, &record(id, START, epoch.clone())).await;
    let began = Instant::now();
    for number in 1..=TICKS {
        last = append(&log, last, &tick(id, number, queries)).await;
    }
    let appended = began.elapsed();
    let own = append(&log, last, &record(id, START + TICKS * 1_000, epoch)).await;
    let (mut slowest, mut users) = (Duration::ZERO, 0);
    for _ in 0..3 {
        let began = Instant::now();
        let replay = log.replay(0, own, HistoryClock::Asked, HORIZON).await.unwrap();
        slowest = slowest.max(began.elapsed());
        users = replay.past.len();
    }
    let per_append = appended.as_secs_f64() * 1e3 / TICKS as f64;
    println!(
        "{queries:>6} queries/s  {users:>7} users  append {per_append:.2} ms  replay {:.2} s",
        slowest.as_secs_f64()
    );
}

#[tokio::main]
async fn main() {
    for queries in [50, 1_000, 5_000] {
        measure(queries).await;
    }
}
