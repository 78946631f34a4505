//! Every client before every service: nothing that is sent, logged or counted tells of anyone, and
//! where on their streets people are changes no byte. What is looked for would be found.

mod clients;
mod fixture;
mod services;

use crate::log_capture::{LogCapture, is_metric_value, without_batch_count};
use crate::recorder::Recorder;
use crate::secrets::Secrets;
use clients::{CLIENTS, Client};
use fixture::{Crowd, House, Side};
use services::{Behind, services};

/// What came of a crowd that went through a gateway.
struct Run {
    /// Group by group.
    sent: Vec<Vec<u8>>,
    logged: String,
    counted: String,
    secrets: Secrets,
}

/// Group after group asks, all of a group by the same client, from one side of their streets.
async fn run(client: Client, behind: &Behind, crowd: &Crowd, side: Side) -> Run {
    let (pages, _listening) = LogCapture::start();
    let mut house = House::open(behind).await;
    let mut secrets = house.secrets();
    behind.record.take();
    let mut sent = Vec::new();
    for group in &crowd.groups {
        for person in group {
            let at = crowd.place(person, side);
            secrets.add_place(crowd.map(), at.0, at.1);
            house.settle(person, &mut secrets).await;
            house.report(client, person, at, &mut secrets).await;
        }
        house.batch(group.len()).await;
        sent.push(behind.record.take());
    }
    let (logged, counted) = (pages.text(), house.end().await);
    Run { sent, logged, counted: without_batch_count(&counted), secrets }
}

/// Everything that is secret, as it might be told, and whether it would be found there.
fn plant(secrets: &Secrets, sent: &[u8]) {
    // A part is enough to be looked at so often.
    let sent = &sent[sent.len() / 2 - 50..][..100];
    let middle = sent.len() / 2;
    let found = |planted: &[u8]| {
        let text = [&sent[..middle], b" ", planted, b" ", &sent[middle..]].concat();
        !secrets.told(&text, sent).is_empty()
    };
    for word in &secrets.words {
        assert!(found(word.as_bytes()), "{word}");
    }
    let mut excused = 0;
    for &(number, _) in &secrets.numbers {
        // A small whole number may be that of a street, too, and is nobody's then.
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

async fn scan(client: Client, behind: &Behind, crowd: &Crowd) {
    let name = format!("{client:?} before {}", behind.name);
    let here = run(client, behind, crowd, Side::One).await;
    let there = run(client, behind, crowd, Side::Other).await;
    for (group, (sent, elsewhere)) in here.sent.iter().zip(&there.sent).enumerate() {
        assert!(sent.len() > 100, "{name}: {}", sent.len());
        assert_eq!(here.secrets.told(sent, elsewhere), Vec::<String>::new(), "{name} {group}");
        assert_eq!(there.secrets.told(elsewhere, sent), Vec::<String>::new(), "{name} {group}");
        assert!(sent == elsewhere, "{name} {group}: where they are changes what is sent");
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
async fn no_client_before_any_service_gives_anyone_away() {
    let crowd = Crowd::new();
    for behind in services(&crowd.walker).await {
        // A first time, for what is said only once: statements that are prepared, a conformance
        // that is asked for.
        run(Client::Query, &behind, &crowd, Side::One).await;
        for client in CLIENTS {
            scan(client, &behind, &crowd).await;
        }
    }
}
