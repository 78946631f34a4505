//! Conditions that involve several settings.

use super::{Config, ConfigError, Mode};
use std::path::PathBuf;

/// Checks the conditions that involve several settings.
pub(super) fn check(config: &Config, mode: Mode) -> Result<(), ConfigError> {
    let conflict = |text: String| Err(ConfigError::Conflict(text));
    if let Some(tls) = &config.server.tls
        && [&tls.certificate, &tls.key].contains(&&PathBuf::new())
    {
        return conflict(
            "`server.tls_certificate` and `server.tls_key` must be set together".into(),
        );
    }
    let (min, max) = (config.limits.dc_min, config.limits.dc_max);
    if min > max {
        return conflict(format!("`limits.dc_min` ({min}) is above `limits.dc_max` ({max})"));
    }
    let prepared = config.engine.dc_max;
    if max > prepared {
        return conflict(format!("`limits.dc_max` ({max}) is above `engine.dc_max` ({prepared})"));
    }
    let listen = config.server.listen;
    if mode == Mode::Demo && !listen.ip().is_loopback() {
        return conflict(format!(
            "`server.listen` is {listen}; the demo needs no key, so it must be on loopback"
        ));
    }
    if mode == Mode::Guarded && config.engine.guarantee == meshcloak::guarantee::Guarantee::Paper {
        return conflict(
            "`engine.guarantee` is `paper`, whose overlapping sets can be traced to one member; \
                 outside the demo use reciprocal or history"
                .into(),
        );
    }
    Ok(())
}
