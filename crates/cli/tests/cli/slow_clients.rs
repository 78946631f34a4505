//! Ten thousand connections of which nearly all are slow, to a gateway in a process of its own:
//! those who are not are served all the while, and whoever is heard out at last is told.

use crate::program::meshcloak;
use crate::serve::Serving;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// As many as there are, if the system lets a process have so many files.
const CONNECTIONS: usize = 10_000;

/// Those who are in no way slow, each on connections of her own, all on one spot.
const QUICK: usize = 40;

/// How far a slow one gets before she falls silent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pause {
    /// Nothing is said.
    AtOnce,
    /// In the middle of the head.
    InHead,
    /// In the middle of the body.
    InBody,
    /// Everything is said, and the answer not read.
    BeforeReading,
}

struct Gate {
    address: SocketAddr,
    key: String,
    place: (f64, f64),
}

impl Gate {
    fn request(&self, name: &str) -> String {
        let body = json!({
            "ticket": name, "person": name, "lon": self.place.0, "lat": self.place.1,
            "k": 2, "dt": 5, "dc": 500,
            "question": {"find": "nearest", "count": 2, "along": "streets"},
        });
        let body = body.to_string();
        format!(
            "POST /v1/queries HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
             authorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            self.key,
            body.len()
        )
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("there is room")
    }

    /// A query from beginning to end.
    async fn ask(&self, name: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(self.request(name).as_bytes()).await.unwrap();
        outcome(stream).await
    }
}

/// How a query ended.
async fn outcome(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).await.unwrap();
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?}"));
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{text}");
    let body: Value = serde_json::from_str(body).unwrap();
    body["outcome"].as_str().unwrap().to_owned()
}

/// Somebody slow, and what she has still to say.
struct Slow {
    stream: TcpStream,
    rest: String,
}

async fn begin(gate: &Gate, number: usize) -> (Pause, Slow) {
    let pauses = [Pause::AtOnce, Pause::InHead, Pause::InBody, Pause::BeforeReading];
    let pause = pauses[number % 4];
    let request = gate.request(&format!("slow-{number}"));
    let said = match pause {
        Pause::AtOnce => 0,
        Pause::InHead => 40,
        Pause::InBody => request.len() - 30,
        Pause::BeforeReading => request.len(),
    };
    let mut stream = gate.connect().await;
    stream.write_all(&request.as_bytes()[..said]).await.unwrap();
    (pause, Slow { stream, rest: request[said..].to_owned() })
}

/// How many connections can be had here; what else is open needs some files as well.
fn connections() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).unwrap();
    let most = most.map_or(usize::MAX, |most| most as usize);
    let room = most.saturating_sub(500).min(CONNECTIONS);
    if room < CONNECTIONS {
        eprintln!("{room} connections instead of {CONNECTIONS}: no more files can be had here");
    }
    room
}

fn gateway(folder: &std::path::Path, connections: usize) -> (Serving, Gate) {
    let keys = folder.join("keys.json");
    let keys = keys.to_str().unwrap();
    let key = meshcloak(&["keys", "add", "app", "--keys", keys, "--rate", "1000000"]).done().stdout;
    let (keys, most) =
        (format!("accounts.keys={keys}"), format!("server.connections={}", connections + 200));
    let serving =
        Serving::start(&["--set", &keys, "--set", &most, "--set", "server.request_timeout=600"]);
    let address = serving.url.strip_prefix("http://").unwrap().parse().unwrap();
    let source = "city:500:7".parse().unwrap();
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    let place = map.frame().unwrap().lon_lat(map.shape(meshcloak::map::StreetId(3))[0]);
    let gate = Gate { address, key: key.trim().to_owned(), place: (place.lon, place.lat) };
    (serving, gate)
}

/// The quick ones ask, one after the other; everyone must be answered. Two go on asking until the
/// last of them has been, so that nobody is alone.
async fn quick(gate: Arc<Gate>, when: &'static str) {
    let mut company = JoinSet::new();
    for number in 0..2 {
        let gate = Arc::clone(&gate);
        company.spawn(async move {
            for round in 0.. {
                gate.ask(&format!("{when}-company-{number}-{round}")).await;
            }
        });
    }
    let mut all = JoinSet::new();
    for number in 0..QUICK {
        let gate = Arc::clone(&gate);
        all.spawn(async move {
            for round in 0..3 {
                let told = gate.ask(&format!("{when}-{number}-{round}")).await;
                assert_eq!(told, "answered", "{when}");
            }
        });
    }
    while let Some(done) = all.join_next().await {
        done.unwrap();
    }
    company.shutdown().await;
}

#[test]
fn ten_thousand_slow_connections_keep_nobody_waiting_and_lose_nobody() {
    let most = connections();
    let folder = tempfile::tempdir().unwrap();
    let (serving, gate) = gateway(folder.path(), most);
    let gate = Arc::new(gate);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut slow = Vec::with_capacity(most);
        let quick_ones = tokio::spawn(quick(Arc::clone(&gate), "meanwhile"));
        for number in 0..most - QUICK {
            slow.push(begin(&gate, number).await);
        }
        quick_ones.await.unwrap();
        quick(Arc::clone(&gate), "all-there").await;
        // Now they go on where they had stopped, and whoever has asked is told.
        let mut all = JoinSet::new();
        for (pause, Slow { mut stream, rest }) in slow {
            all.spawn(async move {
                if pause == Pause::AtOnce {
                    drop(stream);
                    return None;
                }
                stream.write_all(rest.as_bytes()).await.unwrap();
                Some(outcome(stream).await)
            });
        }
        let (mut told, mut gone) = (0, 0);
        while let Some(done) = all.join_next().await {
            match done.unwrap().as_deref() {
                None => gone += 1,
                // The last one may be alone.
                Some("answered" | "expired") => told += 1,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(told + gone, most - QUICK);
        assert_eq!(told, (0..most - QUICK).filter(|number| number % 4 != 0).count());
    });
    serving.end();
}
