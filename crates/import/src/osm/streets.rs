//! Converts lines of nodes into a draft map: projects them, cuts at junctions, splits long streets.

use super::extract::{Extract, PoiGeometry};
use super::node_points::{UNKNOWN, check_steps, frame_around, point_at, project};
use super::split::{Pieces, split};
use super::tags::AllowedDirection;
use super::way_lines::{WayIndex, WayLines};
use crate::draft::Draft;
use crate::error::{FileLocation, LocatedProblem, Problem};
use crate::options::{Highways, OsmOptions};
use meshcloak::map::{Frame, MapBuilder, MapError, RawPoi, RawStreet, TerminalId};
use meshcloak::units::Point;
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
            let (mut start, last) = (0, rows.len().saturating_sub(1));
            for (at, &row) in rows.iter().enumerate().skip(1) {
                let is_junction = self.uses.get(row as usize).is_some_and(|&uses| uses > 1);
                if self.every_node || is_junction || at == last {
                    self.add_stretch(&mut cursor, rows.get(start..=at).unwrap_or_default())?;
                    start = at;
                }
            }
        }
        Ok(())
    }

    /// Adds the part of a way between two junctions. Nothing is split with `every_node`, so that
    /// terminals are the nodes of the file.
    fn add_stretch(&mut self, cursor: &mut WayCursor, rows: &[u32]) -> Result<(), LocatedProblem> {
        let [first, .., last] = *rows else { return Ok(()) };
        let mut shape = std::mem::take(&mut self.shape);
        shape.clear();
        shape.extend(rows.iter().map(|&row| point_at(&self.points, row)));
        let pieces = if self.every_node { None } else { split(&shape, self.max_street_metres) };
        let from = self.terminal(first)?;
        match pieces {
            None => {
                let to = self.terminal(last)?;
                let bends = shape.get(1..shape.len().saturating_sub(1)).unwrap_or_default();
                self.add_street(cursor, [from, to], bends)?;
            }
            Some(pieces) => self.add_pieces(cursor, from, rows, &pieces)?,
        }
        self.shape = shape;
        Ok(())
    }

    /// Adds the pieces of a stretch that begins at `from`.
    fn add_pieces(
        &mut self,
        cursor: &mut WayCursor,
        mut from: TerminalId,
        rows: &[u32],
        pieces: &Pieces,
    ) -> Result<(), LocatedProblem> {
        let mut start = 0;
        let mut shape = Vec::new();
        let last = pieces.points.len().saturating_sub(1);
        for end in pieces.cuts.iter().copied().chain([last]) {
            let Some([_, bends @ .., end_point]) = pieces.points.get(start..=end) else { continue };
            shape.clear();
            shape.extend(bends.iter().map(|split| split.point));
            let to = match end_point.original.and_then(|at| rows.get(at)) {
                Some(&row) => self.terminal(row)?,
                None => self.added_terminal(cursor, end_point.point)?,
            };
            self.add_street(cursor, [from, to], &shape)?;
            (from, start) = (to, end);
        }
        Ok(())
    }

    fn add_street(
        &mut self,
        cursor: &mut WayCursor,
        [from, to]: [TerminalId; 2],
        bends: &[Point],
    ) -> Result<(), LocatedProblem> {
        let (id, tags) = self.extract.way(cursor.way);
        cursor.built = cursor.built.saturating_add(1);
        relabel(&mut self.label, format_args!("{id}.{}", cursor.built));
        let raw = RawStreet {
            label: &self.label,
            from,
            to,
            written_metres: None,
            one_way: tags.direction != AllowedDirection::Both,
            bends,
            name: tags.name,
            class: tags.class,
        };
        let added = self.builder.street(raw);
        added.map(|_| ()).map_err(|error| FileLocation::Element("way", id).with(error))
    }

    /// Returns the terminal at a node, labelled with the node's id.
    fn terminal(&mut self, row: u32) -> Result<TerminalId, LocatedProblem> {
        if let Some(&Some(terminal)) = self.terminals.get(row as usize) {
            return Ok(terminal);
        }
        let id = self.extract.nodes.id(row);
        relabel(&mut self.label, format_args!("{id}"));
        let terminal = self.builder.terminal(&self.label, point_at(&self.points, row));
        let terminal = terminal.map_err(|error| FileLocation::Element("node", id).with(error))?;
        if let Some(slot) = self.terminals.get_mut(row as usize) {
            *slot = Some(terminal);
        }
        Ok(terminal)
    }

    /// Adds a terminal without a node, labelled with the id of the street that ends there. The label
    /// contains a dot, so it differs from all node ids.
    fn added_terminal(
        &mut self,
        cursor: &WayCursor,
        point: Point,
    ) -> Result<TerminalId, LocatedProblem> {
        let (id, _) = self.extract.way(cursor.way);
        relabel(&mut self.label, format_args!("{id}.{}", cursor.built.saturating_add(1)));
        let terminal = self.builder.terminal(&self.label, point);
        terminal.map_err(|error| FileLocation::Element("way", id).with(error))
    }

    fn add_pois(&mut self, frame: &Frame) -> Result<(), LocatedProblem> {
        for pois in &self.extract.pois {
            for (row, &(id, spot)) in pois.spots.iter().enumerate() {
                let (point, letter) = match spot {
                    PoiGeometry::Node(position) => (Some(frame.point(position)), 'n'),
                    PoiGeometry::Way => (self.centroid(pois.nodes.list(row)), 'w'),
                };
                relabel(&mut self.label, format_args!("{letter}{id}"));
                // The builder rejects unknown points; they are counted as skipped.
                let added = self.builder.poi(RawPoi {
                    label: &self.label,
                    point: point.unwrap_or(UNKNOWN),
                    category: pois.category(row),
                    name: pois.name(row),
                });
                match added {
                    Ok(()) => {}
                    Err(MapError::BadCoordinates { .. }) => {
                        self.skipped_pois = self.skipped_pois.saturating_add(1);
                    }
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
            let point = point_at(&self.points, row);
            (sum, count) = (Point::new(sum.x + point.x, sum.y + point.y), count + 1.0);
        }
        (count > 0.0).then(|| Point::new(sum.x / count, sum.y / count))
    }
}

fn relabel(label: &mut String, text: std::fmt::Arguments) {
    label.clear();
    label.write_fmt(text).expect("writing to a string cannot fail");
}
