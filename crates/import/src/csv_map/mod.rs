//! CSV maps (docs/SPEC.md §8): tables of nodes, streets and, optionally, points of interest.
//!
//! [`crate::detect`] finds the files of a map.

mod axes;
mod nodes;
mod pois;
mod streets;
pub(crate) mod table;
pub(crate) mod wkt;
mod writer;

pub(crate) use writer::write;

use crate::detect::with_extension;
use crate::draft::Draft;
use crate::error::ImportError;
use crate::input::Input;
use crate::progress::Progress;
use meshcloak::map::MapBuilder;
use meshcloak::units::LonLat;
use std::path::{Path, PathBuf};
use table::{Table, column_name};

/// Files of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CsvFiles {
    pub nodes: PathBuf,
    pub streets: PathBuf,
    pub pois: Option<PathBuf>,
}

/// Opened files of a map.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) struct CsvInputs<'a> {
    pub nodes: Input<'a>,
    pub streets: Input<'a>,
    pub pois: Option<Input<'a>>,
}

/// Kind of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableKind {
    Nodes,
    Streets,
    Pois,
}

impl CsvFiles {
    /// Returns `STEM.nodes.csv`, `STEM.streets.csv` and `STEM.pois.csv`, each followed by `suffix`,
    /// which is empty or `.gz`.
    pub(crate) fn of_stem(stem: &Path, suffix: &str) -> CsvFiles {
        let named = |table: &str| with_extension(stem, &format!(".{table}.csv{suffix}"));
        CsvFiles { nodes: named("nodes"), streets: named("streets"), pois: Some(named("pois")) }
    }
}

/// Reads a map. `origin` is required for points of interest in lon/lat on a map in metres.
pub(crate) fn read(
    files: &CsvFiles,
    origin: Option<LonLat>,
    progress: &dyn Progress,
) -> Result<Draft, ImportError> {
    let mut draft = Draft::empty();
    let mut nodes = Table::open(Input::begin(&files.nodes, "reading nodes", progress)?)?;
    let unit = nodes::read(&mut nodes, &mut draft)?;
    let mut streets = Table::open(Input::begin(&files.streets, "reading streets", progress)?)?;
    streets::read(&mut streets, unit, &mut draft)?;
    if let Some(path) = &files.pois {
        add_pois(path, origin, &mut draft.builder, progress)?;
    }
    Ok(draft)
}

/// Reads a map from opened files, as [`read`] does.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn read_inputs(inputs: CsvInputs, origin: Option<LonLat>) -> Result<Draft, ImportError> {
    let mut draft = Draft::empty();
    let unit = nodes::read(&mut Table::open(inputs.nodes)?, &mut draft)?;
    streets::read(&mut Table::open(inputs.streets)?, unit, &mut draft)?;
    if let Some(pois) = inputs.pois {
        pois::read(&mut Table::open(pois)?, origin, &mut draft.builder)?;
    }
    Ok(draft)
}

/// Adds a CSV file of points of interest to a map of any format (`--pois FILE`).
///
/// `origin` is the lon/lat of the map's origin, used if the map has no frame.
pub(crate) fn add_pois(
    path: &Path,
    origin: Option<LonLat>,
    builder: &mut MapBuilder,
    progress: &dyn Progress,
) -> Result<(), ImportError> {
    let input = Input::begin(path, "reading points of interest", progress)?;
    pois::read(&mut Table::open(input)?, origin, builder)
}

/// Detects the kind of a table from its header; `None` if it is not a table of a map.
pub(crate) fn detect_table(start: &[u8]) -> Option<TableKind> {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let header = start.trim_ascii_start().split(|&byte| byte == b'\n').next()?;
    let fields = header.split(|&byte| byte == b',');
    let names: Vec<String> =
        fields.map(|field| column_name(field).trim_matches('"').to_owned()).collect();
    let has = |name: &str| names.iter().any(|found| found == name);
    let has_place = (has("x") && has("y")) || (has("lon") && has("lat"));
    if has("id") && has("from") && has("to") {
        Some(TableKind::Streets)
    } else if has_place && (has("category") || has("cat")) {
        Some(TableKind::Pois)
    } else if has_place && has("id") {
        Some(TableKind::Nodes)
    } else {
        None
    }
}

impl Draft {
    fn empty() -> Draft {
        let builder = MapBuilder::new();
        Draft { builder, format: "CSV", nodes: 0, edges: 0, notes: Vec::new() }
    }
}

#[cfg(test)]
mod tests;
