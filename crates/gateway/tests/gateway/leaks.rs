//! Everything that is sent to the service, logged or counted during a run holds no coordinate, no
//! person, no ticket and no key; and a look that finds none would find them if they were there.

use crate::fixture::{Fixture, Mood, call, generous, place, query, query_request, walker};
use futures_util::future::join_all;
use gateway::config::{Config, LogConfig, LogFormat, Mode};
use gateway::keys::{KeyFile, OwnLimits};
use gateway::logs;
use meshcloak::units::LonLat;
use serde_json::json;
use std::io;
use std::sync::{Arc, Mutex};

/// What must not be found.
#[derive(Default)]
pub struct Secrets {
    pub words: Vec<String>,
    /// With how near a number must be to be one.
    pub numbers: Vec<(f64, f64)>,
}

impl Secrets {
    pub fn add_place(&mut self, lon: f64, lat: f64) {
        let walker = walker();
        let map = walker.atlas().map();
        let point = map.frame().unwrap().point(LonLat { lon, lat });
        let offset = map.snap(point, None).unwrap().position.offset;
        self.numbers.extend([(lon, 1e-4), (lat, 1e-4), (point.x, 0.6), (point.y, 0.6)]);
        self.numbers.extend([(offset.as_metres(), 1e-3), (f64::from(offset.units()), 1e-3)]);
    }

    /// What of these is in a text.
    pub fn found(&self, text: &str) -> Vec<String> {
        let mut found: Vec<String> =
            self.words.iter().filter(|word| text.contains(*word)).cloned().collect();
        let numbers = text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
        for number in numbers.filter_map(|number| number.parse::<f64>().ok()) {
            let near = |&&(secret, near): &&(f64, f64)| (number - secret).abs() < near;
            found.extend(self.numbers.iter().find(near).map(|_| number.to_string()));
        }
        found
    }
}

/// A place for logs to go.
#[derive(Clone, Default)]
pub struct Pages(pub Arc<Mutex<Vec<u8>>>);

impl io::Write for Pages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Logs without the times they begin with, which are numbers like any other.
pub fn without_times(logs: &str) -> String {
    let lines = logs.lines().map(|line| line.split_once('Z').map_or(line, |(_, rest)| rest));
    lines.collect::<Vec<_>>().join("\n")
}

/// What was sent without the numbers of streets, which are what may be sent.
pub fn without_streets(sent: &str) -> String {
    let pieces = sent.split("StreetId(").map(|piece| match piece.split_once(')') {
        Some((number, rest)) if number.parse::<u32>().is_ok() => rest,
        _ => piece,
    });
    pieces.collect()
}

/// Counts without that of batches, which is shown one by one: it counts no people.
pub fn without_batches(counted: &str) -> String {
    let lines = counted.lines().filter(|line| !line.starts_with("meshcloak_batches_total"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Counts are shown in tens, and buckets end at a few numbers: a coordinate that is one of those
/// by chance is not looked for.
pub fn is_a_count(number: f64, near: f64) -> bool {
    let tens = (number / 10.0).round() * 10.0;
    let ends = [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0];
    ends.into_iter().chain([tens]).any(|count| (number - count).abs() <= near)
}

#[tokio::test(start_paused = true)]
async fn nothing_that_leaves_tells_of_anyone() {
    let pages = Pages::default();
    let writer = pages.clone();
    let config = LogConfig { format: LogFormat::Text, level: tracing::Level::TRACE };
    let subscriber = logs::subscriber(&config, move || writer.clone());
    let _listening = tracing::subscriber::set_default(subscriber);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let mut file = KeyFile::default();
    let key = file.add("okapi-app", OwnLimits::default()).unwrap();
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
        fixture.probe.feel([Mood::Fine, Mood::Fine, Mood::Down, Mood::Silent][second as usize % 4]);
        let posts: Vec<_> = (0..60_u32)
            .map(|number| {
                let (ticket, person) =
                    (format!("zebra-{second}-{number}"), format!("gnu-{number}"));
                // Elsewhere each time, for what was asked just now is remembered.
                let street = number / 5 * 37 + second;
                let part = 0.31 + f64::from(number % 5) * 0.0937;
                let mut body = query(&ticket, &person, street);
                let (lon, lat) = place(street, part);
                body["lon"] = json!(lon);
                body["lat"] = json!(lat);
                body["k"] = json!(2 + number % 9);
                secrets.add_place(lon, lat);
                secrets.words.extend([ticket, person]);
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
        // Long enough for a service that was left alone to be asked again.
        tokio::time::advance(std::time::Duration::from_secs(10)).await;
        fixture.gateway.reload(&config).unwrap();
    }
    fixture.end().await;
    let logged = without_times(&String::from_utf8(pages.0.lock().unwrap().clone()).unwrap());
    let counted = without_batches(&fixture.gateway.metrics().render(60));
    let all = [without_streets(&sent.join("\n")), logged.clone(), counted];
    assert!(sent.len() > 20, "{}", sent.len());
    assert!(logged.contains("did not answer"), "{logged}");
    secrets.numbers.retain(|&(number, near)| !is_a_count(number, near));
    assert!(secrets.numbers.len() > 200);
    for text in &all {
        assert_eq!(secrets.found(text), Vec::<String>::new());
    }
    // The control: each of them, planted in the middle of what was looked at, is found.
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
