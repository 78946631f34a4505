//! Measures of the systems of crate `neighbours`: rows of `neighbours.csv` and
//! `neighbours-drawings.csv`, from which tables, JSON, pictures and the report are built.

mod drawing;
mod measures;

pub use drawing::{DrawingRow, draw};
pub use measures::{MeasureRow, MeasureTable, Measures, Unit, tables};

use crate::results::{self, MergeError};
use std::path::Path;

/// File of the measures within a results folder.
pub const MEASURES: &str = "neighbours.csv";
/// File of the drawings within a results folder.
pub const DRAWINGS: &str = "neighbours-drawings.csv";

/// Writes measures and a drawing to a results folder. Rows of other runs are kept; those of the same
/// run are replaced, and so is the drawing of the same system.
pub fn merge(folder: &Path, rows: &[MeasureRow], drawing: &[DrawingRow]) -> Result<(), MergeError> {
    let is_replaced = |old: &MeasureRow| rows.iter().any(|row| row.run() == old.run());
    results::merge(&folder.join(MEASURES), rows, is_replaced)?;
    if !drawing.is_empty() {
        let is_replaced = |old: &DrawingRow| drawing.iter().any(|row| row.system == old.system);
        results::merge(&folder.join(DRAWINGS), drawing, is_replaced)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_replaces_the_same_run_and_keeps_others() {
        let folder = tempfile::tempdir().unwrap();
        let run = |setting: &str, value: f64| {
            let mut measures = Measures::new("mobimix", "town", setting);
            measures.table("zones").put("a", "visits", Unit::Count, value);
            measures.rows
        };
        merge(folder.path(), &run("k 3", 1.0), &[]).unwrap();
        merge(folder.path(), &run("k 5", 2.0), &[]).unwrap();
        merge(folder.path(), &run("k 3", 3.0), &[]).unwrap();
        let rows: Vec<MeasureRow> = results::read(&folder.path().join(MEASURES)).unwrap();
        let values: Vec<_> = rows.iter().map(|row| (row.setting.as_str(), row.value)).collect();
        assert_eq!(values, [("k 5", Some(2.0)), ("k 3", Some(3.0))]);
    }
}
