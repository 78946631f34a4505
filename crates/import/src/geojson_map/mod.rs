//! Reader of GeoJSON: lines become streets, points with a category become points of interest.
//!
//! Lines are joined by [`crate::line_network`]. Coordinates are lon/lat (RFC 7946), compared with
//! seven decimals (1 cm).
//!
//! | property | meaning |
//! |---|---|
//! | `id` | label of the street |
//! | `oneway` | `true`, `yes` or 1: in the direction of the line; `-1`: against it |
//! | `name` | name |
//! | `class` or `highway` | class of the street, as in OSM |
//! | `category` | of a point: category of the point of interest |

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

mod document;
#[cfg(test)]
mod tests;

use crate::draft::Draft;
use crate::error::ImportError;
use crate::input::Input;
use crate::line_network::{LineFile, LineUnit};
use document::Document;

/// Returns whether a file that begins like this can be GeoJSON.
pub(crate) fn is_geojson(beginning: &[u8]) -> bool {
    let start = beginning.iter().find(|byte| !byte.is_ascii_whitespace());
    let has = |word: &[u8]| beginning.windows(word.len()).any(|bytes| bytes == word);
    start == Some(&b'{') && (has(b"\"FeatureCollection\"") || has(b"\"Feature\""))
}

/// Reads a collection of features.
pub(crate) fn read(mut input: Input) -> Result<Draft, ImportError> {
    let read = Document::read(&mut input).map(lines).and_then(LineFile::into_draft);
    read.map_err(|found| input.error(found.location, found.problem))
}

fn lines(document: Document) -> LineFile {
    let Document { lines, pois, ignored } = document;
    let mut notes = Vec::new();
    if ignored > 0 {
        notes.push(format!("{ignored} features that are neither lines nor points of interest"));
    }
    LineFile { format: "GeoJSON", unit: LineUnit::Degrees, lines, pois, notes }
}
