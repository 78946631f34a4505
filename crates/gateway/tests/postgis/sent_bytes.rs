//! The bytes sent to the database do not depend on the positions in the region.

use crate::database::Database;
use crate::recorder::Recorder;
use crate::town::{hamlet, inquiry, load_objects, position_in, question, region};
use gateway::refine::refine;
use gateway::service::postgis::{Postgis, PostgisSettings};
use gateway::service::{ServiceClient, ServiceClientSettings};
use meshcloak::town::Town;

#[tokio::test]
async fn the_bytes_do_not_depend_on_positions() {
    let database = Database::start();
    let walker = hamlet();
    let map = walker.map();
    load_objects(&walker, &PostgisSettings::new(&database.url())).await;
    let record = Recorder::default();
    let address = database.url().replace("postgres://meshcloak@", "").replace("/postgres", "");
    let port = record.start_proxy(address).await;
    let url = format!("postgres://meshcloak@127.0.0.1:{port}/postgres");
    let settings = PostgisSettings { connections: 1, limit: 20, ..PostgisSettings::new(&url) };
    let service = Postgis::service(walker.clone(), &settings).unwrap();
    let client = ServiceClient::new(Box::new(service), ServiceClientSettings::default());
    client.categories().await.unwrap();

    let mut random = Town::generator(3);
    let (mut bytes, mut different) = (0, 0);
    for _ in 0..40 {
        let region = region(map, &mut random);
        let question = question(map, &mut random);
        let mut runs = Vec::new();
        for _ in 0..2 {
            record.take();
            let position = position_in(map, &region, &mut random);
            let objects = client.ask(&inquiry(map, &region, &question)).await.unwrap();
            let answer = refine(&walker, position, &question, &objects);
            runs.push((record.take(), answer));
        }
        assert_eq!(runs[0].0, runs[1].0, "{question:?}");
        bytes += runs[0].0.len();
        different += usize::from(runs[0].1 != runs[1].1);
    }
    assert!(bytes > 10_000 && different > 10, "{bytes} bytes, {different} other answers");
}
