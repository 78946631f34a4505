//! Answers of sets whose members are connected to different frontends: those of the single process.
//! Tickets that come back to another frontend.

use crate::process::{Frontend, query};
use crate::town::{NAME, Town};
use cluster::testing::{Servers, eventually};
use fleet::peers::Peers;
use futures_util::future::join_all;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::StreetId;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Streets with users.
const STREETS: u32 = 12;

/// A folder with the secret of the frontends.
fn folder() -> TempDir {
    rustls::crypto::ring::default_provider().install_default().ok();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret"), [7; 32]).unwrap();
    folder
}

/// Two frontends that are ready.
async fn two_frontends(town: &Town, servers: &Servers, folder: &TempDir) -> [Frontend; 2] {
    let frontends = ["f1", "f2"].map(|name| Frontend::start(town, servers, folder.path(), name));
    frontends[0].ready().await;
    frontends[1].ready().await;
    frontends
}

/// Two users on each street, with different questions.
fn queries(town: &Town) -> Vec<Value> {
    let users = (0..STREETS).flat_map(|number| [(number, "left"), (number, "right")]);
    let question = |number: u32, side: &str| {
        let along = if number.is_multiple_of(2) { "plane" } else { "streets" };
        match side {
            "left" => json!({ "find": "nearest", "count": 1 + 2 * number, "along": along }),
            _ => json!({ "find": "within", "radius": 90 * (number + 1), "along": along }),
        }
    };
    let query = |(number, side): (u32, &str)| {
        let mut query = query(town, &format!("{side}{number}"), StreetId(37 * number), 2);
        query["question"] = question(number, side);
        query
    };
    users.map(query).collect()
}

/// The parts of a reply that do not depend on the batch.
fn answer(reply: &Value) -> [Value; 4] {
    let receipt = &reply["receipt"];
    [&reply["outcome"], &reply["answer"], &receipt["exact"], &receipt["left_out"]].map(Value::clone)
}

#[tokio::test(flavor = "multi_thread")]
async fn members_of_a_set_get_the_answers_of_the_single_process_from_all_frontends() {
    let (servers, folder) = (Servers::start(1).await, folder());
    let town = Town::new(Guarantee::Reciprocal);
    let queries = queries(&town);
    let single = Frontend::with_arguments(&[], &town, folder.path(), "single");
    single.ready().await;
    let expected = join_all(queries.iter().map(|query| single.post(query))).await;

    let engine = town.engine(&servers, "one").await;
    let frontends = two_frontends(&town, &servers, &folder).await;
    let replies = queries.iter().enumerate();
    let replies = replies.map(|(number, query)| frontends[number % 2].post(query));
    let replies = join_all(replies).await;
    for (reply, expected) in replies.iter().zip(&expected) {
        assert_eq!(expected["outcome"], "answered", "{expected}");
        assert_eq!(answer(reply), answer(expected), "{reply}\n{expected}");
        assert_eq!(reply["ticket"], expected["ticket"]);
    }
    let count = |is: fn(&Value) -> bool| expected.iter().filter(|reply| is(reply)).count();
    let is_limited = |reply: &Value| reply["receipt"]["left_out"].is_number();
    let is_whole = |reply: &Value| reply["receipt"]["exact"] == true;
    assert!(count(is_limited) > 3 && count(is_whole) > 3, "{expected:?}");
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ticket_can_come_back_to_another_frontend_while_it_waits_and_afterwards() {
    let (servers, folder) = (Servers::start(1).await, folder());
    let town = Town::new(Guarantee::Reciprocal);
    let engine = town.engine(&servers, "one").await;
    let [here, there] = two_frontends(&town, &servers, &folder).await;
    let peers = Peers::follow(&servers.connect().await).await.unwrap();
    let mover = query(&town, "mover", StreetId(0), 2);
    let first = here.post(&mover);
    let again = async {
        eventually("it waits", async || peers.owner(NAME, 0).filter(|owner| owner.waiting > 0))
            .await;
        let second = async {
            // The engine has told this frontend where the ticket is before the set is complete.
            let before = peers.owner(NAME, 0).unwrap().at;
            eventually("two ticks", async || {
                peers.owner(NAME, 0).filter(|owner| owner.at >= before + 2_000)
            })
            .await;
            here.post(&query(&town, "other", StreetId(0), 2)).await
        };
        tokio::join!(there.post(&mover), second).0
    };
    let (first, again) = tokio::join!(first, again);
    assert_eq!(first["outcome"], "answered", "{first}");
    assert_eq!(first, again, "while it waits");
    assert_eq!(there.post(&mover).await, first, "after its end");
    let mut other = mover.clone();
    other["question"]["count"] = json!(2);
    let taken = there.post(&other).await;
    assert_eq!(taken["reason"], "duplicate-id", "{taken}");
    engine.stop().await;
}
