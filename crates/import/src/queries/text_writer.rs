//! Queries as lines of CSV or NDJSON.
//!
//! Metres have six decimals (1 µm), so that a point snaps to its original street and offset, unless
//! another street passes through it.

use super::decimal::{Decimal, put};
use super::{Coordinates, QueryRecord};
use crate::atomic_file::AtomicFile;
use crate::error::ImportError;
use meshcloak::units::{LonLat, Point};

/// Queries in CSV or NDJSON.
#[derive(Debug)]
pub(super) struct TextQueries {
    file: AtomicFile,
    format: QueryFormat,
    row: Vec<u8>,
    is_empty: bool,
    /// Whether the column `asks` is written.
    pub(super) has_asks: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueryFormat {
    Csv,
    Ndjson,
}

/// A numeric column and its value.
struct NumberColumn {
    name: &'static str,
    /// `None` leaves a CSV field empty and omits a JSON member.
    value: Option<Decimal>,
}

impl TextQueries {
    pub(super) fn new(file: AtomicFile, format: QueryFormat) -> TextQueries {
        TextQueries { file, format, row: Vec::new(), is_empty: true, has_asks: false }
    }

    pub(super) fn write(&mut self, query: &QueryRecord) -> Result<(), ImportError> {
        self.row.clear();
        let numbers = numbers(query);
        let numbers = if self.has_asks { &numbers[..] } else { &numbers[..NUMBERS] };
        match self.format {
            QueryFormat::Csv => {
                if self.is_empty {
                    put_header(&mut self.row, numbers);
                }
                put_csv(&mut self.row, query, numbers);
            }
            QueryFormat::Ndjson => put_json(&mut self.row, query, numbers),
        }
        self.is_empty = false;
        self.file.add(&self.row)
    }

    pub(super) fn finish(mut self) -> Result<(), ImportError> {
        if self.is_empty && self.format == QueryFormat::Csv {
            let asks: &[u8] = if self.has_asks { b",asks" } else { b"" };
            self.file.add(b"query,user,t,x,y,k,dt,dc,speed,interval")?;
            self.file.add(&[asks, b"\n"].concat())?;
        }
        self.file.finish()
    }
}

/// Number of numeric columns without `asks`, which is the last.
const NUMBERS: usize = 8;

fn numbers(query: &QueryRecord) -> [NumberColumn; NUMBERS + 1] {
    let column = |name, value| NumberColumn { name, value };
    let number = |name, value, decimals| column(name, Some(Decimal { value, decimals }));
    let metres = |name, value: f64| number(name, (value * 1e6).round() as i64, 6);
    let degrees = |name, value: f64| number(name, (value * 1e9).round() as i64, 9);
    let [first, second] = match query.coordinates {
        Coordinates::Metres(Point { x, y }) => [metres("x", x), metres("y", y)],
        Coordinates::Degrees(LonLat { lon, lat }) => [degrees("lon", lon), degrees("lat", lat)],
    };
    let seconds = |name, millis: u64| number(name, i64::try_from(millis).unwrap_or(i64::MAX), 3);
    let thousandths = |value: u32| Decimal { value: value.into(), decimals: 3 };
    // A unit of 1/32 m is 3125 hundred-thousandths of a metre.
    let dc = i64::from(query.distance_constraint.units()).saturating_mul(3125);
    [
        seconds("t", query.asked_at),
        first,
        second,
        number("k", query.k.into(), 0),
        seconds("dt", query.temporal_tolerance),
        number("dc", dc, 5),
        column("speed", query.speed.map(thousandths)),
        column("interval", query.query_interval.map(thousandths)),
        number("asks", query.asks.into(), 0),
    ]
}

fn put_header(row: &mut Vec<u8>, numbers: &[NumberColumn]) {
    row.extend_from_slice(b"query,user");
    for NumberColumn { name, .. } in numbers {
        row.push(b',');
        row.extend_from_slice(name.as_bytes());
    }
    row.push(b'\n');
}

fn put_csv(row: &mut Vec<u8>, query: &QueryRecord, numbers: &[NumberColumn]) {
    put_csv_text(row, &query.query);
    row.push(b',');
    put_csv_text(row, &query.user);
    for column in numbers {
        row.push(b',');
        if let Some(value) = column.value {
            put(row, value);
        }
    }
    row.push(b'\n');
}

fn put_csv_text(row: &mut Vec<u8>, text: &str) {
    if !text.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        return row.extend_from_slice(text.as_bytes());
    }
    row.push(b'"');
    row.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    row.push(b'"');
}

