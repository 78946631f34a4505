//! Brinkhoff maps (SPEC §8): nodes and edges, binary or text. All streets are two-way.
//!
//! Which of the two forms a file has is seen by its content; which files belong together is found
//! elsewhere.

mod binary;
mod collect;
mod plan;
mod text;
mod writer;

pub(crate) use writer::{BrinkhoffFiles, write};

use crate::draft::Draft;
use crate::error::{ImportError, Place, Problem};
use crate::input::Input;
use crate::progress::Progress;
use collect::{Collector, Edge, Node};
use std::path::Path;

/// How the records of a file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Big-endian numbers.
    Binary,
    /// A line for each record.
    Text,
}

impl Form {
    /// Text holds no control characters but tabs and line ends; numbers of eight bytes do.
    fn of(start: &[u8]) -> Form {
        let is_text = |&byte: &u8| byte >= b' ' || matches!(byte, b'\t' | b'\r' | b'\n');
        if start.iter().take(4096).all(is_text) { Form::Text } else { Form::Binary }
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

/// The form of a file of nodes whose first bytes these are; none if it is no such file.
pub(crate) fn looks_like_nodes(start: &[u8]) -> Option<Form> {
    let fits = match Form::of(start) {
        Form::Binary => binary::begins_with_node(start),
        Form::Text => text::begins_with_node(start),
    };
    fits.then(|| Form::of(start))
}

/// The form of a file of edges whose first bytes these are; none if it is no such file.
///
/// A text line of four whole numbers can be a node with a numeric name, too.
pub(crate) fn looks_like_edges(start: &[u8]) -> Option<Form> {
    let fits = match Form::of(start) {
        Form::Binary => binary::begins_with_edge(start),
        Form::Text => text::begins_with_edge(start),
    };
    fits.then(|| Form::of(start))
}

fn read_nodes(mut input: Input, collector: &mut Collector) -> Result<(), ImportError> {
    let path = input.path.clone();
    let mut add =
        |place: Place, node: Node| collector.node(node).map_err(|problem| place.of(&path, problem));
    match Form::of(input.peek()?) {
        Form::Binary => binary::read_nodes(&mut input, &mut add)?,
        Form::Text => text::read_nodes(&mut input, &mut add)?,
    }
    if collector.nodes() == 0 {
        return Err(Place::File.of(&path, Problem::Nothing("nodes")));
    }
    Ok(())
}

fn read_edges(mut input: Input, collector: &mut Collector) -> Result<(), ImportError> {
    let path = input.path.clone();
    let mut add =
        |place: Place, edge: Edge| collector.edge(edge).map_err(|problem| place.of(&path, problem));
    match Form::of(input.peek()?) {
        Form::Binary => binary::read_edges(&mut input, &mut add)?,
        Form::Text => text::read_edges(&mut input, &mut add)?,
    }
    if collector.edges() == 0 {
        return Err(Place::File.of(&path, Problem::Nothing("edges")));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
