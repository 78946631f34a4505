//! Converts lines of nodes into a draft map: projects them, cuts at junctions, splits long streets.

use super::extract::{Extract, PoiGeometry};
use super::split::{SplitPoint, split};
use super::tags::AllowedDirection;
use super::way_lines::{WayIndex, WayLines};
use crate::draft::Draft;
use crate::error::{FileLocation, LocatedProblem, Problem};
use crate::options::{Highways, OsmOptions};
use meshcloak::map::{Frame, MapBuilder, MapError, RawPoi, RawStreet, TerminalId};
use meshcloak::units::{LonLat, Point};
use rayon::prelude::*;
use std::fmt::Write;

/// Builds the draft map of an extract.
pub(super) fn draft(
    extract: &Extract,
    options: &OsmOptions,
    format: &'static str,
) -> Result<Draft, LocatedProblem> {
    let lines = WayLines::of(&extract.ways, &extract.nodes)?;
    if lines.is_empty() {
        let kind = match options.highways {
            Highways::Drive => "drivable",
            Highways::All => "passable",
        };
        return Err(FileLocation::File.with(Problem::NoStreet(kind)));
    }
    let uses = lines.uses(extract.nodes.len());
    let frame = frame_around(extract, &uses)?;
    let points = project(extract, &frame, &uses)?;
    check_steps(extract, &lines, &points)?;
    let mut notes = lines.notes();
    let mut streets = StreetBuilder::new(extract, options, uses, points);
    streets.add_streets(&lines)?;
    streets.add_pois(&frame)?;
    if streets.skipped_pois > 0 {
        notes.push(format!(
            "skipped points of interest without a position: {}",
            streets.skipped_pois
        ));
    }
    let nodes = streets.uses.iter().filter(|&&uses| uses > 0).count() as u64;
    let mut builder = streets.builder;
    builder.set_frame(frame);
    Ok(Draft { builder, format, nodes, edges: lines.distinct_pairs(), notes })
}

fn frame_around(extract: &Extract, uses: &[u8]) -> Result<Frame, LocatedProblem> {
    let used = extract.nodes.positions().iter().zip(uses).filter(|&(_, &uses)| uses > 0);
    let frame = Frame::around(used.filter_map(|(&position, _)| position));
    frame.ok_or_else(|| FileLocation::File.with(MapError::NoStreet))
}

/// Projects all nodes; an error if a node of a street has no finite projection.
fn project(extract: &Extract, frame: &Frame, uses: &[u8]) -> Result<Vec<Point>, LocatedProblem> {
    const UNKNOWN: Point = Point::new(f64::NAN, f64::NAN);
    let point =
        |position: &Option<LonLat>| position.map_or(UNKNOWN, |position| frame.point(position));
    let points: Vec<Point> = extract.nodes.positions().par_iter().map(point).collect();
    let lost = |&row: &usize| uses[row] > 0 && !(points[row].x + points[row].y).is_finite();
    match (0..points.len()).find(lost) {
        Some(row) => {
            let reason = "too far from the other nodes for one map projection".into();
            let id = extract.nodes.id(row as u32);
            Err(FileLocation::Element("node", id).with(Problem::Unsupported(reason)))
        }
        None => Ok(points),
    }
}

/// Largest distance between consecutive nodes. A farther node is misplaced; splitting would turn
/// it into hundreds of streets.
const MAX_STEP_METRES: f64 = 200_000.0;

fn check_steps(
    extract: &Extract,
    lines: &WayLines,
    points: &[Point],
) -> Result<(), LocatedProblem> {
    for (way, rows) in lines.iter() {
        let metres = |ends: &[u32]| points[ends[0] as usize].distance(points[ends[1] as usize]);
        if let Some(ends) = rows.windows(2).find(|ends| metres(ends) > MAX_STEP_METRES) {
            let [a, b] = [ends[0], ends[1]].map(|row| extract.nodes.id(row));
            let kilometres = metres(ends) / 1000.0;
            let reason =
                format!("nodes {a} and {b} are {kilometres:.0} km apart; expected at most 200 km");
            let (id, _) = extract.ways[way.list].ways[way.row];
            return Err(FileLocation::Element("way", id).with(Problem::Damaged(reason)));
        }
    }
    Ok(())
}

/// Builder of the streets and points of interest of an extract.
struct StreetBuilder<'a> {
    extract: &'a Extract,
    every_node: bool,
    max_street_metres: f64,
    /// How many times lines pass each node, capped at 2.
    uses: Vec<u8>,
    points: Vec<Point>,
    terminals: Vec<Option<TerminalId>>,
    builder: MapBuilder,
    label: String,
    shape: Vec<Point>,
    skipped_pois: u64,
}

