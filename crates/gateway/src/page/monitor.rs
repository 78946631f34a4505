//! What an operator gets to see of each batch: regions, as the service sees them, and counts.
//! Nobody's position is in it, for it is made from what leaves.

use crate::engine::{Job, Round};
use crate::gateway::Gateway;
use crate::metrics::coarse;
use crate::outcome::Outcome;
use axum::Router;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use futures_util::stream::{Stream, unfold};
use serde::{Serialize, Serializer};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;

/// What an operator gets to see of a batch.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BatchSummary {
    /// The time of the batch, in seconds.
    pub at: f64,
    /// Whether queries are accepted.
    pub ready: bool,
    /// The streets of every distinct region, in an order that depends on them alone.
    pub regions: Vec<Vec<u32>>,
    /// How many queries have been hidden so far; told in whole tens, as all counts of people.
    #[serde(serialize_with = "in_tens")]
    pub hidden: u64,
    /// How many have expired so far.
    #[serde(serialize_with = "in_tens")]
    pub expired: u64,
    /// How many requests have gone to the service so far.
    pub inquiries: u64,
    /// Milliseconds the engine took for the batch, with one decimal.
    pub batch_ms: f64,
}

/// Stands between the engine and the answers, and tells whoever looks what went by.
#[derive(Debug)]
pub struct BatchMonitor {
    seen: watch::Sender<Arc<BatchSummary>>,
}

impl Default for BatchMonitor {
    fn default() -> BatchMonitor {
        BatchMonitor { seen: watch::Sender::new(Arc::default()) }
    }
}

impl BatchMonitor {
    /// Lets rounds pass and looks at each, and so may an onlooker.
    pub fn watch(
        self: &Arc<BatchMonitor>,
        gateway: &Arc<Gateway>,
        mut rounds: UnboundedReceiver<Round>,
        mut onlooker: impl FnMut(&Round) + Send + 'static,
    ) -> UnboundedReceiver<Round> {
        let (onward, passed) = unbounded_channel();
        let (lookout, stopping) = (Arc::clone(self), gateway.stopping());
        tokio::spawn(async move {
            while let Some(round) = rounds.recv().await {
                onlooker(&round);
                let ready = !*stopping.borrow();
                // Regions are copied only for somebody who looks.
                let looked_at = lookout.seen.receiver_count() > 0;
                let next = BatchSummary { ready, ..lookout.seen.borrow().after(&round) };
                let next = if looked_at {
                    BatchSummary { regions: regions(&round), ..next }
                } else {
                    next
                };
                lookout.seen.send_replace(Arc::new(next));
                // Nobody listens only if the process is ending.
                onward.send(round).ok();
            }
        });
        passed
    }

    /// The route on which glances are told as they come.
    pub fn routes(self: &Arc<BatchMonitor>, gateway: Arc<Gateway>) -> Router {
        Router::new().route("/ops/live", get(live)).with_state((Arc::clone(self), gateway))
    }
}

impl BatchSummary {
    /// What is to be seen after another round, but for the regions.
    fn after(&self, round: &Round) -> BatchSummary {
        let hidden: usize = round.jobs.iter().map(|job| job.members.len()).sum();
        let expired = round.ended.iter().filter(|(_, outcome)| *outcome == Outcome::Expired);
        BatchSummary {
            at: round.at.as_seconds(),
            ready: self.ready,
            regions: Vec::new(),
            hidden: self.hidden + hidden as u64,
            expired: self.expired + expired.count() as u64,
            inquiries: self.inquiries + round.jobs.len() as u64,
            batch_ms: (round.took.as_secs_f64() * 10_000.0).round() / 10.0,
        }
    }
}

/// The streets of every distinct region of a round.
fn regions(round: &Round) -> Vec<Vec<u32>> {
    let streets = |job: &Job| job.inquiry.region().iter().map(|street| street.0).collect();
    let mut regions: Vec<Vec<u32>> = round.jobs.iter().map(streets).collect();
    regions.sort_unstable();
    regions.dedup();
    regions
}

fn in_tens<S: Serializer>(count: &u64, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_u64(coarse(*count))
}

async fn live(
    State((lookout, gateway)): State<(Arc<BatchMonitor>, Arc<Gateway>)>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let both = (lookout.seen.subscribe(), gateway.stopping());
    let events = unfold(both, |(mut seen, mut stopping)| async move {
        // A gateway that stops waits for whoever is connected.
        tokio::select! {
            changed = seen.changed() => changed.ok()?,
            _ = stopping.wait_for(|stopping| *stopping) => return None,
        }
        let glance = Arc::clone(&seen.borrow_and_update());
        let text = serde_json::to_string(&*glance).expect("strings and finite numbers are JSON");
        Some((Ok(Event::default().data(text)), (seen, stopping)))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}
