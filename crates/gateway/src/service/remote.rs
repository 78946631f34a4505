//! Settings of services that are reached by HTTP.

#[cfg(test)]
mod tests;

use super::category_names::CategoryNames;
use super::endpoint::Endpoint;
use super::http_client::HttpClient;
use super::ogc::{Ogc, OgcSettings};
use super::overpass::{Overpass, OverpassSettings};
use super::projection::Projection;
use super::webhook::Webhook;
use super::{Planar, PlanarService, PlanarSettings, Service};
use crate::walk::Walker;
use meshcloak::private::Private;
use reqwest::Url;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Address, protocol and limits of a service. Docs: `docs/CONNECT.md`, section Settings.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RemoteSettings {
    /// Protocol of the service.
    pub protocol: Protocol,
    /// URL, `http` or `https`: the interpreter of Overpass, the collection of OGC API Features, or
    /// the webhook.
    pub url: String,
    /// Header `Authorization` of every request.
    #[serde(deserialize_with = "deserialize_private")]
    pub authorization: Option<Private<String>>,
    /// Time-out of one HTTP request in seconds, 0.05 to 600.
    pub timeout: f64,
    /// Largest size of one HTTP answer in bytes. Older name: `most_bytes`.
    #[serde(alias = "most_bytes")]
    pub max_bytes: usize,
    /// Memory for all answers that are being read, in bytes: about 16 per byte of an answer.
    pub max_memory: usize,
    /// Largest number of objects per inquiry. Older name: `most_objects`.
    #[serde(alias = "most_objects")]
    pub max_objects: usize,
    /// Largest number of HTTP requests per range: pages, or parts of a long query. Older name:
    /// `most_requests`.
    #[serde(alias = "most_requests")]
    pub max_requests: usize,
    /// Largest distance between an object and its street, in metres. Older name:
    /// `farthest_from_street`.
    #[serde(alias = "farthest_from_street")]
    pub max_street_distance: f64,
    /// Largest distance, in metres, between the outline of an object and the centre that represents
    /// it. Ranges are widened by it.
    pub outline: f64,
    /// Categories of users, each with its name in the service.
    pub categories: BTreeMap<String, String>,
    /// Settings of Overpass.
    pub overpass: OverpassSettings,
    /// Settings of OGC API Features.
    pub ogc: OgcSettings,
}

/// Protocol of a service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Overpass QL.
    Overpass,
    /// OGC API Features, with CQL2 if the server supports it.
    OgcFeatures,
    /// The GeoJSON webhook of `docs/CONNECT.md`.
    #[default]
    Webhook,
}

/// Reason why a service cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// A setting is invalid.
    #[error("`{0}` {1}")]
    Setting(&'static str, &'static str),
    /// A category is invalid.
    #[error("category `{0}`: {1}")]
    Category(String, &'static str),
    /// The settings file cannot be read or parsed.
    #[error("{0}")]
    File(String),
    /// The map has no location on Earth.
    #[error("the map has no lon/lat, which this service needs; set the origin of the map")]
    NoFrame,
    /// The HTTP client cannot be built, for example without system certificates.
    #[error("cannot build an HTTP client; check the CA certificates of the system")]
    Client,
}

impl Default for RemoteSettings {
    fn default() -> RemoteSettings {
        let planar = PlanarSettings::default();
        RemoteSettings {
            protocol: Protocol::default(),
            url: String::new(),
            authorization: None,
            timeout: 10.0,
            max_bytes: 32 << 20,
            max_memory: 512 << 20,
            max_objects: planar.max_objects,
            max_requests: 100,
            max_street_distance: planar.max_street_distance,
            outline: 100.0,
            categories: BTreeMap::new(),
            overpass: OverpassSettings::default(),
            ogc: OgcSettings::default(),
        }
    }
}

impl RemoteSettings {
    /// Parses a source of the form `overpass+https://…`, `ogc-features+https://…` or
    /// `webhook+https://…`; `None` for any other form.
    pub fn of_source(source: &str) -> Option<RemoteSettings> {
        let (protocol, url) = source.split_once('+')?;
        let protocol = match protocol {
            "overpass" => Protocol::Overpass,
            "ogc-features" => Protocol::OgcFeatures,
            "webhook" => Protocol::Webhook,
            _ => return None,
        };
        Some(RemoteSettings { protocol, url: url.to_owned(), ..RemoteSettings::default() })
    }

