//! A user who moves to a cell of another engine: the frontend withdraws the waiting query there, and
//! the newer one carries its question. Real frontends, over HTTP.

use crate::process::{CELL_METRES, Frontend};
use crate::town::{NAME, Town};
use cluster::testing::{Servers, eventually};
use fleet::peers::Peers;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::StreetId;

/// Returns two streets of different shards that meet, the shortest such pair.
fn streets_across_a_border(town: &Town, shard: impl Fn(StreetId) -> u16) -> (StreetId, StreetId) {
    let map = town.map();
    let pairs = map.streets().flat_map(|one| {
        let ends = [map.street(one).from, map.street(one).to];
        let meets = move |other: &StreetId| {
            let street = map.street(*other);
            ends.contains(&street.from) || ends.contains(&street.to)
        };
        map.streets().filter(meets).map(move |other| (one, other))
    });
    let length = |street| map.street(street).length;
    pairs
        .filter(|(one, other)| shard(*one) < shard(*other))
        .min_by_key(|(one, other)| length(*one) + length(*other))
        .unwrap()
}

async fn carries(guarantee: Guarantee) {
    rustls::crypto::ring::default_provider().install_default().ok();
    let servers = Servers::start(1).await;
    let town = Town::new(guarantee).divided(2, CELL_METRES);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret"), [7; 32]).unwrap();
    let engines = [town.engine(&servers, "one").await, town.engine(&servers, "two").await];
    let peers = Peers::follow(&servers.connect().await).await.unwrap();
    let owner = eventually("both shards have owners", async || {
        peers.owner(NAME, 1).and_then(|_| peers.owner(NAME, 0))
    });
    let plan = town.plan(&owner.await);
    let frontends = ["f1", "f2"].map(|name| Frontend::start(&town, &servers, folder.path(), name));
    frontends[0].ready().await;
    frontends[1].ready().await;
    let waiting = async |shard: u16| {
        eventually("a query waits", async || {
            peers.owner(NAME, shard).filter(|owner| owner.waiting > 0)
        })
        .await
    };
    let (here, there) = streets_across_a_border(&town, |street| plan.shard(street));
    let mover = "mover";
    let replies = async {
        let first = frontends[0].ask(&town, mover, here, 4);
        let second = async {
            waiting(plan.shard(here)).await;
            waiting(plan.shard(there)).await;
            frontends[0].ask(&town, mover, there, 2).await
        };
        let others = async {
            waiting(plan.shard(here)).await;
            tokio::join!(
                frontends[1].ask(&town, "a", there, 4),
                frontends[1].ask(&town, "b", there, 4),
                frontends[0].ask(&town, "c", there, 4),
            )
        };
        let (first, second, (a, b, c)) = tokio::join!(first, second, others);
        [first, second, a, b, c]
    };
    let replies = replies.await;
    assert_eq!(replies[0]["receipt"]["k_reached"], 4, "{}", replies[0]);
    for engine in engines {
        engine.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_follows_its_user_to_another_engine_under_reciprocal() {
    carries(Guarantee::Reciprocal).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_follows_its_user_to_another_engine_under_history() {
    carries(Guarantee::History).await;
}
