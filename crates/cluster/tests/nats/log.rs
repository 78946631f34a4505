//! Appends: the fence, records of several messages, lost acknowledgements, settings of the stream.

use crate::fixture::{
    append, city, epoch_record, one_server, open, read_all, records, settings, tick_record,
};
use cluster::testing::{Proxy, Servers, eventually};
use cluster::{Append, Cluster, Log, LogSettings, Record};
use std::time::Duration;

#[tokio::test]
async fn the_append_of_a_former_owner_is_refused() {
    let (_servers, _cluster, log, id) = one_server().await;
    let first = append(&log, 0, &epoch_record(id, 1)).await;
    let second = append(&log, first, &tick_record(id, 1, 1, 10)).await;
    let takeover = append(&log, second, &epoch_record(id, 2)).await;
    assert_eq!(log.last_sequence(0).await.unwrap(), takeover);
    let zombie = log.append(0, second, &tick_record(id, 1, 2, 10)).await.unwrap();
    assert_eq!(zombie, Append::Fenced);
    // Injected fault: with the new sequence the same append passes, so the fence is what stops it.
    let fault = log.append(0, takeover, &tick_record(id, 1, 2, 10)).await.unwrap();
    assert!(matches!(fault, Append::Acknowledged(_)));
    // Other shards have fences of their own.
    assert!(matches!(
        log.append(1, 0, &epoch_record(id, 3)).await.unwrap(),
        Append::Acknowledged(_)
    ));
    // A sequence that the log has not reached is refused as well.
    assert_eq!(log.append(0, 999, &tick_record(id, 1, 9, 1)).await.unwrap(), Append::Fenced);
}

/// A server with a small payload limit, so that records need several messages.
async fn small() -> (Servers, Cluster) {
    let servers = Servers::with_config(1, "max_payload: 4KB").await;
    servers.ready().await;
    let cluster = servers.connect().await;
    assert_eq!(cluster.max_payload(), 4_096);
    (servers, cluster)
}

#[tokio::test]
async fn a_large_record_is_split_and_refused_whole() {
    let (_servers, cluster) = small().await;
    let (log, id) = open(&cluster, 1).await;
    let owner = append(&log, 0, &epoch_record(id, 1)).await;
    let large = tick_record(id, 1, 1, 1_000);
    let last = append(&log, owner, &large).await;
    assert!(last > owner + 5, "several messages: {owner} to {last}");
    // Another owner comes between two messages of a record of the first.
    let pieces = raw_pieces(&cluster, owner, last).await;
    let middle = raw_append(&cluster, last, &pieces[0]).await;
    let middle = raw_append(&cluster, middle, &pieces[1]).await;
    let takeover = append(&log, middle, &epoch_record(id, 2)).await;
    assert_eq!(log.append(0, last, &tick_record(id, 1, 2, 1_000)).await.unwrap(), Append::Fenced);
    let read = records(&read_all(&mut log.follow().await.unwrap()).await);
    let expected = [(owner, epoch_record(id, 1)), (last, large), (takeover, epoch_record(id, 2))];
    let read: Vec<(u64, Record)> =
        read.into_iter().map(|record| (record.sequence, record.record)).collect();
    assert_eq!(read, expected);
    let huge = tick_record(id, 2, 3, 3_000_000);
    let error = log.append(0, takeover, &huge).await.unwrap_err().to_string();
    assert!(error.contains("too large"), "{error}");
}

/// Returns the messages in a range of sequences.
async fn raw_pieces(cluster: &Cluster, from: u64, to: u64) -> Vec<Vec<u8>> {
    let context = async_nats::jetstream::new(cluster.client().clone());
    let stream = context.get_stream(format!("MC_LOG_{}", city())).await.unwrap();
    let mut pieces = Vec::new();
    for sequence in from + 1..=to {
        pieces.push(stream.get_raw_message(sequence).await.unwrap().payload.to_vec());
    }
    pieces
}

/// Appends bytes as an owner that dies between two messages would.
async fn raw_append(cluster: &Cluster, expected: u64, piece: &[u8]) -> u64 {
    let mut headers = async_nats::HeaderMap::new();
    headers.insert("Nats-Expected-Last-Subject-Sequence", expected.to_string());
    let subject = format!("mc.log.{}.0", city());
    let reply = cluster.client().request_with_headers(subject, headers, piece.to_vec().into());
    let reply: serde_json::Value = serde_json::from_slice(&reply.await.unwrap().payload).unwrap();
    reply["seq"].as_u64().unwrap_or_else(|| panic!("{reply}"))
}

