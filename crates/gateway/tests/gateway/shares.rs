//! Limits of one account, so that it cannot invent users without bound or fill the gateway.

use crate::fixture::{Fixture, call, generous, query, query_request, with};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use gateway::config::{Config, Mode};
use gateway::keys::{KeyFile, LimitOverrides};
use serde_json::{Value, json};

/// A gateway with one key for each of the given limits.
struct Keyed {
    fixture: Fixture,
    secrets: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Keyed {
    async fn new(limits: &[LimitOverrides], change: impl FnOnce(&mut Config)) -> Keyed {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        let mut file = KeyFile::default();
        let names = (0..limits.len()).map(|number| format!("account{number}"));
        let keys: Vec<String> = names
            .zip(limits)
            .map(|(name, limits)| file.add(&name, *limits).unwrap().secret)
            .collect();
        file.write(&path).unwrap();
        let mut config = Config { keys: Some(path), ..generous() };
        change(&mut config);
        let fixture = Fixture::new(config, Mode::Guarded).await;
        Keyed { fixture, secrets: keys, _folder: folder }
    }

    /// Sends a query of an account.
    fn ask(
        &self,
        account: usize,
        body: &Value,
    ) -> impl Future<Output = (StatusCode, Value)> + Send + 'static {
        let mut request = query_request(body.to_string());
        let bearer = format!("Bearer {}", self.secrets[account]).parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        call(self.fixture.app.clone(), request)
    }

    /// Sends a query and waits until it is refused or has been accepted.
    async fn submit(&self, account: usize, body: &Value) -> Option<Value> {
        let task = tokio::spawn(self.ask(account, body));
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        if task.is_finished() { Some(task.await.unwrap().1["reason"].clone()) } else { None }
    }
}

#[tokio::test]
async fn an_account_names_a_bounded_number_of_users_in_an_hour() {
    let limits = LimitOverrides { people: Some(3), ..LimitOverrides::default() };
    let keyed = Keyed::new(&[limits, LimitOverrides::default()], |_| ()).await;
    for user in ["a", "b", "c"] {
        assert_eq!(keyed.submit(0, &query(user, user, 3)).await, None);
    }
    let (status, body) = keyed.ask(0, &query("d", "d", 3)).await;
    assert_eq!((status.as_u16(), &body["reason"]), (429, &json!("people")));
    assert_eq!(keyed.submit(0, &query("e", "a", 3)).await, None, "a known user is not new");
    assert_eq!(keyed.submit(1, &query("f", "d", 3)).await, None, "other accounts");
    keyed.fixture.gateway.clock().advance(3_600_001);
    assert_eq!(keyed.submit(0, &query("g", "d", 3)).await, None, "an hour later");
}

#[tokio::test]
async fn an_account_has_a_bounded_number_of_waiting_requests() {
    let limits = LimitOverrides { connections: Some(2), ..LimitOverrides::default() };
    let mut keyed = Keyed::new(&[limits, LimitOverrides::default()], |_| ()).await;
    for user in ["a", "b"] {
        assert_eq!(keyed.submit(0, &query(user, user, 3)).await, None);
    }
    let (status, body) = keyed.ask(0, &query("c", "c", 3)).await;
    assert_eq!((status.as_u16(), &body["reason"]), (429, &json!("connections")));
    let mut cancel = Request::delete("/v1/queries/a").body(Body::empty()).unwrap();
    let bearer = format!("Bearer {}", keyed.secrets[0]).parse().unwrap();
    cancel.headers_mut().insert("authorization", bearer);
    let (_, body) = call(keyed.fixture.app.clone(), cancel).await;
    assert_eq!(body["reason"], "connections", "a cancellation waits too");
    assert_eq!(keyed.submit(1, &query("d", "d", 3)).await, None, "other accounts");
    keyed.fixture.tick().await;
    tokio::task::yield_now().await;
    assert_eq!(keyed.submit(0, &query("e", "e", 3)).await, None, "answered requests have ended");
}

