//! Servers that do not answer for less than a lease: the owner stays, and no waiting query is lost.

use crate::frontend::{TestFrontend, query};
use crate::process::CELL_METRES;
use crate::town::{NAME, Town};
use cluster::Cluster;
use cluster::testing::{Proxy, Servers, eventually};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::{Position, StreetId};
use meshcloak::units::Length;
use std::time::Duration;

/// Longer than the outage and than the test.
const LEASE: Duration = Duration::from_secs(300);
const DT: Duration = Duration::from_secs(300);

/// An engine reads the log between ticks if the city is divided. Each of its reads fails during the
/// outage, which lasts until the engine counts as silent: eight times as long as a read may take.
#[tokio::test(flavor = "multi_thread")]
async fn an_owner_whose_reads_fail_for_less_than_a_lease_keeps_what_waits() {
    let mut servers = Servers::start(1).await;
    let mut town = Town::new(Guarantee::Reciprocal).divided(2, CELL_METRES);
    town.config.cluster.lease = LEASE;
    let proxy = Proxy::start(servers.server(0).address()).await;
    let mut settings = servers.settings();
    (settings.servers, settings.timeout) = (vec![proxy.url()], Duration::from_millis(500));
    let cluster = Cluster::connect(&settings).await.unwrap();
    let engine = town.engine_on(cluster, "one", NAME).await;
    let frontend = TestFrontend::start(servers.connect().await).await;
    let epochs = [frontend.owner_above(0, 0).await.epoch, frontend.owner_above(1, 0).await.epoch];
    let plan = town.plan(&frontend.owner_above(0, 0).await);
    let place = Position { street: StreetId(0), offset: Length::ZERO };
    let shard = plan.shard(place.street);
    let ask = async |user| {
        frontend.submit(&town, shard, vec![query(user, user, place, 2, DT)]).await;
    };
    ask(1).await;
    eventually("a query waits", async || {
        frontend.peers.owner(NAME, shard).filter(|owner| owner.waiting > 0)
    })
    .await;

    proxy.hold();
    eventually("the owner is silent", async || {
        frontend.peers.owner(NAME, shard).is_none().then_some(())
    })
    .await;
    proxy.heal();
    let after = [frontend.owner_above(0, 0).await.epoch, frontend.owner_above(1, 0).await.epoch];
    assert_eq!(after, epochs, "the same reigns");
    ask(2).await;
    frontend.served(1).await;
    engine.stop().await;
}
