//! A running frontend: its tasks and shared state.

use super::link::Link;
use super::rounds::Rounds;
use super::tickets::TicketExchange;
use crate::message::{
    FrontendBeat, Rejected, ToFrontend, decode, encode, frontend_beat_subject, frontend_subject,
};
use crate::peers::Peers;
use crate::plan::CityCells;
use async_nats::Subject;
use bytes::Bytes;
use cluster::{Cluster, ClusterError, NodeId};
use futures_util::StreamExt as _;
use gateway::answers::finish_with;
use gateway::city::City;
use gateway::gateway::Gateway;
use meshcloak::units::Time;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval};

/// Pause between two checks for queries and rounds that have waited too long.
const SWEEP_INTERVAL: Duration = Duration::from_millis(250);

/// Pause between two signs of life.
const BEAT_INTERVAL: Duration = Duration::from_secs(1);

/// Parts from which a frontend is built.
pub struct FrontendParts {
    /// Connection.
    pub cluster: Cluster,
    /// The gateway, without an engine.
    pub gateway: Arc<Gateway>,
    /// Name for people, such as the host name.
    pub name: String,
    /// Address of the client API.
    pub address: String,
    /// Cells of each city that engines divide, in the order of the gateway.
    pub cells: Vec<Option<CityCells>>,
}

/// Shared state of a frontend.
pub struct Frontend {
    pub(super) gateway: Arc<Gateway>,
    pub(super) cluster: Cluster,
    pub(super) id: NodeId,
    pub(super) peers: Peers,
    /// One for each city, in the order of the gateway.
    pub(super) links: Vec<Mutex<Link>>,
    pub(super) rounds: Mutex<Rounds>,
    pub(super) exchange: Mutex<TicketExchange>,
    /// Cells of each city that engines divide.
    pub(super) cells: Vec<Option<CityCells>>,
    name: String,
    address: String,
    is_stopping: AtomicBool,
}

/// The tasks of a frontend.
pub struct RunningFrontend {
    frontend: Arc<Frontend>,
    tasks: JoinSet<()>,
}

impl Frontend {
    /// Subscribes to the messages for this frontend and starts its tasks.
    ///
    /// # Errors
    /// If NATS is unavailable.
    pub async fn start(parts: FrontendParts) -> Result<RunningFrontend, ClusterError> {
        let FrontendParts { cluster, gateway, name, address, cells } = parts;
        let peers = Peers::follow(&cluster).await?;
        let links = gateway.cities().iter().map(|_| Mutex::new(Link::default())).collect();
        let frontend = Arc::new(Frontend {
            id: NodeId::random()?,
            rounds: Mutex::new(Rounds::default()),
            exchange: Mutex::new(TicketExchange::default()),
            is_stopping: AtomicBool::new(false),
            gateway,
            cluster,
            peers,
            links,
            name,
            address,
            cells,
        });
        let mut messages = frontend.cluster.subscribe(frontend_subject(frontend.id.0)).await?;
        let mut tasks = JoinSet::new();
        let receiver = Arc::clone(&frontend);
        tasks.spawn(async move {
            while let Some(message) = messages.next().await {
                receiver.receive(&message.payload).await;
            }
        });
        tasks.spawn(Arc::clone(&frontend).send_queries());
        tasks.spawn(Arc::clone(&frontend).sweep());
        tasks.spawn(Arc::clone(&frontend).beat());
        tracing::info!(frontend = %frontend.id, "frontend started");
        Ok(RunningFrontend { frontend, tasks })
    }

    /// Returns a city by name.
    pub(super) fn city(&self, name: &str) -> Option<(usize, Arc<City>)> {
        let mut cities = self.gateway.cities().iter().enumerate();
        let (index, city) = cities.find(|(_, city)| city.name() == name)?;
        Some((index, Arc::clone(city)))
    }

    /// Longest wait for the answers of a round: that for a slot, and for the service twice.
    pub(super) fn patience(&self) -> Duration {
        let service = &self.gateway.config().service;
        service.wait + 2 * service.timeout + Duration::from_secs(5)
    }

