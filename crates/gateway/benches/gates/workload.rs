//! The counted workload: batches of one stream in a small built-in city, on one thread beside the one
//! that refines.

use crate::meter::Meter;
use axum::body::Body;
use bytes::Bytes;
use futures_util::StreamExt as _;
use gateway::answers::answer_round;
use gateway::batch::BatchEngine;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::service::BuiltIn;
use gateway::stream::{StreamClient, answer_lines};
use gateway::walk::Walker;
use import::{MapSource, Options};
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::units::Length;
use std::sync::Arc;
use tokio::runtime::Builder;
use tokio::sync::mpsc;

const CITY: &str = "city:700:1";
const USERS: u32 = 2_000;

/// Batches before the counted ones, which fill caches.
const FIRST: u32 = 1;
const COUNTED: u32 = 3;

/// Questions, used in turn.
const QUESTIONS: [&str; 4] = [
    r#"{"find":"nearest","count":3,"along":"streets"}"#,
    r#"{"find":"within","radius":300,"along":"plane"}"#,
    r#"{"find":"nearest","count":5,"along":"plane"}"#,
    r#"{"find":"within","radius":400,"along":"streets"}"#,
];

/// Runs all batches.
pub fn run() -> Meter {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread starts");
    pool.install(|| {
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime starts").block_on(run_stream())
    })
}

async fn run_stream() -> Meter {
    let gateway = Arc::new(gateway());
    gateway.set_shuffle_seed(1);
    let lines: Vec<Bytes> = (0..FIRST + COUNTED).map(|batch| lines(&gateway, batch)).collect();
    let (input, chunks) = mpsc::unbounded_channel::<Bytes>();
    let mut answers = open_stream(&gateway, chunks).into_data_stream();
    let mut engine = BatchEngine::new(Arc::clone(&gateway));
    let mut meter = Meter::default();
    let mut answered = 0;
    for (batch, chunk) in (0..).zip(lines) {
        let [intake, turn, answer, output] = match batch < FIRST {
            true => ["-"; 4],
            false => ["gateway_intake", "gateway_batch", "gateway_answers", "gateway_output"],
        };
        meter.begin();
        input.send(chunk).expect("the stream reads");
        while gateway.city().mailbox().lock().arrived_count() < USERS as usize {
            tokio::task::yield_now().await;
        }
        meter.end(intake);
        gateway.clock().advance(1000);
        let round = engine.turn(gateway.clock().now());
        meter.end(turn);
        let departed = round.departed_count();
        answer_round(Arc::clone(&gateway), round).await;
        meter.end(answer);
        let mut received = 0;
        while received < departed {
            let lines = answers.next().await.expect("the stream is open").expect("no error");
            received += lines.iter().filter(|&&byte| byte == b'\n').count();
        }
        meter.end(output);
        answered += if batch < FIRST { 0 } else { departed };
    }
    divide(&mut meter, answered);
    meter
}

/// Opens a stream that reads `chunks`. Returns its answers.
fn open_stream(gateway: &Arc<Gateway>, chunks: mpsc::UnboundedReceiver<Bytes>) -> Body {
    let access = gateway.directory().access(None).expect("the demo needs no key");
    let connection = access.account.connect().expect("the first connection");
    let body = futures_util::stream::unfold(chunks, |mut chunks| async {
        chunks.recv().await.map(|chunk| (Ok::<_, std::io::Error>(chunk), chunks))
    });
    let client = StreamClient { access, connection };
    answer_lines(Arc::clone(gateway), client, Body::from_stream(body))
}

/// Divides the counts by queries and answers.
fn divide(meter: &mut Meter, answered: usize) {
    let queries = (COUNTED * USERS) as usize;
    meter.divide("gateway_intake", queries, "query");
    meter.divide("gateway_batch", queries, "query");
    meter.divide("gateway_answers", answered, "answer");
    meter.divide("gateway_output", answered, "answer");
    meter.divide("gateway_turn", queries, "query");
}

fn gateway() -> Gateway {
    let source: MapSource = CITY.parse().expect("CITY names a built-in city");
    let map = import::read_map(&source, &Options::default(), &()).expect("it has streets").map;
    let atlas = Arc::new(Atlas::new(map, Length::metres(2000.0)));
    atlas.fill();
    let walker = Arc::new(Walker::new(atlas));
    let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
    let mut config = Config { keys: None, ..Config::default() };
    config.limits.rate = 10_000_000;
    config.limits.person_rate = 60_000;
    let cities = vec![CityParts::only(walker, service)];
    let parts = Parts { config, mode: Mode::Demo, cities, clock: Clock::manual() };
    Gateway::new(parts).expect("the default configuration is valid")
}

/// Returns one query of each user. Users stay where they are.
fn lines(gateway: &Gateway, batch: u32) -> Bytes {
    let map = gateway.city().map();
    let lines: Vec<String> = (0..USERS).map(|user| line(map, user, batch)).collect();
    Bytes::from(lines.concat())
}

fn line(map: &StreetMap, user: u32, batch: u32) -> String {
    let mixed = user.wrapping_mul(0x9e37_79b9);
    let street = StreetId(mixed % map.street_count() as u32);
    let length = map.street(street).length;
    let offset = Length::from_units((mixed >> 8) % length.units().max(1));
    let frame = map.frame().expect("the built-in city has lon/lat");
    let at = frame.lon_lat(map.point(Position { street, offset }));
    let question = QUESTIONS[(user % 4) as usize];
    format!(
        "{{\"ticket\":\"{user}-{batch}\",\"person\":\"{user}-a\",\"lon\":{},\"lat\":{},\"k\":{},\
         \"dt\":3.0,\"dc\":{}.0,\"speed\":15.5,\"question\":{question}}}\n",
        at.lon,
        at.lat,
        2 + user % 4,
        150 + user % 100,
    )
}