fn put_json(row: &mut Vec<u8>, query: &QueryRecord, numbers: &[NumberColumn]) {
    for (before, text) in [("{\"query\":", &query.query), (",\"user\":", &query.user)] {
        row.extend_from_slice(before.as_bytes());
        serde_json::to_writer(&mut *row, text).expect("writing to a Vec cannot fail");
    }
    for &NumberColumn { name, value } in numbers {
        if let Some(value) = value {
            row.extend_from_slice(b",\"");
            row.extend_from_slice(name.as_bytes());
            row.extend_from_slice(b"\":");
            put(row, value);
        }
    }
    row.extend_from_slice(b"}\n");
}

#[cfg(test)]
mod tests {
    use super::super::QueryWriter;
    use super::*;
    use meshcloak::map::StreetId;
    use meshcloak::town::Town;
    use meshcloak::units::Length;

    fn record() -> QueryRecord {
        QueryRecord {
            query: "7.0".to_owned(),
            user: "a,\"b\"".to_owned(),
            asked_at: 12_050,
            coordinates: Coordinates::Metres(Point::new(13_907.25, -0.5)),
            k: 3,
            temporal_tolerance: 3000,
            distance_constraint: Length::metres(50.03),
            speed: Some(10_000),
            query_interval: None,
            asks: true,
        }
    }

    fn written(name: &str, records: &[QueryRecord]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let mut writer = QueryWriter::create(&path).unwrap();
        for record in records {
            writer.write(record).unwrap();
        }
        writer.finish().unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_query_is_a_row_of_csv_or_a_line_of_json() {
        assert_eq!(
            written("q.csv", &[record()]),
            "query,user,t,x,y,k,dt,dc,speed,interval\n\
             7.0,\"a,\"\"b\"\"\",12.05,13907.25,-0.5,3,3,50.03125,10,\n"
        );
        assert_eq!(
            written("q.ndjson", &[record()]),
            "{\"query\":\"7.0\",\"user\":\"a,\\\"b\\\"\",\"t\":12.05,\"x\":13907.25,\"y\":-0.5,\
             \"k\":3,\"dt\":3,\"dc\":50.03125,\"speed\":10}\n"
        );
        assert_eq!(written("q.csv", &[]), "query,user,t,x,y,k,dt,dc,speed,interval\n");
    }

    /// Rounding error plus ties of snapping, in metres.
    const NEAR: f64 = 2e-6;

    /// Returns whether another street is near enough to `point` for snapping to prefer it.
    fn is_shared(town: &Town, point: Point, own: StreetId) -> bool {
        let near = |street: StreetId| {
            town.map.shape(street).windows(2).any(|pair| {
                let at = point.nearest_fraction(pair[0], pair[1]);
                pair[0].towards(pair[1], at).distance(point) < NEAR
            })
        };
        town.map.streets().any(|street| street != own && near(street))
    }

    fn written_and_read(point: Point) -> Point {
        let query = QueryRecord { coordinates: Coordinates::Metres(point), ..record() };
        let mut row = Vec::new();
        put_csv(&mut row, &query, &numbers(&query)[1..3]);
        let text = String::from_utf8(row).unwrap();
        let mut fields = text.trim().rsplit(',').map(|field| field.parse().unwrap());
        let (y, x) = (fields.next().unwrap(), fields.next().unwrap());
        Point::new(x, y)
    }

    /// The point snaps within 1 µm to the same street, unless another street passes through it, and
    /// to the same offset, unless the street passes through the point twice.
    #[test]
    fn a_written_point_snaps_to_the_position_it_was_taken_from() {
        let (mut straight, mut bent) = (0, 0);
        for seed in 0..1200 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            for _ in 0..20 {
                let position = town.position(&mut random);
                let point = town.map.point(position);
                let snapped = town.map.snap(written_and_read(point), Some(1e-6)).unwrap().position;
                if is_shared(&town, point, position.street) {
                    continue;
                }
                let context = format!("seed {seed} {point:?} {position:?} {snapped:?}\n{town}");
                assert_eq!(snapped.street, position.street, "{context}");
                let again = town.map.point(snapped).distance(point) < 0.05;
                let shape = town.map.shape(position.street);
                let passes_twice =
                    snapped.offset != position.offset && again && passes_twice(shape, point);
                assert!(snapped == position || passes_twice, "{context}");
                *if shape.len() > 2 { &mut bent } else { &mut straight } +=
                    usize::from(!passes_twice);
            }
        }
        assert!(straight > 4000 && bent > 1000, "only {straight} and {bent} points");
    }

    /// Returns whether two segments of a shape are near `point`, or the shape is a single point.
    fn passes_twice(shape: &[Point], point: Point) -> bool {
        let parts: Vec<usize> = (0..shape.len() - 1)
            .filter(|&part| {
                let at = point.nearest_fraction(shape[part], shape[part + 1]);
                shape[part].towards(shape[part + 1], at).distance(point) < NEAR
            })
            .collect();
        let whole: f64 = shape.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        parts.len() > 1 || whole < NEAR
    }
}
