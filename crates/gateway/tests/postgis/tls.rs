//! TLS: a database is used only if its certificate is trusted.

use crate::database::Database;
use crate::town::{hamlet, inquiry};
use gateway::question::{Along, Category, Operation, Question};
use gateway::service::postgis::{
    DatabaseAddress, LoadedObjects, Postgis, PostgisError, PostgisSettings, load,
};
use gateway::service::{Object, ServiceClient, ServiceClientSettings};
use meshcloak::map::StreetId;
use meshcloak::units::Length;
use std::path::{Path, PathBuf};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gateway/tls").join(name)
}

#[tokio::test]
async fn only_a_trusted_database_is_used() {
    let database = Database::start();
    database.encrypt(&file("one.pem"), &file("one.key"));
    let walker = hamlet();
    let objects = Object::all_of(walker.map());
    let everything = || LoadedObjects { objects: &objects, frame: walker.map().frame().unwrap() };
    let trusting = |roots: Option<&str>| PostgisSettings {
        roots: roots.map(file),
        ..PostgisSettings::new(&database.url_by_name())
    };
    let table = trusting(None).table;
    for (roots, loads) in [(None, false), (Some("two.pem"), false), (Some("one.pem"), true)] {
        let address = DatabaseAddress { url: database.url_by_name(), roots: roots.map(file) };
        let loaded = load(address, &table, everything(), |_| ()).await;
        assert_eq!(loaded.is_ok(), loads, "{roots:?} {loaded:?}");
    }
    let region: Vec<StreetId> = walker.map().streets().take(5).collect();
    let operation = Operation::Within { radius: Length::metres(2_000.0), along: Along::Plane };
    let question = Question { operation, category: Category::Any };
    let inquiry = inquiry(walker.map(), &region, &question);
    for (roots, answers) in [(None, false), (Some("two.pem"), false), (Some("one.pem"), true)] {
        let service = Postgis::service(walker.clone(), &trusting(roots)).unwrap();
        let client = ServiceClient::new(Box::new(service), ServiceClientSettings::default());
        let answer = client.ask(&inquiry).await;
        assert_eq!(answer.is_ok_and(|objects| !objects.objects().is_empty()), answers, "{roots:?}");
    }
    let invalid = Postgis::service(walker, &trusting(Some("one.key"))).err();
    assert!(matches!(invalid, Some(PostgisError::Address(_))), "{invalid:?}");
}
