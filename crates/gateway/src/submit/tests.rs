//! The admission search of `history` runs without a lock.

use super::*;
use crate::city::CityParts;
use crate::clock::Clock;
use crate::config::{AfterStart, Config, Mode};
use crate::gateway::Parts;
use crate::intake::parse_query;
use crate::service::BuiltIn;
use crate::walk::Walker;
use meshcloak::units::Length;
use std::cell::Cell;

fn gateway() -> Gateway {
    let source = "city:500:7".parse().unwrap();
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(300.0)))));
    let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
    let mut config = Config { keys: None, ..Config::default() };
    config.engine.guarantee = Guarantee::History;
    config.engine.after_start = AfterStart::New;
    let cities = vec![CityParts::only(walker, service)];
    let parts = Parts { config, mode: Mode::Demo, cities, clock: Clock::start() };
    Gateway::new(parts).unwrap()
}

fn query_of(gateway: &Gateway, account: &Account, user: &str) -> CheckedQuery {
    let map = gateway.city().atlas().map();
    let lon_lat = map.frame().unwrap().lon_lat(map.shape(meshcloak::map::StreetId(3))[0]);
    let text = serde_json::json!({
        "ticket": user, "person": user, "k": 2, "dt": 30, "dc": 200, "speed": 20,
        "lon": lon_lat.lon, "lat": lon_lat.lat, "question": {"find": "nearest", "count": 1},
    });
    parse_query(gateway, account, text.to_string().as_bytes()).unwrap()
}

/// A route whose receiver is gone.
fn no_route() -> Route {
    Route::One(tokio::sync::oneshot::channel().0)
}

#[test]
fn no_lock_is_held_during_the_admission_search() {
    let gateway = gateway();
    let account = Arc::clone(gateway.directory().account(None).unwrap());
    let (searches, waiting) = (Cell::new(0), Cell::new(0));
    let count = |_: &Arc<str>, submission| {
        assert_eq!(submission, Submission::Waiting);
        waiting.set(waiting.get() + 1);
    };
    // While the first user is searched for, another user of the account is admitted completely. The
    // locks are tried first: with one of them held the submission would wait for ever.
    let check = |atlas: &Atlas, query: &Query, previous| {
        searches.set(searches.get() + 1);
        assert!(account.tickets().try_lock().is_some(), "tickets");
        assert!(gateway.city().mailbox().try_admission().is_some(), "admission");
        let other = query_of(&gateway, &account, "bob");
        submit(&gateway, &account, [other], no_route, count);
        check_travel(atlas, query, previous)
    };
    let query = query_of(&gateway, &account, "ann");
    submit_with(&gateway, &account, [query], check, (no_route, count));
    assert_eq!((searches.get(), waiting.get()), (1, 2));
}
