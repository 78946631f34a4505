//! From lines of nodes to a draft of the map: cut at junctions, split where too long, projected.

use super::extract::{Extract, Fault, PoiGeometry};
use super::split::split;
use super::tags::Direction;
use super::way_lines::{WayIndex, WayLines};
use crate::draft::Draft;
use crate::error::{FileLocation, Problem};
use crate::options::{Highways, OsmOptions};
use meshcloak::map::{Frame, MapBuilder, MapError, RawPoi, RawStreet, TerminalId};
use meshcloak::units::{LonLat, Point};
use rayon::prelude::*;
use std::fmt::Write;

/// The draft of the map that an extract holds.
pub(super) fn draft(
    extract: &Extract,
    options: &OsmOptions,
    format: &'static str,
) -> Result<Draft, Fault> {
    let lines = WayLines::of(&extract.ways, &extract.nodes)?;
    if lines.is_empty() {
        let kind = match options.highways {
            Highways::Drive => "drivable",
            Highways::All => "passable",
        };
        return Err((FileLocation::File, Problem::NoStreet(kind)));
    }
    let uses = lines.uses(extract.nodes.len());
    let frame = frame_around(extract, &uses)?;
    let points = project(extract, &frame, &uses)?;
    check_steps(extract, &lines, &points)?;
    let mut notes = lines.notes();
    let mut streets = StreetBuilder::new(extract, options, uses, points);
    streets.add_streets(&lines)?;
    streets.add_pois(&frame)?;
    if streets.lost_pois > 0 {
        notes.push(format!("points of interest without a place, left out: {}", streets.lost_pois));
    }
    let nodes = streets.uses.iter().filter(|&&uses| uses > 0).count() as u64;
    let mut builder = streets.builder;
    builder.set_frame(frame);
    Ok(Draft { builder, format, nodes, edges: lines.distinct_pairs(), notes })
}

fn frame_around(extract: &Extract, uses: &[u8]) -> Result<Frame, Fault> {
    let used = extract.nodes.places().iter().zip(uses).filter(|&(_, &uses)| uses > 0);
    let frame = Frame::around(used.filter_map(|(&place, _)| place));
    frame.ok_or((FileLocation::File, Problem::Map(MapError::NoStreet)))
}

/// Where in the plane each node is; every node of a street must have a place there.
fn project(extract: &Extract, frame: &Frame, uses: &[u8]) -> Result<Vec<Point>, Fault> {
    const NOWHERE: Point = Point::new(f64::NAN, f64::NAN);
    let point = |place: &Option<LonLat>| place.map_or(NOWHERE, |place| frame.point(place));
    let points: Vec<Point> = extract.nodes.places().par_iter().map(point).collect();
    let lost = |&row: &usize| uses[row] > 0 && !(points[row].x + points[row].y).is_finite();
    match (0..points.len()).find(lost) {
        Some(row) => {
            let reason = "too far from the other nodes to lie on one map".into();
            let id = extract.nodes.id(row as u32);
            Err((FileLocation::Element("node", id), Problem::Unsupported(reason)))
        }
        None => Ok(points),
    }
}

/// No road runs straight for so many metres: a node that far off is misplaced, and would become
/// hundreds of streets.
const MAX_STEP_METRES: f64 = 200_000.0;

fn check_steps(extract: &Extract, lines: &WayLines, points: &[Point]) -> Result<(), Fault> {
    for (way, rows) in lines.iter() {
        let metres = |ends: &[u32]| points[ends[0] as usize].distance(points[ends[1] as usize]);
        if let Some(ends) = rows.windows(2).find(|ends| metres(ends) > MAX_STEP_METRES) {
            let [a, b] = [ends[0], ends[1]].map(|row| extract.nodes.id(row));
            let kilometres = metres(ends) / 1000.0;
            let reason = format!("its nodes {a} and {b} lie {kilometres:.0} km apart");
            let (id, _) = extract.ways[way.list].ways[way.row];
            return Err((FileLocation::Element("way", id), Problem::Damaged(reason)));
        }
    }
    Ok(())
}

/// A map being drawn.
struct StreetBuilder<'a> {
    extract: &'a Extract,
    every_node: bool,
    max_street_metres: f64,
    /// How often lines pass each node.
    uses: Vec<u8>,
    points: Vec<Point>,
    terminals: Vec<Option<TerminalId>>,
    builder: MapBuilder,
    label: String,
    shape: Vec<Point>,
    lost_pois: u64,
}

/// The way being drawn, and how many of its streets are.
struct WayCursor {
    way: WayIndex,
    drawn: u32,
}

