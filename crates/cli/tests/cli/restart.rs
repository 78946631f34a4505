//! `history` survives a kill of the process.

use crate::program::meshcloak;
use crate::serve::Serving;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// Asks for a user at a position and returns the result.
fn ask(serving: &Serving, key: &str, name: &str, (lon, lat): (f64, f64)) -> Value {
    let body = json!({
        "ticket": format!("{name}-{lon}"), "person": name, "lon": lon, "lat": lat,
        "k": 2, "dt": 10, "dc": 500, "speed": 20,
        "question": {"find": "nearest", "count": 2, "along": "streets"},
    })
    .to_string();
    let mut stream = TcpStream::connect(serving.url.trim_start_matches("http://")).unwrap();
    let request = format!(
        "POST /v1/queries HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         authorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    serde_json::from_str(response.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// Asks for two users at once, so that they can be hidden. Returns the result of the first.
fn ask_both(serving: &Serving, key: &str, names: [&str; 2], at: (f64, f64)) -> Value {
    std::thread::scope(|scope| {
        let first = scope.spawn(|| ask(serving, key, names[0], at));
        ask(serving, key, names[1], at);
        first.join().unwrap()
    })
}

#[test]
fn a_killed_gateway_refuses_the_users_it_has_served() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let key = meshcloak(&["keys", "add", "app", "--keys", &path("keys.json")]).done().stdout;
    let key = key.trim();
    let map = import::read_map(&"city:500:7".parse().unwrap(), &import::Options::default(), &());
    let map = map.unwrap().map;
    let on_street = |street: u32| {
        let frame = map.frame().unwrap();
        let lon_lat = frame.lon_lat(map.shape(meshcloak::map::StreetId(street))[0]);
        (lon_lat.lon, lon_lat.lat)
    };
    let (here, far) = (on_street(3), on_street(250));
    let start = |after_start: &str| {
        let sets = [
            format!("accounts.keys={}", path("keys.json")),
            format!("engine.record={}", path("served")),
            format!("engine.after_start={after_start}"),
            "engine.guarantee=history".to_owned(),
        ];
        let flags: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
        Serving::start(&flags)
    };
    let unknown = start("refuse");
    assert_eq!(ask(&unknown, key, "ann", here)["reason"], "after-start", "no record yet");
    unknown.kill();
    for name in ["served", "served.old", "served.key"] {
        std::fs::remove_file(path(name)).unwrap();
    }
    let first = start("new");
    let served = ask_both(&first, key, ["ann", "bob"], here);
    assert_eq!(
        (&served["outcome"], &served["receipt"]["history"]),
        (&json!("answered"), &json!("new"))
    );
    first.kill();
    let second = start("refuse");
    assert_eq!(ask(&second, key, "ann", far)["reason"], "after-start");
    assert_eq!(ask_both(&second, key, ["cyd", "dan"], here)["outcome"], "answered");
    second.kill();
    // Without the refusal the impossible jump is answered.
    let third = start("new");
    let jump = ask_both(&third, key, ["ann", "bob"], far);
    assert_eq!(
        (&jump["outcome"], &jump["receipt"]["history"]),
        (&json!("answered"), &json!("new"))
    );
    third.end();
}
