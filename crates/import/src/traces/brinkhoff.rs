//! Traces of Brinkhoff's generator: one tab-separated report per line, all objects in order of
//! time: `newpoint|point|disappearpoint|new|poi, object, report, class, time, x, y, speed,
//! next x, next y[, k …]`.

use super::{Coordinates, SkipCounts, Trip, TripPoint};
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;
use meshcloak::units::Point;
use rustc_hash::FxHashMap;

/// Largest length of a line in bytes; a file without line ends must not fill the memory.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// A report of an object: one line of a trace.
#[derive(Debug)]
pub(super) struct ObjectReport {
    object: String,
    is_new: bool,
    point: TripPoint,
}

/// Reads the reports of a file.
pub(super) fn read(mut input: Input) -> Result<Vec<ObjectReport>, ImportError> {
    let mut reports = Vec::new();
    let mut bytes = Vec::new();
    for number in 1.. {
        if !input.read_line(number, MAX_LINE_BYTES, &mut bytes)? {
            break;
        }
        let location = FileLocation::Line(number);
        let line = std::str::from_utf8(&bytes);
        let line =
            line.map_err(|_| input.error(location, Problem::Damaged("not UTF-8 text".into())))?;
        let line = line.trim_start_matches('\u{feff}').trim_end();
        if !line.is_empty() {
            reports.push(report(line).map_err(|problem| input.error(location, problem))?);
        }
    }
    Ok(reports)
}

fn report(line: &str) -> Result<ObjectReport, Problem> {
    let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [kind, object, _, _, time, x, y, speed, ..] = fields[..] else {
        return Err(Problem::bad_field("line", line, COLUMNS));
    };
    let is_new = match kind {
        "newpoint" | "new" => true,
        "point" | "poi" | "disappearpoint" => false,
        _ => {
            return Err(Problem::bad_field(
                "kind",
                kind,
                "newpoint, point, disappearpoint, new or poi",
            ));
        }
    };
    if object.is_empty() {
        return Err(Problem::bad_field("object", object, "an id"));
    }
    let expected = "a time stamp from 0";
    let stamp = number("time", time, 0.0..=1e12, expected)?;
    let metres = |field, text| number(field, text, -4e7..=4e7, "metres within ±40,000 km");
    let coordinates = Coordinates::Metres(Point::new(metres("x", x)?, metres("y", y)?));
    let speed = number("speed", speed, 0.0..=4e7, "metres per time stamp from 0")?;
    let k = fields.get(10).map(|text| {
        let k = text.parse::<u32>().ok().filter(|k| (1..=1_000_000).contains(k));
        k.ok_or_else(|| Problem::bad_field("k", text, "a whole number from 1"))
    });
    let at = (stamp * 1000.0).round() as i64;
    let point = TripPoint { at, coordinates, speed: Some(speed), k: k.transpose()? };
    Ok(ObjectReport { object: object.to_owned(), is_new, point })
}

const COLUMNS: &str = "kind, object, report, class, time, x, y, speed[, next x, next y[, k]], \
                       separated by tabs";

fn number(
    field: &'static str,
    text: &str,
    range: std::ops::RangeInclusive<f64>,
    expected: &'static str,
) -> Result<f64, Problem> {
    let value = text.parse::<f64>().ok().filter(|value| range.contains(value));
    value.ok_or_else(|| Problem::bad_field(field, text, expected))
}

/// Returns the trips of all objects in order of appearance. Files are sorted by their first time
/// stamp.
pub(super) fn trips(mut files: Vec<Vec<ObjectReport>>, skips: &mut SkipCounts) -> Vec<Trip> {
    files.sort_by_key(|reports| reports.first().map(|report| report.point.at));
    let mut trips: Vec<Trip> = Vec::new();
    let mut rows: FxHashMap<String, usize> = FxHashMap::default();
    for ObjectReport { object, is_new, point } in files.into_iter().flatten() {
        let known = rows.get(&object).copied().filter(|_| !is_new);
        let Some(trip) = known.and_then(|row| trips.get_mut(row)) else {
            rows.insert(object.clone(), trips.len());
            trips.push(Trip { id: object, points: vec![point] });
            continue;
        };
        if trip.points.last().is_some_and(|last| last.at >= point.at) {
            skips.backwards = skips.backwards.saturating_add(1);
        } else {
            trip.points.push(point);
        }
    }
    trips
}
