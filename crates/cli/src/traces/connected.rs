//! Leaves out queries on streets that the engine's map does not have.

use crate::table::grouped;
use anyhow::Result;
use meshcloak::map::{Extent, MapBuilder, StreetMap};
use std::collections::BTreeSet;
use traffic::traces::TraceQueries;

/// Removes the queries on streets outside the largest strongly connected component. Returns what was
/// cut, if anything.
pub(super) fn cut(map: &StreetMap, queries: &mut TraceQueries) -> Result<Option<String>> {
    let built = MapBuilder::from_map(map).build(Extent::LargestPart)?;
    if built.dropped.streets == 0 {
        return Ok(None);
    }
    let connected = &built.map;
    let labels: BTreeSet<&str> =
        connected.streets().map(|street| connected.street_label(street)).collect();
    let before = queries.queries.len();
    queries.queries.retain(|query| labels.contains(map.street_label(query.position.street)));
    let gone = before - queries.queries.len();
    let share = 100.0 * gone as f64 / before.max(1) as f64;
    Ok((gone > 0).then(|| {
        format!(
            "{} of {} queries ({share:.1} %) left out: their streets are outside the largest \
             strongly connected component ({} streets, {:.1} km); `--whole-map` keeps them",
            grouped(gone as u64),
            grouped(before as u64),
            grouped(built.dropped.streets as u64),
            built.dropped.metres / 1000.0,
        )
    }))
}
