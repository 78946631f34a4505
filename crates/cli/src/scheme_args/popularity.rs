//! Popularity of streets: the number of earlier queries on each.

use anyhow::{Context as _, Result};
use import::{Coordinates, QueryReader};
use meshcloak::map::StreetMap;
use std::path::Path;

/// Largest snapping distance, in metres.
const MAX_SNAP: f64 = 50.0;

/// Returns for each street the number of queries on it plus one, so that no weight is 0. Rows that
/// are malformed or off the map are ignored.
pub fn popularity(map: &StreetMap, file: &Path) -> Result<Vec<u32>> {
    let mut weights = vec![1_u32; map.street_count()];
    let mut counted = 0_u64;
    let mut reader = QueryReader::open(file, &())?;
    while let Some(row) = reader.next_row()? {
        let point = row.query.ok().and_then(|record| match record.coordinates {
            Coordinates::Metres(point) => Some(point),
            Coordinates::Degrees(lon_lat) => map.frame().map(|frame| frame.point(lon_lat)),
        });
        if let Some(snapped) = point.and_then(|point| map.snap(point, Some(MAX_SNAP))) {
            let weight = &mut weights[snapped.position.street.index()];
            *weight = weight.saturating_add(1);
            counted += 1;
        }
    }
    let weights = (counted > 0).then_some(weights);
    weights.with_context(|| format!("{}: no query is on the map", file.display()))
}
