//! Street networks of lines without topology, as GeoJSON and shapefiles hold them.
//!
//! Lines meet where they share a vertex: terminals are the ends of lines and the vertices that occur
//! more than once, and lines are split there. Lines that cross without a common vertex do not meet,
//! as bridges do not.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

mod line;

pub(crate) use line::{Line, LineUnit, PointOfInterest, Vertex};

use crate::draft::Draft;
use crate::error::{FileLocation, LocatedProblem, Problem};
use meshcloak::map::{Frame, MapBuilder, RawPoi, RawStreet, TerminalId};
use meshcloak::units::Point;
use rustc_hash::{FxHashMap, FxHashSet};

/// Lines and points of a file.
#[derive(Debug)]
pub(crate) struct LineFile {
    /// Display name of the format.
    pub format: &'static str,
    /// Unit of all vertices.
    pub unit: LineUnit,
    pub lines: Vec<Line>,
    pub pois: Vec<PointOfInterest>,
    /// Notes about skipped or corrected data.
    pub notes: Vec<String>,
}

impl LineFile {
    /// Joins the lines to a network.
    pub(crate) fn into_draft(self) -> Result<Draft, LocatedProblem> {
        let LineFile { format, unit, lines, pois, notes } = self;
        if lines.is_empty() {
            return Err(FileLocation::File.with(Problem::NoContent("lines")));
        }
        let vertices = lines.iter().flat_map(|line| &line.vertices);
        let frame = match unit {
            LineUnit::Degrees => Frame::around(vertices.map(|vertex| vertex.lon_lat())),
            LineUnit::Metres => None,
        };
        let mut network = LineNetwork {
            uses: uses(&lines),
            terminals: FxHashMap::default(),
            labels: FxHashSet::default(),
            builder: MapBuilder::new(),
            frame,
        };
        for (number, line) in lines.iter().enumerate() {
            network.add_line(line, number)?;
        }
        network.add_pois(&pois)?;
        let LineNetwork { uses, mut builder, frame, .. } = network;
        if let Some(frame) = frame {
            builder.set_frame(frame);
        }
        let edges = builder.street_count() as u64;
        Ok(Draft { builder, format, nodes: uses.len() as u64, edges, notes })
    }
}

/// Counts how often each vertex occurs; ends of lines count twice.
fn uses(lines: &[Line]) -> FxHashMap<Vertex, u32> {
    let mut uses = FxHashMap::default();
    for line in lines {
        let ends = [line.vertices.first(), line.vertices.last()];
        for &vertex in line.vertices.iter().chain(ends.into_iter().flatten()) {
            let count: &mut u32 = uses.entry(vertex).or_default();
            *count = count.saturating_add(1);
        }
    }
    uses
}

/// A network under construction.
struct LineNetwork {
    uses: FxHashMap<Vertex, u32>,
    terminals: FxHashMap<Vertex, TerminalId>,
    labels: FxHashSet<String>,
    builder: MapBuilder,
    /// Frame of vertices in degrees; `None` for metres.
    frame: Option<Frame>,
}

impl LineNetwork {
    /// Adds the streets of a line, split at terminals.
    fn add_line(&mut self, line: &Line, number: usize) -> Result<(), LocatedProblem> {
        let mut part: Vec<Vertex> = Vec::new();
        for &vertex in &line.vertices {
            part.push(vertex);
            let is_terminal = self.uses.get(&vertex).is_some_and(|&uses| uses > 1);
            if is_terminal && part.len() > 1 {
                self.add_street(line, number, &part)?;
                part = vec![vertex];
            }
        }
        Ok(())
    }

    fn add_street(
        &mut self,
        line: &Line,
        number: usize,
        part: &[Vertex],
    ) -> Result<(), LocatedProblem> {
        let [first, bends @ .., last] = part else { return Ok(()) };
        let (from, to) = (self.terminal(*first)?, self.terminal(*last)?);
        let mut bends: Vec<Point> = bends.iter().map(|vertex| self.point(*vertex)).collect();
        let (from, to) = match line.is_reversed {
            true => {
                bends.reverse();
                (to, from)
            }
            false => (from, to),
        };
        let label = self.unique_label(line, number);
        let street = RawStreet {
            one_way: line.is_one_way,
            bends: &bends,
            name: &line.name,
            class: &line.class,
            ..RawStreet::new(&label, from, to)
        };
        let added = self.builder.street(street);
        added.map_err(|error| FileLocation::Row(line.feature).with(error)).map(drop)
    }

    fn point(&self, vertex: Vertex) -> Point {
        match &self.frame {
            Some(frame) => frame.point(vertex.lon_lat()),
            None => vertex.metres(),
        }
    }

    /// Returns the terminal of a vertex; its label is the number of its first occurrence.
    fn terminal(&mut self, vertex: Vertex) -> Result<TerminalId, LocatedProblem> {
        if let Some(&terminal) = self.terminals.get(&vertex) {
            return Ok(terminal);
        }
        let label = self.terminals.len().to_string();
        let added = self.builder.terminal(&label, self.point(vertex));
        let terminal = added.map_err(|error| FileLocation::File.with(error))?;
        self.terminals.insert(vertex, terminal);
        Ok(terminal)
    }

    /// Id of the line, or its number; with a suffix if that is taken.
    fn unique_label(&mut self, line: &Line, number: usize) -> String {
        let base = if line.id.is_empty() { number.to_string() } else { line.id.clone() };
        let mut label = base.clone();
        let mut part = 1_u32;
        while !self.labels.insert(label.clone()) {
            part = part.saturating_add(1);
            label = format!("{base}#{part}");
        }
        label
    }

    fn add_pois(&mut self, pois: &[PointOfInterest]) -> Result<(), LocatedProblem> {
        for poi in pois {
            let point = self.point(poi.vertex);
            let PointOfInterest { id: label, category, name, .. } = poi;
            let added = self.builder.poi(RawPoi { label, point, category, name });
            added.map_err(|error| FileLocation::Row(poi.feature).with(error))?;
        }
        Ok(())
    }
}
