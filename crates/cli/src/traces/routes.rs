//! Matched routes as CSV, one row per street.

use anyhow::Result;
use import::AtomicFile;
use meshcloak::map::StreetMap;
use std::path::Path;
use traffic::matching::{Matched, RouteSection};

/// Writes the routes of all trips. `piece` counts the parts of a trip between breaks, `number` the
/// streets of a piece; `from_m` and `to_m` are the offsets where a street is entered and left.
pub(super) fn write<'a>(
    map: &StreetMap,
    trips: impl Iterator<Item = (&'a str, &'a Matched)>,
    file: &Path,
) -> Result<()> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(["trip", "piece", "number", "street", "name", "from_m", "to_m"])?;
    for (trip, matched) in trips {
        for (piece, matched) in matched.pieces.iter().enumerate() {
            for (number, section) in joined(matched.route.sections()).iter().enumerate() {
                out.write_record([
                    trip,
                    &piece.to_string(),
                    &number.to_string(),
                    map.street_label(section.street),
                    map.street_name(section.street).unwrap_or_default(),
                    &section.from.as_metres().to_string(),
                    &section.to.as_metres().to_string(),
                ])?;
            }
        }
    }
    let mut target = AtomicFile::create(file)?;
    target.add(&out.into_inner()?)?;
    Ok(target.finish()?)
}

/// Joins consecutive sections of a street in the same direction: the route is cut at sightings.
fn joined(sections: &[RouteSection]) -> Vec<RouteSection> {
    let mut all: Vec<RouteSection> = Vec::new();
    for section in sections {
        match all.last_mut() {
            Some(last)
                if last.street == section.street
                    && last.to == section.from
                    && !((last.from < last.to && section.to < section.from)
                        || (last.to < last.from && section.from < section.to)) =>
            {
                last.to = section.to;
            }
            _ => all.push(*section),
        }
    }
    all
}
