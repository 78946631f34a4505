//! Streaming reader of queries in any format.
//!
//! An invalid row is returned as [`BadQuery`], so that the caller can skip it or stop. Only a file
//! that cannot be read further is an error.

#[cfg(feature = "parquet")]
use super::column_reader::ColumnQueries;
use super::csv::{CsvQueries, RawRow};
use super::fields::QueryFields;
use super::json::JsonQueries;
use super::{Coordinates, QueryRecord};
#[cfg(feature = "parquet")]
use crate::columns::BatchSource;
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;
use crate::progress::Progress;
use meshcloak::units::{Length, LonLat, Point};
use std::path::Path;

/// First bytes of every Parquet file.
pub(crate) const PARQUET_MAGIC: &[u8] = b"PAR1";

/// Reads queries one at a time.
pub struct QueryReader<'a> {
    rows: RowReader<'a>,
}

enum RowReader<'a> {
    Csv(Box<CsvQueries<'a>>),
    Json(JsonQueries<'a>),
    #[cfg(feature = "parquet")]
    Columns(Box<ColumnQueries<'a>>),
}

/// A row of a file of queries.
#[derive(Debug)]
pub struct QueryRow {
    /// First line of the row, or its number in a table, from 1.
    pub location: FileLocation,
    /// The query, or the reason why it is invalid.
    pub query: Result<QueryRecord, BadQuery>,
}

/// An invalid row.
#[derive(Debug)]
pub struct BadQuery {
    /// Id of the query, if readable.
    pub id: Option<String>,
    /// Time of the query in milliseconds, if readable.
    pub asked_at: Option<u64>,
    /// The problem.
    pub problem: Problem,
}

impl<'a> QueryReader<'a> {
    /// Opens a file of queries: Parquet if it begins with `PAR1`, NDJSON if it begins with `{`,
    /// otherwise CSV. CSV and NDJSON may be gzipped.
    ///
    /// # Errors
    /// [`ImportError`] if the file cannot be opened or a column is missing.
    pub fn open(path: &Path, progress: &'a dyn Progress) -> Result<QueryReader<'a>, ImportError> {
        let mut input = Input::begin(path, "reading queries", progress)?;
        if input.peek()?.starts_with(PARQUET_MAGIC) {
            return QueryReader::of_parquet(&input, progress);
        }
        QueryReader::of(input)
    }

    #[cfg(feature = "parquet")]
    fn of_parquet(
        input: &Input<'_>,
        progress: &'a dyn Progress,
    ) -> Result<QueryReader<'a>, ImportError> {
        input.refuse_gzip()?;
        QueryReader::of_batches(BatchSource::open(&input.path, ColumnQueries::NAMES, progress)?)
    }

    #[cfg(not(feature = "parquet"))]
    fn of_parquet(input: &Input<'_>, _: &dyn Progress) -> Result<QueryReader<'a>, ImportError> {
        Err(input.error(FileLocation::File, Problem::NoParquet))
    }

    /// Reads queries from record batches.
    ///
    /// # Errors
    /// [`ImportError`] if a column is missing or has an unexpected type.
    #[cfg(feature = "parquet")]
    pub fn of_batches(source: BatchSource<'a>) -> Result<QueryReader<'a>, ImportError> {
        let rows = RowReader::Columns(Box::new(ColumnQueries::open(source)?));
        Ok(QueryReader { rows })
    }

    pub(crate) fn of(mut input: Input<'a>) -> Result<QueryReader<'a>, ImportError> {
        let start = input.peek()?;
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
        let rows = if start.starts_with(b"{") {
            RowReader::Json(JsonQueries::new(input))
        } else {
            RowReader::Csv(Box::new(CsvQueries::open(input)?))
        };
        Ok(QueryReader { rows })
    }

    /// Returns the next row; `None` after the last.
    ///
    /// # Errors
    /// [`ImportError`] if the file cannot be read further.
    pub fn next_row(&mut self) -> Result<Option<QueryRow>, ImportError> {
        let read = match &mut self.rows {
            RowReader::Csv(rows) => rows.next_row()?,
            RowReader::Json(rows) => rows.next_row()?,
            #[cfg(feature = "parquet")]
            RowReader::Columns(rows) => rows.next_row()?,
        };
        let Some(RawRow { location, fields }) = read else { return Ok(None) };
        let query = fields.and_then(|fields| {
            let (id, asked_at) = (fields.query.clone(), fields.t.and_then(millis));
            query(fields).map_err(|problem| BadQuery { id, asked_at, problem })
        });
        Ok(Some(QueryRow { location, query }))
    }
}

fn query(fields: QueryFields) -> Result<QueryRecord, Problem> {
    let thousandths = |field: &'static str, number: Option<f64>| {
        number.map(|number| in_thousandths(field, number)).transpose()
    };
    let asked_at = thousandths("t", fields.t)?.ok_or(Problem::NoContent("`t`"))?;
    let temporal_tolerance = thousandths("dt", fields.dt)?.ok_or(Problem::NoContent("`dt`"))?;
    let speed = fields.speed.map(|speed| nearest_thousandth("speed", speed)).transpose()?;
    let query_interval = thousandths("interval", fields.interval)?
        .map(|interval| u32::try_from(interval).map_err(|_| too_large("interval", interval)))
        .transpose()?;
    Ok(QueryRecord {
        coordinates: coordinates(&fields)?,
        k: whole("k", fields.k.ok_or(Problem::NoContent("`k`"))?)?,
        distance_constraint: constraint(fields.dc, speed, query_interval)?,
        query: fields.query.ok_or(Problem::NoContent("`query`"))?,
        user: fields.user.ok_or(Problem::NoContent("`user`"))?,
        asked_at,
        temporal_tolerance,
        speed,
        query_interval,
        asks: fields.asks.unwrap_or(true),
    })
}

fn coordinates(fields: &QueryFields) -> Result<Coordinates, Problem> {
    match (fields.x, fields.y, fields.lon, fields.lat) {
        (Some(x), Some(y), ..) if x.is_finite() && y.is_finite() => {
            Ok(Coordinates::Metres(Point::new(x, y)))
        }
        (None, None, Some(lon), Some(lat)) => {
            let lon_lat = LonLat::new(lon, lat);
            let bad = || {
                Problem::bad_field(
                    "lon,lat",
                    &format!("{lon},{lat}"),
                    "lon from -180 to 180 and lat from -90 to 90",
                )
            };
            lon_lat.map(Coordinates::Degrees).ok_or_else(bad)
        }
        (Some(x), Some(y), ..) => {
            Err(Problem::bad_field("x,y", &format!("{x},{y}"), "finite metres"))
        }
        _ => Err(Problem::NoContent("`x`,`y` or `lon`,`lat`")),
    }
}

/// Returns `dc`, rounded down, or speed × interval (docs/SPEC.md §3).
fn constraint(
    dc: Option<f64>,
    speed: Option<u32>,
    interval: Option<u32>,
) -> Result<Length, Problem> {
    match (dc, speed, interval) {
        (Some(dc), ..) if dc.is_finite() => Ok(Length::metres_down(dc)),
        (Some(dc), ..) => Err(Problem::bad_field("dc", &dc.to_string(), "metres")),
        (None, Some(speed), Some(interval)) => {
            // The product is in micrometres; a unit of 1/32 m is 31,250 µm.
            let units = u64::from(speed).saturating_mul(u64::from(interval)) / 31_250;
            Ok(Length::from_units(u32::try_from(units).unwrap_or(u32::MAX)))
        }
        _ => Err(Problem::NoContent("`dc`, or `speed` and `interval`")),
    }
}

/// Converts seconds with at most three decimals to milliseconds.
fn in_thousandths(field: &'static str, number: f64) -> Result<u64, Problem> {
    let bad = || {
        Problem::bad_field(field, &number.to_string(), "seconds from 0 with at most three decimals")
    };
    millis(number).ok_or_else(bad)
}

pub(super) fn millis(seconds: f64) -> Option<u64> {
    let thousandths = (seconds * 1000.0).round();
    let exact = (seconds * 1000.0 - thousandths).abs() <= 1e-3;
    ((0.0..=1e15).contains(&thousandths) && exact).then_some(thousandths as u64)
}

fn nearest_thousandth(field: &'static str, number: f64) -> Result<u32, Problem> {
    let thousandths = (number * 1000.0).round();
    if (0.0..=f64::from(u32::MAX)).contains(&thousandths) {
        return Ok(thousandths as u32);
    }
    Err(Problem::bad_field(field, &number.to_string(), "metres per second, not negative"))
}

fn whole(field: &'static str, number: f64) -> Result<u32, Problem> {
    if (0.0..=f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0 {
        return Ok(number as u32);
    }
    Err(Problem::bad_field(field, &number.to_string(), "a whole number, not negative"))
}

fn too_large(field: &'static str, value: u64) -> Problem {
    Problem::bad_field(field, &value.to_string(), "less than 50 days")
}
