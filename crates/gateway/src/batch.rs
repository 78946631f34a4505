//! Batches of the single process: feeds the engine from the mailbox, makes the users of a batch
//! durable, and counts what was published. Has no clock and no thread; see [`crate::ticker`].

#[cfg(test)]
mod tests;

pub use crate::city_engine::Round;

use crate::city::City;
use crate::city_engine::CityEngine;
use crate::gateway::Gateway;
use crate::mailbox::Collected;
use crate::metrics::BatchFacts;
use crate::outcome::Outcome;
use meshcloak::guard::{Rejections, Violation};
use meshcloak::query::Query;
#[cfg(test)]
use meshcloak::scheme::Scheme;
use meshcloak::units::Time;
use std::sync::Arc;

/// The engine with its gateway.
pub struct BatchEngine {
    gateway: Arc<Gateway>,
    city: Arc<City>,
    engine: CityEngine,
}

impl BatchEngine {
    /// Creates the engine of the first city with MeshCloak as configured and no waiting queries.
    pub fn new(gateway: Arc<Gateway>) -> BatchEngine {
        let city = Arc::clone(gateway.city());
        BatchEngine::of_city(gateway, city)
    }

    /// Creates the engine of a city.
    pub fn of_city(gateway: Arc<Gateway>, city: Arc<City>) -> BatchEngine {
        let config = gateway.config();
        let engine =
            CityEngine::new(Arc::clone(city.atlas()), &config).with_decoys(config.questions);
        drop(config);
        BatchEngine { gateway, city, engine }
    }

    #[cfg(test)]
    pub(crate) fn with_scheme(gateway: Arc<Gateway>, scheme: Box<dyn Scheme>) -> BatchEngine {
        let city = Arc::clone(gateway.city());
        let atlas = Arc::clone(city.atlas());
        let engine = CityEngine::with_scheme(atlas, gateway.guarantee(), scheme);
        BatchEngine { gateway, city, engine }
    }

    /// Number of waiting queries.
    pub fn waiting_count(&self) -> usize {
        self.engine.waiting().len()
    }

    /// Runs one batch over all queries asked up to `at`. If the users of the batch cannot be made
    /// durable, under `history`, all queries fail and none is published.
    pub fn turn(&mut self, at: Time) -> Round {
        let collected = self.city.mailbox().collect(at);
        self.engine.set_shuffle_seed(self.gateway.shuffle_seed());
        let arrivals = collected.arrivals.iter().map(|arrival| arrival.query.expose());
        let users = arrivals.chain(self.engine.waiting()).map(|query: &Query| query.user);
        let round = match self.gateway.record_users(users, at) {
            true => self.engine.turn(at, collected),
            false => self.fail(at, collected),
        };
        if let Some(admission) = self.city.mailbox().admission().as_mut() {
            round.left.iter().for_each(|query| admission.leave(query));
        }
        let Round { set_count: sets, stats, .. } = round;
        let facts = BatchFacts { sets, inquiries: round.requests.len(), stats };
        self.gateway.metrics().batch(facts);
        log_rejections(stats.rejected);
        self.gateway.metrics().turns.record(round.took, 1);
        self.record_load(round)
    }

    /// Fails all queries except the cancelled ones.
    fn fail(&mut self, at: Time, collected: Collected) -> Round {
        let Collected { arrivals, cancelled } = collected;
        let mut round = self.engine.end_all(at, arrivals, Outcome::Failed);
        for (pending, outcome) in &mut round.ended {
            if cancelled.contains(&pending.id) {
                *outcome = Outcome::Cancelled;
            }
        }
        round
    }

    /// Ends all waiting queries with `outcome`, those of the mailbox included, in order of
    /// arrival. Called when the gateway stops.
    pub fn end_all(&mut self, at: Time, outcome: Outcome) -> Round {
        let unseen = self.city.mailbox().collect(Time::from_millis(u64::MAX)).arrivals;
        let round = self.engine.end_all(at, unseen, outcome);
        self.record_load(round)
    }

    /// Tells the service's queue what a batch causes.
    fn record_load(&self, round: Round) -> Round {
        let load = self.city.requests().load();
        load.record_batch(round.requests.len(), round.departed_count(), round.staying);
        round
    }
}

/// Logs which checks of the guard failed.
pub fn log_rejections(rejected: Rejections) {
    for check in Violation::ALL {
        let sets = rejected.count(check);
        if sets > 0 {
            tracing::error!(check = check.name(), sets, "the guard rejected anonymity sets");
        }
    }
}
