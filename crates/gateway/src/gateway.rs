//! Shared state of the gateway: map, accounts, mailbox, service client, metrics.
//!
//! Queries are validated by [`crate::intake`], submitted by [`crate::submit`] and answered by
//! [`crate::answers`]; all of them are functions over this state.

mod after_start;
mod reload;

pub(crate) use reload::read_keys;

use crate::accounts::Directory;
use crate::clock::Clock;
use crate::config::{AfterStart, Config, Mode};
use crate::delivery::DeliveryPool;
use crate::error::Refusal;
use crate::keys::KeyError;
use crate::live::Sessions;
use crate::lon_lat_cache::LonLatCache;
use crate::mailbox::Mailbox;
use crate::metrics::Metrics;
use crate::question::Category;
use crate::served_users::ServedUsers;
use crate::service::{RequestQueue, Service, ServiceError};
use crate::tickets::Purge;
use crate::user_ids::UserIds;
use crate::users::Users;
use crate::walk::Walker;
use arc_swap::{ArcSwap, ArcSwapOption};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Admission, Guarantee};
use meshcloak::map::Position;
use meshcloak::units::Length;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tokio::sync::watch;

/// Shared state of the gateway.
pub struct Gateway {
    config: ArcSwap<Config>,
    guarantee: Guarantee,
    mode: Mode,
    walker: Arc<Walker>,
    directory: ArcSwap<Directory>,
    user_ids: UserIds,
    users: Users,
    sessions: Sessions,
    /// Under `history` with `engine.after_start = refuse`.
    served_users: Option<ServedUsers>,
    /// Limit of queries in progress: `engine.queue`, or above it while a lowered one takes effect.
    queue_limit: AtomicUsize,
    clock: Clock,
    mailbox: Mailbox,
    under_way: AtomicUsize,
    requests: Arc<RequestQueue>,
    delivery: DeliveryPool,
    metrics: Metrics,
    stopping: watch::Sender<bool>,
    /// Seed of the order of requests; 0 uses the system's randomness.
    shuffle_seed: AtomicU64,
    lon_lats: LonLatCache,
    /// Categories of the service by name; `None` until the service has listed them.
    categories: ArcSwapOption<BTreeMap<String, Category>>,
}

/// Parts from which a gateway is built.
pub struct Parts {
    /// Settings.
    pub config: Config,
    /// Whether requests need a key.
    pub mode: Mode,
    /// Map and its search structures.
    pub walker: Arc<Walker>,
    /// Location-based service.
    pub service: Box<dyn Service>,
    /// Clock of the batches.
    pub clock: Clock,
}

impl Gateway {
    /// Creates a gateway without waiting queries.
    ///
    /// # Errors
    /// The file of keys or the file of user settings cannot be read.
    pub fn new(parts: Parts) -> Result<Gateway, KeyError> {
        let Parts { config, mode, walker, service, clock } = parts;
        let engine = &config.engine;
        let admission =
            (engine.guarantee == Guarantee::History).then(|| Admission::new(engine.horizon));
        let directory = match mode {
            Mode::Demo => Directory::open_to_all(config.limits),
            Mode::Guarded => Directory::empty(),
        };
        let refuses_known = engine.guarantee == Guarantee::History
            && engine.after_start == AfterStart::Refuse
            && mode == Mode::Guarded;
        let served_users = refuses_known
            .then(|| ServedUsers::open(engine.record.as_deref(), engine.horizon))
            .transpose()?;
        let user_ids = UserIds::persistent(served_users.as_ref().and_then(ServedUsers::secret));
        let users = Users::open(&config.users, walker.map(), &user_ids)?;
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
            mailbox: Mailbox::new(admission),
            under_way: AtomicUsize::new(0),
            requests: Arc::new(RequestQueue::before(service, &config.service)),
            delivery: DeliveryPool::default(),
            metrics: Metrics::default(),
            stopping: watch::Sender::new(false),
            shuffle_seed: AtomicU64::new(0),
            lon_lats: LonLatCache::default(),
            categories: ArcSwapOption::empty(),
            config: ArcSwap::from_pointee(config),
            walker,
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

    /// Map with prepared distances.
    pub fn atlas(&self) -> &Arc<Atlas> {
        self.walker.atlas()
    }

    /// Searches for objects along streets.
    pub fn walker(&self) -> &Arc<Walker> {
        &self.walker
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

    /// Queue between submission and engine.
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Number of accepted queries that have not ended.
    pub fn under_way(&self) -> &AtomicUsize {
        &self.under_way
    }

    /// Queue of requests to the service.
    pub fn requests(&self) -> &Arc<RequestQueue> {
        &self.requests
    }

    /// Threads that refine and deliver answers.
    pub(crate) fn delivery(&self) -> &DeliveryPool {
        &self.delivery
    }

    /// Cache of projected points.
    pub fn lon_lats(&self) -> &LonLatCache {
        &self.lon_lats
    }

    /// Counters for the operator.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Returns the street distance in metres; `None` beyond the range of the atlas.
    pub(crate) fn street_metres(&self, from: Position, to: Position) -> Option<f64> {
        self.atlas().distance(from, to).map(Length::as_metres)
    }

    /// Creates an unguessable, unique ticket.
    pub(crate) fn new_ticket(&self) -> String {
        let number = self.sessions.next_number();
        format!("~{number}.{:x}", self.user_ids.digest(("ticket", number)))
    }

    /// Fetches the categories of the service. Questions for other categories are refused, because
    /// an unusual word is a fingerprint.
    pub async fn refresh_categories(&self) -> Result<(), ServiceError> {
        let names = self.requests.client().categories().await?.into_iter();
        let known = names.filter_map(|name| Some((Category::named(&name).ok()?, name)));
        let known = known.map(|(category, name)| (name, category)).collect();
        self.categories.store(Some(Arc::new(known)));
        Ok(())
    }

    /// Returns the category with this name.
    ///
    /// # Errors
    /// [`Refusal::Busy`] until the categories are known, [`Refusal::Question`] for an unknown name.
    pub fn category(&self, name: &str) -> Result<Category, Refusal> {
        let known = self.categories.load();
        let known = known.as_ref().ok_or(Refusal::Busy)?;
        let unknown = || Refusal::Question("`category` is not one of the service's".into());
        known.get(name).cloned().ok_or_else(unknown)
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
        self.sessions.remove_expired(self.clock.now(), self.config().results.keep);
    }

    /// Stops accepting queries and notifies [`Gateway::stopping`].
    pub fn begin_stop(&self) {
        self.mailbox.lock().close();
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

/// Prints no field: most of them hold private data.
impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gateway(…)")
    }
}
