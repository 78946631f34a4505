//! The table of sensitive places: `x,y` or `lon,lat`, `factor`, optionally `radius`.

use super::axes::Axes;
use super::table::{Column, Table};
use crate::error::{ImportError, Problem};
use crate::input::Input;
use meshcloak::map::StreetMap;
use meshcloak::units::Point;
use std::path::Path;

/// A place around which users need more anonymity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensitivePlace {
    /// Middle of the place.
    pub point: Point,
    /// Radius in metres, 0 to 100,000.
    pub radius: f64,
    /// Factor by which the place raises k, 1 to 100.
    pub factor: u32,
}

/// Largest number of places in a file.
const MAX_PLACES: usize = 10_000;

/// Reads the sensitive places of a map: CSV with `x,y` or `lon,lat`, `factor` (a whole number from 1 to
/// 100) and, optionally, `radius` in metres. Without a radius a place is a point.
///
/// # Errors
/// If the file cannot be read, a field is invalid, or it holds more than 10,000 places.
pub fn read_sensitive_places(
    path: &Path,
    map: &StreetMap,
) -> Result<Vec<SensitivePlace>, ImportError> {
    let mut table = Table::open(Input::begin(path, "reading sensitive places", &())?)?;
    let axes = Axes::of(&table)?;
    let (factor, radius) = (table.required("factor")?, table.column("radius")?);
    if map.frame().is_none() && axes.metres.is_none() {
        return Err(table.file_error(Problem::NoFrame("a table of lon,lat")));
    }
    let mut places = Vec::new();
    while table.next()? {
        if places.len() == MAX_PLACES {
            let limit = format!("more than {MAX_PLACES} places");
            return Err(table.error(Problem::Unsupported(limit)));
        }
        places.push(SensitivePlace {
            point: super::pois::point(&table, axes, map.frame(), places.len())?,
            radius: radius.map_or(Ok(0.0), |column| metres(&table, column))?,
            factor: whole(&table, factor)?,
        });
    }
    Ok(places)
}

fn metres(table: &Table<'_>, column: Column) -> Result<f64, ImportError> {
    let metres = table.optional_number(column)?.unwrap_or(0.0);
    let is_valid = (0.0..=1e5).contains(&metres);
    is_valid.then_some(metres).ok_or_else(|| table.bad(column, "metres from 0 to 100,000"))
}

fn whole(table: &Table<'_>, column: Column) -> Result<u32, ImportError> {
    let number =
        table.text(column)?.trim().parse().ok().filter(|factor| (1..=100).contains(factor));
    number.ok_or_else(|| table.bad(column, "a whole number from 1 to 100"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;

    fn read(text: &str) -> Result<Vec<SensitivePlace>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("places.csv");
        std::fs::write(&path, text).unwrap();
        let map = town("A 0,0  B 300,0 | A-B").map;
        let name = path.display().to_string();
        read_sensitive_places(&path, &map).map_err(|error| error.to_string().replace(&name, "FILE"))
    }

    #[test]
    fn places_are_read_with_or_without_a_radius() {
        let place =
            |x: f64, radius, factor| SensitivePlace { point: Point::new(x, 5.0), radius, factor };
        let found = read("factor,note,y,x,radius\n3,school,5,10,200\n100,,5,20,\n");
        assert_eq!(found, Ok(vec![place(10.0, 200.0, 3), place(20.0, 0.0, 100)]));
        assert_eq!(read("x,y,factor\n10,5,1\n"), Ok(vec![place(10.0, 0.0, 1)]));
        assert_eq!(read("x,y,factor\n"), Ok(Vec::new()));
    }

    #[test]
    fn bad_tables_are_refused_with_their_line() {
        for (text, expected) in [
            ("", "no content; expected a header"),
            ("x,y\n1,1\n", "column `factor` is missing"),
            ("factor\n1\n", "column `x`,`y` or `lon`,`lat` is missing"),
            ("lon,lat,factor\n1,1,1\n", "the map has only metres"),
            ("x,y,factor\n1,1,0\n", "FILE, line 2: field `factor` is `0`; expected a whole number"),
            ("x,y,factor\n1,1,101\n", "from 1 to 100"),
            ("x,y,factor\n1,1,2.5\n", "from 1 to 100"),
            ("x,y,factor\nNaN,1,2\n", "field `x` is `NaN`; expected metres"),
            ("x,y,factor,radius\n1,1,2,-1\n", "field `radius` is `-1`; expected metres from 0"),
            ("x,y,factor,radius\n1,1,2,1e9\n", "metres from 0 to 100,000"),
            ("x,y,factor\n1,1\n", "row has 2 fields; expected 3"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(expected), "{text:?}: {message}");
        }
        let many = format!("x,y,factor\n{}", "1,1,2\n".repeat(10_001));
        let message = read(&many).unwrap_err();
        assert!(
            message.contains("FILE, line 10002: not supported: more than 10000 places"),
            "{message}"
        );
        assert_eq!(read(&many[..many.len() - 6]).map(|places| places.len()), Ok(10_000));
    }
}
