//! Every client with every service: requests, logs and metrics hold no secret of a user, and the
//! positions on the streets change no byte sent. Planted secrets are found.

mod clients;
mod fixture;
mod services;

use crate::log_capture::{LogCapture, is_metric_value, without_batch_count};
use crate::recorder::Recorder;
use crate::secrets::Secrets;
use clients::{CLIENTS, Client};
use fixture::{Side, TestGateway, TestUsers};
use services::{RecordedService, services};

/// Output of one run.
struct Run {
    /// Bytes sent to the service, by group.
    sent: Vec<Vec<u8>>,
    logged: String,
    counted: String,
    secrets: Secrets,
}

/// Sends the queries of each group by one client, from one of two positions per user.
async fn run(client: Client, service: &RecordedService, users: &TestUsers, side: Side) -> Run {
    let (logs, _listening) = LogCapture::start();
    let mut gateway = TestGateway::open(service).await;
    let mut secrets = gateway.secrets();
    service.record.take();
    let mut sent = Vec::new();
    for group in &users.groups {
        for user in group {
            let at = users.place(user, side);
            secrets.add_place(users.map(), at.0, at.1);
            gateway.add_user(user, &mut secrets).await;
            gateway.report(client, user, at, &mut secrets).await;
        }
        let asking = group.iter().filter(|user| client.asks(user)).count();
        gateway.batch(asking, group.len() - asking).await;
        sent.push(service.record.take());
    }
    let (logged, counted) = (logs.text(), gateway.end().await);
    Run { sent, logged, counted: without_batch_count(&counted), secrets }
}

/// Asserts that every secret is found if it is planted into the bytes sent.
fn plant(secrets: &Secrets, sent: &[u8]) {
    // A part of the bytes is enough and faster to scan.
    let sent = &sent[sent.len() / 2 - 50..][..100];
    let middle = sent.len() / 2;
    let found = |planted: &[u8]| {
        let text = [&sent[..middle], b" ", planted, b" ", &sent[middle..]].concat();
        !secrets.sent_secrets(&text, sent).is_empty()
    };
    for word in &secrets.words {
        assert!(found(word.as_bytes()), "{word}");
    }
    let mut excused = 0;
    for &(number, _) in &secrets.numbers {
        // A small integer may also be the number of a street, which is no secret.
        let may_be_sent = number.fract() == 0.0 && number < 1000.0;
        let (big, little) = (number.to_be_bytes(), number.to_le_bytes());
        let forms = [format!("{number:.7}").into_bytes(), big.to_vec(), little.to_vec()];
        let seen = forms.iter().all(|form| found(form));
        assert!(seen || may_be_sent, "{number}");
        excused += usize::from(!seen);
    }
    assert!(excused * 10 < secrets.numbers.len(), "{excused} of {}", secrets.numbers.len());
    for &(lon, lat) in &secrets.on_earth() {
        let (west, south) = (lon - 5e-6, lat - 5e-6);
        for text in [
            format!("{west:.6},{south:.6}"),
            format!("{south:.6}%2C{west:.6}"),
            format!("[{west},{south}]"),
            format!("POINT({west:.6} {south:.6})"),
            format!("{:.0}", lon * 1e7),
        ] {
            assert!(found(text.as_bytes()), "{text}");
        }
    }
}

async fn scan(client: Client, service: &RecordedService, users: &TestUsers) {
    let name = format!("{client:?} before {}", service.name);
    let here = run(client, service, users, Side::First).await;
    let there = run(client, service, users, Side::Second).await;
    for (group, (sent, elsewhere)) in here.sent.iter().zip(&there.sent).enumerate() {
        assert!(sent.len() > 100, "{name}: {}", sent.len());
        assert_eq!(
            here.secrets.sent_secrets(sent, elsewhere),
            Vec::<String>::new(),
            "{name} {group}"
        );
        assert_eq!(
            there.secrets.sent_secrets(elsewhere, sent),
            Vec::<String>::new(),
            "{name} {group}"
        );
        assert!(sent == elsewhere, "{name} {group}: positions change the bytes sent");
    }
    for Run { logged, counted, mut secrets, sent } in [here, there] {
        plant(&secrets, &sent[0]);
        secrets.numbers.retain(|&(number, near)| !is_metric_value(number, near));
        assert!(logged.len() + counted.len() > 1000 && secrets.numbers.len() > 20, "{name}");
        for text in [logged, counted] {
            assert_eq!(secrets.found(&text), Vec::<String>::new(), "{name}");
            let (before, after) = text.split_at(text.len() / 2);
            for word in &secrets.words {
                assert!(!secrets.found(&format!("{before}{word}{after}")).is_empty(), "{word}");
            }
            for (number, _) in &secrets.numbers {
                let planted = format!("{before} ({number:.5}) {after}");
                assert!(!secrets.found(&planted).is_empty(), "{number}");
            }
        }
    }
}

#[tokio::test]
async fn no_client_and_service_leak_a_secret() {
    let users = TestUsers::new();
    for service in services(&users.walker).await {
        // A first run for requests that are sent once: prepared statements, conformance.
        run(Client::Query, &service, &users, Side::First).await;
        for client in CLIENTS {
            scan(client, &service, &users).await;
        }
    }
}
