//! Services on the other side of an HTTP connection: what one sets, and how one is opened.

use super::categories::Categories;
use super::ground::Ground;
use super::http::Caller;
pub(crate) use super::line::Line;
use super::ogc::{Ogc, OgcSettings};
use super::overpass::{Overpass, OverpassSettings};
use super::secret::Secret;
use super::webhook::Webhook;
use super::{Plain, PlainService, PlainSettings, Service};
use crate::walk::Walker;
use reqwest::Url;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Where a service is and on which terms it is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RemoteSettings {
    /// What it speaks.
    pub protocol: Protocol,
    /// Its address, `http` or `https`: of Overpass the interpreter, of OGC API Features the
    /// collection, of a webhook the hook.
    pub url: String,
    /// The header `Authorization`, the same for every request.
    pub authorization: Option<Secret>,
    /// Seconds that one HTTP request may take.
    pub timeout: f64,
    /// Bytes that one answer may have.
    pub most_bytes: usize,
    /// Objects that the answer to one inquiry may have.
    pub most_objects: usize,
    /// HTTP requests that one range may take: pages, or portions of a long query.
    pub most_requests: usize,
    /// An object farther than this from every street is on none; metres.
    pub farthest_from_street: f64,
    /// An object drawn as an area counts by its middle, but services find it by its outline: how
    /// far the two may be apart; metres.
    pub outline: f64,
    /// Categories as people ask for them, each with what the service calls it.
    pub categories: BTreeMap<String, String>,
    /// What Overpass alone needs.
    pub overpass: OverpassSettings,
    /// What OGC API Features alone needs.
    pub ogc: OgcSettings,
}

/// What a service speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Overpass QL.
    Overpass,
    /// OGC API Features, with CQL2 if it can.
    OgcFeatures,
    /// The GeoJSON webhook of `docs/CONNECT.md`.
    #[default]
    Webhook,
}

/// Why a service cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// A setting makes no sense.
    #[error("`{0}` {1}")]
    Setting(&'static str, &'static str),
    /// A category makes no sense.
    #[error("category `{0}`: {1}")]
    Category(String, &'static str),
    /// A file of settings makes no sense.
    #[error("{0}")]
    File(String),
    /// Nobody knows where on Earth the map lies.
    #[error("the map says nothing of lon/lat, which this service needs")]
    NoFrame,
    /// The system has no certificates, or no room.
    #[error("no HTTP client can be had from this system")]
    Client,
}

impl Default for RemoteSettings {
    fn default() -> RemoteSettings {
        let plain = PlainSettings::default();
        RemoteSettings {
            protocol: Protocol::default(),
            url: String::new(),
            authorization: None,
            timeout: 10.0,
            most_bytes: 32 << 20,
            most_objects: plain.most_objects,
            most_requests: 100,
            farthest_from_street: plain.farthest_from_street,
            outline: 100.0,
            categories: BTreeMap::new(),
            overpass: OverpassSettings::default(),
            ogc: OgcSettings::default(),
        }
    }
}

impl RemoteSettings {
    /// The settings in one word, `overpass+https://…`, `ogc-features+https://…` or
    /// `webhook+https://…`; `None` if it is another's.
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

    /// Whether [`RemoteSettings::named`] may find something.
    pub fn is_name(source: &str) -> bool {
        source.ends_with(".toml") || RemoteSettings::of_source(source).is_some()
    }

    /// The settings that a source names: in one word, or by a file that ends in `.toml`; `None`
    /// if it is another's.
    pub fn named(source: &str) -> Option<Result<RemoteSettings, RemoteError>> {
        if !source.ends_with(".toml") {
            return RemoteSettings::of_source(source).map(Ok);
        }
        let text = std::fs::read_to_string(source);
        let text = text.map_err(|error| RemoteError::File(format!("{source}: {error}")));
        Some(text.and_then(|text| RemoteSettings::of_toml(&text)))
    }

    /// The settings in a file, as in `examples/services`.
    pub fn of_toml(text: &str) -> Result<RemoteSettings, RemoteError> {
        // The message is about names and types; a secret that is written wrong is not in it.
        toml::from_str(text).map_err(|error| RemoteError::File(error.message().to_owned()))
    }

    /// The service, for questions about the walker's map. Nothing is sent yet.
    pub fn open(&self, walker: &Arc<Walker>) -> Result<Box<dyn Service>, RemoteError> {
        self.check()?;
        let line = Line {
            url: self.url()?,
            caller: Caller::new(self)?,
            ground: Ground::new(Arc::clone(walker), self.outline)?,
            most_requests: self.most_requests,
            most_objects: self.most_objects,
        };
        let categories = Categories::new(&self.categories)?;
        Ok(match self.protocol {
            Protocol::Overpass => {
                self.plain(walker, Overpass::new(line, &categories, &self.overpass)?)
            }
            Protocol::OgcFeatures => self.plain(walker, Ogc::new(line, categories, &self.ogc)?),
            Protocol::Webhook => self.plain(walker, Webhook::new(line, categories)),
        })
    }

