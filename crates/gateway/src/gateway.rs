//! Shared state of the gateway: cities, accounts, metrics.
//!
//! Queries are validated by [`crate::intake`], submitted by [`crate::submit`] and answered by
//! [`crate::answers`]; all of them are functions over this state.

mod after_start;
mod reload;

pub(crate) use reload::read_keys;

use crate::accounts::Directory;
use crate::change_of_city::{LastCities, withdraw_elsewhere};
use crate::cities::Cities;
use crate::city::{City, CityParts};
use crate::clock::Clock;
use crate::config::{Config, EngineConfig, Mode};
use crate::delivery::DeliveryPool;
use crate::error::Refusal;
use crate::keys::KeyError;
use crate::live::Sessions;
use crate::metrics::Metrics;
use crate::served_users::ServedUsers;
use crate::service::ServiceError;
use crate::tickets::{Purge, TicketTable};
use crate::user_ids::{UserIds, UserSecret};
use crate::users::Users;
use arc_swap::ArcSwap;
use meshcloak::guarantee::Guarantee;
use meshcloak::query::Query;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tokio::sync::watch;

/// Shared state of the gateway.
pub struct Gateway {
    config: ArcSwap<Config>,
    guarantee: Guarantee,
    mode: Mode,
    cities: Cities,
    /// Under `history` with several cities.
    last_cities: Option<LastCities>,
    directory: ArcSwap<Directory>,
    user_ids: UserIds,
    users: Users,
    sessions: Sessions,
    /// Under `history`, outside the demo and a cluster.
    served_users: Option<ServedUsers>,
    /// Limit of queries in progress: `engine.queue`, or above it while a lowered one takes effect.
    queue_limit: AtomicUsize,
    clock: Clock,
    under_way: AtomicUsize,
    delivery: DeliveryPool,
    metrics: Metrics,
    stopping: watch::Sender<bool>,
    /// Seed of the order of requests; 0 uses the system's randomness.
    shuffle_seed: AtomicU64,
}

/// Parts from which a gateway is built.
pub struct Parts {
    /// Settings.
    pub config: Config,
    /// Whether requests need a key.
    pub mode: Mode,
    /// Cities, at least one.
    pub cities: Vec<CityParts>,
    /// Clock of the batches.
    pub clock: Clock,
}

impl Gateway {
    /// Creates a gateway without waiting queries.
    ///
    /// # Errors
    /// The file of keys or the file of user settings cannot be read.
    pub fn new(parts: Parts) -> Result<Gateway, KeyError> {
        let Parts { config, mode, cities, clock } = parts;
        let engine = &config.engine;
        let directory = match mode {
            Mode::Demo => Directory::open_to_all(config.limits),
            Mode::Guarded => Directory::empty(),
        };
        let served_users = open_served_users(&config, mode)?;
        let shared = config.cluster.secret.as_deref().map(UserSecret::read).transpose()?;
        let recorded = served_users.as_ref().and_then(ServedUsers::secret);
        let user_ids = UserIds::persistent(shared.or(recorded));
        let cities = Cities::new(cities, &config);
        let users = Users::open(&config.users, cities.maps(), &user_ids)?;
        // In a cluster the engines compare the cities of a user.
        let is_alone = config.cluster.servers.is_empty();
        let several = cities.are_several() && is_alone;
        let last_cities = (several && engine.guarantee == Guarantee::History)
            .then(|| LastCities::new(engine.horizon_rule().longest()));
        let gateway = Gateway {
            guarantee: engine.guarantee,
            mode,
            directory: ArcSwap::from_pointee(directory),
            user_ids,
            users,
            sessions: Sessions::default(),
            served_users,
            queue_limit: AtomicUsize::new(engine.queue),
            clock,
            under_way: AtomicUsize::new(0),
            delivery: DeliveryPool::default(),
            metrics: Metrics::default(),
            stopping: watch::Sender::new(false),
            shuffle_seed: AtomicU64::new(0),
            config: ArcSwap::from_pointee(config),
            cities,
            last_cities,
        };
        gateway.metrics.unread().set_max(gateway.config().answers.max_unread);
        gateway.read_keys()?;
        gateway.metrics.reload_succeeded(gateway.clock.unix_millis() / 1000);
        Ok(gateway)
    }

    /// Settings in effect.
    pub fn config(&self) -> arc_swap::Guard<Arc<Config>> {
        self.config.load()
    }

