//! Leases: one holder, expiry, renewal, release.

use crate::fixture::{bucket, city, holder};
use cluster::bucket::Put;
use cluster::lease::Renewal;
use cluster::testing::{Proxy, Servers, eventually};
use cluster::{Acquired, Bucket, Cluster, Holder, Lease, Owner, Want};
use std::time::Duration;

/// Long enough that a busy machine renews in time.
const TTL: Duration = Duration::from_secs(4);

async fn acquire(bucket: &Bucket, holder: &Holder, ttl: Duration) -> Lease {
    match Lease::acquire(bucket, &city().shard(0), holder, ttl).await.unwrap() {
        Acquired::Held(lease) => *lease,
        other => panic!("{other:?}"),
    }
}

/// Tries until the lease is held.
async fn contend(bucket: &Bucket, holder: &Holder, ttl: Duration) -> Lease {
    eventually("the lease is free", async || {
        match Lease::acquire(bucket, &city().shard(0), holder, ttl).await.ok()? {
            Acquired::Held(lease) => Some(*lease),
            _ => None,
        }
    })
    .await
}

#[tokio::test]
async fn one_of_two_contenders_gets_the_lease() {
    let servers = Servers::start(1).await;
    let (one, two) = (servers.connect().await, servers.connect().await);
    let buckets = [bucket(&one, 1).await, bucket(&two, 1).await];
    let holders = [holder("one"), holder("two")];
    for number in 0..30 {
        let shard = city().shard(number);
        let (a, b) = tokio::join!(
            Lease::acquire(&buckets[0], &shard, &holders[0], TTL),
            Lease::acquire(&buckets[1], &shard, &holders[1], TTL),
        );
        let held = [a.unwrap(), b.unwrap()].into_iter().filter(|a| matches!(a, Acquired::Held(_)));
        assert_eq!(held.count(), 1, "shard {number}");
    }
    let owners = Owner::all(&buckets[0]).await.unwrap();
    assert_eq!(owners.len(), 30);
    assert!(owners.iter().all(|owner| owner.epoch == owner.revision && owner.epoch > 0));
    assert!(owners.iter().all(|owner| ["one", "two"].contains(&owner.name.as_str())));
}

#[tokio::test]
async fn a_lease_ends_one_ttl_after_its_holder_dies() {
    let servers = Servers::start(1).await;
    let bucket = bucket(&servers.connect().await, 1).await;
    let (one, two) = (holder("one"), holder("two"));
    let mut first = acquire(&bucket, &one, TTL).await;
    let taken = Lease::acquire(&bucket, &city().shard(0), &two, TTL).await.unwrap();
    let Acquired::Taken(owner) = taken else { panic!("{taken:?}") };
    assert_eq!((owner.engine, owner.epoch), (one.id, first.epoch()));
    assert_eq!(first.renew().await, Renewal::Renewed);
    let second = contend(&bucket, &two, TTL).await;
    assert!(!first.is_held(), "the holder knows before the successor");
    assert!(second.epoch() > first.epoch());
    assert_eq!(first.renew().await, Renewal::Lost);
}

#[tokio::test]
async fn a_kept_lease_outlives_its_ttl_and_is_released_at_once() {
    let servers = Servers::start(1).await;
    let bucket = bucket(&servers.connect().await, 1).await;
    let (one, two) = (holder("one"), holder("two"));
    let lease = acquire(&bucket, &one, TTL).await;
    let first = lease.held_until();
    let kept = lease.keep();
    let epoch = kept.epoch();
    eventually("the first TTL has passed", async || {
        let owners = Owner::all(&bucket).await.ok()?;
        assert!(kept.is_held() && owners[0].engine == one.id && owners[0].epoch == epoch);
        (tokio::time::Instant::now() > first + TTL / 8).then_some(())
    })
    .await;
    kept.release().await.unwrap();
    // The next attempt succeeds: a released lease needs no expiry.
    let next = acquire(&bucket, &two, Duration::from_secs(60)).await;
    assert!(next.epoch() > epoch);
}

