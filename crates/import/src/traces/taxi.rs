//! Taxi trips as CSV, one trip per row. Points are either `POLYLINE`, a JSON array of `[lon, lat]`
//! every 15 s from `TIMESTAMP` (Porto, 2013), or `shape` in WKT with equally many `timestamps` in
//! seconds since 1970 (the test set of the same taxis).

use super::{Coordinates, SkipCounts, Trip, TripPoint, push_trip};
use crate::csv_map::table::{Column, Table};
use crate::csv_map::wkt::{TOO_FEW, read_line_string};
use crate::error::ImportError;
use crate::input::Input;
use meshcloak::units::{LonLat, Point};

/// Time between two points of a `POLYLINE`, in milliseconds.
const STEP: i64 = 15_000;

/// Accepted seconds since 1970: until the year 5000.
const SECONDS: std::ops::RangeInclusive<f64> = 0.0..=95_617_584_000.0;

/// Reads a table with `POLYLINE`.
pub(super) fn read_polylines(
    input: Input,
    trips: &mut Vec<Trip>,
    skips: &mut SkipCounts,
) -> Result<(), ImportError> {
    let mut table = Table::open(input)?;
    let (polyline, timestamp) = (table.required("polyline")?, table.required("timestamp")?);
    let common = Common::of(&table)?;
    while table.next()? {
        if common.is_incomplete(&table)? {
            skips.missing_data += 1;
            continue;
        }
        let expected = "a JSON array of [lon, lat] in degrees";
        let pairs: Option<Vec<[f64; 2]>> = serde_json::from_str(table.text(polyline)?).ok();
        let pairs = pairs.ok_or_else(|| table.bad(polyline, expected))?;
        let start = seconds(table.text(timestamp)?);
        let start = start.ok_or_else(|| table.bad(timestamp, "seconds since 1970"))?;
        let times = (0_i64..).map(|step| start + step * STEP);
        let points = pairs.iter().zip(times).map(|(&[lon, lat], at)| point(lon, lat, at));
        let points: Option<Vec<TripPoint>> = points.collect();
        let points = points.ok_or_else(|| table.bad(polyline, expected))?;
        push_trip(common.id(&table)?, points, trips, skips);
    }
    Ok(())
}

/// Reads a table with `shape` and `timestamps`.
pub(super) fn read_shapes(
    input: Input,
    trips: &mut Vec<Trip>,
    skips: &mut SkipCounts,
) -> Result<(), ImportError> {
    let mut table = Table::open(input)?;
    let (shape, timestamps) = (table.required("shape")?, table.required("timestamps")?);
    let common = Common::of(&table)?;
    let mut shape_points = Vec::new();
    while table.next()? {
        if common.is_incomplete(&table)? {
            skips.missing_data += 1;
            continue;
        }
        read_line(&table, shape, &mut shape_points)?;
        let texts = table.text(timestamps)?.split(',').filter(|text| !text.trim().is_empty());
        let times: Option<Vec<i64>> = texts.map(seconds).collect();
        let expected = "seconds since 1970, separated by commas";
        let times = times.ok_or_else(|| table.bad(timestamps, expected))?;
        if times.len() != shape_points.len() {
            return Err(table.bad(timestamps, "as many times as `shape` has points"));
        }
        let points =
            shape_points.iter().zip(times).map(|(lon_lat, at)| point(lon_lat.x, lon_lat.y, at));
        let points: Option<Vec<TripPoint>> = points.collect();
        let points =
            points.ok_or_else(|| table.bad(shape, "longitudes and latitudes in degrees"))?;
        push_trip(common.id(&table)?, points, trips, skips);
    }
    Ok(())
}

/// Reads the points of a line string; also accepts none or one point, which is skipped later.
fn read_line(
    table: &Table,
    column: Column,
    shape_points: &mut Vec<Point>,
) -> Result<(), ImportError> {
    let text = table.text(column)?;
    let word = text.trim().to_ascii_uppercase();
    if word.starts_with("LINESTRING") && word.ends_with("EMPTY") {
        shape_points.clear();
        return Ok(());
    }
    match read_line_string(text, shape_points) {
        Err(TOO_FEW) => Ok(()),
        result => result.map_err(|expected| table.bad(column, expected)),
    }
}

/// Optional columns of both formats.
struct Common {
    trip: Option<Column>,
    missing_data: Option<Column>,
}

impl Common {
    fn of(table: &Table) -> Result<Common, ImportError> {
        Ok(Common { trip: table.column("trip_id")?, missing_data: table.column("missing_data")? })
    }

    fn is_incomplete(&self, table: &Table) -> Result<bool, ImportError> {
        self.missing_data.map_or(Ok(false), |column| table.boolean(column))
    }

    /// Returns the id of the trip, or its line number if it has none.
    fn id(&self, table: &Table) -> Result<String, ImportError> {
        let id = table.optional_text(self.trip)?.trim();
        Ok(if id.is_empty() { format!("line-{}", table.line()) } else { id.to_owned() })
    }
}

fn seconds(text: &str) -> Option<i64> {
    let value = text.trim().parse::<f64>().ok().filter(|value| SECONDS.contains(value))?;
    Some((value * 1000.0).round() as i64)
}

fn point(lon: f64, lat: f64, at: i64) -> Option<TripPoint> {
    let coordinates = Coordinates::Degrees(LonLat::new(lon, lat)?);
    Some(TripPoint { at, coordinates, speed: None, k: None })
}
