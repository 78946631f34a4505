//! Summary of each batch for the operator's page: regions as the service sees them, and counts.
//! It is derived from the disclosures alone, so it holds no position of a user.

use crate::batch::Round;
use crate::gateway::Gateway;
use crate::inquiry::Inquiry;
use crate::metrics::coarse;
use crate::outcome::Outcome;
use axum::Router;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use futures_util::stream::{Stream, unfold};
use meshcloak::guard::Violation;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;

/// Summary of one batch.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BatchSummary {
    /// Time of the batch in seconds.
    pub at: f64,
    /// Whether queries are accepted.
    pub ready: bool,
    /// Streets of each distinct region, sorted, so that the order reveals nothing.
    pub regions: Vec<Vec<u32>>,
    /// Number of queries published so far, rounded to tens like all counts of users.
    #[serde(serialize_with = "rounded_to_tens")]
    pub hidden: u64,
    /// Number of queries expired so far, rounded to tens.
    #[serde(serialize_with = "rounded_to_tens")]
    pub expired: u64,
    /// Number of requests sent to the service so far.
    pub inquiries: u64,
    /// Time of the engine for the batch in milliseconds, one decimal.
    pub batch_ms: f64,
    /// Number of sets that the guard rejected so far, by failed check; checks without one are left
    /// out.
    pub rejected: BTreeMap<&'static str, u64>,
    /// Number of sets without an asker so far, counted in every batch, rounded to tens.
    #[serde(serialize_with = "rounded_to_tens")]
    pub idle: u64,
}

/// Observes the rounds between engine and answers, and streams their summaries.
#[derive(Debug)]
pub struct BatchMonitor {
    latest: watch::Sender<Arc<BatchSummary>>,
}

impl Default for BatchMonitor {
    fn default() -> BatchMonitor {
        BatchMonitor { latest: watch::Sender::new(Arc::default()) }
    }
}

impl BatchMonitor {
    /// Forwards all rounds of the city that the page shows, after passing each to the observer and
    /// the summary.
    pub fn watch(
        self: &Arc<BatchMonitor>,
        gateway: &Arc<Gateway>,
        mut rounds: UnboundedReceiver<Round>,
        mut observer: impl FnMut(&Round) + Send + 'static,
    ) -> UnboundedReceiver<Round> {
        let (forward, forwarded) = unbounded_channel();
        let (monitor, stopping) = (Arc::clone(self), gateway.stopping());
        tokio::spawn(async move {
            while let Some(round) = rounds.recv().await {
                observer(&round);
                let ready = !*stopping.borrow();
                // Regions are copied only if a client is connected.
                let is_watched = monitor.latest.receiver_count() > 0;
                let regions = if is_watched { regions(&round) } else { Vec::new() };
                monitor.latest.send_modify(|latest| {
                    *latest = Arc::new(BatchSummary { ready, regions, ..latest.after(&round) });
                });
                // The receiver is dropped only when the process ends.
                forward.send(round).ok();
            }
        });
        forwarded
    }

    /// Forwards all rounds of a city that the page does not show, and counts what they published.
    /// The counts appear with the next batch of the city that is shown.
    pub fn count(
        self: &Arc<BatchMonitor>,
        mut rounds: UnboundedReceiver<Round>,
    ) -> UnboundedReceiver<Round> {
        let (forward, forwarded) = unbounded_channel();
        let monitor = Arc::clone(self);
        tokio::spawn(async move {
            while let Some(round) = rounds.recv().await {
                monitor.latest.send_if_modified(|latest| {
                    let BatchSummary { at, batch_ms, regions, .. } = BatchSummary::clone(latest);
                    let next = latest.after(&round);
                    *latest = Arc::new(BatchSummary { at, batch_ms, regions, ..next });
                    false
                });
                // The receiver is dropped only when the process ends.
                forward.send(round).ok();
            }
        });
        forwarded
    }

    /// Route of the stream of summaries.
    pub fn routes(self: &Arc<BatchMonitor>, gateway: Arc<Gateway>) -> Router {
        Router::new().route("/ops/live", get(live)).with_state((Arc::clone(self), gateway))
    }
}

impl BatchSummary {
    /// Returns the summary after another round, without regions.
    pub(crate) fn after(&self, round: &Round) -> BatchSummary {
        let hidden: usize = round.sets.iter().map(|set| set.members.len()).sum();
        let expired = round.ended.iter().filter(|(_, outcome)| *outcome == Outcome::Expired);
        let mut rejected = self.rejected.clone();
        for check in Violation::ALL {
            let sets = round.stats.rejected.count(check) as u64;
            if sets > 0 {
                let count = rejected.entry(check.name()).or_default();
                *count = sets.saturating_add(*count);
            }
        }
        BatchSummary {
            at: round.at.as_seconds(),
            ready: self.ready,
            regions: Vec::new(),
            hidden: self.hidden.saturating_add(hidden as u64),
            expired: self.expired.saturating_add(expired.count() as u64),
            inquiries: self.inquiries.saturating_add(round.requests.len() as u64),
            batch_ms: (round.took.as_secs_f64() * 10_000.0).round() / 10.0,
            rejected,
            idle: self.idle.saturating_add(round.stats.idle as u64),
        }
    }
}

/// Returns the streets of each distinct region of a round.
fn regions(round: &Round) -> Vec<Vec<u32>> {
    let streets = |request: &Inquiry| request.region().iter().map(|street| street.0).collect();
    let mut regions: Vec<Vec<u32>> = round.requests.iter().map(streets).collect();
    regions.sort_unstable();
    regions.dedup();
    regions
}

fn rounded_to_tens<S: Serializer>(count: &u64, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_u64(coarse(*count))
}

async fn live(
    State((monitor, gateway)): State<(Arc<BatchMonitor>, Arc<Gateway>)>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let receivers = (monitor.latest.subscribe(), gateway.stopping());
    let events = unfold(receivers, |(mut latest, mut stopping)| async move {
        // The stream must end at shutdown: the gateway waits for open connections.
        tokio::select! {
            changed = latest.changed() => changed.ok()?,
            _ = stopping.wait_for(|stopping| *stopping) => return None,
        }
        let summary = Arc::clone(&latest.borrow_and_update());
        let text = serde_json::to_string(&*summary).expect("strings and finite numbers are JSON");
        Some((Ok(Event::default().data(text)), (latest, stopping)))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}
