//! Overpass, against a server of ours that reads the language strictly.

use crate::overpass_server::{Bears, PATIENT, id, mapping, start};
use crate::people;
use crate::town::{hamlet, inquiry, question, region, walker};
use crate::world::{asker, categories, check, things};
use gateway::service::RemoteSettings;
use meshcloak::town::Town;

fn settings(url: &str) -> RemoteSettings {
    let source = format!("overpass+{url}/api/interpreter");
    RemoteSettings { outline: 30.0, ..RemoteSettings::of_source(&source).unwrap() }
}

#[tokio::test]
async fn everyone_gets_the_answer_from_where_she_is() {
    let walker = walker();
    let things = things(&walker, id);
    let server = start(things.clone(), PATIENT).await;
    let mut settings = settings(&server.url);
    settings.categories = mapping(categories(&things));
    let asker = asker(settings.open(&walker).unwrap());
    let known: Vec<String> = categories(&things).into_iter().collect();
    assert_eq!(asker.categories().await.unwrap(), known);
    let seen = check(&walker, &asker, &things, 25).await;
    assert_eq!(seen.exact, seen.asked);
    assert!(seen.found > 1_000 && seen.outside * 3 > seen.asked, "{seen:?}");
    people::check(&walker, settings.open(&walker).unwrap(), &things).await;
}

#[tokio::test]
async fn a_server_that_stops_early_is_asked_for_less_at_once() {
    let walker = hamlet();
    let things = things(&walker, id);
    let bears = Bears { query_bytes: 1_500, points: 7, elements: 12 };
    let server = start(things.clone(), bears).await;
    let mut settings = settings(&server.url);
    settings.categories = mapping(categories(&things));
    settings.overpass.most_query_bytes = bears.query_bytes;
    settings.overpass.most_points = bears.points;
    let asker = asker(settings.open(&walker).unwrap());
    let seen = check(&walker, &asker, &things, 12).await;
    assert!(seen.exact * 2 > seen.asked && seen.exact < seen.asked, "{seen:?}");
}

#[tokio::test]
async fn the_same_region_is_told_in_the_same_bytes() {
    let walker = hamlet();
    let server = start(things(&walker, id), PATIENT).await;
    let asker = asker(settings(&server.url).open(&walker).unwrap());
    let mut random = Town::generator(5);
    for _ in 0..10 {
        let (region, question) =
            (region(walker.map(), &mut random), question(walker.map(), &mut random));
        asker.ask(&inquiry(walker.map(), &region, &question)).await.unwrap();
        let first = server.take();
        asker.ask(&inquiry(walker.map(), &region, &question)).await.unwrap();
        assert_eq!(first, server.take());
        let names = ["accept", "content-length", "content-type", "host", "user-agent"];
        for heard in &first {
            let mut headers: Vec<&str> =
                heard.headers.iter().map(|(name, _)| name.as_str()).collect();
            headers.sort_unstable();
            assert_eq!(headers, names);
        }
    }
}
