//! Faults of the database: one error each.

use crate::database::Database;
use crate::town::{hamlet, inquiry, load_objects};
use gateway::question::{Along, Category, Operation, Question};
use gateway::service::postgis::{
    AddressError, LoadError, LoadedObjects, Postgis, PostgisError, PostgisSettings, load,
};
use gateway::service::{Object, Objects, ServiceClient, ServiceClientSettings, ServiceError};
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::map::StreetId;
use meshcloak::town::town;
use meshcloak::units::Length;
use std::sync::Arc;

fn everything_near() -> Question {
    let operation = Operation::Within { radius: Length::metres(2_000.0), along: Along::Plane };
    Question { operation, category: Category::Any }
}

async fn ask(
    walker: &Arc<Walker>,
    settings: &PostgisSettings,
) -> Result<Arc<Objects>, ServiceError> {
    let service = Postgis::service(walker.clone(), settings).unwrap();
    let client = ServiceClient::new(Box::new(service), ServiceClientSettings::default());
    let region: Vec<StreetId> = walker.map().streets().take(5).collect();
    client.ask(&inquiry(walker.map(), &region, &everything_near())).await
}

#[tokio::test]
async fn invalid_rows_are_dropped_and_invalid_tables_reported() {
    let database = Database::start();
    let walker = hamlet();
    let mut settings = PostgisSettings::new(&database.url());
    let refused = |answer: Result<Arc<Objects>, ServiceError>| match answer {
        Err(ServiceError::Refused { code, meaning }) => (code, meaning),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(ask(&walker, &settings).await).1, "there is no such table");

    let here = walker.map().frame().unwrap().lon_lat(walker.map().shape(StreetId(0))[0]);
    let point = format!("'POINT({} {})'", here.lon, here.lat);
    let polygon = "'POLYGON((9 50, 9.1 50, 9.1 50.1, 9 50))'";
    database.sql(&format!(
        "CREATE TABLE odd (id int, name text, category text, geog geography);
         INSERT INTO odd VALUES (1, NULL, NULL, {point}), (2, 'none', 'x', NULL),
         (3, 'empty', 'x', 'POINT EMPTY'), (4, 'area', 'x', {polygon}),
         (5, 'nowhere', 'x', 'POINT(NaN NaN)'), (6, repeat('long', 9999), 'x', {point})"
    ));
    settings.table = "odd".parse().unwrap();
    let objects = ask(&walker, &settings).await.unwrap();
    let ids: Vec<&str> = objects.objects().iter().map(|object| object.id.as_str()).collect();
    assert_eq!(ids, ["1", "6"]);
    assert_eq!(objects.objects()[1].name.len(), 256);

    database.sql(&format!("INSERT INTO odd VALUES (NULL, 'no id', 'x', {point})"));
    let nameless = ask(&walker, &settings).await;
    assert_eq!(nameless, Err(ServiceError::Malformed("an object has no id")));

    database.sql("CREATE TABLE flat (id int, name text, category int, geog point)");
    settings.table = "flat".parse().unwrap();
    assert!(refused(ask(&walker, &settings).await).1.contains("no geography"));

    let objects = Object::all_of(walker.map());
    let frame = walker.map().frame().unwrap();
    let foreign =
        load(&settings.url, &settings.table, LoadedObjects { objects: &objects, frame }, |_| ())
            .await;
    assert!(matches!(foreign, Err(LoadError::Foreign(_))), "{foreign:?}");
    assert_eq!(database.sql("SELECT count(*) FROM flat"), ["0"]);
}

#[tokio::test]
async fn a_database_that_restarts_is_used_again() {
    let mut database = Database::start();
    let walker = hamlet();
    let settings = PostgisSettings::new(&database.url());
    load_objects(&walker, &settings).await;
    let service = Postgis::service(walker.clone(), &settings).unwrap();
    let never = ServiceClientSettings { failure_threshold: 1_000, ..Default::default() };
    let client = ServiceClient::new(Box::new(service), never);
    let region: Vec<StreetId> = walker.map().streets().take(5).collect();
    let inquiry = inquiry(walker.map(), &region, &everything_near());
    let before = client.ask(&inquiry).await.unwrap();
    assert!(!before.objects().is_empty());
    database.kill();
    assert_eq!(client.ask(&inquiry).await, Err(ServiceError::Down));
    database.resume();
    assert_eq!(client.ask(&inquiry).await.unwrap(), before);
    // Open sessions read the table that replaces the old one.
    load_objects(&walker, &settings).await;
    assert_eq!(client.ask(&inquiry).await.unwrap(), before);
    let categories = client.categories().await.unwrap();
    assert!(categories.len() > 3 && categories.is_sorted(), "{categories:?}");
}

#[tokio::test]
async fn a_map_without_location_needs_an_origin() {
    let map = town("A 0,0  B 100,0 | A-B").map;
    let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(100.0)))));
    let settings = PostgisSettings::new("postgres://nobody@127.0.0.1:1/none");
    let error = Postgis::service(walker, &settings).err().unwrap();
    assert_eq!(error, PostgisError::NoFrame);
    assert!(error.to_string().contains("--origin"));
    let settings = PostgisSettings::new("no address: secret");
    let error = Postgis::service(hamlet(), &settings).err().unwrap();
    assert!(
        error == PostgisError::Address(AddressError::Url) && !error.to_string().contains("secret")
    );
}
