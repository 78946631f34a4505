//! Present users of one frontend hide an asker of another. Real frontends, over HTTP.

use crate::process::{CELL_METRES, Frontend, query};
use crate::town::{NAME, Town};
use cluster::testing::{Servers, eventually};
use fleet::peers::Peers;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::StreetId;

#[tokio::test(flavor = "multi_thread")]
async fn a_frontend_with_present_members_only_learns_the_end_of_their_set() {
    rustls::crypto::ring::default_provider().install_default().ok();
    let servers = Servers::start(1).await;
    let town = Town::new(Guarantee::Reciprocal).divided(1, CELL_METRES);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret"), [7; 32]).unwrap();
    let engine = town.engine(&servers, "one").await;
    let peers = Peers::follow(&servers.connect().await).await.unwrap();
    let [asking, present] =
        ["f1", "f2"].map(|name| Frontend::start(&town, &servers, folder.path(), name));
    asking.ready().await;
    present.ready().await;
    let street = StreetId(0);
    let report = |user: &str| {
        let mut body = query(&town, user, street, 2);
        body.as_object_mut().unwrap().remove("question");
        body
    };
    let (al, bo) = (report("al"), report("bo"));
    let asker = async {
        eventually("both reports wait", async || {
            peers.owner(NAME, 0).filter(|owner| owner.waiting >= 2)
        })
        .await;
        asking.ask(&town, "jo", street, 3).await
    };
    let (al, bo, jo) = tokio::join!(present.post(&al), present.post(&bo), asker);
    assert_eq!((&al["outcome"], &bo["outcome"]), (&"present".into(), &"present".into()));
    assert!(al.get("receipt").is_none() && al.get("answer").is_none(), "{al}");
    let receipt = &jo["receipt"];
    assert_eq!((&receipt["k_reached"], &receipt["k_asking"]), (&3.into(), &1.into()), "{jo}");
    engine.stop().await;
}
