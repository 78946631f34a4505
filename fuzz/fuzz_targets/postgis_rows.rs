//! Reads arbitrary bytes as the answer of a database, over a connection of its protocol.
#![no_main]

#[allow(dead_code, reason = "shared with the tests of the connector")]
#[path = "../../crates/gateway/tests/service/fake_database.rs"]
mod fake_database;

use gateway::question::Category;
use gateway::service::postgis::{Postgis, PostgisSettings};
use gateway::service::{PlanarService as _, RangeRequest, RequestPolicy};
use gateway::walk::Walker;
use libfuzzer_sys::fuzz_target;
use meshcloak::Length;
use meshcloak::distance::Atlas;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::net::TcpListener;

fn walker() -> Arc<Walker> {
    static WALKER: OnceLock<Arc<Walker>> = OnceLock::new();
    let walker = WALKER.get_or_init(|| {
        let source = "city:500:7".parse().unwrap();
        let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
        Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(100.0)))))
    });
    Arc::clone(walker)
}

fuzz_target!(|data: &[u8]| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let rows = Arc::new(data.to_vec());
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await?;
            fake_database::speak(stream, rows).await
        });
        let url = format!("postgres://nobody@127.0.0.1:{port}/none");
        let service = Postgis::service(walker(), &PostgisSettings::new(&url)).unwrap();
        let range = RangeRequest { around: None, category: &Category::Any };
        let policy = RequestPolicy::unlimited();
        let answer = service.service().range(range, &policy);
        let ended = tokio::time::timeout(Duration::from_secs(10), answer).await;
        assert!(ended.is_ok(), "the database has closed the connection");
    });
});
