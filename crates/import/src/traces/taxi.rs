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
    let table = Table::open(input)?;
    let (polyline, timestamp) = (table.required("polyline")?, table.required("timestamp")?);
    read_trips(table, trips, skips, |table| {
        let expected = "a JSON array of [lon, lat] in degrees";
        let pairs: Option<Vec<[f64; 2]>> = serde_json::from_str(table.text(polyline)?).ok();
        let pairs = pairs.ok_or_else(|| table.bad(polyline, expected))?;
        let start = seconds(table.text(timestamp)?);
        let start = start.ok_or_else(|| table.bad(timestamp, "seconds since 1970"))?;
        let times = (0_i64..).map(|step| start.saturating_add(step.saturating_mul(STEP)));
        let points = pairs.iter().zip(times).map(|(&[lon, lat], at)| point(lon, lat, at));
        points.collect::<Option<_>>().ok_or_else(|| table.bad(polyline, expected))
    })
}

/// Reads a table with `shape` and `timestamps`.
pub(super) fn read_shapes(
    input: Input,
    trips: &mut Vec<Trip>,
    skips: &mut SkipCounts,
) -> Result<(), ImportError> {
    let table = Table::open(input)?;
    let (shape, timestamps) = (table.required("shape")?, table.required("timestamps")?);
    let mut line = Vec::new();
    read_trips(table, trips, skips, |table| {
        read_line(table, shape, &mut line)?;
        let texts = table.text(timestamps)?.split(',').filter(|text| !text.trim().is_empty());
        let times: Option<Vec<i64>> = texts.map(seconds).collect();
        let expected = "seconds since 1970, separated by commas";
        let times = times.ok_or_else(|| table.bad(timestamps, expected))?;
        if times.len() != line.len() {
            return Err(table.bad(timestamps, "as many times as `shape` has points"));
        }
        let points = line.iter().zip(times).map(|(lon_lat, at)| point(lon_lat.x, lon_lat.y, at));
        let expected = "longitudes and latitudes in degrees";
        points.collect::<Option<_>>().ok_or_else(|| table.bad(shape, expected))
    })
}

/// Adds the trip of each row, whose points are read by `points`. Rows marked `MISSING_DATA` are
/// skipped.
fn read_trips(
    mut table: Table,
    trips: &mut Vec<Trip>,
    skips: &mut SkipCounts,
    mut points: impl FnMut(&Table) -> Result<Vec<TripPoint>, ImportError>,
) -> Result<(), ImportError> {
    let (trip, missing_data) = (table.column("trip_id")?, table.column("missing_data")?);
    while table.next()? {
        if missing_data.map_or(Ok(false), |column| table.boolean(column))? {
            skips.missing_data = skips.missing_data.saturating_add(1);
            continue;
        }
        let points = points(&table)?;
        let id = match table.optional_text(trip)?.trim() {
            "" => format!("line-{}", table.line()),
            id => id.to_owned(),
        };
        push_trip(id, points, trips, skips);
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

fn seconds(text: &str) -> Option<i64> {
    let value = text.trim().parse::<f64>().ok().filter(|value| SECONDS.contains(value))?;
    Some((value * 1000.0).round() as i64)
}

fn point(lon: f64, lat: f64, at: i64) -> Option<TripPoint> {
    let coordinates = Coordinates::Degrees(LonLat::new(lon, lat)?);
    Some(TripPoint { at, coordinates, speed: None, k: None })
}
