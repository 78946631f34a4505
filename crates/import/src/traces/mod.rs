//! Recorded traces (docs/SPEC.md §8).
//!
//! Four formats, detected by content, plain or gzipped: Brinkhoff's generator, taxi trips as CSV
//! with `POLYLINE` or with `shape` and `timestamps`, and GPX. All are converted to [`Trip`]s. An
//! invalid field is an error. Common defects of recordings (trips of one point, time that runs
//! backwards, missing data) are skipped and counted.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

mod brinkhoff;
mod gpx;
mod skip_counts;
mod taxi;
#[cfg(test)]
mod tests;
mod timestamp;

pub use skip_counts::SkipCounts;

use crate::coordinates::Coordinates;
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;
use crate::progress::Progress;
use rustc_hash::FxHashMap;
use std::path::Path;

/// Format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// Tab-separated reports of Brinkhoff's generator, in metres and generator time stamps.
    Brinkhoff,
    /// Taxi trips as CSV with `POLYLINE`, one point every 15 s.
    TaxiPolyline,
    /// Taxi trips as CSV with `shape` in WKT and `timestamps`.
    TaxiShape,
    /// GPX 1.0 or 1.1.
    Gpx,
}

/// A point of a trip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TripPoint {
    /// Time in milliseconds since 1970; in thousandths of a time stamp in a Brinkhoff trace.
    pub at: i64,
    /// Position.
    pub coordinates: Coordinates,
    /// Speed in metres per time stamp (Brinkhoff only).
    pub speed: Option<f64>,
    /// Requested k (Brinkhoff with k only).
    pub k: Option<u32>,
}

/// A trip of one object; times are strictly ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct Trip {
    /// Id in the trace, made unique by the suffixes `/2`, `/3`, …
    pub id: String,
    /// Points; at least two, in Brinkhoff traces at least one.
    pub points: Vec<TripPoint>,
}

/// Content of one or more files of one format.
#[derive(Clone, Debug, PartialEq)]
pub struct Trips {
    /// Format of the files.
    pub kind: TraceKind,
    /// Trips in order of their first point in the files.
    pub trips: Vec<Trip>,
    /// Skipped data.
    pub skips: SkipCounts,
}

/// Reads the files of one trace. A Brinkhoff trace may be divided into files by time, in any order;
/// files of other formats are independent.
///
/// # Errors
/// [`ImportError`] if a file cannot be read, formats differ, or no usable trip is found.
pub fn read_traces<P: AsRef<Path>>(
    files: &[P],
    progress: &dyn Progress,
) -> Result<Trips, ImportError> {
    let sizes = files.iter().map(|file| std::fs::metadata(file).map_or(0, |data| data.len()));
    progress.begin("reading traces", sizes.sum());
    let inputs = files.iter().map(|file| Input::open(file.as_ref(), progress));
    read_inputs(inputs)
}

fn read_inputs<'a>(
    inputs: impl Iterator<Item = Result<Input<'a>, ImportError>>,
) -> Result<Trips, ImportError> {
    let mut kind = None;
    let mut trips = Vec::new();
    let mut skips = SkipCounts::default();
    let mut reports = Vec::new();
    let mut last = None;
    for input in inputs {
        let mut input = input?;
        let found = kind_of(&mut input)?;
        if *kind.get_or_insert(found) != found {
            return Err(input.error(FileLocation::File, Problem::MixedTraces));
        }
        last = Some(input.path.clone());
        match found {
            TraceKind::Brinkhoff => reports.push(brinkhoff::read(input)?),
            TraceKind::TaxiPolyline => taxi::read_polylines(input, &mut trips, &mut skips)?,
            TraceKind::TaxiShape => taxi::read_shapes(input, &mut trips, &mut skips)?,
            TraceKind::Gpx => gpx::read(input, &mut trips, &mut skips)?,
        }
    }
    let kind = kind.ok_or_else(|| FileLocation::File.of(Path::new(""), Problem::Missing))?;
    trips.extend(brinkhoff::trips(reports, &mut skips));
    match last {
        Some(file) if trips.is_empty() => Err(FileLocation::File.of(&file, Problem::NoTrip(skips))),
        _ => Ok(Trips { kind, trips: with_unique_ids(trips), skips }),
    }
}

/// Detects the format of a trace from its first line.
fn kind_of(input: &mut Input) -> Result<TraceKind, ImportError> {
    let head = input.peek()?;
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let line = head.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    let line = String::from_utf8_lossy(line.unwrap_or_default()).to_lowercase();
    let has = |name: &str| line.split(',').any(|column| column.trim().trim_matches('"') == name);
    if line.trim_start().starts_with('<') {
        Ok(TraceKind::Gpx)
    } else if has("polyline") {
        Ok(TraceKind::TaxiPolyline)
    } else if has("shape") && has("timestamps") {
        Ok(TraceKind::TaxiShape)
    } else if line.matches('\t').count() >= 4 {
        Ok(TraceKind::Brinkhoff)
    } else {
        Err(input.error(FileLocation::File, Problem::UnknownTrace))
    }
}

/// Appends `/2`, `/3`, … to repeated ids.
fn with_unique_ids(mut trips: Vec<Trip>) -> Vec<Trip> {
    let mut seen: FxHashMap<String, u32> = FxHashMap::default();
    for trip in &mut trips {
        let mut id = trip.id.clone();
        while let Some(count) = seen.get_mut(&id) {
            *count = count.saturating_add(1);
            id = format!("{}/{count}", trip.id);
        }
        seen.insert(id.clone(), 1);
        trip.id = id;
    }
    trips
}

/// Adds a trip without points that are not later than their predecessor, or counts why it is
/// skipped.
fn push_trip(id: String, points: Vec<TripPoint>, trips: &mut Vec<Trip>, skips: &mut SkipCounts) {
    let read = points.len();
    let mut points = points;
    let mut last = i64::MIN;
    points.retain(|point| {
        let later = point.at > last;
        last = last.max(point.at);
        later
    });
    skips.backwards = skips.backwards.saturating_add(read.saturating_sub(points.len()));
    match points.len() {
        0 => skips.empty = skips.empty.saturating_add(1),
        1 => skips.one_point = skips.one_point.saturating_add(1),
        _ => trips.push(Trip { id, points }),
    }
}
