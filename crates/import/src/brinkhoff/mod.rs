//! Brinkhoff maps (docs/SPEC.md §8): nodes and edges, binary or text. All streets are two-way.
//!
//! The encoding is detected by content; [`crate::detect`] finds the files of a map.

mod binary;
mod collector;
mod export_plan;
mod text;
mod writer;

pub(crate) use writer::{BrinkhoffFiles, write};

use crate::draft::Draft;
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;
use crate::progress::Progress;
use collector::Collector;
use std::path::Path;

/// Encoding of the records of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Big-endian numbers.
    Binary,
    /// One line per record.
    Text,
}

impl Encoding {
    /// Detects the encoding: only binary files contain control characters other than tabs and line
    /// ends.
    fn of(start: &[u8]) -> Encoding {
        let is_text = |&byte: &u8| byte >= b' ' || matches!(byte, b'\t' | b'\r' | b'\n');
        if start.iter().take(4096).all(is_text) { Encoding::Text } else { Encoding::Binary }
    }
}

/// Reads a map from its two files.
pub(crate) fn read(
    nodes: &Path,
    edges: &Path,
    progress: &dyn Progress,
) -> Result<Draft, ImportError> {
    let mut collector = Collector::new();
    read_nodes(Input::begin(nodes, "reading nodes", progress)?, &mut collector)?;
    read_edges(Input::begin(edges, "reading streets", progress)?, &mut collector)?;
    Ok(collector.finish())
}

/// Reads a map from two opened files, as [`read`] does.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn read_inputs(nodes: Input, edges: Input) -> Result<Draft, ImportError> {
    let mut collector = Collector::new();
    read_nodes(nodes, &mut collector)?;
    read_edges(edges, &mut collector)?;
    Ok(collector.finish())
}

/// Detects the encoding of a file of nodes from its first bytes; `None` if it is not one.
pub(crate) fn detect_nodes(start: &[u8]) -> Option<Encoding> {
    let fits = match Encoding::of(start) {
        Encoding::Binary => binary::begins_with_node(start),
        Encoding::Text => text::begins_with_node(start),
    };
    fits.then(|| Encoding::of(start))
}

/// Detects the encoding of a file of edges from its first bytes; `None` if it is not one.
///
/// A text line of four whole numbers is also a valid node with a numeric name.
pub(crate) fn detect_edges(start: &[u8]) -> Option<Encoding> {
    let fits = match Encoding::of(start) {
        Encoding::Binary => binary::begins_with_edge(start),
        Encoding::Text => text::begins_with_edge(start),
    };
    fits.then(|| Encoding::of(start))
}

fn read_nodes(mut input: Input, collector: &mut Collector) -> Result<(), ImportError> {
    match Encoding::of(input.peek()?) {
        Encoding::Binary => binary::read_nodes(&mut input, collector)?,
        Encoding::Text => text::read_nodes(&mut input, collector)?,
    }
    if collector.nodes() == 0 {
        return Err(input.error(FileLocation::File, Problem::NoContent("nodes")));
    }
    Ok(())
}

fn read_edges(mut input: Input, collector: &mut Collector) -> Result<(), ImportError> {
    match Encoding::of(input.peek()?) {
        Encoding::Binary => binary::read_edges(&mut input, collector)?,
        Encoding::Text => text::read_edges(&mut input, collector)?,
    }
    if collector.edges() == 0 {
        return Err(input.error(FileLocation::File, Problem::NoContent("edges")));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
