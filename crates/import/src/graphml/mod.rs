//! Street networks in GraphML, as OSMnx writes them: nodes with `x` and `y`, directed edges with
//! `osmid`, `geometry`, `name` and `highway`.
//!
//! OSMnx writes a two-way street as two opposite edges. Two edges with the same ends, the same
//! `osmid` and the same `length` become one two-way street; all others are one-way.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

mod document;
#[cfg(test)]
mod tests;

use crate::csv_map::wkt::read_line_string;
use crate::draft::Draft;
use crate::error::{FileLocation, ImportError, LocatedProblem, Problem};
use crate::input::Input;
use document::{Document, GraphEdge, GraphNode};
use meshcloak::map::{Frame, MapBuilder, RawStreet, TerminalId};
use meshcloak::units::{LonLat, Point};
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns whether a file that begins like this is GraphML.
pub(crate) fn is_graphml(beginning: &[u8]) -> bool {
    beginning.windows(TAG.len()).take(MAX_PROLOGUE).any(|bytes| bytes == TAG)
}

const TAG: &[u8] = b"<graphml";
/// Bytes in which the root element is looked for.
const MAX_PROLOGUE: usize = 1000;

/// Reads a network.
pub(crate) fn read(mut input: Input) -> Result<Draft, ImportError> {
    let read = Document::read(&mut input).and_then(draft);
    read.map_err(|found| input.error(found.location, found.problem))
}

fn draft(document: Document) -> Result<Draft, LocatedProblem> {
    let Document { nodes, edges, crs, .. } = document;
    let mut builder = MapBuilder::new();
    let is_geographic = is_geographic(&crs);
    add_nodes(&nodes, is_geographic, &mut builder)?;
    let two_way = TwoWay::of(&edges);
    let mut labels = FxHashSet::default();
    for (index, edge) in edges.iter().enumerate() {
        if !two_way.is_second(index) {
            let label = unique_label(edge, &mut labels);
            add_street(edge, &label, two_way.is_first(index), is_geographic, &mut builder)?;
        }
    }
    if builder.street_count() == 0 {
        return Err(FileLocation::File.with(Problem::NoContent("edges")));
    }
    let (nodes, edges) = (nodes.len() as u64, builder.street_count() as u64);
    Ok(Draft { builder, format: "GraphML", nodes, edges, notes: Vec::new() })
}

/// Whether `x` and `y` are degrees: OSMnx states the reference system, and downloads in WGS 84.
fn is_geographic(crs: &str) -> bool {
    let crs = crs.trim().to_ascii_lowercase();
    crs.is_empty() || crs.ends_with("4326") || crs.ends_with("crs84")
}

fn add_nodes(
    nodes: &[GraphNode],
    is_geographic: bool,
    builder: &mut MapBuilder,
) -> Result<(), LocatedProblem> {
    let mut points = Vec::with_capacity(nodes.len());
    for node in nodes {
        let at = FileLocation::Byte(node.byte);
        let number = |field: &'static str, text: &str| {
            let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| at.with(Problem::bad_field(field, text, "a number")))
        };
        points.push(Point::new(number("x", &node.x)?, number("y", &node.y)?));
    }
    if is_geographic {
        let mut lon_lats = Vec::with_capacity(nodes.len());
        for (node, point) in nodes.iter().zip(&points) {
            lon_lats.push(lon_lat(*point, node.byte)?);
        }
        if let Some(frame) = Frame::around(lon_lats.iter().copied()) {
            points = lon_lats.into_iter().map(|lon_lat| frame.point(lon_lat)).collect();
            builder.set_frame(frame);
        }
    }
    for (node, point) in nodes.iter().zip(points) {
        let added = builder.terminal(&node.id, point);
        added.map_err(|error| FileLocation::Byte(node.byte).with(error))?;
    }
    Ok(())
}

