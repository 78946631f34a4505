//! OpenStreetMap extracts, PBF and XML (SPEC §8).
//!
//! Decoding is kept apart from meaning: [`pbf`] and [`xml`] hand over the same [`extract`], guided
//! by [`tags`]; [`way_lines`] and [`streets`] make a map of it and never see a file.

mod block;
mod block_contents;
mod extract;
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

/// How an extract is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OsmKind {
    /// `.osm.pbf`
    Pbf,
    /// `.osm`, `.osm.xml`
    Xml,
}

impl OsmKind {
    /// The kind of extract that begins with these bytes, if it is one; a few dozen are enough.
    pub(crate) fn of(beginning: &[u8]) -> Option<OsmKind> {
        if beginning.get(4..15) == Some(b"\x0a\x09OSMHeader") {
            return Some(OsmKind::Pbf);
        }
        let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning).trim_ascii_start();
        let is_xml = text.starts_with(b"<?xml") || text.starts_with(b"<osm");
        is_xml.then_some(OsmKind::Xml)
    }
}

/// The map in an extract.
pub(crate) fn read(
    input: Input,
    kind: OsmKind,
    options: &OsmOptions,
    progress: &dyn Progress,
) -> Result<Draft, ImportError> {
    let path = input.path.clone();
    let fault = |(place, problem): extract::Fault| place.of(&path, problem);
    progress.begin("reading", input.size);
    let (extract, format) = match kind {
        OsmKind::Pbf => (pbf::read(input, options.highways, progress)?, "OSM PBF"),
        OsmKind::Xml => (xml::read(input, options.highways)?, "OSM XML"),
    };
    extract.check_ids().map_err(fault)?;
    streets::draft(&extract, options, format).map_err(fault)
}

/// The map in an OSM extract that is held in memory, PBF or XML, gzipped or not; `name` stands for
/// the file in errors and in [`Provenance`](crate::Provenance).
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
