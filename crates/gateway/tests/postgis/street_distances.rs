//! Distances along streets computed by SQL alone, as an independent reference.

use gateway::question::Category;
use meshcloak::map::{Position, StreetMap};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use tokio_postgres::Client;

/// Rows per statement.
const CHUNK: usize = 2_000;

/// Streets with shapes, arcs in the direction of travel, and objects in the plane; lengths in 1/32 m.
/// An object is snapped to the nearest street, by id among equals.
const TABLES: &str = "
    CREATE TABLE streets (id int PRIMARY KEY, a int, b int, length int, one_way bool, shape geometry);
    CREATE TABLE ways (a int, b int, length int);
    CREATE TABLE things (id text PRIMARY KEY, category text, point geometry);";

const PLACES: &str = "
    CREATE INDEX ON streets USING gist (shape);
    INSERT INTO ways SELECT a, b, length FROM streets
        UNION ALL SELECT b, a, length FROM streets WHERE NOT one_way;
    CREATE INDEX ON ways (a);
    CREATE TABLE places AS
        SELECT things.id, category, near.id AS street, a, b, one_way, length,
               round(ST_LineLocatePoint(shape, point) * length)::int AS along
        FROM things, LATERAL (
            SELECT * FROM streets WHERE ST_DWithin(shape, point, $farthest)
            ORDER BY round(ST_Distance(shape, point)::numeric, 6), id LIMIT 1) AS near;
    CREATE FUNCTION walk(first int, ahead int, second int, behind int, most int) RETURNS void AS $$
    DECLARE
        turn int := 0;
        reached int;
    BEGIN
        TRUNCATE best;
        INSERT INTO best VALUES (first, ahead, 0);
        IF second IS NOT NULL THEN
            INSERT INTO best VALUES (second, behind, 0) ON CONFLICT (terminal)
                DO UPDATE SET length = least(best.length, EXCLUDED.length);
        END IF;
        LOOP
            INSERT INTO best
                SELECT ways.b, min(best.length + ways.length), turn + 1
                FROM best JOIN ways ON ways.a = best.terminal
                WHERE best.round = turn AND best.length + ways.length <= most GROUP BY ways.b
                ON CONFLICT (terminal) DO UPDATE SET length = EXCLUDED.length, round = EXCLUDED.round
                WHERE EXCLUDED.length < best.length;
            GET DIAGNOSTICS reached = ROW_COUNT;
            EXIT WHEN reached = 0;
            turn := turn + 1;
        END LOOP;
    END $$ LANGUAGE plpgsql;";

/// From the reached terminals into the streets of objects, or directly along the own street.
const LENGTHS: &str = "
    SELECT id, min(length)::float8 / 32 FROM (
        SELECT id, best.length + along AS length FROM places JOIN best ON terminal = a
            WHERE $1::text IS NULL OR category = $1
        UNION ALL
        SELECT id, best.length + places.length - along FROM places JOIN best ON terminal = b
            WHERE NOT one_way AND ($1::text IS NULL OR category = $1)
        UNION ALL
        SELECT id, abs(along - $3) FROM places
            WHERE street = $2 AND (NOT one_way OR along >= $3)
              AND ($1::text IS NULL OR category = $1)) AS ways
    WHERE length <= $4 GROUP BY id";

/// Fills the tables. Objects farther than `max_street_distance` metres from every street are omitted.
pub async fn load(client: &Client, map: &StreetMap, max_street_distance: f64) {
    client.batch_execute(TABLES).await.unwrap();
    let streets: Vec<_> = map.streets().collect();
    for chunk in streets.chunks(CHUNK) {
        let rows = chunk.iter().map(|&id| {
            let street = map.street(id);
            let points = map.shape(id).iter().map(|point| format!("{} {}", point.x, point.y));
            let points: Vec<String> = points.collect();
            format!(
                "({}, {}, {}, {}, {}, 'LINESTRING({})')",
                id.0,
                street.from.0,
                street.to.0,
                street.length.units(),
                street.one_way,
                points.join(",")
            )
        });
        insert(client, "streets", rows).await;
    }
    let things = gateway::service::Object::all_of(map);
    for chunk in things.chunks(CHUNK) {
        let rows = chunk.iter().map(|thing| {
            let (id, category) = (thing.id.replace('\'', "''"), thing.category.replace('\'', "''"));
            format!("('{id}', '{category}', 'POINT({} {})')", thing.point.x, thing.point.y)
        });
        insert(client, "things", rows).await;
    }
    client
        .batch_execute(&PLACES.replace("$farthest", &max_street_distance.to_string()))
        .await
        .unwrap();
    let session = "SET jit = off; ANALYZE; \
                   CREATE TEMP TABLE best (terminal int PRIMARY KEY, length int, round int)";
    client.batch_execute(session).await.unwrap();
}

async fn insert(client: &Client, table: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.collect();
    let mut text = String::new();
    let _ = write!(text, "INSERT INTO {table} VALUES {}", rows.join(","));
    client.batch_execute(&text).await.unwrap();
}

/// Returns the distances along streets of objects of a category, up to `max` metres.
pub async fn lengths(
    client: &Client,
    map: &StreetMap,
    position: Position,
    category: &Category,
    max: f64,
) -> BTreeMap<String, f64> {
    let units = |length: meshcloak::units::Length| length.units() as i32;
    let street = map.street(position.street);
    let (behind, length) = (units(position.offset), units(street.length));
    let second = (!street.one_way).then_some(street.from.0 as i32);
    let max = (max * 32.0).min(1e9) as i32;
    let started = [
        &(street.to.0 as i32) as &(dyn tokio_postgres::types::ToSql + Sync),
        &(length - behind),
        &second,
        &behind,
        &max,
    ];
    client.execute("SELECT walk($1, $2, $3, $4, $5)", &started).await.unwrap();
    let (name, here) = (category.name(), position.street.0 as i32);
    let rows = client.query(LENGTHS, &[&name, &here, &behind, &max]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}
