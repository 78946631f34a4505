//! How popular streets are: how often somebody asked there, in a file of earlier queries.

use anyhow::{Context as _, Result};
use import::{Coordinates, QueryReader};
use meshcloak::map::StreetMap;
use std::path::Path;

/// Farther from a street nobody is counted.
const SNAP: f64 = 50.0;

/// For each street how many of the queries of a file were asked on it, and one more, so that no
/// street weighs nothing. What cannot be read or placed is not counted.
pub fn popularity(map: &StreetMap, file: &Path) -> Result<Vec<u32>> {
    let mut weights = vec![1_u32; map.street_count()];
    let mut counted = 0_u64;
    let mut reader = QueryReader::open(file, &())?;
    while let Some(row) = reader.next_row()? {
        let point = row.query.ok().and_then(|record| match record.coordinates {
            Coordinates::Metres(point) => Some(point),
            Coordinates::Degrees(place) => map.frame().map(|frame| frame.point(place)),
        });
        if let Some(snapped) = point.and_then(|point| map.snap(point, Some(SNAP))) {
            let weight = &mut weights[snapped.position.street.index()];
            *weight = weight.saturating_add(1);
            counted += 1;
        }
    }
    let first = (counted > 0).then_some(weights);
    first.with_context(|| format!("{}: no query lies on the map", file.display()))
}