#[tokio::test]
async fn a_lost_acknowledgement_is_unknown_and_the_same_append_decides() {
    let (mut servers, _cluster, direct, id) = one_server().await;
    let proxy = Proxy::start(servers.server(0).address()).await;
    let mut settings = servers.settings();
    (settings.servers, settings.discover) = (vec![proxy.url()], false);
    settings.timeout = Duration::from_millis(500);
    let (log, _) = open(&Cluster::connect(&settings).await.unwrap(), 1).await;
    let owner = append(&log, 0, &epoch_record(id, 1)).await;
    let record = tick_record(id, 1, 1, 10);

    // The request arrives, the answer does not.
    proxy.hold_replies();
    assert_eq!(log.append(0, owner, &record).await.unwrap(), Append::Unknown);
    let written = direct.last_sequence(0).await.unwrap();
    assert!(written > owner, "the record was written");
    proxy.cut();
    proxy.heal();
    assert_eq!(settle(&log, owner, &record).await, Append::Acknowledged(written));

    // Neither arrives before the time-out; the request may arrive later.
    let next = tick_record(id, 1, 2, 10);
    proxy.hold();
    assert_eq!(log.append(0, written, &next).await.unwrap(), Append::Unknown);
    proxy.heal();
    let Append::Acknowledged(last) = settle(&log, written, &next).await else { panic!("fenced") };

    // Another owner was faster than the repeated append.
    proxy.hold();
    let late = tick_record(id, 1, 3, 10);
    assert_eq!(log.append(0, last, &late).await.unwrap(), Append::Unknown);
    let takeover = append(&direct, last, &epoch_record(id, 2)).await;
    proxy.heal();
    assert_eq!(settle(&log, last, &late).await, Append::Fenced);

    let read = records(&read_all(&mut direct.follow().await.unwrap()).await);
    let read: Vec<u64> = read.iter().map(|record| record.sequence).collect();
    assert_eq!(read, [owner, written, last, takeover], "each record once, none of the zombie");
}

/// Repeats an append until its result is known.
async fn settle(log: &Log, expected: u64, record: &Record) -> Append {
    eventually("the append is settled", async || {
        match log.append(0, expected, record).await.unwrap() {
            Append::Unknown => None,
            known => Some(known),
        }
    })
    .await
}

#[tokio::test]
async fn an_identity_is_given_once_and_survives_the_age_limit() {
    let servers = Servers::start(1).await;
    let cluster = servers.connect().await;
    let short = LogSettings { replicas: 1, max_age: Duration::from_secs(1) };
    let log = Log::open(&cluster, &city(), &short).await.unwrap();
    assert_eq!(log.identity().await.unwrap(), None);
    let (a, b) = tokio::join!(log.identify(1_000, true), log.identify(2_000, false));
    let identity = a.unwrap();
    assert_eq!(identity, b.unwrap(), "both engines get the same");
    let last = append(&log, 0, &epoch_record(identity.log, 1)).await;
    eventually("the record ages out", async || {
        (log.last_sequence(0).await.unwrap() == 0).then_some(())
    })
    .await;
    assert_eq!(log.identity().await.unwrap(), Some(identity));
    let next = append(&log, 0, &epoch_record(identity.log, 2)).await;
    assert!(next > last, "sequences go on");
}

#[tokio::test]
async fn a_stream_that_loses_or_persists_records_is_refused() {
    let servers = Servers::start(1).await;
    let cluster = servers.connect().await;
    let longer = LogSettings { max_age: Duration::from_secs(9_999), ..settings(1) };
    Log::open(&cluster, &city(), &longer).await.unwrap();
    let error = Log::open(&cluster, &city(), &settings(1)).await.unwrap_err().to_string();
    assert!(error.contains("max_age is 9999 s, expected 660 s"), "{error}");
    let faults = [
        (r#""storage":"file""#, "storage is file"),
        (r#""storage":"memory","max_age":660000000000"#, "deny_purge"),
        (r#""storage":"memory","max_age":660000000000,"max_msgs":5"#, "limits"),
    ];
    for (number, (fields, expected)) in faults.into_iter().enumerate() {
        let city = cluster::City::new(&format!("city-{number}")).unwrap();
        let create =
            format!(r#"{{"name":"MC_LOG_{city}","subjects":["mc.log.{city}.*"],{fields}}}"#);
        let subject = format!("$JS.API.STREAM.CREATE.MC_LOG_{city}");
        cluster.client().request(subject, create.into()).await.unwrap();
        let error = Log::open(&cluster, &city, &settings(1)).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
