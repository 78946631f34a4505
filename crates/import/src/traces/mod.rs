//! Traces: where people really went, as others recorded it (docs/SPEC.md §8).
//!
//! Four kinds, recognised by content, plain or gzipped: Brinkhoff's generator, taxi trips as CSV
//! with `POLYLINE` or with `shape` and `timestamps`, and GPX. All become [`Trip`]s. What a field
//! must not hold is an error that names it; what records are full of (a trip of one point, time
//! that runs backwards, data the taxi lost) is left out and counted.

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

/// How a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// Tab-separated reports of Brinkhoff's generator, in metres; time in its own stamps.
    Brinkhoff,
    /// Taxi trips as CSV with `POLYLINE`, a point every 15 s.
    TaxiPolyline,
    /// Taxi trips as CSV with `shape` in WKT and `timestamps`.
    TaxiShape,
    /// GPX 1.0 or 1.1.
    Gpx,
}

/// A point of a trip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TripPoint {
    /// Milliseconds since 1970; thousandths of a time stamp in a Brinkhoff trace.
    pub at: i64,
    /// Where.
    pub coordinates: Coordinates,
    /// Metres per time stamp, if the trace says (Brinkhoff).
    pub speed: Option<f64>,
    /// The k-anonymity asked for, if the trace says (Brinkhoff with k).
    pub k: Option<u32>,
}

/// One way of one person, in order of time and never twice at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Trip {
    /// The trace's own name for it, made unique by `/2`, `/3` where it is not.
    pub id: String,
    /// At least one point; at least two unless the trace is Brinkhoff's.
    pub points: Vec<TripPoint>,
}

/// What was read from one or several files of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Trips {
    /// How they are written.
    pub kind: TraceKind,
    /// In the order in which they begin in the files.
    pub trips: Vec<Trip>,
    /// What was left out.
    pub skips: SkipCounts,
}

/// Reads the files of one trace. Brinkhoff traces may be cut into files by time, in any order;
/// for the other kinds every file stands for itself.
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

/// The kind of trace an input holds, by its first line.
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

/// Appends `/2`, `/3`, … to ids that were there before.
fn with_unique_ids(mut trips: Vec<Trip>) -> Vec<Trip> {
    let mut seen: FxHashMap<String, u32> = FxHashMap::default();
    for trip in &mut trips {
        let mut id = trip.id.clone();
        while let Some(count) = seen.get_mut(&id) {
            *count += 1;
            id = format!("{}/{count}", trip.id);
        }
        seen.insert(id.clone(), 1);
        trip.id = id;
    }
    trips
}

/// Adds a trip, less the points that are not later than the one before; or counts why not.
fn push_trip(id: String, points: Vec<TripPoint>, trips: &mut Vec<Trip>, skips: &mut SkipCounts) {
    let read = points.len();
    let mut points = points;
    let mut last = i64::MIN;
    points.retain(|point| {
        let later = point.at > last;
        last = last.max(point.at);
        later
    });
    skips.backwards += read - points.len();
    match points.len() {
        0 => skips.empty += 1,
        1 => skips.one_point += 1,
        _ => trips.push(Trip { id, points }),
    }
}

/// A value short enough to be shown in a message.
fn shown(value: &str) -> String {
    let mut short: String = value.chars().take(80).collect();
    if short.len() < value.len() {
        short.push('…');
    }
    short
}
