//! Reader of ESRI shapefiles: polylines become streets, joined by [`crate::line_network`].
//!
//! | file | content |
//! |---|---|
//! | `X.shp` | polylines, also with M and Z values, which are ignored |
//! | `X.dbf` | one record for each polyline |
//! | `X.prj` | reference system, optional |
//!
//! | field, any case | meaning |
//! |---|---|
//! | `id`, `osm_id`, `osmid` | label of the street |
//! | `oneway` | `yes`, `true`, 1 or `F`: in the direction of the line; `-1` or `T`: against it |
//! | `name` | name |
//! | `class`, `highway`, `fclass` | class of the street, as in OSM |
//!
//! Records are streamed; memory is that of the map.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

mod attributes;
mod reference_system;
#[cfg(test)]
pub(crate) mod tests;

use crate::draft::Draft;
use crate::error::{FileLocation, ImportError, LocatedProblem, Problem};
use crate::line_network::{Line, LineFile, LineUnit, Vertex};
use crate::progress::Progress;
use attributes::{AttributeTable, Attributes};
use shapefile::record::traits::HasXY;
use shapefile::{Shape, ShapeReader};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};

/// Paths of the files of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShapeFiles {
    pub shapes: PathBuf,
    pub attributes: PathBuf,
    pub reference_system: Option<PathBuf>,
}

impl ShapeFiles {
    /// Returns the files that belong to `named`, which is any of them.
    pub(crate) fn of(named: &Path) -> Result<ShapeFiles, ImportError> {
        let find = |extensions: &[&str]| {
            let paths = extensions.iter().map(|extension| named.with_extension(extension));
            paths.into_iter().find(|path| path.is_file())
        };
        let need = |extensions: &[&'static str]| {
            let missing = || named.with_extension(extensions.first().unwrap_or(&""));
            find(extensions).ok_or_else(|| {
                let missing = missing().display().to_string();
                FileLocation::File.of(named, Problem::MissingCompanion(missing))
            })
        };
        let is_index = named.extension().is_some_and(|e| e.eq_ignore_ascii_case("shx"));
        let is_table = named.extension().is_some_and(|e| e.eq_ignore_ascii_case("dbf"));
        let shapes = if is_index || is_table { need(&["shp", "SHP"])? } else { named.to_owned() };
        let reference_system = find(&["prj", "PRJ"]);
        Ok(ShapeFiles { shapes, attributes: need(&["dbf", "DBF"])?, reference_system })
    }
}

/// Returns whether a file that begins like this is the main file or the index of a shapefile:
/// file code 9994 (big-endian), and version 1000 (little-endian) at byte 28.
pub(crate) fn is_shapefile(beginning: &[u8]) -> bool {
    beginning.starts_with(&[0, 0, 0x27, 0x0a])
        && beginning.get(28..32) == Some(&[0xe8, 3, 0, 0][..])
}

/// Reads a map.
pub(crate) fn read(files: &ShapeFiles, progress: &dyn Progress) -> Result<Draft, ImportError> {
    let open = |path: &Path| {
        let opened = File::open(path).map_err(|error| FileLocation::File.of(path, error))?;
        Ok::<_, ImportError>(BufReader::with_capacity(1 << 18, opened))
    };
    let (shapes, attributes) = (open(&files.shapes)?, open(&files.attributes)?);
    let size = shapes.get_ref().metadata().map_or(0, |metadata| metadata.len());
    progress.begin("reading", size);
    let system = files.reference_system.as_deref();
    let system = system.map(reference_system::read_file).transpose()?;
    let sources = Sources { shapes, attributes, reference_system: system };
    sources.read(progress).map_err(|(part, found)| match part {
        Part::Shapes => found.of(&files.shapes),
        Part::Attributes => found.of(&files.attributes),
        Part::ReferenceSystem => {
            found.of(files.reference_system.as_deref().unwrap_or(&files.shapes))
        }
    })
}

/// Contents of the files of a map.
pub(crate) struct Sources<R> {
    pub shapes: R,
    pub attributes: R,
    /// Text of the reference system, if there is one.
    pub reference_system: Option<String>,
}

/// File in which a problem was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Shapes,
    Attributes,
    ReferenceSystem,
}

type PartProblem = (Part, LocatedProblem);