/// The current way and the number of its streets built.
struct WayCursor {
    way: WayIndex,
    built: u32,
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
            // `max` also replaces NaN.
            max_street_metres: options.max_street_metres.max(1.0),
            terminals: vec![None; uses.len()],
            uses,
            points,
            builder: MapBuilder::new(),
            label: String::new(),
            shape: Vec::new(),
            skipped_pois: 0,
        }
    }

    fn add_streets(&mut self, lines: &WayLines) -> Result<(), LocatedProblem> {
        let mut cursor = WayCursor { way: WayIndex { list: 0, row: 0 }, built: 0 };
        for (way, rows) in lines.iter() {
            if way != cursor.way {
                cursor = WayCursor { way, built: 0 };
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

    /// Adds the part of a way between two junctions. Nothing is split with `every_node`, so that
    /// terminals are the nodes of the file.
    fn add_stretch(&mut self, cursor: &mut WayCursor, rows: &[u32]) -> Result<(), LocatedProblem> {
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
                    shape.extend(pieces.points[start + 1..end].iter().map(|split| split.point));
                    let to = match pieces.points[end] {
                        SplitPoint { original: Some(at), .. } => self.terminal(rows[at])?,
                        SplitPoint { point, .. } => self.added_terminal(cursor, point)?,
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
    ) -> Result<(), LocatedProblem> {
        let ways = &self.extract.ways[cursor.way.list];
        let (id, direction) = ways.ways[cursor.way.row];
        cursor.built += 1;
        relabel(&mut self.label, format_args!("{id}.{}", cursor.built));
        let raw = RawStreet {
            label: &self.label,
            from,
            to,
            written_metres: None,
            one_way: direction != AllowedDirection::Both,
            bends,
            name: ways.name(cursor.way.row),
            class: ways.class(cursor.way.row),
        };
        let added = self.builder.street(raw);
        added.map(|_| ()).map_err(|error| FileLocation::Element("way", id).with(error))
    }

    /// Returns the terminal at a node, labelled with the node's id.
    fn terminal(&mut self, row: u32) -> Result<TerminalId, LocatedProblem> {
        if let Some(terminal) = self.terminals[row as usize] {
            return Ok(terminal);
        }
        let id = self.extract.nodes.id(row);
        relabel(&mut self.label, format_args!("{id}"));
        let terminal = self.builder.terminal(&self.label, self.points[row as usize]);
        let terminal = terminal.map_err(|error| FileLocation::Element("node", id).with(error))?;
        self.terminals[row as usize] = Some(terminal);
        Ok(terminal)
    }

    /// Adds a terminal without a node, labelled with the id of the street that ends there. The label
    /// contains a dot, so it differs from all node ids.
    fn added_terminal(
        &mut self,
        cursor: &WayCursor,
        point: Point,
    ) -> Result<TerminalId, LocatedProblem> {
        let (id, _) = self.extract.ways[cursor.way.list].ways[cursor.way.row];
        relabel(&mut self.label, format_args!("{id}.{}", cursor.built + 1));
        let terminal = self.builder.terminal(&self.label, point);
        terminal.map_err(|error| FileLocation::Element("way", id).with(error))
    }

    fn add_pois(&mut self, frame: &Frame) -> Result<(), LocatedProblem> {
        for pois in &self.extract.pois {
            for (row, &(id, spot)) in pois.spots.iter().enumerate() {
                let (point, letter) = match spot {
                    PoiGeometry::Node(position) => (Some(frame.point(position)), 'n'),
                    PoiGeometry::Way => {
                        (self.centroid(&pois.nodes.ids()[pois.nodes.range(row)]), 'w')
                    }
                };
                relabel(&mut self.label, format_args!("{letter}{id}"));
                // The builder rejects NaN; such points of interest are counted as skipped.
                let unknown = Point::new(f64::NAN, f64::NAN);
                let added = self.builder.poi(RawPoi {
                    label: &self.label,
                    point: point.unwrap_or(unknown),
                    category: pois.category(row),
                    name: pois.name(row),
                });
                match added {
                    Ok(()) => {}
                    Err(MapError::BadCoordinates { .. }) => self.skipped_pois += 1,
                    Err(error) => return Err(FileLocation::File.with(error)),
                }
            }
        }
        Ok(())
    }

    /// Returns the mean of a way's known nodes; the closing node counts once.
    fn centroid(&self, ids: &[i64]) -> Option<Point> {
        let ids = match ids {
            [first, rest @ ..] if rest.last() == Some(first) => rest,
            ids => ids,
        };
        let rows = ids.iter().filter_map(|&id| self.extract.nodes.find_positioned(id));
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
