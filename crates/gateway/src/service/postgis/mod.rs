//! A table of a PostGIS database as a plain service: `meshcloak pois load` makes one.
//!
//! Connections are pooled and read only. What is sent is the text of the region's lines, a number
//! of metres and a category; the same inquiry gives the same bytes.

mod address;
mod connection;
mod encryption;
mod load;
mod metered;
mod pool;
mod sql;

pub use address::{Address, BadAddress};
pub use load::{LoadError, load};
pub use sql::{BadTable, Table};

use super::{Coming, Page, Plain, PlainService, PlainSettings, Range, Row, ServiceError};
use crate::walk::Walker;
use connection::Told;
use meshcloak::map::{Frame, StreetMap};
use meshcloak::units::LonLat;
use pool::Pool;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Where the database is and how it is used.
#[derive(Clone)]
pub struct PostgisSettings {
    /// `postgres://user:password@host:port/database`, or key=value pairs.
    pub url: String,
    /// Certificates, PEM, from which the database's must descend; without them nothing is
    /// encrypted.
    pub roots: Option<PathBuf>,
    /// The table.
    pub table: Table,
    /// How many rows the database may send at once; beyond it the region is split.
    pub limit: u32,
    /// How many connections there are at most.
    pub connections: usize,
    /// How long the database may work on one request.
    pub statement_time_out: Duration,
    /// How objects are placed on the map.
    pub plain: PlainSettings,
}

impl PostgisSettings {
    /// The usual settings for a database.
    pub fn new(url: &str) -> PostgisSettings {
        PostgisSettings {
            url: url.to_owned(),
            roots: None,
            table: Table::default(),
            limit: 10_000,
            connections: 4,
            statement_time_out: Duration::from_secs(2),
            plain: PlainSettings::default(),
        }
    }
}

/// Why a table cannot be a service.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostgisError {
    /// The address is none.
    #[error(transparent)]
    Address(#[from] BadAddress),
    /// Lon/lat cannot be had.
    #[error("the map does not say where on Earth it lies; give `--origin LON,LAT`")]
    NoFrame,
}

/// A table that is asked for ranges.
pub struct Postgis {
    pool: Pool,
    frame: Frame,
    /// How many metres on the ground a metre of the map can be.
    stretch: f64,
}

impl Postgis {
    /// The service of a table. Connects when it is first asked.
    pub fn service(
        walker: Arc<Walker>,
        settings: &PostgisSettings,
    ) -> Result<Plain<Postgis>, PostgisError> {
        let address = Address { url: settings.url.clone(), roots: settings.roots.clone() };
        let place = address.place()?;
        let frame = frame_of(walker.map())?;
        let stretch = stretch(&frame);
        let pool = Pool::new(place, settings);
        Ok(Plain::new(walker, Postgis { pool, frame, stretch }, settings.plain))
    }

    async fn ask(&self, range: Range<'_>) -> Result<Page, ServiceError> {
        let lines = range.around.map(|(piece, metres)| {
            let places = |line: &Vec<_>| -> Vec<LonLat> {
                line.iter().map(|&point| self.frame.lon_lat(point)).collect()
            };
            (sql::lines(piece.lines().iter().map(places)), metres * self.stretch * 1.002 + 1.0)
        });
        let mut connection = self.pool.lease().await?;
        let told = connection.range(lines, range.category.name()).await;
        let told = self.pool.settle(connection, told)?;
        let full = told.len() == self.pool.limit();
        let rows = told.into_iter().filter_map(|told| self.row(told)).collect();
        Ok(Page { rows, full })
    }

    /// Where a row says its object is; `None` if that is no place.
    fn row(&self, told: Told) -> Option<Row> {
        let Told { id, name, category, lon, lat } = told;
        let point = self.frame.point(LonLat::new(lon?, lat?)?);
        Some(Row { id, name, category, point })
    }
}

fn frame_of(map: &StreetMap) -> Result<Frame, PostgisError> {
    map.frame().cloned().ok_or(PostgisError::NoFrame)
}

/// The largest number of metres on the ground that a metre of a map's plane can be: one over the
/// smaller singular value of the affine change, and at least one.
pub(crate) fn stretch(frame: &Frame) -> f64 {
    let [a, b, c, d, ..] = frame.affine();
    let (half, area) = ((a * a + b * b + c * c + d * d) / 2.0, a * d - b * c);
    let smaller = half - (half * half - area * area).max(0.0).sqrt();
    (1.0 / smaller.sqrt()).max(1.0)
}

impl PlainService for Postgis {
    fn name(&self) -> &'static str {
        "postgis"
    }

    fn range<'a>(&'a self, range: Range<'a>) -> Coming<'a, Page> {
        Box::pin(self.ask(range))
    }

    fn categories(&self) -> Coming<'_, Vec<String>> {
        Box::pin(async {
            let mut connection = self.pool.lease().await?;
            let told = connection.categories().await;
            self.pool.settle(connection, told)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_is_scaled_is_asked_wider() {
        let origin = LonLat { lon: 9.7, lat: 50.8 };
        assert_eq!(stretch(&Frame::at(origin)), 1.0);
        let feet = Frame::from_parts(origin, [3.28, 0.0, 0.0, 3.28, 0.0, 0.0]).unwrap();
        assert_eq!(stretch(&feet), 1.0);
        let yards = Frame::from_parts(origin, [0.0, 0.5, -1.0, 0.0, 9.0, 9.0]).unwrap();
        assert!((stretch(&yards) - 2.0).abs() < 1e-12);
    }
}