#[tokio::test]
async fn a_partitioned_holder_loses_its_lease_by_its_own_clock() {
    let mut servers = Servers::start(1).await;
    let proxy = Proxy::start(servers.server(0).address()).await;
    let mut settings = servers.settings();
    (settings.servers, settings.discover) = (vec![proxy.url()], false);
    let behind = bucket(&Cluster::connect(&settings).await.unwrap(), 1).await;
    let beside = bucket(&servers.connect().await, 1).await;
    let kept = acquire(&behind, &holder("one"), TTL).await.keep();
    proxy.hold();
    kept.lost().await;
    assert!(!kept.is_held());
    let successor = contend(&beside, &holder("two"), Duration::from_secs(60)).await;
    assert!(successor.epoch() > kept.epoch());
    // Held bytes arrive late and change nothing.
    proxy.heal();
    assert!(kept.release().await.is_ok());
    let owners = Owner::all(&beside).await.unwrap();
    assert_eq!((owners.len(), owners[0].epoch), (1, successor.epoch()));
}

#[tokio::test]
async fn a_renewal_without_answer_is_adopted_by_the_next() {
    let mut servers = Servers::start(1).await;
    let proxy = Proxy::start(servers.server(0).address()).await;
    let mut settings = servers.settings();
    (settings.servers, settings.discover) = (vec![proxy.url()], false);
    settings.timeout = Duration::from_millis(500);
    let bucket = bucket(&Cluster::connect(&settings).await.unwrap(), 1).await;
    let mut lease = acquire(&bucket, &holder("one"), Duration::from_secs(60)).await;
    proxy.hold_replies();
    assert_eq!(lease.renew().await, Renewal::Unknown);
    proxy.cut();
    proxy.heal();
    let renewed = eventually("the connection is back", async || match lease.renew().await {
        Renewal::Unknown => None,
        renewal => Some(renewal),
    });
    assert_eq!(renewed.await, Renewal::Renewed);
}

#[tokio::test]
async fn wishes_of_operators_are_compared_and_set() {
    let servers = Servers::start(1).await;
    let bucket = bucket(&servers.connect().await, 1).await;
    let (shard, engine) = (city().shard(0), holder("one").id);
    let none = Want::get(&bucket, &shard).await.unwrap();
    assert_eq!((none.engine, none.revision), (None, 0));
    assert!(matches!(none.set(&bucket, &shard, engine).await.unwrap(), Put::Done(_)));
    assert_eq!(none.set(&bucket, &shard, engine).await.unwrap(), Put::Changed);
    let want = Want::get(&bucket, &shard).await.unwrap();
    assert_eq!(want.engine, Some(engine));
    assert!(matches!(want.clear(&bucket, &shard).await.unwrap(), Put::Done(_)));
    let cleared = Want::get(&bucket, &shard).await.unwrap();
    assert!(cleared.engine.is_none() && cleared.revision > want.revision);
}

#[tokio::test]
async fn a_bucket_without_expiry_is_refused() {
    let servers = Servers::start(1).await;
    let cluster = servers.connect().await;
    let create = r#"{"name":"KV_meshcloak","subjects":["$KV.meshcloak.>"],"storage":"file"}"#;
    cluster.client().request("$JS.API.STREAM.CREATE.KV_meshcloak", create.into()).await.unwrap();
    let error = Bucket::open(&cluster, 1).await.unwrap_err().to_string();
    assert!(error.contains("allow_msg_ttl is false"), "{error}");
}

#[tokio::test]
async fn a_lease_below_a_second_is_refused() {
    let servers = Servers::start(1).await;
    let bucket = bucket(&servers.connect().await, 1).await;
    let (shard, ttl) = (city().shard(0), Duration::from_millis(900));
    let error = Lease::acquire(&bucket, &shard, &holder("one"), ttl).await.unwrap_err();
    assert!(error.to_string().contains("at least 1 s"), "{error}");
}
