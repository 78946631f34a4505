//! A single process with NATS (`--role all`) keeps the promise of `history` over `kill -9`.

use crate::process::Frontend;
use crate::town::Town;
use cluster::testing::Servers;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::{Length, Point};

fn middle(map: &StreetMap, street: StreetId) -> Point {
    map.point(Position {
        street,
        offset: Length::from_units(map.street(street).length.units() / 2),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn last_positions_survive_a_killed_single_process() {
    rustls::crypto::ring::default_provider().install_default().ok();
    let servers = Servers::start(1).await;
    let town = Town::new(Guarantee::History);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret"), [7; 32]).unwrap();
    let start = || Frontend::with_role("all", &town, &servers, folder.path(), "one");
    let here = StreetId(0);
    let origin = middle(town.map(), here);
    let far = |street: &StreetId| middle(town.map(), *street).distance(origin) as u64;
    let there = town.map().streets().max_by_key(far).unwrap();

    let process = start();
    process.ready().await;
    let served = async |process: &Frontend, street| {
        tokio::join!(process.ask(&town, "a", street, 2), process.ask(&town, "b", street, 2))
    };
    let (first, _) = served(&process, here).await;
    assert_eq!(first["receipt"]["history"], "new", "{first}");
    drop(process);

    let process = start();
    process.ready().await;
    let jump = process.reply(&town, "a", there, 2).await;
    assert_eq!(jump["reason"], "faster-than-declared", "{} m: {jump}", far(&there));
    let (stays, _) = served(&process, here).await;
    assert!(stays["receipt"].get("history").is_none(), "{stays}");
}
