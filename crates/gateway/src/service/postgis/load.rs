//! Loads objects into a table, all or none: a new table is filled next to the old one and replaces
//! it at the end of the transaction. Until then readers see the old table.

use super::address::{AddressError, DatabaseAddress};
use super::connect::{ConnectError, connect};
use super::sql::TableName;
use crate::service::Object;
use meshcloak::map::Frame;
use std::sync::Arc;
use tokio_postgres::Transaction;

/// Reason why objects were not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The address is invalid.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The database cannot be reached.
    #[error("{0}")]
    Unreachable(std::io::Error),
    /// The database reports an error.
    #[error("the database: {}", database_message(.0))]
    Database(#[from] tokio_postgres::Error),
    /// The PostGIS extension is missing and cannot be created.
    #[error("the database has no PostGIS, and it could not be added: {}", database_message(.0))]
    NoPostgis(tokio_postgres::Error),
    /// The table exists and was not created by `pois load`.
    #[error("the table {0} exists and was not made by `pois load`; choose another name")]
    Foreign(TableName),
}

impl From<ConnectError> for LoadError {
    fn from(error: ConnectError) -> LoadError {
        match error {
            ConnectError::Io(error) => LoadError::Unreachable(error),
            ConnectError::Database(error) => LoadError::Database(error),
        }
    }
}

/// Objects to load, with the frame that converts their points to lon/lat.
#[derive(Clone, Copy)]
pub struct LoadedObjects<'a> {
    /// The objects.
    pub objects: &'a [Arc<Object>],
    /// Frame of their map.
    pub frame: &'a Frame,
}

/// Comment on tables created by this module.
const TABLE_COMMENT: &str = "points of interest, made by meshcloak pois load";

/// Number of objects per statement.
const CHUNK: usize = 5_000;

/// Creates or replaces a table. Calls `progress` with the number of objects of each chunk.
pub async fn load(
    address: impl Into<DatabaseAddress>,
    table: &TableName,
    objects: LoadedObjects<'_>,
    progress: impl Fn(u64),
) -> Result<(), LoadError> {
    let mut connection = connect(&address.into().parse()?).await?;
    let client = &mut connection.client;
    if let Err(error) = client.batch_execute("CREATE EXTENSION IF NOT EXISTS postgis").await {
        return Err(LoadError::NoPostgis(error));
    }
    let transaction = client.transaction().await?;
    refuse_foreign(&transaction, table).await?;
    create(&transaction, &table.temporary()).await?;
    for chunk in objects.objects.chunks(CHUNK) {
        let chunk = LoadedObjects { objects: chunk, ..objects };
        insert(&transaction, &table.temporary(), chunk).await?;
        // The limit of received bytes applies to each chunk.
        drop(connection.budget.end());
        progress(chunk.objects.len() as u64);
    }
    replace(&transaction, table).await?;
    transaction.commit().await?;
    client.batch_execute(&format!("ANALYZE {table}")).await?;
    Ok(())
}

async fn refuse_foreign(transaction: &Transaction<'_>, table: &TableName) -> Result<(), LoadError> {
    let text = "SELECT obj_description(to_regclass($1), 'pg_class'), to_regclass($1) IS NULL";
    let row = transaction.query_one(text, &[&table.to_string()]).await?;
    let (comment, is_free): (Option<String>, bool) = (row.try_get(0)?, row.try_get(1)?);
    if is_free || comment.as_deref() == Some(TABLE_COMMENT) {
        Ok(())
    } else {
        Err(LoadError::Foreign(table.clone()))
    }
}

async fn create(transaction: &Transaction<'_>, table: &TableName) -> Result<(), LoadError> {
    let text = format!(
        "DROP TABLE IF EXISTS {table}; \
         CREATE TABLE {table} (id text NOT NULL, name text NOT NULL, category text NOT NULL, \
         geog geography(Point, 4326) NOT NULL); \
         COMMENT ON TABLE {table} IS '{TABLE_COMMENT}'"
    );
    Ok(transaction.batch_execute(&text).await?)
}

async fn insert(
    transaction: &Transaction<'_>,
    table: &TableName,
    LoadedObjects { objects, frame }: LoadedObjects<'_>,
) -> Result<(), LoadError> {
    let text = format!(
        "INSERT INTO {table} SELECT id, name, category, \
         ST_SetSRID(ST_MakePoint(lon, lat), 4326)::geography FROM \
         unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::float8[]) \
         AS row(id, name, category, lon, lat)"
    );
    // PostgreSQL texts cannot hold a zero byte.
    let texts = |of: fn(&Object) -> &String| -> Vec<String> {
        objects.iter().map(|object| of(object).replace('\0', "")).collect()
    };
    let points = objects.iter().map(|object| frame.lon_lat(object.point));
    let (lon, lat): (Vec<f64>, Vec<f64>) = points.map(|point| (point.lon, point.lat)).unzip();
    let (ids, names) = (texts(|object| &object.id), texts(|object| &object.name));
    let categories = texts(|object| &object.category);
    transaction.execute(&text, &[&ids, &names, &categories, &lon, &lat]).await?;
    Ok(())
}

async fn replace(transaction: &Transaction<'_>, table: &TableName) -> Result<(), LoadError> {
    let (new, name) = (table.temporary(), table.unqualified());
    let text = format!(
        "DROP TABLE IF EXISTS {table}; \
         ALTER TABLE {new} ADD PRIMARY KEY (id); \
         CREATE INDEX ON {new} USING gist (geog); \
         CREATE INDEX ON {new} (category); \
         ALTER TABLE {new} RENAME TO {name}"
    );
    Ok(transaction.batch_execute(&text).await?)
}

/// Message of the database. Statements of the loader hold no user's position.
fn database_message(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(error) => format!("{} ({})", error.message(), error.code().code()),
        None => error.to_string(),
    }
}
