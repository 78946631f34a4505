//! Three servers, of which some die.

use crate::fixture::{
    HORIZON, append, bucket, city, epoch_record, holder, open, read_all, records, tick_record,
};
use cluster::testing::{Servers, eventually};
use cluster::{Acquired, Append, Bucket, Followed, Lease, Log, LogId, Record};
use meshcloak::guarantee::HistoryClock;
use std::time::Duration;

/// Appends until acknowledged; `None` if fenced.
async fn settle(log: &Log, expected: u64, record: &Record) -> Option<u64> {
    eventually("the append is settled", async || {
        match log.append(0, expected, record).await.ok()? {
            Append::Acknowledged(sequence) => Some(Some(sequence)),
            Append::Fenced => Some(None),
            Append::Unknown => None,
        }
    })
    .await
}

/// Reads the log from its beginning up to a record. Servers that elect a leader refuse reads for a
/// while, so that refused reads start again.
async fn read_back(log: &Log, last: u64) -> Vec<(u64, Record)> {
    eventually("the log is read", async || {
        let mut follower = log.follow().await.ok()?;
        let mut found = Vec::new();
        while let Some(next) = follower.try_next().await.ok()? {
            found.push(next);
        }
        let read = numbered(&found);
        (read.last()?.0 == last).then_some(read)
    })
    .await
}

/// Returns the records among what was read, with their sequence numbers.
fn numbered(found: &[Followed]) -> Vec<(u64, Record)> {
    records(found).into_iter().map(|found| (found.sequence, found.record)).collect()
}

/// Returns the number of the server that leads the log.
async fn leader(log: &Log, servers: &Servers) -> usize {
    eventually("the log has a leader", async || servers.number_of(&log.state().await.ok()?.leader?))
        .await
}

/// Appends ticks and returns what was acknowledged.
async fn write(
    log: &Log,
    id: LogId,
    ticks: std::ops::Range<u64>,
    last: &mut u64,
) -> Vec<(u64, Record)> {
    let mut written = Vec::new();
    for tick in ticks {
        let record = tick_record(id, 1, tick, 200);
        *last = settle(log, *last, &record).await.expect("the only owner");
        written.push((*last, record));
    }
    written
}

#[tokio::test]
async fn no_acknowledged_record_is_lost_with_the_leader() {
    let mut servers = Servers::start(3).await;
    let cluster = servers.connect().await;
    let (log, id) = open(&cluster, 3).await;
    let bucket = bucket(&cluster, 3).await;
    let one = holder("one");
    let acquired = Lease::acquire(&bucket, &city().shard(0), &one, Duration::from_secs(60)).await;
    let Acquired::Held(mut lease) = acquired.unwrap() else { panic!("a free lease") };
    let mut last = append(&log, 0, &epoch_record(id, 1)).await;
    let mut written = vec![(last, epoch_record(id, 1))];
    let mut follower = log.follow().await.unwrap();
    written.extend(write(&log, id, 1..30, &mut last).await);

    let number = leader(&log, &servers).await;
    servers.server(number).kill();
    written.extend(write(&log, id, 30..60, &mut last).await);
    let renewed = eventually("the lease is renewed", async || match lease.renew().await {
        cluster::lease::Renewal::Unknown => None,
        renewal => Some(renewal),
    });
    assert_eq!(renewed.await, cluster::lease::Renewal::Renewed);

    // The follower from before and one from now read the same.
    let mut found = Vec::new();
    eventually("all records are read", async || {
        found.extend(follower.try_next().await.ok()?);
        (records(&found).len() == written.len()).then_some(())
    })
    .await;
    assert!(!found.iter().any(|found| matches!(found, Followed::Gap { .. } | Followed::Replaced)));
    assert_eq!(numbered(&found), written);
    assert_eq!(read_back(&log, last).await, written);

    // The dead server comes back empty and catches up; then another one dies.
    servers.restart_all().await;
    eventually("three current replicas", async || {
        (log.state().await.ok()?.current == 3).then_some(())
    })
    .await;
    let number = leader(&log, &servers).await;
    servers.server(number).kill();
    written.extend(write(&log, id, 60..70, &mut last).await);
    assert_eq!(read_back(&log, last).await, written);
}

#[tokio::test]
async fn three_restarted_servers_have_an_empty_log_with_another_number() {
    let mut servers = Servers::start(3).await;
    let cluster = servers.connect().await;
    let (log, id) = open(&cluster, 3).await;
    let last = append(&log, 0, &epoch_record(id, 1)).await;
    let last = append(&log, last, &tick_record(id, 1, 1, 100)).await;
    let mut follower = log.follow().await.unwrap();
    assert_eq!(records(&read_all(&mut follower).await).len(), 2);
    let bucket = bucket(&cluster, 3).await;
    let shard = city().shard(0);
    let acquired = Lease::acquire(&bucket, &shard, &holder("one"), Duration::from_secs(600)).await;
    let Acquired::Held(lease) = acquired.unwrap() else { panic!("a free lease") };

    servers.kill_all();
    assert_eq!(log.append(0, last, &tick_record(id, 1, 2, 1)).await.unwrap(), Append::Unknown);
    servers.restart_all().await;
    assert_eq!(settle(&log, last, &tick_record(id, 1, 2, 1)).await, None, "the owner is fenced");
    let identity =
        eventually("the log is back", async || log.identify(5_000, false).await.ok()).await;
    assert_ne!(identity.log, id);
    let first = settle(&log, 0, &epoch_record(identity.log, 2)).await.expect("a new log");
    let replay = eventually("the log is read", async || {
        log.replay(0, first, HistoryClock::Asked, HORIZON).await.ok()
    })
    .await;
    assert!(replay.past.is_empty() && replay.past.identity() == Some(identity));
    let found = eventually("the follower notices", async || follower.try_next().await.ok()?).await;
    assert_eq!(found, Followed::Replaced);

    // Leases are on disk: their epochs go on.
    let taken = eventually("the bucket is back", async || {
        Lease::acquire(&bucket, &shard, &holder("two"), Duration::from_secs(600)).await.ok()
    });
    let Acquired::Taken(owner) = taken.await else { panic!("the lease was forgotten") };
    assert_eq!(owner.epoch, lease.epoch());
}

#[tokio::test]
async fn a_stopped_server_holds_nothing_up_for_long() {
    let mut servers = Servers::start(3).await;
    let cluster = servers.connect().await;
    let (log, id) = open(&cluster, 3).await;
    let mut last = append(&log, 0, &epoch_record(id, 1)).await;
    let number = leader(&log, &servers).await;
    servers.server(number).pause();
    let written = write(&log, id, 1..20, &mut last).await;
    servers.server(number).resume();
    let more = write(&log, id, 20..40, &mut last).await;
    let read = read_back(&log, last).await;
    assert_eq!(read[1..], [written, more].concat());
}

#[tokio::test]
async fn a_starting_engine_waits_for_servers_without_a_majority() {
    let mut servers = Servers::start(3).await;
    let cluster = servers.connect().await;
    bucket(&cluster, 3).await;
    // A server that starts alone cannot become the leader; one that leads already may remain so.
    servers.kill_all();
    servers.server(0).restart();
    assert!(Bucket::open(&cluster, 3).await.unwrap_err().is_temporary());
    let opening = Bucket::open_within(&cluster, 3, Duration::from_secs(60));
    let restarting = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        servers.restart_all().await;
    };
    let (opened, ()) = tokio::join!(opening, restarting);
    opened.unwrap();
}
