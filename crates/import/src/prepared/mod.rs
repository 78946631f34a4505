//! Prepared maps: the flat arrays of a map behind a checked header. Opening one takes a fraction of
//! the time of an import. The first section is metadata in JSON.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

mod metadata;
mod records;
mod sections;

pub(crate) use sections::MAGIC;

use crate::draft::Imported;
use crate::error::Problem;
use meshcloak::map::{Extent, Grid, StreetMap, Tables, Texts};
use meshcloak::units::Point;
use metadata::Metadata;
use rayon::join;
use records::{frame_numbers, frame_of, point_of, point_record};
use records::{poi_of, poi_record, street_of, street_record};
use sections::{ReadAt, SectionReader, SectionWriter};
use std::fs::File;

/// A decoded prepared map.
#[derive(Debug)]
pub struct Prepared {
    /// The map and its source.
    pub imported: Imported,
    /// Extent with which it was prepared.
    pub extent: Extent,
}

/// Sections in file order; a list of texts occupies two.
#[derive(Clone, Copy)]
enum MapSection {
    Metadata,
    Terminals,
    TerminalLabels,
    Streets = 4,
    StreetLabels,
    Metres = 7,
    ShapeStarts,
    ShapePoints,
    Names,
    Classes = 12,
    Categories = 14,
    Pois = 16,
    PoiLabels,
    Frame = 19,
    GridOrigin,
    GridCounts,
    GridStarts,
    GridSegments,
}

/// Number of sections.
const SECTIONS: usize = MapSection::GridSegments as usize + 1;

/// Encodes a prepared map.
pub fn encode(imported: &Imported, extent: Extent) -> Vec<u8> {
    let mut out = SectionWriter::default();
    out.bytes(&Metadata::of(imported, extent).to_json());
    write_tables(imported.map.tables(), &mut out);
    out.finish()
}

/// Returns a hash of a map's tables as they are prepared: equal for equal maps, on every machine.
pub fn digest(map: &StreetMap) -> u64 {
    let mut out = SectionWriter::default();
    write_tables(map.tables(), &mut out);
    out.digest()
}

/// Decodes a prepared map from memory.
///
/// # Errors
/// [`Problem`] if the bytes are not a prepared map of this version or are damaged.
pub fn decode(bytes: &[u8]) -> Result<Prepared, Problem> {
    read(bytes)
}

/// Decodes a prepared map from a file; sections are read in parallel.
pub(crate) fn open(file: &File) -> Result<Prepared, Problem> {
    read(file)
}

/// Returns the bytes with a header and checksums that match them, for tests and fuzzing of the
/// decoder behind the checksums.
#[cfg(any(test, feature = "fuzzing"))]
pub fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().max(sections::HEADER), 0);
    sections::fix_checksums(&mut bytes);
    bytes
}

fn read<B: ReadAt + ?Sized>(bytes: &B) -> Result<Prepared, Problem> {
    let sections = SectionReader::new(bytes)?;
    let metadata = Metadata::from_json(&sections.bytes(MapSection::Metadata as usize)?)?;
    let map = StreetMap::from_tables(read_tables(&sections)?)?;
    Ok(metadata.with(map))
}

fn write_tables(tables: &Tables, out: &mut SectionWriter) {
    out.records(tables.terminals.iter().map(point_record));
    write_texts(&tables.terminal_labels, out);
    out.records(tables.streets.iter().map(street_record));
    write_texts(&tables.street_labels, out);
    out.records(tables.street_metres.iter().map(|metres| metres.to_le_bytes()));
    out.numbers(&tables.shape_starts);
    out.records(tables.shape_points.iter().map(point_record));
    for texts in [&tables.names, &tables.classes, &tables.categories] {
        write_texts(texts, out);
    }
    out.records(tables.pois.iter().map(poi_record));
    write_texts(&tables.poi_labels, out);
    out.records(frame_numbers(tables.frame.as_ref()).iter().map(|value| value.to_le_bytes()));
    let Grid { corner, side, columns, rows, starts, segments } = &tables.grid;
    out.records([corner.x, corner.y, *side].iter().map(|value| value.to_le_bytes()));
    out.numbers(&[*columns, *rows]);
    out.numbers(starts);
    out.numbers(segments);
}

/// Reads all tables; the large ones in parallel.
fn read_tables<B: ReadAt + ?Sized>(from: &SectionReader<B>) -> Result<Tables, Problem> {
    let floats = |section: MapSection| from.records(section as usize, f64::from_le_bytes);
    let points = |section: MapSection| from.records(section as usize, point_of);
    let texts = |section: MapSection| read_texts(from, section);
    let ((shape_points, streets), ((grid, terminals), (terminal_labels, street_labels))) = join(
        || {
            let streets = || from.records(MapSection::Streets as usize, street_of);
            join(|| points(MapSection::ShapePoints), streets)
        },
        || {
            let labels = || (texts(MapSection::TerminalLabels), texts(MapSection::StreetLabels));
            join(|| join(|| read_grid(from), || points(MapSection::Terminals)), labels)
        },
    );
    Ok(Tables {
        terminals: terminals?,
        terminal_labels: terminal_labels?,
        streets: streets?,
        street_labels: street_labels?,
        street_metres: floats(MapSection::Metres)?,
        shape_starts: from.numbers(MapSection::ShapeStarts as usize)?,
        shape_points: shape_points?,
        names: texts(MapSection::Names)?,
        classes: texts(MapSection::Classes)?,
        categories: texts(MapSection::Categories)?,
        pois: from.records(MapSection::Pois as usize, poi_of)?,
        poi_labels: texts(MapSection::PoiLabels)?,
        frame: frame_of(&floats(MapSection::Frame)?)?,
        grid: grid?,
    })
}

fn read_grid<B: ReadAt + ?Sized>(from: &SectionReader<B>) -> Result<Grid, Problem> {
    let origin = from.records(MapSection::GridOrigin as usize, f64::from_le_bytes)?;
    let counts = from.numbers(MapSection::GridCounts as usize)?;
    let (&[x, y, side], &[columns, rows]) = (&origin[..], &counts[..]) else {
        return Err(Problem::Damaged("the grid has no size".into()));
    };
    let starts = from.numbers(MapSection::GridStarts as usize)?;
    let segments = from.numbers(MapSection::GridSegments as usize)?;
    Ok(Grid { corner: Point::new(x, y), side, columns, rows, starts, segments })
}

fn write_texts(texts: &Texts, out: &mut SectionWriter) {
    out.numbers(texts.ends());
    out.bytes(texts.bytes().as_bytes());
}

fn read_texts<B: ReadAt + ?Sized>(
    from: &SectionReader<B>,
    section: MapSection,
) -> Result<Texts, Problem> {
    let ends = from.numbers(section as usize)?;
    let bytes = String::from_utf8(from.bytes((section as usize).saturating_add(1))?);
    let bytes = bytes.map_err(|_| Problem::Damaged("a text is not UTF-8".into()))?;
    let texts = Texts::from_parts(ends, bytes);
    texts.ok_or_else(|| Problem::Damaged("the lengths of texts do not match the texts".into()))
}

#[cfg(test)]
mod tests;
