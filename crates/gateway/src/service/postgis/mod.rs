//! A table of a PostGIS database as a planar service. `meshcloak pois load` creates the table.
//!
//! Sessions are pooled and read-only. A request sends the lines of the region as text, a distance
//! and a category; the same inquiry sends the same bytes.

mod address;
mod byte_budget;
mod connect;
mod load;
mod pool;
mod session;
mod sql;
mod tls;

pub use address::{AddressError, DatabaseAddress};
pub use load::{LoadError, LoadedObjects, load};
pub use sql::{TableName, TableNameError};

use super::answer_memory::AnswerMemory;
use super::projection::Projection;
use super::{
    Planar, PlanarService, PlanarSettings, RangeAnswer, RangeRequest, RawObject, RequestPolicy,
    ServiceError, ServiceFuture,
};
use crate::walk::Walker;
use pool::SessionPool;
use session::{DatabaseSession, GroundRange, ObjectRow, ReceivedRows, SessionSettings};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Address and limits of a database. Has no `Debug`: the URL may hold a password.
#[derive(Clone)]
pub struct PostgisSettings {
    /// `postgres://user:password@host:port/database`, or key=value pairs.
    pub url: String,
    /// PEM file of the root certificates of the database; without it nothing is encrypted.
    pub roots: Option<PathBuf>,
    /// The table.
    pub table: TableName,
    /// Largest number of rows per range; if it is reached, the region is split.
    pub limit: u32,
    /// Largest number of connections, 1 to 1000.
    pub connections: usize,
    /// Time-out of one statement in the database.
    pub statement_timeout: Duration,
    /// Largest memory of all answers that are being read, in bytes.
    pub max_memory: usize,
    /// Snapping of objects, and limits.
    pub planar: PlanarSettings,
}

impl PostgisSettings {
    /// Returns the default settings for a database.
    pub fn new(url: &str) -> PostgisSettings {
        PostgisSettings {
            url: url.to_owned(),
            roots: None,
            table: TableName::default(),
            limit: 10_000,
            connections: 4,
            statement_timeout: Duration::from_secs(2),
            max_memory: 512 << 20,
            planar: PlanarSettings::default(),
        }
    }
}

/// Reason why a database cannot be used as a service.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostgisError {
    /// The address is invalid.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The map has no location on Earth.
    #[error("the map has no lon/lat; set its origin (`map.origin` or `--origin LON,LAT`)")]
    NoFrame,
}

/// Connector to one table.
pub struct Postgis {
    pool: SessionPool,
    projection: Arc<Projection>,
    memory: AnswerMemory,
    limit: usize,
}

impl Postgis {
    /// Builds the service of a table. Connects at the first request.
    pub fn service(
        walker: Arc<Walker>,
        settings: &PostgisSettings,
    ) -> Result<Planar<Postgis>, PostgisError> {
        let address = DatabaseAddress { url: settings.url.clone(), roots: settings.roots.clone() };
        let address = address.parse()?;
        let projection = Projection::new(Arc::clone(&walker), 0.0).ok_or(PostgisError::NoFrame)?;
        let limit = settings.limit.max(1);
        let session = SessionSettings {
            table: settings.table.clone(),
            limit,
            statement_timeout: settings.statement_timeout,
        };
        let pool = SessionPool::new(address, session, settings.connections);
        let memory = AnswerMemory::new(settings.max_memory);
        let projection = Arc::new(projection);
        let postgis = Postgis { pool, projection, memory, limit: limit as usize };
        Ok(Planar::new(walker, postgis, settings.planar))
    }

    async fn fetch(
        &self,
        range: RangeRequest<'_>,
        policy: &RequestPolicy,
    ) -> Result<RangeAnswer, ServiceError> {
        let ground_range = range.around.map(|area| GroundRange {
            wkt: sql::multi_line_string(self.projection.unjoined_lines(area.lines.lines())),
            metres: self.projection.widen(&range, 1.002).metres,
        });
        let category = range.category.name();
        let rows = policy.send(|| self.fetch_rows(ground_range.as_ref(), category)).await?;
        let truncated = rows.len() == self.limit;
        let projection = Arc::clone(&self.projection);
        let objects = rows.objects(move |row| object(&projection, row)).await?;
        Ok(RangeAnswer { objects, truncated })
    }

    async fn fetch_rows(
        &self,
        range: Option<&GroundRange>,
        category: Option<&str>,
    ) -> Result<ReceivedRows, ServiceError> {
        let memory = self.memory.reserve(None).await?;
        let range = async |session: &DatabaseSession| session.range(range, category, memory).await;
        self.pool.run(range).await
    }

    async fn fetch_categories(&self) -> Result<Vec<String>, ServiceError> {
        let memory = self.memory.reserve(None).await?;
        let rows = self.pool.run(async |session| session.categories(memory).await).await?;
        rows.names().await
    }
}

/// Converts a row to the plane; `None` without a valid point.
fn object(projection: &Projection, row: ObjectRow) -> Option<RawObject> {
    let ObjectRow { id, name, category, lon, lat } = row;
    let point = projection.point([lon?, lat?])?;
    Some(RawObject { id, name, category, point })
}

impl PlanarService for Postgis {
    fn name(&self) -> &'static str {
        "postgis"
    }

    fn range<'a>(
        &'a self,
        range: RangeRequest<'a>,
        policy: &'a RequestPolicy,
    ) -> ServiceFuture<'a, RangeAnswer> {
        Box::pin(self.fetch(range, policy))
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(self.fetch_categories())
    }
}