impl<R: Read + Seek> Sources<R> {
    pub(crate) fn read(self, progress: &dyn Progress) -> Result<Draft, PartProblem> {
        let Sources { shapes, attributes, reference_system } = self;
        let mut shapes = ShapeReader::new(shapes)
            .map_err(|error| (Part::Shapes, FileLocation::File.with(shape_problem(error))))?;
        let mut table = AttributeTable::open(attributes)
            .map_err(|problem| (Part::Attributes, FileLocation::File.with(problem)))?;
        let bounds = shapes.header().bbox;
        let corners = [(bounds.min.x, bounds.min.y), (bounds.max.x, bounds.max.y)];
        let (unit, note) = reference_system::unit(reference_system.as_deref(), corners)
            .map_err(|problem| (Part::ReferenceSystem, FileLocation::File.with(problem)))?;
        let mut reader = LineReader { unit, lines: Vec::new(), ignored: 0 };
        let mut records = 0_u64;
        for (number, shape) in (1_u64..).zip(shapes.iter_shapes()) {
            let at = FileLocation::Row(number);
            let shape = shape.map_err(|error| (Part::Shapes, at.with(shape_problem(error))))?;
            let attributes = table.next();
            let attributes = attributes.map_err(|problem| (Part::Attributes, at.with(problem)))?;
            progress.advance(record_bytes(&shape));
            reader.add(number, &shape, &attributes).map_err(|found| (Part::Shapes, found))?;
            records = number;
        }
        table.ensure_end(records).map_err(|p| (Part::Attributes, FileLocation::File.with(p)))?;
        let mut notes: Vec<String> = note.into_iter().map(str::to_owned).collect();
        if reader.ignored > 0 {
            notes.push(format!("{} records that are not lines", reader.ignored));
        }
        let lines = reader.lines;
        let file = LineFile { format: "Shapefile", unit, lines, pois: Vec::new(), notes };
        file.into_draft().map_err(|found| (Part::Shapes, found))
    }
}

/// Collects the lines of the records.
struct LineReader {
    unit: LineUnit,
    lines: Vec<Line>,
    /// Records that are not lines, and lines of fewer than two places.
    ignored: u64,
}

impl LineReader {
    fn add(
        &mut self,
        number: u64,
        shape: &Shape,
        given: &Attributes,
    ) -> Result<(), LocatedProblem> {
        match shape {
            Shape::Polyline(line) => self.add_parts(number, line.parts(), given),
            Shape::PolylineM(line) => self.add_parts(number, line.parts(), given),
            Shape::PolylineZ(line) => self.add_parts(number, line.parts(), given),
            _ => {
                self.ignored = self.ignored.saturating_add(1);
                Ok(())
            }
        }
    }

    fn add_parts<P: HasXY>(
        &mut self,
        number: u64,
        parts: &[Vec<P>],
        given: &Attributes,
    ) -> Result<(), LocatedProblem> {
        for part in parts {
            let vertices = part.iter().map(|point| self.vertex(number, point.x(), point.y()));
            let mut vertices = vertices.collect::<Result<Vec<_>, _>>()?;
            vertices.dedup();
            if vertices.len() < 2 {
                self.ignored = self.ignored.saturating_add(1);
                continue;
            }
            let Attributes { id, name, class, is_one_way, is_reversed } = given.clone();
            let feature = number;
            self.lines.push(Line { vertices, id, name, class, is_one_way, is_reversed, feature });
        }
        Ok(())
    }

    fn vertex(&self, number: u64, x: f64, y: f64) -> Result<Vertex, LocatedProblem> {
        Vertex::new(self.unit, x, y).ok_or_else(|| {
            let expected = match self.unit {
                LineUnit::Degrees => "lon from -180 to 180 and lat from -90 to 90",
                LineUnit::Metres => "metres up to 41,000 km",
            };
            let problem = Problem::bad_field("coordinates", &format!("{x},{y}"), expected);
            FileLocation::Row(number).with(problem)
        })
    }
}

/// Bytes of a record in the main file, for the progress; 0 for other shapes than lines.
fn record_bytes(shape: &Shape) -> u64 {
    const RECORD: usize = 52;
    const POINT: usize = 16;
    let points = match shape {
        Shape::Polyline(line) => line.total_point_count(),
        Shape::PolylineM(line) => line.total_point_count(),
        Shape::PolylineZ(line) => line.total_point_count(),
        _ => 0,
    };
    points.saturating_mul(POINT).saturating_add(RECORD) as u64
}

fn shape_problem(error: shapefile::Error) -> Problem {
    match error {
        shapefile::Error::IoError(error) => error.into(),
        error => Problem::Damaged(error.to_string()),
    }
}
