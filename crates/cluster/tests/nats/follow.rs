//! Reading a log: order, gaps, restarts, replay.

use crate::fixture::{
    HORIZON, START, append, bucket, city, epoch_record, one_server, open, read_all, records,
    settings, tick_record,
};
use cluster::testing::{Servers, eventually};
use cluster::{Append, Followed, Log, LogSettings, Past, Record, Seen, Trace, claim_first_log};
use meshcloak::guarantee::HistoryClock;
use meshcloak::units::Time;
use std::time::Duration;

#[tokio::test]
async fn what_is_read_equals_what_was_acknowledged() {
    let (_servers, cluster, log, id) = one_server().await;
    let mut written: Vec<(u16, u64, Record)> = Vec::new();
    let mut last = [0; 3];
    for tick in 0..90 {
        let shard = (tick % 3) as u16;
        let expected = last[usize::from(shard)];
        let record = match expected {
            0 => epoch_record(id, tick + 1),
            _ => tick_record(id, tick, tick, tick * 7),
        };
        let appended = log.append(shard, expected, &record).await.unwrap();
        let Append::Acknowledged(sequence) = appended else { panic!("{appended:?}") };
        last[usize::from(shard)] = sequence;
        written.push((shard, sequence, record));
    }
    let other = open(&cluster, 1).await.0;
    let mut follower = other.follow().await.unwrap();
    let found = read_all(&mut follower).await;
    assert!(matches!(found[0], Followed::Identity { identity, .. } if identity.log == id));
    let read = records(&found).into_iter().map(|found| (found.shard, found.sequence, found.record));
    assert_eq!(read.collect::<Vec<_>>(), written);
    assert_eq!(found.len(), written.len() + 1, "neither gaps nor restarts");

    // Live: a waiting follower gets the next record.
    let record = tick_record(id, 91, 91, 5);
    let (found, sequence) = tokio::join!(follower.next(), append(&log, last[0], &record));
    assert!(matches!(found.unwrap(), Followed::Record(found) if found.sequence == sequence));
}

#[tokio::test]
async fn a_replay_ends_at_the_own_record() {
    let (_servers, _cluster, log, id) = one_server().await;
    let mut last = append(&log, 0, &epoch_record(id, 1)).await;
    for tick in 1..20 {
        last = append(&log, last, &tick_record(id, 1, tick, 100)).await;
    }
    let own = append(&log, last, &epoch_record(id, 2)).await;
    let after = append(&log, own, &tick_record(id, 2, 20, 100)).await;
    let mut replay = log.replay(0, own, HistoryClock::Asked, HORIZON).await.unwrap();
    assert_eq!(replay.past.len(), 1_900);
    assert_eq!(replay.past.shard(0).unwrap().epoch, 2);
    let now = Time::from_millis(START + 20_000);
    let trace =
        |sequence, epoch| replay.past.trace(Seen { log: id, sequence, epoch, at: now }, own, now);
    assert_eq!((trace(last, 1), trace(own, 2)), (Trace::Held, Trace::Held));
    assert_eq!((trace(last, 2), trace(after, 2)), (Trace::Lost, Trace::Unread));
    assert!(!replay.past.is_complete(now), "the log is younger than the horizon");
    assert!(replay.past.is_complete(now + HORIZON));
    let next = replay.follower.next().await.unwrap();
    assert!(matches!(next, Followed::Record(record) if record.sequence == after));
    assert!(
        log.replay(1, own, HistoryClock::Asked, HORIZON).await.is_err(),
        "no such record of shard 1"
    );
}

#[tokio::test]
async fn a_restarted_server_has_a_new_log_and_the_follower_says_so() {
    let (mut servers, cluster, log, id) = one_server().await;
    let last = append(&log, 0, &epoch_record(id, 1)).await;
    let last = append(&log, last, &tick_record(id, 1, 1, 50)).await;
    let mut follower = log.follow().await.unwrap();
    let mut past = Past::new(HistoryClock::Asked, HORIZON);
    read_all(&mut follower).await.iter().for_each(|found| past.apply(found));
    assert_eq!(past.len(), 50);
    servers.server(0).kill();
    servers.restart_all().await;

    // The former owner cannot append: neither without a log nor to the new one.
    let zombie = eventually("the connection is back", async || {
        match log.append(0, last, &tick_record(id, 1, 2, 50)).await.unwrap() {
            Append::Unknown => None,
            known => Some(known),
        }
    });
    assert_eq!(zombie.await, Append::Fenced);
    let (log, new) = open(&cluster, 1).await;
    assert_ne!(new, id);
    let mut last = append(&log, 0, &epoch_record(new, 2)).await;
    for tick in 2..9 {
        last = append(&log, last, &tick_record(new, 2, tick, 1)).await;
    }
    // The new log is longer than what the follower has read of the old one.
    let found = read_all(&mut follower).await;
    assert_eq!(found[0], Followed::Replaced);
    assert!(matches!(found[1], Followed::Identity { identity, .. } if identity.log == new));
    assert_eq!(records(&found).len(), 8);
    found.iter().for_each(|found| past.apply(found));
    assert_eq!(past.len(), 7, "nothing of the lost log");
    let at = Time::from_millis(START + 1_000);
    let seen = Seen { log: id, sequence: 2, epoch: 1, at };
    assert_eq!(past.trace(seen, last, at), Trace::Lost);
}

