//! CSV writer. Reading the files restores the same points, shapes, lengths and texts.
//!
//! Numbers are written in the shortest form that parses to the same value. If the map has a frame,
//! lon,lat with nine decimals (0.1 mm) follow x,y.

use super::CsvFiles;
use crate::error::{FileLocation, ImportError};
use crate::lon_lat::LonLatConverter;
use crate::output::Output;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::units::{LonLat, Point};
use std::fmt::Write as _;
use std::io;

/// Writes a map. The file of points of interest is omitted if there are none, unless an old file of
/// that name exists, which would otherwise be read as part of this map.
pub(crate) fn write(map: &StreetMap, files: &CsvFiles) -> Result<(), ImportError> {
    let lon_lats =
        LonLatConverter::of(map).map_err(|error| FileLocation::File.of(&files.nodes, error))?;
    let mut output = Output::new();
    output.file(&files.nodes, |out| write_nodes(map, &lon_lats, CsvRows::new(out)))?;
    output.file(&files.streets, |out| write_streets(map, CsvRows::new(out)))?;
    if let Some(path) = &files.pois
        && (map.pois().len() > 0 || path.exists())
    {
        output.file(path, |out| write_pois(map, &lon_lats, CsvRows::new(out)))?;
    }
    output.commit()
}

fn write_nodes(map: &StreetMap, lon_lats: &LonLatConverter, mut rows: CsvRows) -> io::Result<()> {
    rows.row(["id", "x", "y"].into_iter().chain(lon_lats.columns()))?;
    for terminal in map.terminals() {
        let point = map.terminal(terminal);
        rows.text(map.terminal_label(terminal))?;
        rows.point(point)?;
        rows.lon_lat(lon_lats.at(point))?;
        rows.end()?;
    }
    rows.finish()
}

fn write_streets(map: &StreetMap, mut rows: CsvRows) -> io::Result<()> {
    rows.row(["id", "from", "to", "length", "oneway", "shape", "name", "class"])?;
    for id in map.streets() {
        let street = map.street(id);
        rows.text(map.street_label(id))?;
        rows.text(map.terminal_label(street.from))?;
        rows.text(map.terminal_label(street.to))?;
        rows.length(map.metres(id))?;
        rows.text(if street.one_way { "1" } else { "0" })?;
        rows.shape(map, id)?;
        rows.text(map.street_name(id).unwrap_or_default())?;
        rows.last_text(map.class(id).unwrap_or_default())?;
        rows.end()?;
    }
    rows.finish()
}

fn write_pois(map: &StreetMap, lon_lats: &LonLatConverter, mut rows: CsvRows) -> io::Result<()> {
    let columns = ["id", "x", "y"].into_iter().chain(lon_lats.columns());
    rows.row(columns.chain(["category", "name"]))?;
    for id in map.pois() {
        let point = map.poi(id).point;
        rows.text(map.poi_label(id).unwrap_or_default())?;
        rows.point(point)?;
        rows.lon_lat(lon_lats.at(point))?;
        rows.text(map.category(id))?;
        rows.last_text(map.poi_name(id).unwrap_or_default())?;
        rows.end()?;
    }
    rows.finish()
}

/// Writes rows field by field.
struct CsvRows<'a> {
    out: csv::Writer<&'a mut dyn io::Write>,
    field: String,
}

impl<'a> CsvRows<'a> {
    fn new(out: &'a mut dyn io::Write) -> CsvRows<'a> {
        CsvRows { out: csv::Writer::from_writer(out), field: String::new() }
    }

    fn row<'t>(&mut self, fields: impl IntoIterator<Item = &'t str>) -> io::Result<()> {
        self.out.write_record(fields).map_err(io::Error::from)
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_field(text).map_err(io::Error::from)
    }

    /// Writes the last field of a row. Readers strip one trailing `\r` as part of the line end.
    fn last_text(&mut self, text: &str) -> io::Result<()> {
        self.with(|field| {
            field.push_str(text);
            if text.ends_with('\r') {
                field.push('\r');
            }
        })
    }

    fn point(&mut self, point: Point) -> io::Result<()> {
        self.with(|field| put(field, point.x))?;
        self.with(|field| put(field, point.y))
    }

    fn lon_lat(&mut self, lon_lat: Option<LonLat>) -> io::Result<()> {
        let Some(LonLat { lon, lat }) = lon_lat else { return Ok(()) };
        for degrees in [lon, lat] {
            self.with(|field| {
                write!(field, "{degrees:.9}").expect("writing to a String cannot fail");
            })?;
        }
        Ok(())
    }

    /// Writes a length; empty if it is zero, because a length of zero is not valid in CSV.
    fn length(&mut self, metres: f64) -> io::Result<()> {
        self.with(|field| {
            if metres > 0.0 {
                put(field, metres);
            }
        })
    }

    /// Writes the shape; empty for a straight line.
    fn shape(&mut self, map: &StreetMap, street: StreetId) -> io::Result<()> {
        let shape = map.shape(street);
        self.with(|field| {
            if shape.len() == 2 {
                return;
            }
            for (index, point) in shape.iter().enumerate() {
                field.push_str(if index == 0 { "LINESTRING (" } else { ", " });
                put(field, point.x);
                field.push(' ');
                put(field, point.y);
            }
            field.push(')');
        })
    }

    fn with(&mut self, fill: impl FnOnce(&mut String)) -> io::Result<()> {
        self.field.clear();
        fill(&mut self.field);
        self.out.write_field(&self.field).map_err(io::Error::from)
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.write_record(None::<&[u8]>).map_err(io::Error::from)
    }

    fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn put(field: &mut String, number: f64) {
    write!(field, "{number}").expect("writing to a String cannot fail");
}
