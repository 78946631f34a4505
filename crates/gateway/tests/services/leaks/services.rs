//! All services, each behind a proxy that records the bytes sent.

use super::Recorder;
use super::fixture::record_inquiry;
use crate::database::Database;
use crate::ogc::Tipg;
use crate::overpass_server::{self, UNLIMITED, mapping};
use crate::pois::{categories, everything, things};
use crate::recording_server::Listener;
use crate::webhook::ExampleServer;
use gateway::inquiry::Inquiry;
use gateway::service::postgis::{LoadedObjects, Postgis, PostgisSettings, load};
use gateway::service::{BuiltIn, Objects, RemoteSettings, Service, ServiceFuture};
use gateway::walk::Walker;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A service with a record of all inquiries and bytes sent.
pub struct RecordedService {
    pub name: &'static str,
    pub walker: Arc<Walker>,
    pub record: Recorder,
    service: Arc<dyn Service>,
    /// Servers and databases that must outlive the service.
    _running: Vec<Arc<dyn Any>>,
}

/// Shares a service between gateways; records inquiries.
struct Shared(Arc<dyn Service>, Recorder);

impl Service for Shared {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        record_inquiry(&self.1, &format!("{inquiry:?}"));
        self.0.ask(inquiry)
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        self.0.categories()
    }
}

impl RecordedService {
    pub fn service(&self) -> Box<dyn Service> {
        Box::new(Shared(Arc::clone(&self.service), self.record.clone()))
    }
}

/// Returns host and port of a URL.
fn address(url: &str) -> String {
    let rest = url.split_once("://").unwrap().1;
    let rest = rest.split_once('@').map_or(rest, |(_, rest)| rest);
    rest.split('/').next().unwrap().to_owned()
}

/// Opens a service behind a recording proxy; `ADDRESS` in the source is replaced by the proxy.
async fn remote(
    walker: &Arc<Walker>,
    url: &str,
    source: &str,
    change: impl FnOnce(&mut RemoteSettings),
) -> (Arc<dyn Service>, Recorder) {
    let record = Recorder::default();
    let port = record.start_proxy(address(url)).await;
    let source = source.replace("ADDRESS", &format!("http://127.0.0.1:{port}"));
    let mut settings = RemoteSettings::of_source(&source).unwrap();
    settings.timeout = 120.0;
    change(&mut settings);
    (Arc::from(settings.open(walker).unwrap()), record)
}

pub async fn services(walker: &Arc<Walker>) -> Vec<RecordedService> {
    let plain = things(walker, |number| format!("p{number}"));
    let tagged = things(walker, overpass_server::id);
    let known: BTreeMap<String, String> =
        categories(&plain).into_iter().map(|name| (name.clone(), name)).collect();
    let database = Arc::new(Database::start());
    let postgis = PostgisSettings::new(&database.url());
    let all = everything(walker, &plain);
    let frame = walker.map().frame().unwrap();
    load(&postgis.url, &postgis.table, LoadedObjects { objects: all.objects(), frame }, |_| ())
        .await
        .unwrap();
    let tipg = Tipg::start(&database);
    let example = ExampleServer::start(&plain);
    let server: Listener = overpass_server::start(tagged.clone(), UNLIMITED).await;

    let record = Recorder::default();
    let port = record.start_proxy(address(&postgis.url)).await;
    let url = format!("postgres://meshcloak@127.0.0.1:{port}/postgres");
    let settings = PostgisSettings { connections: 1, ..PostgisSettings::new(&url) };
    let postgis_service = Postgis::service(Arc::clone(walker), &settings).unwrap();
    let built_in = BuiltIn::new(Arc::clone(walker));

    let ogc = "ogc-features+ADDRESS/collections/public.meshcloak_pois";
    let polygons = remote(walker, &tipg.url, ogc, |settings| {
        (settings.outline, settings.ogc.geometry) = (0.0, "geog".into());
        settings.categories.clone_from(&known);
    });
    let by_tag = remote(walker, &server.url, "overpass+ADDRESS/api/interpreter", |settings| {
        settings.categories = mapping(categories(&tagged));
    });
    let hook = remote(walker, &example.url, "webhook+ADDRESS/", |settings| {
        settings.outline = 0.0;
    });
    let services = [
        ("built-in", (Arc::new(built_in) as Arc<dyn Service>, Recorder::default())),
        ("PostGIS", (Arc::new(postgis_service), record)),
        ("Overpass", by_tag.await),
        ("OGC API Features", polygons.await),
        ("webhook", hook.await),
    ];
    let running: Vec<Arc<dyn Any>> =
        vec![database, Arc::new(tipg), Arc::new(example), Arc::new(server)];
    let recorded = |(name, (service, record))| {
        let (walker, _running) = (Arc::clone(walker), running.clone());
        RecordedService { name, walker, record, service, _running }
    };
    services.into_iter().map(recorded).collect()
}
