//! Start-up: reads the map, prepares distances, opens the service, builds the gateway.

use crate::clock::Clock;
use crate::config::{Config, Mode};
use crate::gateway::{Gateway, Parts};
use crate::keys::KeyError;
use crate::service::postgis::{Postgis, PostgisSettings};
use crate::service::{BuiltIn, PlanarSettings, RemoteSettings, Service};
use crate::tls::{Tls, TlsError};
use crate::walk::Walker;
use import::{ImportError, Options, Progress, read_map};
use meshcloak::distance::Atlas;
use std::sync::Arc;

/// Reason why the start-up failed.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The map cannot be read.
    #[error(transparent)]
    Map(#[from] ImportError),
    /// The map has no position on Earth.
    #[error("the map has no lon/lat: set `map.origin` to the LON,LAT of its origin")]
    NoFrame,
    /// The file of keys or of user settings is invalid.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// The certificate or its key is invalid.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The service cannot be opened.
    #[error("`service.source`: {0}")]
    Service(String),
}

/// Builds a gateway from its settings. Takes seconds to minutes, depending on the map.
pub fn prepare(
    config: Config,
    mode: Mode,
    progress: &dyn Progress,
) -> Result<Arc<Gateway>, PrepareError> {
    if let Some(files) = &config.server.tls {
        Tls::read(files)?;
    }
    let walker = read_walker(&config, progress)?;
    let service = open_service(&config, &walker)?;
    let parts = Parts { config, mode, walker, service, clock: Clock::start() };
    Ok(Arc::new(Gateway::new(parts)?))
}

/// Reads the map and prepares its distances.
pub(crate) fn read_walker(
    config: &Config,
    progress: &dyn Progress,
) -> Result<Arc<Walker>, PrepareError> {
    let options =
        Options { origin: config.map.origin, pois: config.map.pois.clone(), ..Options::default() };
    let imported = read_map(&config.map.source, &options, progress)?;
    if imported.map.frame().is_none() {
        return Err(PrepareError::NoFrame);
    }
    progress.begin("preparing distances", 0);
    let atlas = Arc::new(Atlas::new(imported.map, config.engine.dc_max));
    Ok(Arc::new(Walker::new(atlas)))
}

/// Opens the service that the configuration names.
pub(crate) fn open_service(
    config: &Config,
    walker: &Arc<Walker>,
) -> Result<Box<dyn Service>, PrepareError> {
    if config.service.source == "built-in" {
        return Ok(Box::new(BuiltIn::new(Arc::clone(walker))));
    }
    if let Some(settings) = RemoteSettings::named(&config.service.source) {
        let opened = settings.and_then(|settings| settings.open(walker));
        return opened.map_err(|error| PrepareError::Service(error.to_string()));
    }
    let service = &config.service;
    let settings = PostgisSettings {
        table: service.table.clone(),
        roots: service.tls_roots.clone(),
        connections: service.concurrency,
        statement_timeout: service.timeout / 2,
        planar: PlanarSettings {
            max_street_distance: service.off_street,
            ..PlanarSettings::default()
        },
        ..PostgisSettings::new(&service.source)
    };
    let postgis = Postgis::service(Arc::clone(walker), &settings)
        .map_err(|error| PrepareError::Service(error.to_string()))?;
    Ok(Box::new(postgis))
}
