//! Rows of a file of queries, sorted by time in memory.

use crate::table::grouped;
use anyhow::{Result, bail};
use import::{QueryReader, QueryRow};
use std::path::Path;

/// Largest number of rows that are sorted: they take about a gigabyte.
const MAX_ROWS: usize = 5_000_000;

/// Reads all rows and sorts them by time; rows with the same time keep their order, and a row
/// without a readable time stays behind the row before it.
pub fn sorted_rows(reader: &mut QueryReader<'_>, file: &Path) -> Result<Vec<QueryRow>> {
    let mut rows: Vec<(u64, QueryRow)> = Vec::new();
    let mut latest = 0;
    while let Some(row) = reader.next_row()? {
        if rows.len() == MAX_ROWS {
            bail!(
                "{}: more than {} rows; --sort sorts no larger file in memory. Sort it by `t` before",
                file.display(),
                grouped(MAX_ROWS as u64)
            );
        }
        let asked_at = match &row.query {
            Ok(record) => Some(record.asked_at),
            Err(bad) => bad.asked_at,
        };
        latest = asked_at.unwrap_or(latest);
        rows.push((latest, row));
    }
    rows.sort_by_key(|(asked_at, _)| *asked_at);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}
