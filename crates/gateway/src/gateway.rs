//! What every part of the gateway shares: the map, the accounts, the mailbox, the service.

use crate::accounts::{Directory, Numbers};
use crate::clock::Clock;
use crate::config::{Config, Mode};
use crate::degrees::Degrees;
use crate::error::Refusal;
use crate::keys::{KeyError, KeyFile};
use crate::live::Sessions;
use crate::mailbox::Mailbox;
use crate::metrics::Metrics;
use crate::question::Category;
use crate::service::{Service, ServiceClient, ServiceClientSettings, ServiceError};
use crate::tickets::Forgetting;
use crate::users::Users;
use crate::walk::Walker;
use arc_swap::{ArcSwap, ArcSwapOption};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{Admission, Guarantee};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use tokio::sync::watch;

/// The gateway.
pub struct Gateway {
    config: ArcSwap<Config>,
    guarantee: Guarantee,
    mode: Mode,
    walker: Arc<Walker>,
    directory: ArcSwap<Directory>,
    numbers: Numbers,
    users: Users,
    sessions: Sessions,
    clock: Clock,
    mailbox: Mailbox,
    under_way: AtomicUsize,
    service_client: ServiceClient,
    metrics: Metrics,
    stopping: watch::Sender<bool>,
    degrees: Degrees,
    /// The categories that the service knows; `None` until it has said so.
    categories: ArcSwapOption<BTreeMap<String, Category>>,
}

/// What a gateway is made of.
pub struct Parts {
    /// What was set.
    pub config: Config,
    /// Whether it is open without a key.
    pub mode: Mode,
    /// The map.
    pub walker: Arc<Walker>,
    /// The service.
    pub service: Box<dyn Service>,
    /// The clock.
    pub clock: Clock,
}

impl Gateway {
    /// A gateway in which nobody waits yet.
    pub fn new(parts: Parts) -> Result<Gateway, KeyError> {
        let Parts { config, mode, walker, service, clock } = parts;
        let engine = &config.engine;
        let door = (engine.guarantee == Guarantee::History)
            .then(|| Admission::new(walker.atlas(), engine.horizon));
        let usual = ServiceClientSettings::default();
        let settings = ServiceClientSettings {
            // So that a second attempt can come in time.
            timeout: config.service.timeout / 2,
            max_attempts: 2,
            max_concurrent: config.service.concurrency,
            // What is in the process already need not be remembered.
            cache_capacity: if service.name() == "built-in" { 0 } else { usual.cache_capacity },
            ..usual
        };
        let directory = match mode {
            Mode::Demo => Directory::open_to_all(config.limits),
            Mode::Guarded => Directory::empty(),
        };
        let numbers = Numbers::default();
        let users = Users::open(&config.people, walker.map(), &numbers)?;
        let gateway = Gateway {
            guarantee: engine.guarantee,
            mode,
            directory: ArcSwap::from_pointee(directory),
            numbers,
            users,
            sessions: Sessions::default(),
            clock,
            mailbox: Mailbox::new(door),
            under_way: AtomicUsize::new(0),
            service_client: ServiceClient::new(service, settings),
            metrics: Metrics::default(),
            stopping: watch::Sender::new(false),
            degrees: Degrees::default(),
            categories: ArcSwapOption::empty(),
            config: ArcSwap::from_pointee(config),
            walker,
        };
        gateway.read_keys()?;
        Ok(gateway)
    }

    /// Reads the file of keys again.
    pub fn read_keys(&self) -> Result<(), KeyError> {
        let config = self.config.load();
        self.open_to(&keys_of(&config)?, &config);
        Ok(())
    }

    fn open_to(&self, file: &KeyFile, config: &Config) {
        self.directory.store(Arc::new(self.directory.load().of(file, config.limits)));
    }

    /// Takes over the limits of a new configuration, and the keys; all of it, or nothing if the
    /// keys cannot be read or are gone. What needs a restart stays as it is: sockets, map,
    /// guarantee, tick, service.
    pub fn reload(&self, new: &Config) -> Result<(), KeyError> {
        if let Some(path) = new.keys.as_ref().filter(|path| !path.exists()) {
            let problem = "there is no such file; nobody could get in".to_owned();
            return Err(KeyError::File { path: path.clone(), problem });
        }
        let file = keys_of(new)?;
        let mut config = Config::clone(&self.config.load());
        config.limits = new.limits;
        config.results = new.results;
        config.keys.clone_from(&new.keys);
        config.engine.queue = new.engine.queue;
        self.open_to(&file, &config);
        self.config.store(Arc::new(config));
        Ok(())
    }

    /// What was set.
    pub fn config(&self) -> arc_swap::Guard<Arc<Config>> {
        self.config.load()
    }

    /// What is promised.
    pub fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    /// Whether it is open without a key.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The map.
    pub fn atlas(&self) -> &Arc<Atlas> {
        self.walker.atlas()
    }

    /// The map to walk on.
    pub fn walker(&self) -> &Arc<Walker> {
        &self.walker
    }

    /// Who may ask.
    pub fn directory(&self) -> arc_swap::Guard<Arc<Directory>> {
        self.directory.load()
    }

    /// The numbers of users.
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// Those who have settings.
    pub fn users(&self) -> &Users {
        &self.users
    }

    /// Those who ask on sockets of their own.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Between intake and engine.
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// How many queries were accepted and have not ended.
    pub fn under_way(&self) -> &AtomicUsize {
        &self.under_way
    }

    /// The service.
    pub fn service_client(&self) -> &ServiceClient {
        &self.service_client
    }

    /// Where things are on Earth.
    pub fn degrees(&self) -> &Degrees {
        &self.degrees
    }

    /// What is counted.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Asks the service which categories it knows: who asks for another is refused, for a word of
    /// one's own is a fingerprint.
    pub async fn learn_categories(&self) -> Result<(), ServiceError> {
        let names = self.service_client.categories().await?.into_iter();
        let known = names.filter_map(|name| Some((Category::named(&name).ok()?, name)));
        let known = known.map(|(category, name)| (name, category)).collect();
        self.categories.store(Some(Arc::new(known)));
        Ok(())
    }

    /// The category of that name, if the service knows it.
    pub fn category(&self, name: &str) -> Result<Category, Refusal> {
        let known = self.categories.load();
        let known = known.as_ref().ok_or(Refusal::Busy)?;
        let wrong = || Refusal::Question("the service knows no such category".into());
        known.get(name).cloned().ok_or_else(wrong)
    }

    /// Forgets results that are too old or too many.
    pub fn forget_results(&self) {
        let (now, kept) = (self.clock.now(), self.config().results);
        for account in self.directory().accounts() {
            // Whoever asks meanwhile does not wait for all of it.
            while account.tickets().lock().forget(now, kept) == Forgetting::GoesOn {}
        }
    }

    /// Forgets how often people have asked who have not asked for long.
    pub fn forget_people(&self) {
        self.directory().accounts().for_each(|account| account.tidy());
        self.users.remove_expired(self.clock.now());
        self.sessions.remove_expired(self.clock.now(), self.config().results.keep);
    }

    /// Nothing more is accepted from here on.
    pub fn begin_to_stop(&self) {
        self.mailbox.lock().shut();
        self.stopping.send_replace(true);
    }

    /// Changes to true when nothing more is accepted.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }
}

/// The keys that a configuration names.
fn keys_of(config: &Config) -> Result<KeyFile, KeyError> {
    config.keys.as_deref().map_or(Ok(KeyFile::default()), KeyFile::read)
}

/// Nothing of it gets printed.
impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gateway(…)")
    }
}