    fn plain<S: PlainService + 'static>(
        &self,
        walker: &Arc<Walker>,
        service: S,
    ) -> Box<dyn Service> {
        let settings = PlainSettings {
            farthest_from_street: self.farthest_from_street,
            most_objects: self.most_objects,
            ..PlainSettings::default()
        };
        Box::new(Plain::new(Arc::clone(walker), service, settings))
    }

    fn url(&self) -> Result<Url, RemoteError> {
        let bad = RemoteError::Setting("url", "is no address that begins with http:// or https://");
        let url = Url::parse(&self.url).map_err(|_| bad.clone())?;
        let fits = matches!(url.scheme(), "http" | "https") && url.has_host();
        if fits && url.fragment().is_none() { Ok(url) } else { Err(bad) }
    }

    /// How long one HTTP request may take.
    pub(crate) fn time_out(&self) -> Result<Duration, RemoteError> {
        let fits = (0.05..=600.0).contains(&self.timeout);
        let bad = RemoteError::Setting("timeout", "is not between 0.05 and 600 seconds");
        fits.then(|| Duration::from_secs_f64(self.timeout)).ok_or(bad)
    }

    fn check(&self) -> Result<(), RemoteError> {
        let metres = |metres: f64| (0.0..=10_000.0).contains(&metres);
        let rules = [
            ("most_bytes", self.most_bytes > 0),
            ("most_objects", self.most_objects > 0),
            ("most_requests", self.most_requests > 0),
            ("farthest_from_street", metres(self.farthest_from_street)),
            ("outline", metres(self.outline)),
        ];
        match rules.into_iter().find(|(_, holds)| !holds) {
            Some((setting, _)) => Err(RemoteError::Setting(setting, "is out of range")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::distance::Atlas;
    use meshcloak::town::town;
    use meshcloak::units::Length;

    #[test]
    fn settings_are_read_and_unknown_ones_refused() {
        let text = r#"{"protocol":"overpass","url":"https://o/api","timeout":3,
            "authorization":"Bearer s3cret","categories":{"cafe":"amenity=cafe"},
            "overpass":{"most_points":50},"ogc":{"geometry":"way"}}"#;
        let settings: RemoteSettings = serde_json::from_str(text).unwrap();
        assert_eq!(settings.protocol, Protocol::Overpass);
        assert_eq!(settings.overpass.most_points, 50);
        assert_eq!(settings.ogc.geometry, "way");
        assert!(!format!("{settings:?}").contains("s3cret"));
        assert!(serde_json::from_str::<RemoteSettings>(r#"{"ulr":"x"}"#).is_err());
    }

    #[test]
    fn the_examples_are_understood_and_hold_the_defaults() {
        let overpass = include_str!("../../../../examples/services/overpass.toml");
        let overpass = RemoteSettings::of_toml(overpass).unwrap();
        let ogc = include_str!("../../../../examples/services/ogc-features.toml");
        let ogc = RemoteSettings::of_toml(ogc).unwrap();
        let webhook = include_str!("../../../../examples/services/webhook.toml");
        let webhook = RemoteSettings::of_toml(webhook).unwrap();
        let base = RemoteSettings::default();
        assert_eq!(overpass.overpass, base.overpass);
        assert_eq!((overpass.outline, overpass.most_bytes), (base.outline, base.most_bytes));
        assert_eq!(OgcSettings { geometry: "geom".into(), ..ogc.ogc }, base.ogc);
        assert_eq!(webhook, RemoteSettings { url: webhook.url.clone(), outline: 0.0, ..base });
        let error = RemoteSettings::of_toml("authorization = 's3cret'\ntimeout = 'x'").unwrap_err();
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }

    #[test]
    fn a_source_in_one_word_is_understood() {
        let settings = RemoteSettings::of_source("ogc-features+https://h/collections/a").unwrap();
        assert_eq!(settings.protocol, Protocol::OgcFeatures);
        assert_eq!(settings.url, "https://h/collections/a");
        for other in ["built-in", "postgresql://h/db", "ftp+https://h", ""] {
            assert_eq!(RemoteSettings::of_source(other), None);
        }
    }

    #[test]
    fn nonsense_is_refused_before_anything_is_sent() {
        let map = town("A 0,0  B 100,0 | A-B").map;
        let atlas = Atlas::new(map, Length::metres(500.0));
        let walker = Arc::new(Walker::new(Arc::new(atlas)));
        let good = RemoteSettings::of_source("webhook+http://127.0.0.1:1/x").unwrap();
        assert_eq!(good.open(&walker).err(), Some(RemoteError::NoFrame));
        for url in ["", "x", "file:///etc/passwd", "http://h/#f", "http:///"] {
            let settings = RemoteSettings { url: url.into(), ..good.clone() };
            let error = settings.open(&walker).err();
            assert!(matches!(error, Some(RemoteError::Setting("url", _))), "{url} {error:?}");
        }
        for timeout in [0.0, f64::NAN, -1.0, 1e9] {
            let settings = RemoteSettings { timeout, ..good.clone() };
            let error = settings.open(&walker).err();
            assert!(matches!(error, Some(RemoteError::Setting("timeout", _))));
        }
        let settings = RemoteSettings { outline: f64::INFINITY, ..good };
        assert!(matches!(settings.open(&walker).err(), Some(RemoteError::Setting("outline", _))));
    }
}
