//! Settings that change at run time: keys, limits, results, the queue.

use super::Gateway;
use crate::config::{Config, Mode};
use crate::keys::{KeyError, KeyFile};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Gateway {
    /// Rereads the file of keys.
    pub fn read_keys(&self) -> Result<(), KeyError> {
        let config = self.config.load();
        self.set_accounts(&read_keys(&config, self.mode)?, &config);
        Ok(())
    }

    /// Replaces the accounts. What was opened with a removed key ends at once.
    fn set_accounts(&self, file: &KeyFile, config: &Config) {
        let old = self.directory.load_full();
        let new = Arc::new(old.updated(file, config.limits));
        self.directory.store(Arc::clone(&new));
        old.revoke_missing(&new);
    }

    /// Ends the keys that the file of keys no longer lists, and changes nothing else. Called after a
    /// failed reload: revoking needs no other setting. Returns the number of ended keys.
    ///
    /// # Errors
    /// The file is missing or invalid: which keys are revoked is unknown, and all stay valid.
    pub fn revoke_missing_keys(&self) -> Result<usize, KeyError> {
        let file = read_keys(&self.config.load(), self.mode)?;
        let old = self.directory.load_full();
        let new = Arc::new(old.without_missing(&file));
        self.directory.store(Arc::clone(&new));
        Ok(old.revoke_missing(&new))
    }

    /// Applies the limits and keys of a new configuration. Sockets, map, guarantee, tick and
    /// service need a restart and are not changed.
    ///
    /// # Errors
    /// The file of keys is missing or invalid. Nothing is changed then.
    pub fn reload(&self, new: &Config) -> Result<(), KeyError> {
        let file = read_keys(new, self.mode)?;
        let mut config = Config::clone(&self.config.load());
        config.limits = new.limits;
        config.results = new.results;
        config.answers = new.answers;
        self.metrics.unread().set_max(new.answers.max_unread);
        config.keys.clone_from(&new.keys);
        config.engine.queue = new.engine.queue;
        if config.server.tls.is_some() && new.server.tls.is_some() {
            config.server.tls.clone_from(&new.server.tls);
        }
        self.set_accounts(&file, &config);
        let queue = config.engine.queue;
        self.config.store(Arc::new(config));
        self.queue_limit.fetch_max(queue, Ordering::Relaxed);
        self.lower_queue_limit();
        Ok(())
    }

    /// Largest number of queries in progress.
    pub fn queue_limit(&self) -> usize {
        self.queue_limit.load(Ordering::Relaxed)
    }

    /// Lowers the limit to `engine.queue`, as far as queries in progress allow: a quarter of
    /// `engine.queue` stays free beside them, so that accounts with few queries are admitted. Called
    /// after every batch.
    pub(super) fn lower_queue_limit(&self) {
        let target = self.config().engine.queue;
        let in_progress = self.under_way.load(Ordering::Relaxed);
        let limit = target.max(in_progress.saturating_add(target.div_ceil(4)));
        self.queue_limit.fetch_min(limit, Ordering::Relaxed);
    }
}

/// Reads the file of keys that a configuration names. The demo does not need one.
pub(crate) fn read_keys(config: &Config, mode: Mode) -> Result<KeyFile, KeyError> {
    match config.keys.as_deref() {
        None => Ok(KeyFile::default()),
        Some(path) if mode == Mode::Demo && !path.exists() => Ok(KeyFile::default()),
        Some(path) => KeyFile::read(path),
    }
}
