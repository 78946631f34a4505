//! Every service that there is, with one who writes down what it is told.

use super::Recorder;
use super::fixture::note;
use crate::database::Database;
use crate::ogc::Tipg;
use crate::overpass_server::{self, UNLIMITED, mapping};
use crate::pois::{categories, everything, things};
use crate::recording_server::Listener;
use crate::webhook::Example;
use gateway::inquiry::Inquiry;
use gateway::service::postgis::{LoadedObjects, Postgis, PostgisSettings, load};
use gateway::service::{BuiltIn, Objects, RemoteSettings, Service, ServiceFuture};
use gateway::walk::Walker;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A service, and everything it is told: inquiries, and the bytes they become.
pub struct Behind {
    pub name: &'static str,
    pub walker: Arc<Walker>,
    pub record: Recorder,
    service: Arc<dyn Service>,
    /// Whatever has to live as long.
    _running: Vec<Arc<dyn Any>>,
}

/// The same service for several gateways.
struct Shared(Arc<dyn Service>, Recorder);

impl Service for Shared {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        note(&self.1, &format!("{inquiry:?}"));
        self.0.ask(inquiry)
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        self.0.categories()
    }
}

impl Behind {
    pub fn service(&self) -> Box<dyn Service> {
        Box::new(Shared(Arc::clone(&self.service), self.record.clone()))
    }
}

/// Without scheme and path.
fn address(url: &str) -> String {
    let rest = url.split_once("://").unwrap().1;
    let rest = rest.split_once('@').map_or(rest, |(_, rest)| rest);
    rest.split('/').next().unwrap().to_owned()
}

/// A service that is opened by its source, in which `ADDRESS` stands for where it is.
async fn remote(
    walker: &Arc<Walker>,
    (url, source): (&str, &str),
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

pub async fn services(walker: &Arc<Walker>) -> Vec<Behind> {
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
    let example = Example::start(&plain);
    let server: Listener = overpass_server::start(tagged.clone(), UNLIMITED).await;

    let record = Recorder::default();
    let port = record.start_proxy(address(&postgis.url)).await;
    let url = format!("postgres://meshcloak@127.0.0.1:{port}/postgres");
    let settings = PostgisSettings { connections: 1, ..PostgisSettings::new(&url) };
    let by_sql = Postgis::service(Arc::clone(walker), &settings).unwrap();
    let in_here = BuiltIn::new(Arc::clone(walker));

    let ogc = "ogc-features+ADDRESS/collections/public.meshcloak_pois";
    let polygons = remote(walker, (&tipg.url, ogc), |settings| {
        (settings.outline, settings.ogc.geometry) = (0.0, "geog".into());
        settings.categories.clone_from(&known);
    });
    let by_tag = remote(walker, (&server.url, "overpass+ADDRESS/api/interpreter"), |settings| {
        settings.categories = mapping(categories(&tagged));
    });
    let hook = remote(walker, (&example.url, "webhook+ADDRESS/"), |settings| {
        settings.outline = 0.0;
    });
    let services = [
        ("built-in", (Arc::new(in_here) as Arc<dyn Service>, Recorder::default())),
        ("PostGIS", (Arc::new(by_sql), record)),
        ("Overpass", by_tag.await),
        ("OGC API Features", polygons.await),
        ("webhook", hook.await),
    ];
    let running: Vec<Arc<dyn Any>> =
        vec![database, Arc::new(tipg), Arc::new(example), Arc::new(server)];
    let behind = |(name, (service, record))| {
        let (walker, _running) = (Arc::clone(walker), running.clone());
        Behind { name, walker, record, service, _running }
    };
    services.into_iter().map(behind).collect()
}
