//! Conservation of queries: accepted = answered + expired + cancelled + failed, over random runs
//! with an unreliable service.

use crate::fixture::{Fixture, ServiceMode, post, query};
use futures_util::future::join_all;
use meshcloak::town::Town;
use rand::RngExt as _;
use serde_json::{Value, json};

#[tokio::test(start_paused = true)]
async fn every_accepted_query_has_exactly_one_outcome() {
    let mut all = [0; 4];
    for seed in 0..6 {
        let mut random = Town::generator(seed);
        let mut fixture = Fixture::open().await;
        let mut under_way = Vec::new();
        for second in 0..25 {
            let modes = [
                ServiceMode::Normal,
                ServiceMode::Normal,
                ServiceMode::Normal,
                ServiceMode::Down,
                ServiceMode::Silent,
            ];
            fixture.probe.set_mode(modes[random.random_range(0..5)]);
            for number in 0..random.random_range(0..20) {
                let user = format!("p{}", random.random_range(0..60));
                let mut body =
                    query(&format!("{second}-{number}"), &user, random.random_range(0..12) * 40);
                body["k"] = json!(random.random_range(2..5));
                body["dt"] = json!(random.random_range(0..5));
                under_way.push(tokio::spawn(post(fixture.app.clone(), body)));
            }
            for _ in 0..random.random_range(0..4) {
                let ticket = format!("{second}-{}", random.random_range(0..20));
                let app = fixture.app.clone();
                under_way.push(tokio::spawn(async move {
                    let path = format!("/v1/queries/{ticket}");
                    let request = axum::http::Request::delete(path);
                    crate::fixture::call(app, request.body(Default::default()).unwrap()).await
                }));
            }
            tokio::task::yield_now().await;
            fixture.tick().await;
        }
        fixture.end().await;
        let results: Vec<Value> =
            join_all(under_way).await.into_iter().map(|result| result.unwrap().1).collect();
        let (accepted, ended) = fixture.counts();
        assert_eq!(accepted, ended.iter().sum::<u64>(), "seed {seed}: {ended:?}");
        assert_eq!(fixture.gateway.under_way().load(std::sync::atomic::Ordering::SeqCst), 0);
        assert!(results.iter().all(|result| result["outcome"].is_string()), "seed {seed}");
        all = [0, 1, 2, 3].map(|outcome| all[outcome] + ended[outcome]);
    }
    assert!(all.iter().all(|&count| count > 20), "{all:?}");
}
