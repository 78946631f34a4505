//! The webhook, against the example server and against a server with small pages.

use crate::end_to_end;
use crate::pois::{Thing, categories, check, client, things};
use crate::recording_server::{Heard, Listener, Reply};
use crate::town::{hamlet, inquiry, question, region, walker};
use gateway::service::RemoteSettings;
use meshcloak::town::Town;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use tempfile::NamedTempFile;

/// The example server; stopped on drop.
pub struct ExampleServer {
    process: Child,
    pub url: String,
    _places: NamedTempFile,
}

fn feature(thing: &Thing) -> Value {
    let properties = json!({"name": thing.name, "category": thing.category});
    let geometry = json!({"type": "Point", "coordinates": [thing.lon, thing.lat]});
    json!({"type": "Feature", "id": thing.id, "geometry": geometry, "properties": properties})
}

impl ExampleServer {
    pub fn start(things: &[Thing]) -> ExampleServer {
        let mut places = NamedTempFile::new().unwrap();
        let features: Vec<Value> = things.iter().map(feature).collect();
        write!(places, "{}", json!({"type": "FeatureCollection", "features": features})).unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/webhook/server.py");
        let mut process = Command::new("python3")
            .arg(script)
            .arg(places.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("needs python3: `make python` installs it");
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        ExampleServer { process, url: url.trim().to_owned(), _places: places }
    }
}

impl Drop for ExampleServer {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

fn settings(url: &str) -> RemoteSettings {
    let settings = RemoteSettings::of_source(&format!("webhook+{url}")).unwrap();
    RemoteSettings { outline: 0.0, timeout: 120.0, ..settings }
}

#[tokio::test]
async fn answers_of_the_example_server_are_exact() {
    let walker = walker();
    let things = things(&walker, |number| format!("p{number}"));
    let example = ExampleServer::start(&things);
    let client = client(settings(&example.url).open(&walker).unwrap());
    let known: Vec<String> = categories(&things).into_iter().collect();
    assert_eq!(client.categories().await.unwrap(), known);
    let seen = check(&walker, &client, &things, 25).await;
    assert_eq!(seen.exact, seen.asked);
    assert!(seen.found > 1_000 && seen.outside * 3 > seen.asked, "{seen:?}");
    end_to_end::check(&walker, settings(&example.url).open(&walker).unwrap(), &things).await;
}

/// Returns the first `max` objects after `after`, wherever they are: a superset of the range.
fn page(things: &[Thing], max: usize, request: &Heard) -> Value {
    let asked: Value = serde_json::from_str(&request.body).unwrap();
    let properties = &asked["properties"];
    let fits = |thing: &&Thing| {
        properties["category"].as_str().is_none_or(|wanted| wanted == thing.category)
            && properties["after"].as_str().is_none_or(|after| thing.id.as_str() > after)
    };
    let mut found: Vec<&Thing> = things.iter().filter(fits).collect();
    found.sort_by(|a, b| a.id.cmp(&b.id));
    let page: Vec<Value> = found.iter().take(max).map(|thing| feature(thing)).collect();
    json!({"type": "FeatureCollection", "complete": found.len() <= max, "features": page})
}

#[tokio::test]
async fn all_pages_are_requested_in_the_same_bytes_each_time() {
    let walker = hamlet();
    let things = things(&walker, |number| format!("p{number}"));
    let all = things.clone();
    let server =
        Listener::start(move |request| Reply::ok(page(&all, 20, request).to_string())).await;
    let mut settings = settings(&server.url);
    settings.authorization = Some("Bearer s3cret".to_owned().into());
    settings.categories =
        categories(&things).into_iter().map(|name| (name.clone(), name)).collect();
    let client = client(settings.open(&walker).unwrap());
    let seen = check(&walker, &client, &things, 8).await;
    assert_eq!(seen.exact, seen.asked);
    server.take();
    let mut random = Town::generator(5);
    let mut pages = 0;
    for _ in 0..10 {
        let map = walker.map();
        let (region, question) = (region(map, &mut random), question(map, &mut random));
        client.ask(&inquiry(map, &region, &question)).await.unwrap();
        let first = server.take();
        client.ask(&inquiry(map, &region, &question)).await.unwrap();
        assert_eq!(first, server.take());
        pages += first.len();
        let secret = ("authorization".to_owned(), "Bearer s3cret".to_owned());
        assert!(first.iter().all(|request| request.headers.contains(&secret)));
    }
    assert!(pages > 20, "{pages}");
}

#[tokio::test]
async fn a_truncated_range_is_halved_and_finally_incomplete() {
    let walker = hamlet();
    let things = things(&walker, |number| format!("p{number}"));
    let first_five: Vec<Value> = things[..5].iter().map(feature).collect();
    let answer = json!({"type": "FeatureCollection", "complete": false, "features": first_five});
    let server = Listener::start(move |_| Reply::ok(answer.to_string())).await;
    let client = client(settings(&server.url).open(&walker).unwrap());
    let seen = check(&walker, &client, &things, 2).await;
    assert_eq!(seen.exact, 0);
    let requests = server.take().len();
    assert!(requests < 4 * 2 * 2 * 500, "{requests}");
}
