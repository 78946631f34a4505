//! Start-up: reads the map, prepares distances, opens the service, builds the gateway.

use crate::city::CityParts;
use crate::clock::Clock;
use crate::config::{CityConfig, Config, Mode};
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
    /// The map of one of several cities has no position on Earth.
    #[error("the map of `{0}` has no lon/lat: write {0}=SOURCE@LON,LAT in `map.cities`")]
    NoFrameOf(String),
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

/// Builds a gateway from its settings. Takes seconds to minutes, depending on the maps.
pub fn prepare(
    config: Config,
    mode: Mode,
    progress: &dyn Progress,
) -> Result<Arc<Gateway>, PrepareError> {
    if let Some(files) = &config.server.tls {
        Tls::read(files)?;
    }
    let cities = config.map.cities().into_iter().map(|city| {
        let walker = read_walker(&config, &city, progress)?;
        let service = open_service(&config, &walker)?;
        Ok(CityParts { name: city.name, walker, service })
    });
    let cities = cities.collect::<Result<_, PrepareError>>()?;
    let parts = Parts { config, mode, cities, clock: Clock::start() };
    Ok(Arc::new(Gateway::new(parts)?))
}

/// Reads the map of a city and prepares its distances.
pub fn read_walker(
    config: &Config,
    city: &CityConfig,
    progress: &dyn Progress,
) -> Result<Arc<Walker>, PrepareError> {
    let options =
        Options { origin: city.origin, pois: config.map.pois.clone(), ..Options::default() };
    let imported = read_map(&city.source, &options, progress)?;
    if imported.map.frame().is_none() {
        let is_only = config.map.several.is_empty();
        let name = city.name.clone();
        return Err(if is_only { PrepareError::NoFrame } else { PrepareError::NoFrameOf(name) });
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
        statement_timeout: service.timeout,
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
