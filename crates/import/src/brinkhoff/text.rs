//! The text encoding. Node: `id<TAB>x y name`. Edge: `id class from to name`.
//! Fields are separated by white space; the name is the rest of the line.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

use super::collector::{Collector, Edge, Node};
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;
use std::str::FromStr;

/// Longest accepted line, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 16;

/// Reads all nodes.
pub(super) fn read_nodes(input: &mut Input, collector: &mut Collector) -> Result<(), ImportError> {
    each_line(input, |line| collector.node(node(line)?))
}

/// Reads all edges.
pub(super) fn read_edges(input: &mut Input, collector: &mut Collector) -> Result<(), ImportError> {
    each_line(input, |line| collector.edge(edge(line)?))
}

/// Returns whether these bytes can be the beginning of a file of nodes.
pub(super) fn begins_with_node(start: &[u8]) -> bool {
    first_line(start).is_some_and(|line| node(line).is_ok())
}

/// Returns whether these bytes can be the beginning of a file of edges.
pub(super) fn begins_with_edge(start: &[u8]) -> bool {
    let edge = first_line(start).and_then(|line| edge(line).ok());
    edge.is_some_and(|edge| (0..=6).contains(&edge.class))
}

fn first_line(start: &[u8]) -> Option<&[u8]> {
    let mut lines = start.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.find(|line| !line.is_empty())
}

fn node(line: &[u8]) -> Result<Node, Problem> {
    let mut rest = line;
    Ok(Node {
        id: number(&mut rest, "id")?,
        x: number(&mut rest, "x")?,
        y: number(&mut rest, "y")?,
    })
}

fn edge(line: &[u8]) -> Result<Edge<'_>, Problem> {
    let mut rest = line;
    Ok(Edge {
        id: number(&mut rest, "id")?,
        class: number(&mut rest, "class")?,
        from: number(&mut rest, "from")?,
        to: number(&mut rest, "to")?,
        name: rest,
    })
}

/// Consumes the next field of a line, a whole number.
fn number<T: FromStr>(rest: &mut &[u8], field: &'static str) -> Result<T, Problem> {
    let line = rest.trim_ascii_start();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let (word, tail) = line.split_at(end);
    *rest = tail;
    let number = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
    let bad = || Problem::bad_field(field, &String::from_utf8_lossy(word), "a whole number");
    number.ok_or_else(bad)
}

/// Calls `add` for every line that is not blank.
fn each_line(
    input: &mut Input,
    mut add: impl FnMut(&[u8]) -> Result<(), Problem>,
) -> Result<(), ImportError> {
    let mut line = Vec::new();
    for number in 1.. {
        if !input.read_line(number, MAX_LINE_BYTES, &mut line)? {
            break;
        }
        let text = line.trim_ascii();
        if !text.is_empty() {
            add(text).map_err(|problem| input.error(FileLocation::Line(number), problem))?;
        }
    }
    Ok(())
}
