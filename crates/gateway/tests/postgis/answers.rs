//! Every answer against SQL on the true position.

use crate::database::Database;
use crate::town::{everything, furnish, inquiry, position_in, question, region, walker};
use gateway::question::{Along, Operation, Question};
use gateway::refine::{Answer, refine};
use gateway::service::postgis::{Postgis, PostgisSettings};
use gateway::service::{Asker, AskerSettings, Objects};
use gateway::walk::Walker;
use meshcloak::map::Position;
use meshcloak::town::Town;
use std::collections::BTreeMap;
use tokio_postgres::{Client, NoTls};

/// Ids and metres.
type Distances = BTreeMap<String, f64>;

/// How far things are from a person according to the database.
async fn according_to_sql(
    client: &Client,
    walker: &Walker,
    (position, question): (Position, &Question),
) -> Distances {
    let map = walker.map();
    let here = map.frame().unwrap().lon_lat(map.point(position));
    let text = "SELECT id, ST_Distance(geog, ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography) \
                AS metres FROM meshcloak_pois WHERE $3::text IS NULL OR category = $3";
    let category = question.category.name();
    let rows = client.query(text, &[&here.lon, &here.lat, &category]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// Whether an answer is right up to what the two ways to measure may differ by: 0.2 %.
fn check(answer: &Answer, question: &Question, truth: &Distances) {
    let slack = |metres: f64| 0.002 * metres + 0.1;
    for found in &answer.found {
        let metres = truth[&found.object.id];
        assert!((found.metres - metres).abs() <= slack(metres), "{question:?} {found:?}");
    }
    let found = |id: &String| answer.found.iter().any(|found| found.object.id == *id);
    match question.operation {
        Operation::Within { radius, .. } => {
            let radius = radius.as_metres();
            for (id, &metres) in truth {
                let aside = (metres - radius).abs() <= slack(radius);
                assert!(aside || found(id) == (metres <= radius), "{question:?} {id} {metres}");
            }
        }
        Operation::Nearest { count, .. } => {
            let expected = truth.len().min(count as usize);
            assert_eq!(answer.found.len(), expected, "{question:?}");
            let farthest = answer.found.last().map_or(0.0, |found| found.metres);
            for (id, &metres) in truth {
                assert!(found(id) || metres >= farthest - slack(farthest), "{question:?} {id}");
            }
        }
    }
}

/// How far things are along streets, by a walk from the person over the whole map.
fn by_walking(
    walker: &Walker,
    (position, question): (Position, &Question),
    all: &Objects,
) -> Distances {
    let everywhere = match question.operation {
        Operation::Within { along, .. } | Operation::Nearest { along, .. } => {
            Operation::Within { radius: meshcloak::units::Length::MAX, along }
        }
    };
    let question = Question { operation: everywhere, category: question.category.clone() };
    let answer = refine(walker, position, &question, all);
    answer.found.iter().map(|found| (found.object.id.clone(), found.metres)).collect()
}

#[tokio::test]
async fn everyone_gets_what_sql_says_from_where_she_is() {
    let database = Database::start();
    let walker = walker();
    let map = walker.map();
    let mut settings = PostgisSettings::new(&database.url());
    furnish(&walker, &settings).await;
    furnish(&walker, &settings).await;
    let all = everything(map, settings.plain.farthest_from_street);
    let rows = database.sql("SELECT count(*) FROM meshcloak_pois");
    assert_eq!(rows, [all.objects().len().to_string()], "loaded twice, there once");
    let (client, connection) = tokio_postgres::connect(&database.url(), NoTls).await.unwrap();
    tokio::spawn(connection);

    let (mut asked, mut found, mut outside) = (0, 0, 0);
    // The second time around the database says so little at once that regions must be split.
    for (limit, questions) in [(10_000, 160), (60, 80)] {
        settings.limit = limit;
        let service = Postgis::service(walker.clone(), &settings).unwrap();
        let asker = Asker::new(Box::new(service), AskerSettings::default());
        let mut random = Town::generator(u64::from(limit));
        while asked < if limit == 60 { 240 } else { questions } {
            let region = region(map, &mut random);
            let question = question(map, &mut random);
            let objects = asker.ask(&inquiry(map, &region, &question)).await.unwrap();
            let position = position_in(map, &region, &mut random);
            let answer = refine(&walker, position, &question, &objects);
            asked += 1;
            if !answer.exact {
                // More things around one spot than the database says at once.
                assert_eq!(limit, 60, "{question:?}");
                continue;
            }
            let along = match question.operation {
                Operation::Within { along, .. } | Operation::Nearest { along, .. } => along,
            };
            let truth = match along {
                Along::Plane => according_to_sql(&client, &walker, (position, &question)).await,
                Along::Streets => by_walking(&walker, (position, &question), &all),
            };
            check(&answer, &question, &truth);
            found += answer.found.len();
            outside += usize::from(answer.found.iter().any(|found| {
                found.object.position.is_none_or(|place| !region.contains(&place.street))
            }));
        }
    }
    assert!(found > 1_000 && outside > 80, "{found} found, outside in {outside} of {asked}");
}
