//! Streaming reader of GraphML: the declared keys, `<node>` and `<edge>` with their `<data>`.

use crate::error::{FileLocation, LocatedProblem, Problem, excerpt};
use crate::input::Input;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use rustc_hash::FxHashMap;

/// A node of the file.
#[derive(Debug, Default)]
pub(super) struct GraphNode {
    pub(super) id: String,
    pub(super) x: String,
    pub(super) y: String,
    /// Byte of the file at which it begins.
    pub(super) byte: u64,
}

/// A directed edge of the file; texts are empty if absent.
#[derive(Debug, Default)]
pub(super) struct GraphEdge {
    pub(super) source: String,
    pub(super) target: String,
    pub(super) osmid: String,
    pub(super) length: String,
    pub(super) geometry: String,
    pub(super) name: String,
    pub(super) highway: String,
    /// Byte of the file at which it begins.
    pub(super) byte: u64,
}

/// Content of a file.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) nodes: Vec<GraphNode>,
    pub(super) edges: Vec<GraphEdge>,
    /// Coordinate reference system; empty if not stated.
    pub(super) crs: String,
    /// Attribute name of each declared key.
    keys: FxHashMap<String, String>,
    open: Open,
    /// Attribute and text of the current `<data>`.
    data: Option<(String, String)>,
}

/// The element whose data is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Open {
    #[default]
    Graph,
    Node,
    Edge,
}

impl Document {
    pub(super) fn read(input: &mut Input) -> Result<Document, LocatedProblem> {
        let mut document = Document::default();
        let mut reader = Reader::from_reader(input);
        let mut buffer = Vec::new();
        let (mut depth, mut roots) = (0_u64, 0_u64);
        loop {
            buffer.clear();
            let event = reader.read_event_into(&mut buffer);
            let byte = reader.error_position().max(reader.buffer_position());
            let at = FileLocation::Byte(byte);
            match event.map_err(|error| at.with(error))? {
                Event::Start(element) => {
                    roots = roots.saturating_add(u64::from(depth == 0));
                    check_root(&element, depth, at)?;
                    depth = depth.saturating_add(1);
                    document.start(&element, byte)?;
                }
                Event::Empty(element) => {
                    check_root(&element, depth, at)?;
                    roots = roots.saturating_add(u64::from(depth == 0));
                    document.start(&element, byte)?;
                    document.end(element.local_name().as_ref());
                }
                Event::End(element) => {
                    depth = depth.saturating_sub(1);
                    document.end(element.local_name().as_ref());
                }
                Event::Text(text) => document.text(&text),
                Event::GeneralRef(reference) => document.text(&resolved(&reference)),
                Event::Eof if depth > 0 || roots == 0 => {
                    return Err(at.with(Problem::Truncated("before `</graphml>`".into())));
                }
                Event::Eof => return Ok(document),
                _ => {}
            }
        }
    }

    fn start(&mut self, element: &BytesStart, byte: u64) -> Result<(), LocatedProblem> {
        let at = FileLocation::Byte(byte);
        match element.local_name().as_ref() {
            "key" => {
                let (id, name) =
                    (attribute(element, "id", at)?, attribute(element, "attr.name", at)?);
                self.keys.insert(id, name);
            }
            "node" => {
                let id = attribute(element, "id", at)?;
                self.nodes.push(GraphNode { id, byte, ..GraphNode::default() });
                self.open = Open::Node;
            }
            "edge" => {
                let (source, target) =
                    (attribute(element, "source", at)?, attribute(element, "target", at)?);
                self.edges.push(GraphEdge { source, target, byte, ..GraphEdge::default() });
                self.open = Open::Edge;
            }
            "data" => {
                let key = attribute(element, "key", at)?;
                let name = self.keys.get(&key).cloned().unwrap_or(key);
                self.data = Some((name, String::new()));
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some((_, known)) = &mut self.data {
            known.push_str(text);
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "node" | "edge" => self.open = Open::Graph,
            "data" => {
                let Some((name, text)) = self.data.take() else { return };
                if let Some(field) = self.field(&name) {
                    *field = text;
                }
            }
            _ => {}
        }
    }

    /// Returns the field of the open element that holds an attribute.
    fn field(&mut self, name: &str) -> Option<&mut String> {
        match (self.open, name) {
            (Open::Graph, "crs") => Some(&mut self.crs),
            (Open::Node, "x") => self.nodes.last_mut().map(|node| &mut node.x),
            (Open::Node, "y") => self.nodes.last_mut().map(|node| &mut node.y),
            (Open::Edge, _) => {
                let edge = self.edges.last_mut()?;
                match name {
                    "osmid" => Some(&mut edge.osmid),
                    "length" => Some(&mut edge.length),
                    "geometry" => Some(&mut edge.geometry),
                    "name" => Some(&mut edge.name),
                    "highway" => Some(&mut edge.highway),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn check_root(element: &BytesStart, depth: u64, at: FileLocation) -> Result<(), LocatedProblem> {
    let name = element.local_name();
    if depth > 0 || name.as_ref() == "graphml" {
        return Ok(());
    }
    let found = excerpt(name.as_ref());
    Err(at.with(Problem::Damaged(format!("expected `<graphml>`, found `<{found}>`"))))
}

/// Returns the value of an attribute; empty if absent.
fn attribute(element: &BytesStart, name: &str, at: FileLocation) -> Result<String, LocatedProblem> {
    let damaged = |error: &dyn ToString| at.with(Problem::Damaged(error.to_string()));
    let found = element.try_get_attribute(name).map_err(|error| damaged(&error))?;
    let Some(found) = found else { return Ok(String::new()) };
    let value = found.normalized_value(XmlVersion::Explicit1_0);
    Ok(value.map_err(|error| damaged(&error))?.into_owned())
}

/// Text of a predefined entity, as in `&amp;`; other references are kept as written.
fn resolved(name: &str) -> String {
    match name {
        "amp" => "&".to_owned(),
        "lt" => "<".to_owned(),
        "gt" => ">".to_owned(),
        "quot" => "\"".to_owned(),
        "apos" => "'".to_owned(),
        other => format!("&{other};"),
    }
}