    /// Returns whether a source names a remote service: a `.toml` file or `protocol+url`.
    pub fn is_name(source: &str) -> bool {
        source.ends_with(".toml") || RemoteSettings::of_source(source).is_some()
    }

    /// Reads the settings that a source names: a file that ends in `.toml`, or `protocol+url`;
    /// `None` for any other form.
    pub fn named(source: &str) -> Option<Result<RemoteSettings, RemoteError>> {
        if !source.ends_with(".toml") {
            return RemoteSettings::of_source(source).map(Ok);
        }
        let text = std::fs::read_to_string(source);
        let text = text.map_err(|error| RemoteError::File(format!("{source}: {error}")));
        Some(text.and_then(|text| RemoteSettings::of_toml(&text)))
    }

    /// Parses a settings file, as in `examples/services`.
    pub fn of_toml(text: &str) -> Result<RemoteSettings, RemoteError> {
        // `message` names keys and types; it never quotes a value such as `authorization`.
        toml::from_str(text).map_err(|error| RemoteError::File(error.message().to_owned()))
    }

    /// Builds the service for the walker's map. Sends nothing.
    pub fn open(&self, walker: &Arc<Walker>) -> Result<Box<dyn Service>, RemoteError> {
        self.check()?;
        let endpoint = Endpoint {
            url: self.url()?,
            client: HttpClient::new(self)?,
            projection: Projection::new(Arc::clone(walker), self.outline)
                .map(Arc::new)
                .ok_or(RemoteError::NoFrame)?,
            max_requests: self.max_requests,
            max_objects: self.max_objects,
        };
        let names = CategoryNames::new(&self.categories)?;
        Ok(match self.protocol {
            Protocol::Overpass => {
                self.adapt(walker, Overpass::new(endpoint, &names, &self.overpass)?)
            }
            Protocol::OgcFeatures => self.adapt(walker, Ogc::new(endpoint, names, &self.ogc)?),
            Protocol::Webhook => self.adapt(walker, Webhook::new(endpoint, names)),
        })
    }

    fn adapt<S: PlanarService + 'static>(
        &self,
        walker: &Arc<Walker>,
        service: S,
    ) -> Box<dyn Service> {
        let settings = PlanarSettings {
            max_street_distance: self.max_street_distance,
            max_objects: self.max_objects,
            ..PlanarSettings::default()
        };
        Box::new(Planar::new(Arc::clone(walker), service, settings))
    }

    fn url(&self) -> Result<Url, RemoteError> {
        let bad =
            RemoteError::Setting("url", "must be an http:// or https:// URL without fragment");
        let url = Url::parse(&self.url).map_err(|_| bad.clone())?;
        let fits = matches!(url.scheme(), "http" | "https") && url.has_host();
        if fits && url.fragment().is_none() { Ok(url) } else { Err(bad) }
    }

    /// Time-out of one HTTP request.
    pub(crate) fn request_timeout(&self) -> Result<Duration, RemoteError> {
        let fits = (0.05..=600.0).contains(&self.timeout);
        let bad = RemoteError::Setting("timeout", "must be between 0.05 and 600 seconds");
        fits.then(|| Duration::from_secs_f64(self.timeout)).ok_or(bad)
    }

    fn check(&self) -> Result<(), RemoteError> {
        let counts = [
            ("max_bytes", self.max_bytes),
            ("max_memory", self.max_memory),
            ("max_objects", self.max_objects),
            ("max_requests", self.max_requests),
        ];
        if let Some((setting, _)) = counts.into_iter().find(|(_, value)| *value == 0) {
            return Err(RemoteError::Setting(setting, "must be at least 1"));
        }
        let distances =
            [("max_street_distance", self.max_street_distance), ("outline", self.outline)];
        let is_invalid = |metres: f64| !(0.0..=10_000.0).contains(&metres);
        match distances.into_iter().find(|(_, metres)| is_invalid(*metres)) {
            Some((setting, _)) => {
                Err(RemoteError::Setting(setting, "must be between 0 and 10000 metres"))
            }
            None => Ok(()),
        }
    }
}

fn deserialize_private<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Private<String>>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(Private::new))
}
