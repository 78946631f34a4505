//! CSV maps (docs/SPEC.md §8): tables of nodes, streets and, optionally, points of interest.
//!
//! [`crate::detect`] finds the files of a map.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

mod axes;
mod nodes;
mod pois;
mod sensitive_places;
mod streets;
pub(crate) mod table;
pub(crate) mod wkt;
mod writer;

pub use sensitive_places::{SensitivePlace, read_sensitive_places};
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

/// Files of a map: paths or opened files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CsvFiles<T = PathBuf> {
    pub nodes: T,
    pub streets: T,
    pub pois: Option<T>,
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
    let CsvFiles { nodes, streets, pois } = files;
    let files = CsvFiles { nodes, streets, pois: pois.as_ref() };
    read_tables(files, origin, |path, stage| Input::begin(path, stage, progress))
}

/// Reads a map from files that `open` opens, each with the name of its progress stage.
pub(crate) fn read_tables<'a, T>(
    files: CsvFiles<T>,
    origin: Option<LonLat>,
    open: impl Fn(T, &'static str) -> Result<Input<'a>, ImportError>,
) -> Result<Draft, ImportError> {
    let builder = MapBuilder::new();
    let mut draft = Draft { builder, format: "CSV", nodes: 0, edges: 0, notes: Vec::new() };
    let unit = nodes::read(&mut Table::open(open(files.nodes, "reading nodes")?)?, &mut draft)?;
    let mut streets = Table::open(open(files.streets, "reading streets")?)?;
    streets::read(&mut streets, unit, &mut draft)?;
    if let Some(pois) = files.pois {
        let mut pois = Table::open(open(pois, POIS_STAGE)?)?;
        pois::read(&mut pois, origin, &mut draft.builder)?;
    }
    Ok(draft)
}

const POIS_STAGE: &str = "reading points of interest";

/// Adds a CSV file of points of interest to a map of any format (`--pois FILE`).
///
/// `origin` is the lon/lat of the map's origin, used if the map has no frame.
pub(crate) fn add_pois(
    path: &Path,
    origin: Option<LonLat>,
    builder: &mut MapBuilder,
    progress: &dyn Progress,
) -> Result<(), ImportError> {
    let input = Input::begin(path, POIS_STAGE, progress)?;
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
    let has_position = (has("x") && has("y")) || (has("lon") && has("lat"));
    if has("id") && has("from") && has("to") {
        Some(TableKind::Streets)
    } else if has_position && (has("category") || has("cat")) {
        Some(TableKind::Pois)
    } else if has_position && has("id") {
        Some(TableKind::Nodes)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