    /// Sends a message. A failure is the network's: what is not answered fails in time.
    pub(super) async fn publish(&self, subject: String, bytes: Bytes) {
        if let Err(error) = self.cluster.client().publish(Subject::from(subject), bytes).await {
            tracing::warn!(%error, "cannot send a message");
        }
    }

    async fn receive(self: &Arc<Self>, payload: &[u8]) {
        match decode(payload) {
            Ok(ToFrontend::Part(part)) => self.take_part(part).await,
            Ok(ToFrontend::Rejected(rejected)) => self.take_rejected(rejected).await,
            Ok(ToFrontend::Answers(answers)) => self.take_answers(answers),
            Ok(ToFrontend::Fetch(fetch)) => self.answer_fetch(fetch).await,
            Ok(ToFrontend::Fetched(fetched)) => self.take_fetched(fetched),
            Err(error) => tracing::warn!(%error, "ignored a message"),
        }
    }

    async fn take_rejected(&self, rejected: Rejected) {
        let Some((index, city)) = self.city(&rejected.city) else { return };
        let ended = self.links[index].lock().reject(rejected.reason, &rejected.numbers);
        self.finish(&city, ended).await;
    }

    /// Ends queries and rounds that have waited too long.
    async fn sweep(self: Arc<Self>) {
        let mut ticks = interval(SWEEP_INTERVAL);
        let mut number: u64 = 0;
        loop {
            ticks.tick().await;
            self.rounds.lock().sweep();
            for (index, city) in self.gateway.cities().iter().enumerate() {
                let overdue = self.links[index].lock().overdue(self.gateway.clock().now());
                self.finish(city, overdue).await;
            }
            let late = self.exchange.lock().sweep(self.gateway.clock().now(), self.patience());
            for (pending, _) in late {
                finish_with(&self.gateway, pending, None);
            }
            self.gateway.purge_results();
            number += 1;
            if number.is_multiple_of(240) {
                self.gateway.purge_idle_users();
            }
        }
    }

    async fn beat(self: Arc<Self>) {
        let mut ticks = interval(BEAT_INTERVAL);
        loop {
            ticks.tick().await;
            // A tick without results for this frontend.
            for (city, link) in self.gateway.cities().iter().zip(&self.links) {
                let staying = link.lock().sent_count();
                city.requests().load().record_batch(0, 0, staying);
            }
            self.send_beat().await;
        }
    }

    async fn send_beat(&self) {
        let cities = self.gateway.cities().iter().zip(&self.links);
        let of_city = |(city, link): (&Arc<City>, &Mutex<Link>)| {
            let records = link.lock().log().records();
            records.map(|seen| (city.name().to_owned(), seen)).collect::<Vec<_>>()
        };
        let seen = cities.flat_map(of_city).collect();
        let beat = FrontendBeat {
            frontend: self.id.0,
            name: self.name.clone(),
            address: self.address.clone(),
            seen,
            is_stopping: self.is_stopping.load(Ordering::Relaxed),
        };
        self.publish(frontend_beat_subject(self.id.0), encode(&beat)).await;
    }
}

impl RunningFrontend {
    /// Shared state.
    pub fn frontend(&self) -> &Arc<Frontend> {
        &self.frontend
    }

    /// Waits until all queries have ended, then stops. The gateway accepts no more queries.
    pub async fn stop(mut self) {
        let frontend = &self.frontend;
        frontend.is_stopping.store(true, Ordering::Relaxed);
        frontend.send_beat().await;
        let mut ticks = interval(SWEEP_INTERVAL);
        let give_up = Instant::now() + frontend.patience();
        while frontend.gateway.under_way().load(Ordering::Relaxed) > 0 && Instant::now() < give_up {
            ticks.tick().await;
        }
        for (link, city) in frontend.links.iter().zip(frontend.gateway.cities().iter()) {
            let unsent = city.mailbox().collect(Time::from_millis(u64::MAX));
            let mut ended = link.lock().collect(unsent).0;
            ended.extend(link.lock().end_all());
            frontend.finish(city, ended).await;
        }
        self.tasks.shutdown().await;
    }
}
