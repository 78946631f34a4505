//! Reload of limits, keys and certificate.

use super::Running;
use crate::config::{Config, ConfigError, Sources};
use crate::keys::KeyError;
use crate::tls::{Tls, TlsError};

/// Reason why a reload failed.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// A setting is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file of keys is missing or invalid.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// The certificate or its key is invalid.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

impl Running {
    /// Reloads limits, keys and certificate: all of them, or nothing but the revocation of keys that
    /// the file of keys no longer lists. Logs the settings that have changed and need a restart.
    pub fn reload(&self, sources: Result<Sources, ConfigError>) {
        let restart = sources.as_ref().ok().map(|new| new.needing_restart(&self.gateway.config()));
        let config = sources.and_then(|sources| Config::load(&sources));
        let applied = config.map_err(ReloadError::from).and_then(|config| self.apply(&config));
        match applied {
            Ok(()) => tracing::info!("configuration read again"),
            Err(error) => return self.report_failed_reload(&error),
        }
        for key in restart.unwrap_or_default() {
            tracing::warn!(setting = key, "changed, but takes effect only after a restart");
        }
    }

    /// Counts a failed reload and logs one error. Revokes what can be revoked.
    fn report_failed_reload(&self, error: &ReloadError) {
        self.gateway.metrics().count_failed_reload();
        match self.gateway.revoke_missing_keys() {
            Ok(revoked) => tracing::error!(
                %error,
                revoked,
                "reload failed: keys that `accounts.keys` no longer lists are revoked, all other \
                 settings and keys are unchanged"
            ),
            Err(_) => tracing::error!(
                %error,
                "reload failed: all settings and keys are unchanged, and revoked keys are still \
                 accepted because `accounts.keys` cannot be read"
            ),
        }
    }

    /// Applies limits, keys and certificate of a configuration: all of them, or nothing.
    pub fn apply(&self, config: &Config) -> Result<(), ReloadError> {
        let new = match (&self.tls, &config.server.tls) {
            (Some(_), Some(files)) => Some(Tls::read(files)?),
            _ => None,
        };
        self.gateway.reload(config)?;
        if let (Some(tls), Some(new)) = (&self.tls, new) {
            tls.replace(new);
        }
        let now = self.gateway.clock().unix_millis() / 1000;
        self.gateway.metrics().reload_succeeded(now);
        Ok(())
    }
}
