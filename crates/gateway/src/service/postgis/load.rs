//! Puts objects into a table, all or none: a new table is filled beside the old one and takes its
//! place at the end of the transaction, so whoever reads meanwhile sees the old one.

use super::address::{Address, BadAddress, Place};
use super::sql::Table;
use crate::service::Object;
use meshcloak::map::Frame;
use std::sync::Arc;
use tokio::task::AbortHandle;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Client, NoTls, Transaction};

/// Why objects did not get into a table.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The address is none.
    #[error(transparent)]
    Address(#[from] BadAddress),
    /// The database cannot be reached, or refuses.
    #[error("the database: {}", words(.0))]
    Database(#[from] tokio_postgres::Error),
    /// The extension is not there and cannot be made.
    #[error("the database has no PostGIS, and it could not be added: {}", words(.0))]
    NoPostgis(tokio_postgres::Error),
    /// A table of that name is somebody else's.
    #[error("the table {0} is there already and was not made by `pois load`; choose another name")]
    Foreign(Table),
}

/// What our tables say of themselves.
const MARK: &str = "points of interest, made by meshcloak pois load";

/// How many objects go at once.
const AT_ONCE: usize = 5_000;

/// Replaces a table, or makes it, by one with these objects. Calls `loaded` with how many more are
/// in, as they go.
pub async fn load(
    address: impl Into<Address>,
    table: &Table,
    (objects, frame): (&[Arc<Object>], &Frame),
    loaded: impl Fn(u64),
) -> Result<(), LoadError> {
    let (mut client, driver) = connect(&address.into().place()?).await?;
    if let Err(error) = client.batch_execute("CREATE EXTENSION IF NOT EXISTS postgis").await {
        return Err(LoadError::NoPostgis(error));
    }
    let transaction = client.transaction().await?;
    refuse_foreign(&transaction, table).await?;
    create(&transaction, &table.beside()).await?;
    for some in objects.chunks(AT_ONCE) {
        insert(&transaction, &table.beside(), (some, frame)).await?;
        loaded(some.len() as u64);
    }
    replace(&transaction, table).await?;
    transaction.commit().await?;
    client.batch_execute(&format!("ANALYZE {table}")).await?;
    driver.abort();
    Ok(())
}

/// A client, and the task behind it.
async fn connect(place: &Place) -> Result<(Client, AbortHandle), tokio_postgres::Error> {
    let Place { config, encryption } = place;
    let Some((encryption, Host::Tcp(name))) = encryption.as_ref().zip(config.get_hosts().first())
    else {
        let (client, connection) = config.connect(NoTls).await?;
        return Ok((client, tokio::spawn(async move { connection.await.ok() }).abort_handle()));
    };
    let mut config = config.clone();
    config.ssl_mode(SslMode::Require);
    let (client, connection) = config.connect(encryption.towards(name)).await?;
    Ok((client, tokio::spawn(async move { connection.await.ok() }).abort_handle()))
}

async fn refuse_foreign(transaction: &Transaction<'_>, table: &Table) -> Result<(), LoadError> {
    let text = "SELECT obj_description(to_regclass($1), 'pg_class'), to_regclass($1) IS NULL";
    let row = transaction.query_one(text, &[&table.to_string()]).await?;
    let (mark, is_free): (Option<String>, bool) = (row.try_get(0)?, row.try_get(1)?);
    if is_free || mark.as_deref() == Some(MARK) {
        Ok(())
    } else {
        Err(LoadError::Foreign(table.clone()))
    }
}

async fn create(transaction: &Transaction<'_>, table: &Table) -> Result<(), LoadError> {
    let text = format!(
        "DROP TABLE IF EXISTS {table}; \
         CREATE TABLE {table} (id text NOT NULL, name text NOT NULL, category text NOT NULL, \
         geog geography(Point, 4326) NOT NULL); \
         COMMENT ON TABLE {table} IS '{MARK}'"
    );
    Ok(transaction.batch_execute(&text).await?)
}

async fn insert(
    transaction: &Transaction<'_>,
    table: &Table,
    (objects, frame): (&[Arc<Object>], &Frame),
) -> Result<(), LoadError> {
    let text = format!(
        "INSERT INTO {table} SELECT id, name, category, \
         ST_SetSRID(ST_MakePoint(lon, lat), 4326)::geography FROM \
         unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::float8[]) \
         AS row(id, name, category, lon, lat)"
    );
    // PostgreSQL has no text with a zero in it.
    let texts = |of: fn(&Object) -> &String| -> Vec<String> {
        objects.iter().map(|object| of(object).replace('\0', "")).collect()
    };
    let places = objects.iter().map(|object| frame.lon_lat(object.point));
    let (lon, lat): (Vec<f64>, Vec<f64>) = places.map(|place| (place.lon, place.lat)).unzip();
    let (ids, names) = (texts(|object| &object.id), texts(|object| &object.name));
    let categories = texts(|object| &object.category);
    transaction.execute(&text, &[&ids, &names, &categories, &lon, &lat]).await?;
    Ok(())
}

async fn replace(transaction: &Transaction<'_>, table: &Table) -> Result<(), LoadError> {
    let (new, name) = (table.beside(), table.bare());
    let text = format!(
        "DROP TABLE IF EXISTS {table}; \
         ALTER TABLE {new} ADD PRIMARY KEY (id); \
         CREATE INDEX ON {new} USING gist (geog); \
         CREATE INDEX ON {new} (category); \
         ALTER TABLE {new} RENAME TO {name}"
    );
    Ok(transaction.batch_execute(&text).await?)
}

/// What the database said; a loader's own words hold nobody's position.
fn words(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("{} ({})", said.message(), said.code().code()),
        None => error.to_string(),
    }
}
