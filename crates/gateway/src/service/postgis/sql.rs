//! The texts that go to the database: table names that cannot be anything else, the statements,
//! and lines as WKT.

use meshcloak::units::LonLat;
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// The name of a table, perhaps with its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    schema: Option<String>,
    name: String,
}

/// A text that is no name of a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a table: expected letters, digits and `_`, as in pois or city.pois")]
pub struct BadTable(String);

impl Default for Table {
    fn default() -> Table {
        Table { schema: None, name: "meshcloak_pois".to_owned() }
    }
}

impl FromStr for Table {
    type Err = BadTable;

    fn from_str(text: &str) -> Result<Table, BadTable> {
        let (schema, name) = match text.split_once('.') {
            Some((schema, name)) => (Some(schema), name),
            None => (None, text),
        };
        let plain = |word: &str| {
            let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
            (1..=50).contains(&word.len())
                && word.chars().all(fits)
                && !word.starts_with(|c: char| c.is_ascii_digit())
        };
        if !plain(name) || !schema.is_none_or(plain) {
            return Err(BadTable(text.to_owned()));
        }
        Ok(Table { schema: schema.map(str::to_owned), name: name.to_owned() })
    }
}

/// Quoted, as in a statement.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(schema) = &self.schema {
            write!(f, "\"{schema}\".")?;
        }
        write!(f, "\"{}\"", self.name)
    }
}

impl Table {
    /// A table beside this one, for what is not finished.
    pub(super) fn beside(&self) -> Table {
        Table { schema: self.schema.clone(), name: format!("{}__new", self.name) }
    }

    /// Its name without the schema, quoted.
    pub(super) fn bare(&self) -> String {
        format!("\"{}\"", self.name)
    }
}

const COLUMNS: &str = "SELECT id::text, left(coalesce(name::text, ''), 300), \
     coalesce(category::text, ''), ST_X(geog::geometry), ST_Y(geog::geometry)";

/// Objects are points; anything else in the table has no single place.
const POINTS: &str =
    "GeometryType(geog::geometry) = 'POINT' AND ($1::text IS NULL OR category = $1)";

/// Rows within $3 metres of the lines $2, of the category $1 or of any.
pub(super) fn near(table: &Table, limit: u32) -> String {
    let near = "ST_DWithin(geog, ST_GeogFromText($2::text), $3::float8)";
    format!("{COLUMNS} FROM {table} WHERE {near} AND {POINTS} LIMIT {limit}")
}

/// Rows of the category $1 or of any, anywhere.
pub(super) fn anywhere(table: &Table, limit: u32) -> String {
    format!("{COLUMNS} FROM {table} WHERE {POINTS} LIMIT {limit}")
}

/// How many categories there may be.
pub(super) const MOST_CATEGORIES: usize = 10_000;

/// Every category.
pub(super) fn categories(table: &Table) -> String {
    let known = "category IS NOT NULL";
    format!("SELECT DISTINCT category::text FROM {table} WHERE {known} LIMIT {MOST_CATEGORIES}")
}

/// Lines as WKT; seven decimals are a centimetre.
pub(super) fn lines(lines: impl Iterator<Item = Vec<LonLat>>) -> String {
    let mut text = String::from("MULTILINESTRING(");
    for (number, line) in lines.enumerate() {
        text.push_str(if number == 0 { "(" } else { ",(" });
        for (place, LonLat { lon, lat }) in line.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(text, "{comma}{lon:.7} {lat:.7}").expect("a String takes any text");
        }
        text.push(')');
    }
    text.push(')');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_a_plain_name_or_an_error() {
        assert_eq!("pois".parse::<Table>().unwrap().to_string(), "\"pois\"");
        let table: Table = "city.Pois_2".parse().unwrap();
        assert_eq!(table.to_string(), "\"city\".\"Pois_2\"");
        assert_eq!(table.beside().to_string(), "\"city\".\"Pois_2__new\"");
        let long = "x".repeat(51);
        for bad in ["", ".", "a.", ".a", "a.b.c", "a\"b", "a; DROP TABLE b", "1a", "ä", &long] {
            assert!(bad.parse::<Table>().is_err(), "{bad}");
        }
    }

    #[test]
    fn lines_are_written_as_well_known_text() {
        let place = |lon, lat| LonLat { lon, lat };
        let text = lines(
            [vec![place(9.7, 50.8), place(9.71, 50.85)], vec![place(-1.0, 0.0); 2]].into_iter(),
        );
        let expected = "MULTILINESTRING((9.7000000 50.8000000,9.7100000 50.8500000),\
                        (-1.0000000 0.0000000,-1.0000000 0.0000000))";
        assert_eq!(text, expected);
    }
}
