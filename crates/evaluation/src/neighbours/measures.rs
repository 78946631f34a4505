//! Rows of `neighbours.csv` and the tables that they form.

use crate::distinct::distinct;
use serde::{Deserialize, Serialize};

/// Unit of a measure; it decides how a value is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A number without unit.
    #[default]
    Number,
    /// A whole number.
    Count,
    /// A fraction, written as a percentage.
    Share,
    /// Metres.
    Metres,
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Bits of entropy.
    Bits,
    /// Bytes, written as B, kB, MB or GB.
    Bytes,
}

/// A row of `neighbours.csv`: one value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasureRow {
    /// Name of the subcommand.
    pub system: String,
    /// Map and population.
    pub source: String,
    /// Settings of the system.
    pub setting: String,
    /// Name of the table.
    pub table: String,
    /// Row of the table.
    pub case: String,
    /// Column of the table.
    pub measure: String,
    /// Unit of the value.
    pub unit: Unit,
    /// The value; empty if there is none.
    pub value: Option<f64>,
    /// Commit of the program; empty in files of earlier versions.
    #[serde(default)]
    pub commit: String,
}

impl MeasureRow {
    /// Key of the run.
    pub fn run(&self) -> (&str, &str, &str) {
        (&self.system, &self.source, &self.setting)
    }

    /// Formats the value.
    pub fn text(&self) -> String {
        let Some(value) = self.value.filter(|value| value.is_finite()) else {
            return "–".to_owned();
        };
        match self.unit {
            Unit::Share => format!("{} %", picture::decimal(value * 100.0, 1)),
            Unit::Count => picture::decimal(value, 0),
            Unit::Bytes => bytes(value),
            _ => picture::decimal(value, decimals(value)),
        }
    }

    /// Column heading: measure and unit.
    pub fn heading(&self) -> String {
        let unit = match self.unit {
            Unit::Metres => "m",
            Unit::Seconds => "s",
            Unit::Milliseconds => "ms",
            Unit::Bits => "bits",
            Unit::Number | Unit::Count | Unit::Share | Unit::Bytes => return self.measure.clone(),
        };
        format!("{} ({unit})", self.measure)
    }
}

fn decimals(value: f64) -> usize {
    match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 || size == 0.0 => 2,
        _ => 4,
    }
}

fn bytes(value: f64) -> String {
    let mut value = value;
    for unit in ["B", "kB", "MB"] {
        if value.abs() < 1000.0 {
            let decimals = if unit == "B" { 0 } else { decimals(value) };
            return format!("{} {unit}", picture::decimal(value, decimals));
        }
        value /= 1000.0;
    }
    format!("{} GB", picture::decimal(value, decimals(value)))
}

/// Collects the rows of one run.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    /// Rows so far.
    pub rows: Vec<MeasureRow>,
    common: MeasureRow,
}

impl Measures {
    /// Begins the measures of a run.
    pub fn new(system: &str, source: &str, setting: &str) -> Measures {
        let common = MeasureRow {
            system: system.to_owned(),
            source: source.to_owned(),
            setting: setting.to_owned(),
            ..MeasureRow::default()
        };
        Measures { rows: Vec::new(), common }
    }

    /// Begins a table.
    pub fn table(&mut self, name: &str) -> &mut Measures {
        self.common.table = name.to_owned();
        self
    }

    /// Adds a value to the current table; a missing value is written as a dash.
    pub fn put(&mut self, case: &str, measure: &str, unit: Unit, value: impl Into<Option<f64>>) {
        self.rows.push(MeasureRow {
            case: case.to_owned(),
            measure: measure.to_owned(),
            unit,
            value: value.into(),
            ..self.common.clone()
        });
    }
}

/// A table of measures.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureTable<'a> {
    /// Name of the table.
    pub name: &'a str,
    /// Headings of the columns after the first.
    pub headings: Vec<String>,
    /// Name and cells of each row.
    pub rows: Vec<(&'a str, Vec<String>)>,
}

/// Arranges the rows of one run in tables: cases as rows, measures as columns, in the order in which
/// they first occur.
pub fn tables<'a>(rows: &[&'a MeasureRow]) -> Vec<MeasureTable<'a>> {
    let names = distinct(rows.iter().map(|row| row.table.as_str()));
    let table = |name: &'a str| {
        let rows: Vec<&MeasureRow> = rows.iter().copied().filter(|row| row.table == name).collect();
        let headings = distinct(rows.iter().map(|row| row.heading()));
        let cases = distinct(rows.iter().map(|row| row.case.as_str()));
        let cells = |case: &'a str| {
            let cell = |heading: &String| {
                let found = rows.iter().find(|row| row.case == case && row.heading() == *heading);
                found.map_or(String::new(), |row| row.text())
            };
            (case, headings.iter().map(cell).collect())
        };
        MeasureTable { name, rows: cases.into_iter().map(cells).collect(), headings }
    };
    names.into_iter().map(table).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_by_their_unit() {
        let text = |unit, value: f64| MeasureRow { unit, value: Some(value), ..Default::default() };
        let texts = [
            (Unit::Share, 0.1234, "12.3 %"),
            (Unit::Count, 12_345.0, "12,345"),
            (Unit::Bytes, 999.0, "999 B"),
            (Unit::Bytes, 487_424.0, "487 kB"),
            (Unit::Bytes, 73_728.0, "73.7 kB"),
            (Unit::Bytes, 2.5e9, "2.50 GB"),
            (Unit::Metres, 12.34, "12.3"),
            (Unit::Milliseconds, 0.001_42, "0.0014"),
            (Unit::Number, f64::NAN, "–"),
        ];
        for (unit, value, expected) in texts {
            assert_eq!(text(unit, value).text(), expected);
        }
        assert_eq!(MeasureRow::default().text(), "–");
    }

    #[test]
    fn tables_keep_the_order_of_cases_and_measures() {
        let mut measures = Measures::new("s", "m", "");
        measures.table("t");
        for case in ["b", "a"] {
            measures.put(case, "size", Unit::Metres, 1.0);
            measures.put(case, "share", Unit::Share, None);
        }
        measures.table("u").put("x", "n", Unit::Count, 3.0);
        let rows: Vec<&MeasureRow> = measures.rows.iter().collect();
        let tables = tables(&rows);
        assert_eq!(tables.len(), 2);
        assert_eq!(tables[0].headings, ["size (m)", "share"]);
        assert_eq!(tables[0].rows[0], ("b", vec!["1.00".to_owned(), "–".to_owned()]));
        assert_eq!(tables[0].rows[1].0, "a");
    }
}