#[tokio::test]
async fn unreadable_messages_are_gaps_that_make_the_past_incomplete() {
    let (_servers, cluster, log, id) = one_server().await;
    let mut past = Past::new(HistoryClock::Asked, HORIZON);
    let mut follower = log.follow().await.unwrap();
    let owner = append(&log, 0, &epoch_record(id, 1)).await;
    read_all(&mut follower).await.iter().for_each(|found| past.apply(found));
    let later = Time::from_millis(START) + HORIZON * 2;
    assert!(past.is_complete(later));
    let subject = format!("mc.log.{}.0", log.city());
    cluster.client().request(subject, "no record".into()).await.unwrap();
    let found = read_all(&mut follower).await;
    assert_eq!(found, [Followed::Gap { from: owner + 1, next: owner + 2 }]);
    found.iter().for_each(|found| past.apply(found));
    assert!(!past.is_complete(later), "unknown until the next record");
    append(&log, owner + 1, &tick_record(id, 1, 100, 1)).await;
    read_all(&mut follower).await.iter().for_each(|found| past.apply(found));
    let tick = Time::from_millis(START + 100_000);
    assert_eq!(past.complete_since(), Some(tick));
    assert!(past.is_complete(later) && !past.is_complete(tick + HORIZON));

    // A record for another log is none of this one.
    let last = log.last_sequence(0).await.unwrap();
    let foreign = append(&log, last, &tick_record(cluster::LogId(id.0 ^ 1), 1, 101, 1)).await;
    assert_eq!(read_all(&mut follower).await, [Followed::Gap { from: foreign, next: foreign + 1 }]);
}

#[tokio::test]
async fn records_that_age_out_unread_are_a_gap() {
    let servers = Servers::start(1).await;
    let cluster = servers.connect().await;
    let short = LogSettings { replicas: 1, max_age: Duration::from_secs(1) };
    let log = Log::open(&cluster, &city(), &short).await.unwrap();
    let id = log.identify(START, false).await.unwrap().log;
    let mut follower = log.follow().await.unwrap();
    let first = append(&log, 0, &epoch_record(id, 1)).await;
    let second = append(&log, first, &tick_record(id, 1, 1, 1)).await;
    // A new reader begins after what has aged out; only one that has read before notices.
    let identity = follower.try_next().await.unwrap();
    assert!(matches!(identity, Some(Followed::Identity { .. })));
    let record = follower.try_next().await.unwrap();
    assert!(matches!(record, Some(Followed::Record(record)) if record.sequence == first));
    eventually("the records age out", async || {
        (log.last_sequence(0).await.unwrap() == 0).then_some(())
    })
    .await;
    let third = append(&log, 0, &epoch_record(id, 2)).await;
    assert_eq!(read_all(&mut follower).await[0], Followed::Gap { from: second, next: third });
    let fresh = read_all(&mut log.follow().await.unwrap()).await;
    assert_eq!(fresh.len(), 2, "identity and record: {fresh:?}");
}

#[tokio::test]
async fn a_log_that_lost_its_end_is_rewound() {
    let (_servers, cluster, log, id) = one_server().await;
    let context = async_nats::jetstream::new(cluster.client().clone());
    let name = format!("MC_LOG_{}", city());
    let identity = context.get_stream(&name).await.unwrap().get_raw_message(1).await.unwrap();
    let first = append(&log, 0, &epoch_record(id, 1)).await;
    let second = append(&log, first, &tick_record(id, 1, 1, 3)).await;
    let mut follower = log.follow().await.unwrap();
    let mut past = Past::new(HistoryClock::Asked, HORIZON);
    read_all(&mut follower).await.iter().for_each(|found| past.apply(found));

    // The same log with one record less, as replicas that missed it would elect.
    context.delete_stream(&name).await.unwrap();
    let log = Log::open(&cluster, &city(), &settings(1)).await.unwrap();
    let subject = format!("mc.log.{}.id", city());
    cluster.client().request(subject, identity.payload).await.unwrap();
    assert_eq!(append(&log, 0, &epoch_record(id, 1)).await, first);
    let found = read_all(&mut follower).await;
    assert_eq!(found, [Followed::Rewound { seen: second, last: first }]);
    found.iter().for_each(|found| past.apply(found));
    assert_eq!(log.append(0, second, &tick_record(id, 1, 2, 1)).await.unwrap(), Append::Fenced);
    let takeover = append(&log, first, &epoch_record(id, 2)).await;
    let found = read_all(&mut follower).await;
    assert!(matches!(&found[..], [Followed::Record(record)] if record.sequence == takeover));
    found.iter().for_each(|found| past.apply(found));
    assert_eq!(takeover, second, "the lost sequence is used again");
    let at = Time::from_millis(START + 1_000);
    let seen = Seen { log: id, sequence: second, epoch: 1, at };
    let trace = fold(&log).await.trace(seen, takeover, at);
    assert_eq!(trace, Trace::Lost, "the epoch tells the records apart");
    assert_eq!(past.len(), 3, "what was acknowledged stays known");
    assert!(past.complete_since() > fold(&log).await.complete_since());
}

#[tokio::test]
async fn a_first_log_is_claimed_once_also_over_a_restart_of_the_servers() {
    let mut servers = Servers::start(1).await;
    let cluster = servers.connect().await;
    let bucket = bucket(&cluster, 1).await;
    assert!(claim_first_log(&bucket, &city()).await.unwrap());
    assert!(!claim_first_log(&bucket, &city()).await.unwrap());
    assert!(claim_first_log(&bucket, &"paris".parse().unwrap()).await.unwrap(), "another city");
    servers.server(0).kill();
    servers.restart_all().await;
    let claimed =
        eventually("the connection is back", async || claim_first_log(&bucket, &city()).await.ok());
    assert!(!claimed.await, "the disk remembers");
}

async fn fold(log: &Log) -> Past {
    let mut past = Past::new(HistoryClock::Asked, HORIZON);
    read_all(&mut log.follow().await.unwrap()).await.iter().for_each(|found| past.apply(found));
    past
}
