//! The text encoding. Node: `id<TAB>x y name`. Edge: `id class from to name`.
//! Fields are parted by any blanks; the name is the rest of the line.

use super::collector::{Edge, Node};
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;
use std::io::{BufRead as _, Read as _};
use std::str::FromStr;

/// Bytes beyond which a line cannot be a node or an edge.
const MAX_LINE_BYTES: u64 = 1 << 16;

/// Reads all nodes.
pub(super) fn read_nodes(
    input: &mut Input,
    add: &mut dyn FnMut(FileLocation, Node) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    each_line(input, |location, line| add(location, node(line)?).map_err(Wrong::Said))
}

/// Reads all edges.
pub(super) fn read_edges(
    input: &mut Input,
    add: &mut dyn FnMut(FileLocation, Edge) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    each_line(input, |location, line| add(location, edge(line)?).map_err(Wrong::Said))
}

/// Whether a file that begins like this can be one of nodes.
pub(super) fn begins_with_node(start: &[u8]) -> bool {
    first_line(start).is_some_and(|line| node(line).is_ok())
}

/// Whether a file that begins like this can be one of edges.
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

/// Takes the next field of a line, which is to be a whole number.
fn number<T: FromStr>(rest: &mut &[u8], field: &'static str) -> Result<T, Problem> {
    let line = rest.trim_ascii_start();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let (word, tail) = line.split_at(end);
    *rest = tail;
    let number = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
    number.ok_or_else(|| Problem::BadField {
        field,
        value: String::from_utf8_lossy(word).chars().take(80).collect(),
        expected: "a whole number",
    })
}

/// What is wrong with a line: not said yet, or already said with its location.
enum Wrong {
    Here(Problem),
    Said(ImportError),
}

impl From<Problem> for Wrong {
    fn from(problem: Problem) -> Wrong {
        Wrong::Here(problem)
    }
}

/// Shows `take` every line that is not blank.
fn each_line(
    input: &mut Input,
    mut take: impl FnMut(FileLocation, &[u8]) -> Result<(), Wrong>,
) -> Result<(), ImportError> {
    let mut line = Vec::new();
    for number in 1.. {
        let location = FileLocation::Line(number);
        line.clear();
        let read = input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        let read = read.map_err(|error| input.error(location, error))?;
        if read == 0 {
            break;
        }
        if read as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
            let problem = Problem::Damaged("the line is longer than 65,536 bytes".to_owned());
            return Err(input.error(location, problem));
        }
        let text = line.trim_ascii();
        if !text.is_empty() {
            take(location, text).map_err(|wrong| match wrong {
                Wrong::Here(problem) => input.error(location, problem),
                Wrong::Said(error) => error,
            })?;
        }
    }
    Ok(())
}
