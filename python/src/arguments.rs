//! Arguments of calls: schemes, attacks, and the queries of a picture.

use crate::call::Reports;
use crate::error::failed;
use crate::runs::SchemeArgument;
use crate::source::Source;
use attacks::{ATTACKS, Attack};
use evaluation::privacy::AttackPlan;
use import::{Coordinates, Imported};
use meshcloak::units::Point;
use pyo3::prelude::*;
use std::sync::Arc;

/// Accepts a name or an object.
pub(crate) fn scheme_argument(scheme: &Bound<'_, PyAny>) -> SchemeArgument {
    match scheme.extract::<String>() {
        Ok(name) => SchemeArgument::Named(name),
        Err(_) => SchemeArgument::Object(scheme.clone().unbind()),
    }
}

/// Selects attacks by name or letter.
pub(crate) fn plan(chosen: &[String], victims: usize) -> PyResult<AttackPlan> {
    let selects = |text: &String, attack: &Attack| {
        attack.name == text || text.len() == 1 && text.to_uppercase().starts_with(attack.letter)
    };
    if let Some(unknown) =
        chosen.iter().find(|text| !ATTACKS.iter().any(|attack| selects(text, attack)))
    {
        let known = ATTACKS.iter().map(|attack| format!("{} ({})", attack.name, attack.letter));
        let known = known.collect::<Vec<_>>().join(", ");
        return Err(failed(format!("unknown attack `{unknown}`; expected {known}")));
    }
    let is_chosen = |attack: &&Attack| chosen.iter().any(|text| selects(text, attack));
    let attacks = ATTACKS.iter().filter(is_chosen).map(|attack| attack.name).collect();
    let targets = if victims == 0 { usize::MAX } else { victims };
    Ok(AttackPlan { attacks, targets, ..AttackPlan::default() })
}

/// Returns the positions of the queries of these ids.
pub(crate) fn positions(
    imported: &Imported,
    queries: Source,
    ids: &[String],
    reports: &Arc<Reports>,
) -> PyResult<Vec<Point>> {
    let mut reader = queries.queries(reports)?;
    let mut points = Vec::new();
    while let Some(row) = reader.next_row().map_err(failed)? {
        let Ok(record) = row.query else { continue };
        if ids.contains(&record.query) {
            points.extend(match (record.coordinates, imported.map.frame()) {
                (Coordinates::Metres(point), _) => Some(point),
                (Coordinates::Degrees(lon_lat), Some(frame)) => Some(frame.point(lon_lat)),
                (Coordinates::Degrees(_), None) => None,
            });
        }
    }
    Ok(points)
}
