//! OpenStreetMap extracts, PBF and XML (docs/SPEC.md §8).
//!
//! [`pbf`] and [`xml`] decode a file into the same [`extract`], using [`tags`]. [`way_lines`] and
//! [`streets`] turn the extract into a map, independent of the file format.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

mod block;
mod block_contents;
mod extract;
mod node_points;
mod pbf;
mod split;
mod streets;
mod tags;
mod way_lines;
mod wire;
mod xml;

use crate::draft::{Draft, Imported};
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;
use crate::options::{Options, OsmOptions};
use crate::progress::Progress;
use std::path::Path;

/// Encoding of an extract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OsmKind {
    /// `.osm.pbf`
    Pbf,
    /// `.osm`, `.osm.xml`
    Xml,
}

impl OsmKind {
    /// Detects the encoding from the first bytes; a few dozen are enough.
    pub(crate) fn of(beginning: &[u8]) -> Option<OsmKind> {
        if beginning.get(4..15) == Some(b"\x0a\x09OSMHeader") {
            return Some(OsmKind::Pbf);
        }
        let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning).trim_ascii_start();
        let is_xml = text.starts_with(b"<?xml") || text.starts_with(b"<osm");
        is_xml.then_some(OsmKind::Xml)
    }
}

/// Reads an extract.
pub(crate) fn read(
    input: Input,
    kind: OsmKind,
    options: &OsmOptions,
    progress: &dyn Progress,
) -> Result<Draft, ImportError> {
    let path = input.path.clone();
    progress.begin("reading", input.size);
    let (extract, format) = match kind {
        OsmKind::Pbf => (pbf::read(input, options.highways, progress)?, "OSM PBF"),
        OsmKind::Xml => (xml::read(input, options.highways)?, "OSM XML"),
    };
    extract.check_ids().map_err(|found| found.of(&path))?;
    streets::draft(&extract, options, format).map_err(|found| found.of(&path))
}

/// Reads an OSM extract in memory: PBF or XML, plain or gzipped. `name` is the file name in errors
/// and in [`Provenance`](crate::Provenance).
///
/// # Errors
/// [`ImportError`] if the bytes are not a valid extract with at least one street.
pub fn read_osm_bytes(
    name: &Path,
    bytes: &[u8],
    options: &Options,
) -> Result<Imported, ImportError> {
    let mut input = Input::from_bytes(name, bytes);
    let kind = OsmKind::of(input.peek()?);
    let kind = kind.ok_or_else(|| FileLocation::File.of(name, Problem::UnknownFormat))?;
    read(input, kind, &options.osm, &())?.finish(name, options)
}