#[tokio::test]
async fn a_lowered_queue_leaves_places_for_accounts_with_few_queries() {
    let limits = [LimitOverrides::default(); 2];
    let keyed = Keyed::new(&limits, |config| config.engine.queue = 400).await;
    let lonely = |name: &str| with(query(name, name, 3), "k", json!(50));
    let mut held = 0;
    while keyed.submit(0, &lonely(&format!("0.{held}"))).await.is_none() {
        held += 1;
    }
    assert_eq!(held, 300, "three quarters of the queue");
    let gateway = &keyed.fixture.gateway;
    let mut config = Config::clone(&gateway.config());
    config.engine.queue = 100;
    gateway.reload(&config).unwrap();
    let mut admitted = 0;
    for number in 0..100 {
        admitted += u32::from(keyed.submit(1, &lonely(&format!("1.{number}"))).await.is_none());
    }
    assert!((10..=25).contains(&admitted), "{admitted} of 25 places beside 300 queries");
    assert_eq!(keyed.submit(0, &lonely("more")).await, Some(json!("busy")), "too many already");
    // The limit never rises, and is the setting when few queries are left.
    assert_eq!(gateway.queue_limit(), 325);
    gateway.clock().advance(120_000);
    let mut keyed = keyed;
    keyed.fixture.tick().await;
    keyed.fixture.gateway.purge_results();
    assert_eq!(keyed.fixture.gateway.queue_limit(), 100);
}

#[tokio::test]
async fn two_greedy_accounts_leave_places_in_the_queue_for_a_third() {
    let limits = [LimitOverrides::default(); 3];
    let keyed = Keyed::new(&limits, |config| config.engine.queue = 70).await;
    let mut accepted = [0; 3];
    for number in 0..100 {
        for account in [0, 1] {
            let name = format!("{account}.{number}");
            let lonely = with(query(&name, &name, 3), "k", json!(50));
            accepted[account] += usize::from(keyed.submit(account, &lonely).await.is_none());
        }
    }
    assert_eq!(accepted[..2], [30, 30], "3/7 of the queue each");
    for number in 0..100 {
        let name = format!("2.{number}");
        let refused = keyed.submit(2, &query(&name, &name, 3)).await;
        accepted[2] += usize::from(refused.is_none());
    }
    assert!(accepted[2] >= 7, "{accepted:?}");
}

#[tokio::test]
async fn an_account_that_fills_the_service_leaves_room_for_another() {
    let limits = [LimitOverrides::default(); 2];
    // Before its first response the service is expected to take its time-out of 2 s for each
    // request: 32 slots send 32 requests at once, 80 more in half of `service.wait`, 106 in two
    // thirds.
    let defaults = |config: &mut Config| config.service = Config::default().service;
    let keyed = Keyed::new(&limits, defaults).await;
    let mut accepted = [0; 2];
    for account in [0, 1] {
        for number in 0..150 {
            let name = format!("{account}.{number}");
            let lonely = with(query(&name, &name, 3), "k", json!(50));
            let refused = keyed.submit(account, &lonely).await;
            assert!(refused.as_ref().is_none_or(|reason| reason == "busy"), "{refused:?}");
            accepted[account] += usize::from(refused.is_none());
        }
    }
    assert_eq!(accepted[0], 113, "half of the wait");
    assert!((15..=26).contains(&accepted[1]), "{accepted:?}");
}

/// Sends queries of the given accounts, ticks, and returns the outcomes.
async fn outcomes(keyed: &mut Keyed, accounts: &[usize]) -> Vec<Value> {
    let queries = accounts.iter().enumerate().map(|(number, &account)| {
        let name = format!("{number}");
        let asked = with(query(&name, &name, 3), "k", json!(3));
        tokio::spawn(keyed.ask(account, &with(asked, "dt", json!(1))))
    });
    let queries: Vec<_> = queries.collect();
    tokio::task::yield_now().await;
    keyed.fixture.tick().await;
    keyed.fixture.tick().await;
    let ended = futures_util::future::join_all(queries).await;
    ended.into_iter().map(|result| result.unwrap().1["outcome"].clone()).collect()
}

#[tokio::test]
async fn users_of_one_other_account_do_not_count_with_across_accounts() {
    let limits = [LimitOverrides::default(); 2];
    let (answered, expired) = (json!("answered"), json!("expired"));
    let mut open = Keyed::new(&limits, |_| ()).await;
    assert_eq!(outcomes(&mut open, &[0, 1, 1, 1]).await, vec![answered.clone(); 4]);
    let strict = |config: &mut Config| config.engine.across_accounts = true;
    let mut keyed = Keyed::new(&limits, strict).await;
    let found = outcomes(&mut keyed, &[0, 1, 1, 1]).await;
    assert_eq!(found[0], expired, "the other three could be invented");
    assert_eq!(found[1..], vec![answered.clone(); 3], "the three belong to one account");
    let mut keyed = Keyed::new(&limits, strict).await;
    assert_eq!(outcomes(&mut keyed, &[0, 0, 0, 1]).await[..3], vec![answered; 3]);
}