fn lon_lat(point: Point, byte: u64) -> Result<LonLat, LocatedProblem> {
    LonLat::new(point.x, point.y).ok_or_else(|| {
        let value = format!("{},{}", point.x, point.y);
        let expected = "lon from -180 to 180 and lat from -90 to 90";
        FileLocation::Byte(byte).with(Problem::bad_field("x,y", &value, expected))
    })
}

/// `SOURCE-TARGET`, with a number if that is taken.
fn unique_label(edge: &GraphEdge, labels: &mut FxHashSet<String>) -> String {
    let base = format!("{}-{}", edge.source, edge.target);
    let mut label = base.clone();
    let mut number = 1_u32;
    while !labels.insert(label.clone()) {
        number = number.saturating_add(1);
        label = format!("{base}#{number}");
    }
    label
}

fn add_street(
    edge: &GraphEdge,
    label: &str,
    is_two_way: bool,
    is_geographic: bool,
    builder: &mut MapBuilder,
) -> Result<(), LocatedProblem> {
    let at = FileLocation::Byte(edge.byte);
    let end = |field: &'static str, id: &str| -> Result<TerminalId, LocatedProblem> {
        let unknown = || at.with(Problem::UnknownNode { field, value: id.to_owned() });
        builder.find_terminal(id).ok_or_else(unknown)
    };
    let (from, to) = (end("source", &edge.source)?, end("target", &edge.target)?);
    let mut points = Vec::new();
    if !edge.geometry.trim().is_empty() {
        let read = read_line_string(&edge.geometry, &mut points);
        let bad = |expected| at.with(Problem::bad_field("geometry", &edge.geometry, expected));
        read.map_err(bad)?;
    }
    if let Some(frame) = builder.frame().filter(|_| is_geographic) {
        for point in &mut points {
            *point = frame.point(lon_lat(*point, edge.byte)?);
        }
    }
    let raw = RawStreet {
        one_way: !is_two_way,
        bends: points.get(1..points.len().saturating_sub(1)).unwrap_or_default(),
        name: &edge.name,
        class: &edge.highway,
        ..RawStreet::new(label, from, to)
    };
    builder.street(raw).map(|_| ()).map_err(|error| at.with(error))
}

/// Ids of the ways of an edge, ascending: `7`, or `[9, 7]` in any order.
fn osm_ids(text: &str) -> Vec<u64> {
    let numbers = text.split(|c: char| !c.is_ascii_digit());
    let mut ids: Vec<u64> = numbers.filter_map(|number| number.parse().ok()).collect();
    ids.sort_unstable();
    ids
}

/// Length in centimetres; sums of parts differ in their last digits. 0 if not stated.
fn centimetres(text: &str) -> i64 {
    (text.trim().parse().unwrap_or(0.0) * 100.0_f64).round() as i64
}

/// Pairs of opposite edges.
#[derive(Debug, Default)]
struct TwoWay {
    firsts: FxHashSet<usize>,
    seconds: FxHashSet<usize>,
}

impl TwoWay {
    fn of(edges: &[GraphEdge]) -> TwoWay {
        type Key<'a> = (&'a str, &'a str, Vec<u64>, i64);
        let mut open: FxHashMap<Key<'_>, Vec<usize>> = FxHashMap::default();
        let mut pairs = TwoWay::default();
        for (index, edge) in edges.iter().enumerate() {
            let (source, target) = (edge.source.as_str(), edge.target.as_str());
            let (ids, length) = (osm_ids(&edge.osmid), centimetres(&edge.length));
            match open.get_mut(&(target, source, ids.clone(), length)).and_then(Vec::pop) {
                Some(first) => {
                    pairs.firsts.insert(first);
                    pairs.seconds.insert(index);
                }
                None => open.entry((source, target, ids, length)).or_default().push(index),
            }
        }
        pairs
    }

    fn is_first(&self, index: usize) -> bool {
        self.firsts.contains(&index)
    }

    fn is_second(&self, index: usize) -> bool {
        self.seconds.contains(&index)
    }
}
