//! Measures as aligned tables or as JSON.

use evaluation::neighbours::{MeasureRow, MeasureTable, tables};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Formats one heading per run and one table per table of the run.
pub fn as_table(rows: &[&MeasureRow]) -> String {
    let mut out = String::new();
    for run in rows.chunk_by(|a, b| a.run() == b.run()) {
        let (system, source, setting) = run[0].run();
        let gap = if out.is_empty() { "" } else { "\n" };
        put(&mut out, format_args!("{gap}{system}: {source}\n{setting}\n"));
        for table in tables(run) {
            put_table(&mut out, &table);
        }
    }
    out
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a String does not fail");
}

fn put_table(out: &mut String, table: &MeasureTable<'_>) {
    let length = |text: &str| text.chars().count();
    let first = table.rows.iter().map(|row| length(row.0)).max().unwrap_or(0);
    let width = |column: usize, heading: &String| {
        let cells = table.rows.iter().map(|row| length(&row.1[column]));
        cells.max().unwrap_or(0).max(length(heading))
    };
    let widths: Vec<usize> =
        table.headings.iter().enumerate().map(|(column, heading)| width(column, heading)).collect();
    let first = first.max(length(table.name));
    let mut line = |name: &str, cells: &[String]| {
        let mut text = format!("  {name:first$}");
        for (cell, width) in cells.iter().zip(&widths) {
            put(&mut text, format_args!("  {cell:>width$}"));
        }
        put(out, format_args!("{}\n", text.trim_end()));
    };
    line("", &[]);
    line(table.name, &table.headings);
    for (name, cells) in &table.rows {
        line(name, cells);
    }
}

/// Formats one JSON object per run: tables of cases of measures.
pub fn as_json(rows: &[&MeasureRow]) -> String {
    let runs: Vec<Value> = rows.chunk_by(|a, b| a.run() == b.run()).map(run_json).collect();
    let object = if runs.len() == 1 { runs[0].clone() } else { Value::Array(runs) };
    format!("{object:#}\n")
}

fn run_json(rows: &[&MeasureRow]) -> Value {
    let mut tables: Map<String, Value> = Map::new();
    for row in rows {
        let table = tables.entry(row.table.clone()).or_insert_with(|| json!({}));
        let case = &mut table[row.case.as_str()];
        if case.is_null() {
            *case = json!({});
        }
        case[row.heading()] = row.value.into();
    }
    let (system, source, setting) = rows[0].run();
    json!({ "system": system, "source": source, "setting": setting, "tables": tables })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evaluation::neighbours::{Measures, Unit};

    fn measures() -> Measures {
        let mut measures = Measures::new("mobimix", "town", "k 3");
        measures.table("zones");
        measures.put("rectangular", "visits", Unit::Count, 1234.0);
        measures.put("rectangular", "alone", Unit::Share, 0.5);
        measures.put("shifted", "visits", Unit::Count, 7.0);
        measures
    }

    #[test]
    fn tables_are_aligned() {
        let measures = measures();
        let rows: Vec<&MeasureRow> = measures.rows.iter().collect();
        let expected = "mobimix: town\nk 3\n\n  zones        visits   alone\n  \
                        rectangular   1,234  50.0 %\n  shifted           7\n";
        assert_eq!(as_table(&rows), expected);
    }

    #[test]
    fn json_has_the_values_by_table_case_and_measure() {
        let measures = measures();
        let rows: Vec<&MeasureRow> = measures.rows.iter().collect();
        let value: Value = serde_json::from_str(&as_json(&rows)).unwrap();
        assert_eq!(value["tables"]["zones"]["rectangular"]["alone"], 0.5);
        assert_eq!(value["system"], "mobimix");
    }
}