impl<'a> StreetBuilder<'a> {
    fn new(
        extract: &'a Extract,
        options: &OsmOptions,
        uses: Vec<u8>,
        points: Vec<Point>,
    ) -> StreetBuilder<'a> {
        StreetBuilder {
            extract,
            every_node: options.every_node,
            // Also when it is not a number.
            max_street_metres: options.max_street_metres.max(1.0),
            terminals: vec![None; uses.len()],
            uses,
            points,
            builder: MapBuilder::new(),
            label: String::new(),
            shape: Vec::new(),
            lost_pois: 0,
        }
    }

    fn add_streets(&mut self, lines: &WayLines) -> Result<(), Fault> {
        let mut cursor = WayCursor { way: WayIndex { list: 0, row: 0 }, drawn: 0 };
        for (way, rows) in lines.iter() {
            if way != cursor.way {
                cursor = WayCursor { way, drawn: 0 };
            }
            let mut start = 0;
            for at in 1..rows.len() {
                let is_junction = self.uses[rows[at] as usize] > 1;
                if self.every_node || is_junction || at + 1 == rows.len() {
                    self.add_stretch(&mut cursor, &rows[start..=at])?;
                    start = at;
                }
            }
        }
        Ok(())
    }

    /// Draws the way from one junction to the next. With `every_node` nothing is split, for then
    /// the nodes are to be those of the file.
    fn add_stretch(&mut self, cursor: &mut WayCursor, rows: &[u32]) -> Result<(), Fault> {
        let mut shape = std::mem::take(&mut self.shape);
        shape.clear();
        shape.extend(rows.iter().map(|&row| self.points[row as usize]));
        let pieces = if self.every_node { None } else { split(&shape, self.max_street_metres) };
        let from = self.terminal(rows[0])?;
        let to = rows[rows.len() - 1];
        match pieces {
            None => {
                let to = self.terminal(to)?;
                self.add_street(cursor, [from, to], &shape[1..shape.len() - 1])?;
            }
            Some(pieces) => {
                let (mut from, mut start) = (from, 0);
                for end in pieces.cuts.into_iter().chain([pieces.points.len() - 1]) {
                    shape.clear();
                    shape.extend(pieces.points[start + 1..end].iter().map(|&(point, _)| point));
                    let to = match pieces.points[end] {
                        (_, Some(at)) => self.terminal(rows[at])?,
                        (point, None) => self.added_terminal(cursor, point)?,
                    };
                    self.add_street(cursor, [from, to], &shape)?;
                    (from, start) = (to, end);
                }
            }
        }
        self.shape = shape;
        Ok(())
    }

    fn add_street(
        &mut self,
        cursor: &mut WayCursor,
        [from, to]: [TerminalId; 2],
        bends: &[Point],
    ) -> Result<(), Fault> {
        let ways = &self.extract.ways[cursor.way.list];
        let (id, direction) = ways.ways[cursor.way.row];
        cursor.drawn += 1;
        relabel(&mut self.label, format_args!("{id}.{}", cursor.drawn));
        let raw = RawStreet {
            label: &self.label,
            from,
            to,
            written_metres: None,
            one_way: direction != Direction::Both,
            bends,
            name: ways.name(cursor.way.row),
            class: ways.class(cursor.way.row),
        };
        let added = self.builder.street(raw);
        added.map(|_| ()).map_err(|error| (FileLocation::Element("way", id), error.into()))
    }

    /// The terminal at a node, under the node's id.
    fn terminal(&mut self, row: u32) -> Result<TerminalId, Fault> {
        if let Some(terminal) = self.terminals[row as usize] {
            return Ok(terminal);
        }
        let id = self.extract.nodes.id(row);
        relabel(&mut self.label, format_args!("{id}"));
        let terminal = self.builder.terminal(&self.label, self.points[row as usize]);
        let terminal =
            terminal.map_err(|error| (FileLocation::Element("node", id), error.into()))?;
        self.terminals[row as usize] = Some(terminal);
        Ok(terminal)
    }

    /// A terminal where there is no node, under the id of the street about to end there: it has a
    /// dot, so it cannot be that of a node.
    fn added_terminal(&mut self, cursor: &WayCursor, point: Point) -> Result<TerminalId, Fault> {
        let (id, _) = self.extract.ways[cursor.way.list].ways[cursor.way.row];
        relabel(&mut self.label, format_args!("{id}.{}", cursor.drawn + 1));
        let terminal = self.builder.terminal(&self.label, point);
        terminal.map_err(|error| (FileLocation::Element("way", id), error.into()))
    }

    fn add_pois(&mut self, frame: &Frame) -> Result<(), Fault> {
        for pois in &self.extract.pois {
            for (row, &(id, spot)) in pois.spots.iter().enumerate() {
                let (point, letter) = match spot {
                    PoiGeometry::Node(place) => (Some(frame.point(place)), 'n'),
                    PoiGeometry::Way => {
                        (self.centroid(&pois.nodes.ids()[pois.nodes.range(row)]), 'w')
                    }
                };
                relabel(&mut self.label, format_args!("{letter}{id}"));
                let nowhere = Point::new(f64::NAN, f64::NAN);
                let added = self.builder.poi(RawPoi {
                    label: &self.label,
                    point: point.unwrap_or(nowhere),
                    category: pois.category(row),
                    name: pois.name(row),
                });
                match added {
                    Ok(()) => {}
                    Err(MapError::NotAPlace { .. }) => self.lost_pois += 1,
                    Err(error) => return Err((FileLocation::File, error.into())),
                }
            }
        }
        Ok(())
    }

    /// The mean of a way's known nodes, the one that closes it not counted again.
    fn centroid(&self, ids: &[i64]) -> Option<Point> {
        let ids = match ids {
            [first, rest @ ..] if rest.last() == Some(first) => rest,
            ids => ids,
        };
        let rows = ids.iter().filter_map(|&id| self.extract.nodes.find_placed(id));
        let (mut sum, mut count) = (Point::default(), 0.0);
        for row in rows {
            let point = self.points[row as usize];
            (sum, count) = (Point::new(sum.x + point.x, sum.y + point.y), count + 1.0);
        }
        (count > 0.0).then(|| Point::new(sum.x / count, sum.y / count))
    }
}

fn relabel(label: &mut String, text: std::fmt::Arguments) {
    label.clear();
    label.write_fmt(text).expect("writing to a string cannot fail");
}
