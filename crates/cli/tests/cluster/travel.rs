//! A user who changes city and frontend: one waiting query per user over all engines
//! (docs/SPEC.md §6, "Several cities").

use crate::frontend::{TestFrontend, query};
use crate::town::{NAME, Town};
use cluster::testing::{Servers, eventually};
use fleet::message::EndCode;
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::map::{Position, StreetId};
use meshcloak::units::Length;
use std::time::Duration;

/// Another city, with the same map.
const OTHER: &str = "other";
const PLACE: Position = Position { street: StreetId(0), offset: Length::ZERO };
const MOVER: u64 = 1;
const LONG: Duration = Duration::from_secs(50);

/// Waits for the end of a query without an answer.
async fn end(frontend: &TestFrontend, number: u64) -> EndCode {
    eventually("a query has ended", async || {
        let received = frontend.received.lock();
        let mut ended = received.parts.iter().flat_map(|part| &part.ended);
        ended.find(|(ended, _)| *ended == number).map(|(_, code)| *code)
    })
    .await
}

/// Two cities with an engine each, and two frontends that know both.
async fn two_cities(servers: &Servers, town: &Town) -> [TestFrontend; 2] {
    let frontends = [
        TestFrontend::start(servers.connect().await).await,
        TestFrontend::start(servers.connect().await).await,
    ];
    for frontend in &frontends {
        for city in [NAME, OTHER] {
            frontend.owner_of(city, 0, 0).await;
        }
    }
    // The engines have heard of each other's cities.
    let place = |frontend: &TestFrontend, city| frontend.peers.owner(city, 0).unwrap().at;
    let first = [NAME, OTHER].map(|city| place(&frontends[0], city));
    eventually("three ticks", async || {
        let now = [NAME, OTHER].map(|city| place(&frontends[0], city));
        (now[0] > first[0] + 3_000 && now[1] > first[1] + 3_000).then_some(())
    })
    .await;
    assert_eq!(town.config.engine.tick, Duration::from_secs(1));
    frontends
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_query_is_withdrawn_from_the_city_that_its_user_has_left() {
    let servers = Servers::start(1).await;
    let town = Town::new(Guarantee::Reciprocal);
    let engines =
        [town.engine_of(&servers, "one", NAME).await, town.engine_of(&servers, "two", OTHER).await];
    let [here, there] = two_cities(&servers, &town).await;
    here.submit(&town, 0, vec![query(1, MOVER, PLACE, 2, LONG)]).await;
    eventually("it waits", async || here.peers.owner(NAME, 0).filter(|owner| owner.waiting > 0))
        .await;
    let newer = vec![query(2, MOVER, PLACE, 2, LONG), query(3, 30, PLACE, 2, LONG)];
    there.submit_to(&town, OTHER, 0, newer).await;
    there.served(2).await;
    assert_eq!(end(&here, 1).await, EndCode::Cancelled, "acknowledged before the newer is served");
    // No other query waits here, so k = 2 cannot be met.
    here.submit(&town, 0, vec![query(4, 40, PLACE, 2, Duration::from_secs(3))]).await;
    assert_eq!(end(&here, 4).await, EndCode::Expired);
    for engine in engines {
        engine.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn under_history_a_change_of_city_is_refused_by_all_frontends_and_after_takeovers() {
    let servers = Servers::start(1).await;
    let town = Town::new(Guarantee::History);
    let one = town.engine_of(&servers, "one", NAME).await;
    let two = town.engine_of(&servers, "two", OTHER).await;
    let [here, there] = two_cities(&servers, &town).await;
    let pair = vec![query(1, MOVER, PLACE, 2, LONG), query(2, 20, PLACE, 2, LONG)];
    here.submit(&town, 0, pair).await;
    here.served(1).await;
    let move_of = |number| query(number, MOVER, PLACE, 2, LONG);
    there.submit_to(&town, OTHER, 0, vec![move_of(3)]).await;
    let code = end(&there, 3).await;
    assert!(matches!(code, EndCode::OtherCity(40..=61)), "{code:?}");
    // The log, not the engine, remembers.
    let epoch = here.owner_of(NAME, 0, 0).await.epoch;
    one.stop().await;
    let three = town.engine_of(&servers, "three", NAME).await;
    there.owner_of(NAME, 0, epoch).await;
    there.submit_to(&town, OTHER, 0, vec![move_of(4), query(5, 50, PLACE, 2, LONG)]).await;
    let code = end(&there, 4).await;
    assert!(matches!(code, EndCode::OtherCity(1..=61)), "{code:?}");
    there.submit_to(&town, OTHER, 0, vec![query(6, 60, PLACE, 2, LONG)]).await;
    there.served(5).await;
    // Without an owner of the first city its users are unknown: fail closed.
    three.stop().await;
    let strangers = [70, 71].map(|user| query(user, user, PLACE, 2, Duration::from_secs(4)));
    there.submit_to(&town, OTHER, 0, strangers.into()).await;
    assert_eq!(end(&there, 70).await, EndCode::Expired);
    two.stop().await;
}

/// A query that was accepted and not published binds its user with the clock `asked` only.
#[tokio::test(flavor = "multi_thread")]
async fn what_binds_a_user_to_a_city_depends_on_the_clock() {
    for clock in [HistoryClock::Asked, HistoryClock::Published] {
        let servers = Servers::start(1).await;
        let mut town = Town::new(Guarantee::History);
        town.config.engine.history_clock = clock;
        let one = town.engine_of(&servers, "one", NAME).await;
        let two = town.engine_of(&servers, "two", OTHER).await;
        let [here, there] = two_cities(&servers, &town).await;
        let pair = |number, other| {
            vec![query(number, MOVER, PLACE, 2, LONG), query(number + 1, other, PLACE, 2, LONG)]
        };
        here.submit(&town, 0, vec![query(1, MOVER, PLACE, 2, Duration::from_secs(2))]).await;
        assert_eq!(end(&here, 1).await, EndCode::Expired);
        // What the first engine has published is in the log; the next owner knows no more.
        let epoch = here.owner_of(NAME, 0, 0).await.epoch;
        one.stop().await;
        let three = town.engine_of(&servers, "three", NAME).await;
        there.owner_of(NAME, 0, epoch).await;
        there.submit_to(&town, OTHER, 0, pair(2, 20)).await;
        match clock {
            HistoryClock::Asked => {
                let code = end(&there, 2).await;
                assert!(matches!(code, EndCode::OtherCity(1..=61)), "{code:?}");
            }
            HistoryClock::Published => {
                there.served(2).await;
                // The set has left: its members are bound to the other city.
                here.submit(&town, 0, pair(4, 20)).await;
                for number in [4, 5] {
                    let code = end(&here, number).await;
                    assert!(matches!(code, EndCode::OtherCity(1..=61)), "{code:?}");
                }
            }
        }
        for engine in [two, three] {
            engine.stop().await;
        }
    }
}
