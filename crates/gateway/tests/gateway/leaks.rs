//! Requests to the service, logs and metrics of a run contain no coordinate, user, ticket or key. A
//! control shows that the search would find them.

use crate::fixture::{Fixture, ServiceMode, call, generous, place, query, query_request, walker};
use crate::log_capture::{LogCapture, is_metric_value, without_batch_count};
use crate::secrets::Secrets;
use futures_util::future::join_all;
use gateway::config::{Config, Mode};
use gateway::keys::{KeyFile, LimitOverrides};
use serde_json::json;

/// Removes the street ids, which may be sent.
pub fn without_streets(sent: &str) -> String {
    let pieces = sent.split("StreetId(").map(|piece| match piece.split_once(')') {
        Some((number, rest)) if number.parse::<u32>().is_ok() => rest,
        _ => piece,
    });
    pieces.collect()
}

#[tokio::test(start_paused = true)]
async fn requests_logs_and_metrics_contain_no_private_value() {
    let (log, _capturing) = LogCapture::start();

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let mut file = KeyFile::default();
    let key = file.add("okapi-app", LimitOverrides::default()).unwrap();
    file.write(&path).unwrap();
    let config = Config { keys: Some(path), ..generous() };
    let mut fixture = Fixture::new(config.clone(), Mode::Guarded).await;

    let mut secrets = Secrets::default();
    secrets.words.extend([
        key.secret.clone(),
        key.id.clone(),
        file.accounts[0].keys[0].sha256.clone(),
    ]);
    secrets.words.push("okapi-app".into());
    let mut sent = Vec::new();
    for second in 0..8_u32 {
        fixture.probe.set_mode(
            [ServiceMode::Normal, ServiceMode::Normal, ServiceMode::Down, ServiceMode::Silent]
                [second as usize % 4],
        );
        let posts: Vec<_> = (0..60_u32)
            .map(|number| {
                let (ticket, user) = (format!("zebra-{second}-{number}"), format!("gnu-{number}"));
                let street = number / 5 * 37 + second;
                let part = 0.31 + f64::from(number % 5) * 0.0937;
                let mut body = query(&ticket, &user, street);
                let (lon, lat) = place(street, part);
                body["lon"] = json!(lon);
                body["lat"] = json!(lat);
                body["k"] = json!(2 + number % 9);
                secrets.add_place(walker().map(), lon, lat);
                secrets.words.extend([ticket, user]);
                let mut request = query_request(body.to_string());
                let bearer = format!("Bearer {}", key.secret).parse().unwrap();
                request.headers_mut().insert("authorization", bearer);
                call(fixture.app.clone(), request)
            })
            .collect();
        let ticks = async {
            for _ in 0..5 {
                fixture.tick().await;
            }
        };
        futures_util::join!(join_all(posts), ticks);
        sent.extend(fixture.probe.take());
        // Longer than the pause of the circuit breaker.
        tokio::time::advance(std::time::Duration::from_secs(10)).await;
        fixture.gateway.reload(&config).unwrap();
    }
    fixture.end().await;
    let logged = log.text();
    let counted = without_batch_count(&fixture.gateway.metrics().render(60));
    let all = [without_streets(&sent.join("\n")), logged.clone(), counted];
    assert!(sent.len() > 20, "{}", sent.len());
    assert!(logged.contains("did not answer"), "{logged}");
    secrets.numbers.retain(|&(number, near)| !is_metric_value(number, near));
    assert!(secrets.numbers.len() > 200);
    for text in &all {
        assert_eq!(secrets.found(text), Vec::<String>::new());
    }
    // Control: a private value planted in the middle of the text is found.
    for text in &all {
        let (before, after) = text.split_at(text.len() / 2);
        for word in secrets.words.iter().step_by(17) {
            assert!(!secrets.found(&format!("{before}{word}{after}")).is_empty(), "{word}");
        }
        for (number, _) in secrets.numbers.iter().step_by(53) {
            let planted = format!("{before} ({number:.5}) {after}");
            assert!(!secrets.found(&planted).is_empty(), "{number}");
        }
    }
}
