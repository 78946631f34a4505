//! A frontend whose messages the tests choose. It gives signs of life, and collects what engines
//! send.

use crate::town::{NAME, Town};
use cluster::testing::eventually;
use cluster::{Cluster, NodeId};
use fleet::message::{
    Beat, FrontendBeat, Part, QueryItem, QuestionItem, Rejected, Seen, Submit, ToEngine,
    ToFrontend, decode, encode, engine_subject, frontend_beat_subject, frontend_subject,
};
use fleet::peers::Peers;
use futures_util::StreamExt as _;
use meshcloak::map::Position;
use meshcloak::units::Length;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// What a frontend has received.
#[derive(Default)]
pub struct Received {
    pub parts: Vec<Part>,
    pub rejected: Vec<Rejected>,
}

/// A frontend of the tests. Dropping it ends its tasks: to others it is dead.
pub struct TestFrontend {
    pub id: u64,
    cluster: Cluster,
    pub peers: Peers,
    pub received: Arc<Mutex<Received>>,
    /// Records of the log that it claims to have seen.
    pub seen: Arc<Mutex<Vec<Seen>>>,
    _tasks: JoinSet<()>,
}

impl TestFrontend {
    pub async fn start(cluster: Cluster) -> TestFrontend {
        let id = NodeId::random().unwrap().0;
        let peers = Peers::follow(&cluster).await.unwrap();
        let (received, seen) =
            (Arc::<Mutex<Received>>::default(), Arc::<Mutex<Vec<Seen>>>::default());
        let mut tasks = JoinSet::new();
        let mut messages = cluster.subscribe(frontend_subject(id)).await.unwrap();
        let kept = Arc::clone(&received);
        tasks.spawn(async move {
            while let Some(message) = messages.next().await {
                match decode(&message.payload) {
                    Ok(ToFrontend::Part(part)) => kept.lock().parts.push(part),
                    Ok(ToFrontend::Rejected(other)) => kept.lock().rejected.push(other),
                    _ => {}
                }
            }
        });
        let (client, told) = (cluster.client().clone(), Arc::clone(&seen));
        tasks.spawn(async move {
            loop {
                let seen = told.lock().iter().map(|seen| (NAME.to_owned(), *seen)).collect();
                let (name, address) = ("test".to_owned(), String::new());
                let beat = FrontendBeat { frontend: id, name, address, seen, is_stopping: false };
                client.publish(frontend_beat_subject(id), encode(&beat)).await.unwrap();
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        });
        TestFrontend { id, cluster, peers, received, seen, _tasks: tasks }
    }

    /// Waits for an owner of a shard with an epoch above this one.
    pub async fn owner_above(&self, shard: u16, epoch: u64) -> Beat {
        self.owner_of(NAME, shard, epoch).await
    }

    /// Waits for an owner of a shard of a city with an epoch above this one.
    pub async fn owner_of(&self, city: &str, shard: u16, epoch: u64) -> Beat {
        eventually("a shard has an owner", async || {
            self.peers.owner(city, shard).filter(|beat| beat.epoch > epoch)
        })
        .await
    }

    /// Sends queries to the owner of a shard.
    pub async fn submit(&self, town: &Town, shard: u16, queries: Vec<QueryItem>) {
        self.submit_to(town, NAME, shard, queries).await;
    }

    /// Sends queries to the owner of a shard of a city.
    pub async fn submit_to(&self, town: &Town, city: &str, shard: u16, queries: Vec<QueryItem>) {
        let epoch = self.owner_of(city, shard, 0).await.epoch;
        let (seen, map) = (self.seen.lock().clone(), town.digest());
        let submit = Submit { frontend: self.id, epoch, seen, map, queries };
        let subject = engine_subject(city, shard);
        self.cluster.client().publish(subject, encode(&ToEngine::Submit(submit))).await.unwrap();
        self.cluster.client().flush().await.unwrap();
    }

    /// Waits until a query is in a published set.
    pub async fn served(&self, number: u64) {
        eventually("a query is served", async || {
            let received = self.received.lock();
            let sets = received.parts.iter().flat_map(|part| &part.sets);
            let mut members = sets.flat_map(|set| &set.members);
            members.any(|member| member.number == number).then_some(())
        })
        .await;
    }
}

/// A query of a user with dc = 500 m and a top speed of 40 m/s.
pub fn query(number: u64, user: u64, place: Position, k: u32, dt: Duration) -> QueryItem {
    QueryItem {
        number,
        ticket: number,
        digest: number,
        user,
        account: 1,
        place: place.into(),
        k,
        left_ms: u32::try_from(dt.as_millis()).unwrap(),
        age_ms: 0,
        dc: Length::metres(500.0).units(),
        speed: Some(40.0),
        question: Some(QuestionItem {
            is_nearest: true,
            in_plane: false,
            category: Some("cafe".into()),
            extent: 1,
        }),
        carried: Vec::new(),
    }
}
