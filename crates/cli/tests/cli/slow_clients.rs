//! Ten thousand mostly slow connections to a gateway process: fast clients are served meanwhile, and
//! each slow client gets a response once its request is complete.

use crate::program::meshcloak;
use crate::serve::Serving;
use ::meshcloak::units::LonLat;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Number of connections, if the limit of open files allows it.
const CONNECTIONS: usize = 10_000;

/// Number of fast clients, each with its own connections, all at the same position.
const FAST: usize = 40;

/// Point of the request at which a slow client pauses.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pause {
    /// Before the first byte.
    BeforeHead,
    /// Inside the head.
    InHead,
    /// Inside the body.
    InBody,
    /// After the request, before reading the response.
    BeforeReading,
}

/// Client of the gateway; all its users are at one position.
struct Client {
    address: SocketAddr,
    key: String,
    position: LonLat,
}

impl Client {
    fn request(&self, name: &str) -> String {
        let body = json!({
            "ticket": name, "person": name, "lon": self.position.lon, "lat": self.position.lat,
            "k": 2, "dt": 5, "dc": 500,
            "question": {"find": "nearest", "count": 2, "along": "streets"},
        });
        let body = body.to_string();
        format!(
            "POST /v1/queries HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             authorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            self.key,
            body.len()
        )
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("the gateway accepts the connection")
    }

    /// Sends a query and returns its outcome.
    async fn ask(&self, name: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(self.request(name).as_bytes()).await.unwrap();
        outcome(stream).await
    }
}

/// Reads the response and returns the outcome.
async fn outcome(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).await.unwrap();
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?}"));
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{text}");
    let body: Value = serde_json::from_str(body).unwrap();
    body["outcome"].as_str().unwrap().to_owned()
}

/// Slow client and the rest of its request.
struct SlowClient {
    stream: TcpStream,
    pause: Pause,
    rest: String,
}

/// Sends the request up to the pause.
async fn begin(client: &Client, number: usize) -> SlowClient {
    let pauses = [Pause::BeforeHead, Pause::InHead, Pause::InBody, Pause::BeforeReading];
    let pause = pauses[number % 4];
    let request = client.request(&format!("slow-{number}"));
    let sent = match pause {
        Pause::BeforeHead => 0,
        Pause::InHead => 40,
        Pause::InBody => request.len() - 30,
        Pause::BeforeReading => request.len(),
    };
    let mut stream = client.connect().await;
    stream.write_all(&request.as_bytes()[..sent]).await.unwrap();
    SlowClient { stream, pause, rest: request[sent..].to_owned() }
}

/// Returns the possible number of connections; 500 files are reserved for other uses.
fn connections() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let max = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: max, maximum: max }).unwrap();
    let max = max.map_or(usize::MAX, |max| max as usize);
    let count = max.saturating_sub(500).min(CONNECTIONS);
    if count < CONNECTIONS {
        eprintln!("{count} connections instead of {CONNECTIONS}: limit of open files");
    }
    count
}

fn gateway(folder: &std::path::Path, connections: usize) -> (Serving, Client) {
    let keys = folder.join("keys.json");
    let keys = keys.to_str().unwrap();
    let key = meshcloak(&["keys", "add", "app", "--keys", keys, "--rate", "1000000"]).done().stdout;
    let (keys, connections) =
        (format!("accounts.keys={keys}"), format!("server.connections={}", connections + 200));
    let serving = Serving::start(&[
        "--set",
        &keys,
        "--set",
        &connections,
        "--set",
        "server.request_timeout=600",
    ]);
    let address = serving.url.strip_prefix("http://").unwrap().parse().unwrap();
    let source = "city:500:7".parse().unwrap();
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    let position = map.frame().unwrap().lon_lat(map.shape(meshcloak::map::StreetId(3))[0]);
    let client = Client { address, key: key.trim().to_owned(), position };
    (serving, client)
}

/// Runs the fast clients; all their queries must be answered. Two more clients send queries until the
/// last is answered, so that each query has a neighbour.
async fn run_fast_clients(client: Arc<Client>, when: &'static str) {
    let mut neighbours = JoinSet::new();
    for number in 0..2 {
        let client = Arc::clone(&client);
        neighbours.spawn(async move {
            for round in 0.. {
                client.ask(&format!("{when}-neighbour-{number}-{round}")).await;
            }
        });
    }
    let mut all = JoinSet::new();
    for number in 0..FAST {
        let client = Arc::clone(&client);
        all.spawn(async move {
            for round in 0..3 {
                let outcome = client.ask(&format!("{when}-{number}-{round}")).await;
                assert_eq!(outcome, "answered", "{when}");
            }
        });
    }
    while let Some(done) = all.join_next().await {
        done.unwrap();
    }
    neighbours.shutdown().await;
}

#[test]
fn ten_thousand_slow_connections_delay_no_fast_client_and_lose_no_query() {
    let count = connections();
    let folder = tempfile::tempdir().unwrap();
    let (serving, client) = gateway(folder.path(), count);
    let client = Arc::new(client);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut slow = Vec::with_capacity(count);
        let fast = tokio::spawn(run_fast_clients(Arc::clone(&client), "meanwhile"));
        for number in 0..count - FAST {
            slow.push(begin(&client, number).await);
        }
        fast.await.unwrap();
        run_fast_clients(Arc::clone(&client), "all-there").await;
        // All slow clients complete their requests and read the responses.
        let mut all = JoinSet::new();
        for SlowClient { mut stream, pause, rest } in slow {
            all.spawn(async move {
                if pause == Pause::BeforeHead {
                    drop(stream);
                    return None;
                }
                stream.write_all(rest.as_bytes()).await.unwrap();
                Some(outcome(stream).await)
            });
        }
        let (mut answered, mut closed) = (0, 0);
        while let Some(done) = all.join_next().await {
            match done.unwrap().as_deref() {
                None => closed += 1,
                // The last query may lack a neighbour.
                Some("answered" | "expired") => answered += 1,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(answered + closed, count - FAST);
        assert_eq!(answered, (0..count - FAST).filter(|number| number % 4 != 0).count());
    });
    serving.end();
}
