//! Texts sent to the database: table names, statements and lines as WKT. Table names need no
//! escaping, because only letters, digits and `_` are valid; all other values are parameters.

use crate::service::fixed_lonlat::{FixedLonLat, wkt_points};
use std::fmt;
use std::str::FromStr;

/// Name of a table, optionally with a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName {
    schema: Option<String>,
    name: String,
}

/// An invalid table name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a table name: expected letters, digits and `_`, as in pois or city.pois")]
pub struct TableNameError(String);

impl Default for TableName {
    fn default() -> TableName {
        TableName { schema: None, name: "meshcloak_pois".to_owned() }
    }
}

impl FromStr for TableName {
    type Err = TableNameError;

    fn from_str(text: &str) -> Result<TableName, TableNameError> {
        let (schema, name) = match text.split_once('.') {
            Some((schema, name)) => (Some(schema), name),
            None => (None, text),
        };
        let is_valid = |word: &str| {
            let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
            (1..=50).contains(&word.len())
                && word.chars().all(is_allowed)
                && !word.starts_with(|c: char| c.is_ascii_digit())
        };
        if !is_valid(name) || !schema.is_none_or(is_valid) {
            return Err(TableNameError(text.to_owned()));
        }
        Ok(TableName { schema: schema.map(str::to_owned), name: name.to_owned() })
    }
}

/// Writes the quoted name, as in a statement.
impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(schema) = &self.schema {
            write!(f, "\"{schema}\".")?;
        }
        write!(f, "\"{}\"", self.name)
    }
}

impl TableName {
    /// Name of the table that is filled before it replaces this one.
    pub(super) fn temporary(&self) -> TableName {
        TableName { schema: self.schema.clone(), name: format!("{}__new", self.name) }
    }

    /// Quoted name without the schema.
    pub(super) fn unqualified(&self) -> String {
        format!("\"{}\"", self.name)
    }
}

const COLUMNS: &str = "SELECT id::text, left(coalesce(name::text, ''), 300), \
     coalesce(category::text, ''), ST_X(geog::geometry), ST_Y(geog::geometry)";

/// Selects points; other geometries are ignored.
const POINTS: &str =
    "GeometryType(geog::geometry) = 'POINT' AND ($1::text IS NULL OR category = $1)";

/// Selects rows within $3 metres of the lines $2, of category $1 (NULL: all).
pub(super) fn near(table: &TableName, limit: u32) -> String {
    let near = "ST_DWithin(geog, ST_GeogFromText($2::text), $3::float8)";
    format!("{COLUMNS} FROM {table} WHERE {near} AND {POINTS} LIMIT {limit}")
}

/// Selects rows of category $1 (NULL: all).
pub(super) fn anywhere(table: &TableName, limit: u32) -> String {
    format!("{COLUMNS} FROM {table} WHERE {POINTS} LIMIT {limit}")
}

/// Largest number of categories.
pub(super) const MAX_CATEGORIES: usize = 10_000;

/// Selects all categories.
pub(super) fn categories(table: &TableName) -> String {
    let known = "category IS NOT NULL";
    format!("SELECT DISTINCT category::text FROM {table} WHERE {known} LIMIT {MAX_CATEGORIES}")
}

/// Writes lines as WKT.
pub(super) fn multi_line_string(lines: Vec<Vec<FixedLonLat>>) -> String {
    let lines: Vec<String> =
        lines.into_iter().map(|line| format!("({})", wkt_points(line))).collect();
    format!("MULTILINESTRING({})", lines.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::units::LonLat;

    #[test]
    fn table_names_are_validated_and_quoted() {
        assert_eq!("pois".parse::<TableName>().unwrap().to_string(), "\"pois\"");
        let table: TableName = "city.Pois_2".parse().unwrap();
        assert_eq!(table.to_string(), "\"city\".\"Pois_2\"");
        assert_eq!(table.temporary().to_string(), "\"city\".\"Pois_2__new\"");
        let long = "x".repeat(51);
        for bad in ["", ".", "a.", ".a", "a.b.c", "a\"b", "a; DROP TABLE b", "1a", "ä", &long] {
            assert!(bad.parse::<TableName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn lines_are_written_as_well_known_text() {
        let point = |lon, lat| FixedLonLat::of(LonLat { lon, lat });
        let lines = vec![vec![point(9.7, 50.8), point(9.71, 50.85)], vec![point(-1.0, 0.0); 2]];
        let expected = "MULTILINESTRING((9.7000000 50.8000000,9.7100000 50.8500000),\
                        (-1.0000000 0.0000000,-1.0000000 0.0000000))";
        assert_eq!(multi_line_string(lines), expected);
    }
}
