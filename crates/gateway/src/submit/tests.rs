//! The admission search of `history` runs without a lock; queries of one request are submitted under
//! one lock.

use super::*;
use crate::city::CityParts;
use crate::clock::Clock;
use crate::config::{AfterStart, Config, Mode};
use crate::gateway::Parts;
use crate::intake::parse_query;
use crate::mailbox::Arrival;
use crate::service::BuiltIn;
use crate::walk::Walker;
use meshcloak::private::Private;
use meshcloak::units::{Length, Time};
use std::cell::Cell;

fn gateway() -> Gateway {
    let source = "city:500:7".parse().unwrap();
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(300.0)))));
    let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
    let mut config = Config { keys: None, ..Config::default() };
    config.engine.guarantee = Guarantee::History;
    config.engine.after_start = AfterStart::New;
    (config.limits.person_rate, config.limits.person_queue) = (60_000, 5);
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

/// Queries of one request of a user.
fn parts(gateway: &Gateway, account: &Account, count: usize) -> Vec<CheckedQuery> {
    let part = |number: usize| {
        let ticket = Private::new(Arc::from(format!("part-{number}").as_str()));
        CheckedQuery { ticket, ..query_of(gateway, account, "ann") }
    };
    (0..count).map(part).collect()
}

#[test]
fn queries_of_one_request_enter_the_mailbox_under_one_lock_with_one_date_and_past() {
    let gateway = gateway();
    let account = Arc::clone(gateway.directory().account(None).unwrap());
    let mailbox = gateway.city().mailbox();
    let all = || mailbox.collect(Time::from_millis(u64::MAX)).arrivals;
    submit(&gateway, &account, [query_of(&gateway, &account, "ann")], no_route, |_, _| ());
    let earlier = all().pop().unwrap().pending.asked_at;
    let route = || {
        assert!(mailbox.try_lock().is_none(), "a batch could begin between two queries");
        no_route()
    };
    submit_together(&gateway, &account, parts(&gateway, &account, 4), route).unwrap();
    let arrivals = all();
    assert_eq!(arrivals.len(), 4);
    let dates = |arrival: &Arrival| (arrival.pending.asked_at, arrival.pending.deadline);
    assert!(arrivals.iter().all(|arrival| dates(arrival) == dates(&arrivals[0])));
    let past = |arrival: &Arrival| arrival.previous.expose().unwrap().at;
    assert!(arrivals.iter().all(|arrival| past(arrival) == earlier));
}

#[test]
fn of_the_queries_of_one_request_all_are_accepted_or_none() {
    let gateway = gateway();
    let account = Arc::clone(gateway.directory().account(None).unwrap());
    let max = account.limits().person_queue;
    let queries = parts(&gateway, &account, max as usize + 1);
    let user = *queries[0].user.expose();
    let counts = || {
        let waiting = gateway.city().mailbox().lock().arrived_count();
        (waiting, account.tickets().lock().in_progress(user) as usize)
    };
    let refused = submit_together(&gateway, &account, queries, no_route);
    assert_eq!((refused, counts()), (Err(Refusal::UserBusy(max)), (0, 0)));
    let queries = parts(&gateway, &account, max as usize);
    assert_eq!(submit_together(&gateway, &account, queries, no_route), Ok(()));
    assert_eq!(counts(), (max as usize, max as usize));
}