    /// Privacy guarantee.
    pub fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    /// Whether requests need a key.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// All cities.
    pub fn cities(&self) -> &Cities {
        &self.cities
    }

    /// The first city: the only one of most gateways, and the one that pages show.
    pub fn city(&self) -> &Arc<City> {
        self.cities.first()
    }

    /// Accounts and their keys.
    pub fn directory(&self) -> arc_swap::Guard<Arc<Directory>> {
        self.directory.load()
    }

    /// Source of user ids and digests.
    pub fn user_ids(&self) -> &UserIds {
        &self.user_ids
    }

    /// Users with settings.
    pub fn users(&self) -> &Users {
        &self.users
    }

    /// WebSocket sessions of users.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Clock of the batches.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Number of accepted queries that have not ended.
    pub fn under_way(&self) -> &AtomicUsize {
        &self.under_way
    }

    /// Threads that refine and deliver answers.
    pub(crate) fn delivery(&self) -> &DeliveryPool {
        &self.delivery
    }

    /// Counters for the operator.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Creates an unguessable, unique ticket.
    pub(crate) fn new_ticket(&self) -> String {
        let number = self.sessions.next_number();
        format!("~{number}.{:x}", self.user_ids.digest(("ticket", number)))
    }

    /// Fetches the categories of the services of all cities.
    pub async fn refresh_categories(&self) -> Result<(), ServiceError> {
        self.cities.refresh_categories().await
    }

    /// Lets a user ask in a city: waiting queries in other cities are cancelled, and `history`
    /// refuses the user for a while.
    pub(crate) fn change_city(
        &self,
        tickets: &mut TicketTable,
        city: &City,
        query: &Query,
    ) -> Result<(), Refusal> {
        if let Some(last_cities) = &self.last_cities {
            last_cities.admit(query.user, city.id(), query.asked_at)?;
        }
        match self.guarantee.has_one_query_per_user() {
            true => withdraw_elsewhere(self, tickets, query.user, city, query.asked_at),
            false => Ok(()),
        }
    }

    /// Removes results that are too old or too many.
    pub fn purge_results(&self) {
        self.lower_queue_limit();
        let (now, limits) = (self.clock.now(), self.config().results);
        for account in self.directory().accounts() {
            // The lock is released between steps, so that submissions are not delayed.
            while account.tickets().lock().purge(now, limits) == Purge::Unfinished {}
        }
    }

    /// Removes the rate-limit state, reports and sessions of idle users.
    pub fn purge_idle_users(&self) {
        let now = self.clock.now();
        self.directory().accounts().for_each(|account| account.purge_idle_users(now));
        self.users.remove_expired(now);
        if let Some(last_cities) = &self.last_cities {
            last_cities.remove_expired(now);
        }
        self.sessions.remove_expired(self.clock.now(), self.config().results.keep);
    }

    /// Stops accepting queries and notifies [`Gateway::stopping`].
    pub fn begin_stop(&self) {
        self.cities.iter().for_each(|city| city.mailbox().lock().close());
        self.stopping.send_replace(true);
    }

    /// Makes the order of requests reproducible, for simulations only: an order that a service can
    /// predict tells it the order of arrival.
    #[doc(hidden)]
    pub fn set_shuffle_seed(&self, seed: u64) {
        self.shuffle_seed.store(seed, Ordering::Relaxed);
    }

    /// Seed of the order of requests; `None` uses the system's randomness.
    pub(crate) fn shuffle_seed(&self) -> Option<u64> {
        Some(self.shuffle_seed.load(Ordering::Relaxed)).filter(|seed| *seed != 0)
    }

    /// Becomes true when no more queries are accepted.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }
}

/// Opens the record of served users under `history`, and removes it otherwise. The demo and a cluster
/// have none.
fn open_served_users(config: &Config, mode: Mode) -> Result<Option<ServedUsers>, KeyError> {
    if mode != Mode::Guarded || !config.cluster.servers.is_empty() {
        return Ok(None);
    }
    let EngineConfig { guarantee, record, after_start, .. } = &config.engine;
    let horizon = config.engine.horizon_rule().longest();
    if *guarantee == Guarantee::History {
        return ServedUsers::open(record.as_deref(), horizon, *after_start).map(Some);
    }
    record.as_deref().map_or(Ok(()), ServedUsers::discard)?;
    Ok(None)
}

/// Prints no field: most of them hold private data.
impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gateway(…)")
    }
}
