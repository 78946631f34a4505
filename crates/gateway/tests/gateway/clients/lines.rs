//! Attack P on lines that are recorded at sockets of the gateway: an observer sees when each user's
//! line carries a message and when a result, and infers who of a set asked.

use super::World;
use super::live_client::{Client, accepted, at, hello, listen_on};
use crate::fixture::place;
use attacks::ages::{AgeModel, ReleasedMessage};
use meshcloak::mix::mix64;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

const PRESENT: u64 = 12;
const ASKING: u64 = 3;
const SECONDS: u64 = 1_000;

/// The line of one user.
struct Line {
    socket: Client,
    number: u64,
    asks: bool,
    /// Second of the last message.
    sent_at: u64,
}

impl Line {
    /// Present users report at a fixed interval, the others ask at random.
    fn is_due(&self, second: u64, interval: u64) -> bool {
        match self.asks {
            true => mix64(self.number << 32 | second).is_multiple_of(40),
            false => (second + mix64(self.number)).is_multiple_of(interval),
        }
    }
}

async fn connect(world: &World, address: SocketAddr) -> Vec<Line> {
    let mut lines = Vec::new();
    for number in 0..PRESENT + ASKING {
        let (name, asks) = (format!("user{number}"), number >= PRESENT);
        let present = json!({"type": "hello", "person": name, "ask": {"k": 1, "dt": 5}});
        let mut first = if asks { hello(&name) } else { present };
        // A question leaves with the next batch or not at all.
        first["ask"]["dt"] = json!(1);
        let (socket, _) = Client::open(address, &world.key, first).await;
        lines.push(Line { socket, number, asks, sent_at: 0 });
    }
    lines
}

/// Receives a message on any line.
async fn receive(lines: &mut [Line]) -> (usize, Value) {
    let receiving = lines.iter_mut().map(|line| Box::pin(line.socket.receive()));
    let (message, line, _) = futures_util::future::select_all(receiving).await;
    (line, message)
}

/// Returns the messages that were released together, if one of them was answered.
async fn record(interval: u64, max_age: Option<Duration>) -> Vec<Vec<ReleasedMessage>> {
    let mut world = World::with(|config, _| config.presence.rule.max_age = max_age).await;
    let (address, _closing) = listen_on(&world).await;
    let mut lines = connect(&world, address).await;
    let (mut sets, mut sent, mut received) = (Vec::new(), 0, 0);
    for second in 0..SECONDS {
        for line in &mut lines {
            if line.is_due(second, interval) {
                let along = 0.3 + 0.4 * line.number as f64 / (PRESENT + ASKING) as f64;
                line.socket.send_json(&at(place(3, along))).await;
                line.sent_at = second;
                sent += 1;
            }
        }
        accepted(&world, sent).await;
        world.ticks(1).await;
        let ended: u64 = world.fixture.gateway.metrics().exact_counts().1.iter().sum();
        let (mut released, mut is_answered) = (BTreeMap::new(), false);
        while received < ended {
            let (line, message) = receive(&mut lines).await;
            received += 1;
            is_answered |= message["result"]["outcome"] == "answered";
            let Line { asks, sent_at, .. } = lines[line];
            let age = Duration::from_secs(second + 1 - sent_at);
            released.insert(line, ReleasedMessage { age, asks });
        }
        if is_answered {
            sets.push(released.into_values().collect());
        }
    }
    sets
}

/// Share of sets of which the observer knows one asker for sure.
fn known_for_sure(sets: &[Vec<ReleasedMessage>]) -> f64 {
    let (learned, attacked) = sets.split_at(sets.len() / 2);
    let mut model = AgeModel::default();
    learned.iter().for_each(|set| model.learn(set));
    let is_known = |set: &&Vec<ReleasedMessage>| {
        let ages: Vec<Duration> = set.iter().map(|message| message.age).collect();
        let certain = model.posterior(&ages).certain;
        certain.is_some_and(|certain| set[certain].asks)
    };
    assert!(attacked.len() >= 8, "{} sets", attacked.len());
    attacked.iter().filter(is_known).count() as f64 / attacked.len() as f64
}

#[tokio::test]
async fn rare_reports_name_the_asker_unless_old_ones_do_not_count() {
    let rare = known_for_sure(&record(30, None).await);
    assert!(rare > 0.4, "a report every 30 s: {rare}");
    let often = known_for_sure(&record(1, None).await);
    assert_eq!(often, 0.0, "a report every second is as young as a query");
    let young = known_for_sure(&record(30, Some(Duration::from_secs(1))).await);
    assert!(young < 0.1, "only reports of the last second count: {young}");
}
