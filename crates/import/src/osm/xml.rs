//! Streaming reader of OSM XML: `<node>`, `<way>` with `<nd>`, and `<tag>`.
//!
//! All nodes are kept until the ways are known, because nodes usually come first: 24 bytes each,
//! at most a third of their text.

use super::extract::{Extract, Nodes, PoiGeometry, Pois, Ways, node_position};
use super::tags::{Key, Tags};
use crate::error::{FileLocation, ImportError, LocatedProblem, Problem, excerpt};
use crate::input::Input;
use crate::options::Highways;
use meshcloak::units::LonLat;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::borrow::Cow;
use std::str::FromStr;

pub(super) fn read(mut input: Input, highways: Highways) -> Result<Extract, ImportError> {
    let document = Document::new(highways).read(&mut input).and_then(Document::finish);
    document.map_err(|found| input.error(found.location, found.problem))
}

/// State of the reader and the content read so far.
struct Document {
    highways: Highways,
    nodes: Vec<(i64, LonLat)>,
    ways: Ways,
    node_pois: Pois,
    way_pois: Pois,
    open: Open,
    tags: Tags,
    refs: Vec<i64>,
}

/// The current element.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Node(i64, LonLat),
    Way(i64),
    /// Another element, or a deleted one.
    Other,
}

impl Document {
    fn new(highways: Highways) -> Document {
        Document {
            highways,
            nodes: Vec::new(),
            ways: Ways::default(),
            node_pois: Pois::default(),
            way_pois: Pois::default(),
            open: Open::Other,
            tags: Tags::default(),
            refs: Vec::new(),
        }
    }

    fn read(mut self, input: &mut Input) -> Result<Document, LocatedProblem> {
        let mut reader = Reader::from_reader(input);
        let mut buffer = Vec::new();
        let (mut depth, mut roots) = (0_u64, 0_u64);
        loop {
            buffer.clear();
            let event = reader.read_event_into(&mut buffer);
            let at = FileLocation::Byte(reader.error_position().max(reader.buffer_position()));
            match event.map_err(|error| at.with(error))? {
                Event::Start(element) => {
                    self.check_root(&element, depth, &mut roots, at)?;
                    depth = depth.saturating_add(1);
                    self.start(&element, at)?;
                }
                Event::Empty(element) => {
                    self.check_root(&element, depth, &mut roots, at)?;
                    self.start(&element, at)?;
                    self.end(element.name().as_ref());
                }
                Event::End(element) => {
                    depth = depth.saturating_sub(1);
                    self.end(element.name().as_ref());
                }
                Event::Eof if depth > 0 || roots == 0 => {
                    return Err(at.with(Problem::Truncated("before `</osm>`".into())));
                }
                Event::Eof => return Ok(self),
                _ => {}
            }
        }
    }

    fn check_root(
        &self,
        element: &BytesStart,
        depth: u64,
        roots: &mut u64,
        at: FileLocation,
    ) -> Result<(), LocatedProblem> {
        if depth > 0 {
            return Ok(());
        }
        *roots = roots.saturating_add(1);
        if element.name().as_ref() == "osm" && *roots == 1 {
            return Ok(());
        }
        let found = excerpt(element.name().as_ref());
        Err(at.with(Problem::Damaged(format!("expected one `<osm>`, found `<{found}>`"))))
    }

    fn start(&mut self, element: &BytesStart, at: FileLocation) -> Result<(), LocatedProblem> {
        match element.name().as_ref() {
            "node" => self.start_node(element, at),
            "way" => self.start_way(element, at),
            "relation" => {
                self.open = Open::Other;
                Ok(())
            }
            "tag" if self.open != Open::Other => self.tag(element, at),
            "nd" if matches!(self.open, Open::Way(_)) => {
                let [id] = attributes(element, ["ref"], at)?;
                self.refs.push(number("ref", &id, "a node id", at)?);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn start_node(&mut self, element: &BytesStart, at: FileLocation) -> Result<(), LocatedProblem> {
        let [id, lat, lon, visible, action] =
            attributes(element, ["id", "lat", "lon", "visible", "action"], at)?;
        self.tags.clear();
        self.open = Open::Other;
        if is_deleted(&visible, &action) {
            return Ok(());
        }
        let id = number("id", &id, "a whole number", at)?;
        let location = FileLocation::Element("node", id);
        let lat = number("lat", &lat, "degrees from -90 to 90", location)?;
        let lon = number("lon", &lon, "degrees from -180 to 180", location)?;
        let position = node_position(id, lon, lat)?;
        self.nodes.push((id, position));
        self.open = Open::Node(id, position);
        Ok(())
    }

    fn start_way(&mut self, element: &BytesStart, at: FileLocation) -> Result<(), LocatedProblem> {
        let [id, visible, action] = attributes(element, ["id", "visible", "action"], at)?;
        self.tags.clear();
        self.refs.clear();
        self.open = Open::Other;
        if !is_deleted(&visible, &action) {
            self.open = Open::Way(number("id", &id, "a whole number", at)?);
        }
        Ok(())
    }

    fn tag(&mut self, element: &BytesStart, at: FileLocation) -> Result<(), LocatedProblem> {
        let [key, value] = attributes(element, ["k", "v"], at)?;
        if let Some(key) = Key::of(key.as_bytes()) {
            self.tags.set(key, &value);
        }
        Ok(())
    }

    fn end(&mut self, name: &str) {
        match (name, self.open) {
            ("node", Open::Node(id, position)) => {
                if let Some(poi) = self.tags.poi() {
                    self.node_pois.push(id, PoiGeometry::Node(position), poi, &[]);
                }
            }
            ("way", Open::Way(id)) => {
                if let Some(street) = self.tags.street(self.highways) {
                    self.ways.push(id, street, &self.refs);
                }
                if let Some(poi) = self.tags.poi() {
                    self.way_pois.push(id, PoiGeometry::Way, poi, &self.refs);
                }
            }
            _ => return,
        }
        self.open = Open::Other;
    }

    fn finish(self) -> Result<Extract, LocatedProblem> {
        let ways = vec![self.ways];
        let pois = vec![self.node_pois, self.way_pois];
        let mut nodes = Nodes::used_by(&ways, &pois)?;
        let mut positions = Vec::new();
        let mut finder = nodes.finder();
        for (id, position) in self.nodes {
            positions.extend(finder.row(id).map(|row| (row, position)));
        }
        for (row, position) in positions {
            nodes.put(row, position)?;
        }
        Ok(Extract { ways, pois, nodes })
    }
}

/// Returns whether an editor or a history marks the element as deleted.
fn is_deleted(visible: &str, action: &str) -> bool {
    visible == "false" || action == "delete"
}

/// Returns the values of the named attributes; empty if absent.
fn attributes<'a, const N: usize>(
    element: &'a BytesStart,
    names: [&str; N],
    at: FileLocation,
) -> Result<[Cow<'a, str>; N], LocatedProblem> {
    let mut values = [const { Cow::Borrowed("") }; N];
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| at.with(Problem::Damaged(error.to_string())))?;
        let mut slots = names.iter().zip(&mut values);
        if let Some((_, slot)) = slots.find(|(name, _)| **name == attribute.key.as_ref()) {
            let value = attribute.normalized_value(XmlVersion::Explicit1_0);
            *slot = value.map_err(|error| at.with(error))?;
        }
    }
    Ok(values)
}

fn number<T: FromStr>(
    field: &'static str,
    text: &str,
    expected: &'static str,
    at: FileLocation,
) -> Result<T, LocatedProblem> {
    text.trim().parse().map_err(|_| at.with(Problem::bad_field(field, text, expected)))
}
