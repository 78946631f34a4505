//! Builds a valid map from raw terminals and streets.
//!
//! Every item is checked when it is added, so that a reader can report the line.

use super::checks::{MAX_POINTS, check_point, checked_metres, class_row};
use super::grid::Grid;
use super::parts::{Parts, strongly_connected_parts};
use super::position::shape_metres;
use super::raw::{Built, Dropped, Extent, MapError, RawPoi, RawStreet, Repairs};
use super::texts::{DistinctTexts, Texts};
use super::{Frame, Poi, Street, StreetId, StreetMap, Tables, TerminalId};
use crate::units::{Length, Point, Rectangle};

/// Collects terminals, streets and points of interest.
#[derive(Clone, Debug)]
pub struct MapBuilder {
    terminals: Vec<Point>,
    terminal_labels: DistinctTexts,
    streets: Vec<Street>,
    street_labels: DistinctTexts,
    street_metres: Vec<f64>,
    shape_starts: Vec<u32>,
    shape_points: Vec<Point>,
    names: DistinctTexts,
    classes: DistinctTexts,
    categories: DistinctTexts,
    /// Point, row of the name and row of the category.
    pois: Vec<(Point, u32, u16)>,
    poi_labels: Texts,
    frame: Option<Frame>,
    repairs: Repairs,
}

impl Default for MapBuilder {
    fn default() -> MapBuilder {
        MapBuilder::new()
    }
}

impl MapBuilder {
    /// Returns an empty builder.
    pub fn new() -> MapBuilder {
        MapBuilder {
            terminals: Vec::new(),
            terminal_labels: DistinctTexts::default(),
            streets: Vec::new(),
            street_labels: DistinctTexts::default(),
            street_metres: Vec::new(),
            shape_starts: vec![0],
            shape_points: Vec::new(),
            names: DistinctTexts::with_empty(),
            classes: DistinctTexts::with_empty(),
            categories: DistinctTexts::with_empty(),
            pois: Vec::new(),
            poi_labels: Texts::default(),
            frame: None,
            repairs: Repairs::default(),
        }
    }

    /// Returns a builder with the content of a finished map, to extend or reduce it.
    pub fn from_map(map: &StreetMap) -> MapBuilder {
        let tables = map.tables();
        MapBuilder {
            terminals: tables.terminals.clone(),
            terminal_labels: tables.terminal_labels.iter().collect(),
            streets: tables.streets.clone(),
            street_labels: tables.street_labels.iter().collect(),
            street_metres: tables.street_metres.clone(),
            shape_starts: tables.shape_starts.clone(),
            shape_points: tables.shape_points.clone(),
            names: tables.names.iter().collect(),
            classes: tables.classes.iter().collect(),
            categories: tables.categories.iter().collect(),
            pois: tables.pois.iter().map(|poi| (poi.point, poi.name, poi.category)).collect(),
            poi_labels: tables.poi_labels.clone(),
            frame: tables.frame.clone(),
            repairs: Repairs::default(),
        }
    }

    /// Sets the geographic frame.
    pub fn set_frame(&mut self, frame: Frame) {
        self.frame = Some(frame);
    }

    /// Returns the geographic frame, if it is set.
    pub fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    /// Adds a terminal.
    pub fn terminal(&mut self, label: &str, point: Point) -> Result<TerminalId, MapError> {
        check_point(label, point)?;
        let fits =
            self.terminals.len() < MAX_POINTS && self.terminal_labels.has_capacity_for(label);
        fits.then_some(()).ok_or_else(|| MapError::TooLarge(label.to_owned()))?;
        let row = self.terminal_labels.add(label);
        let row = row.ok_or_else(|| MapError::DuplicateTerminal(label.to_owned()))?;
        self.terminals.push(point);
        Ok(TerminalId(row))
    }

    /// Returns the terminal with that id.
    pub fn find_terminal(&self, label: &str) -> Option<TerminalId> {
        self.terminal_labels.find(label).map(TerminalId)
    }

    /// Returns the coordinates of an added terminal.
    pub fn terminal_point(&self, terminal: TerminalId) -> Option<Point> {
        self.terminals.get(terminal.index()).copied()
    }

    /// Adds a street.
    pub fn street(&mut self, raw: RawStreet) -> Result<StreetId, MapError> {
        let shape_start = self.shape_points.len();
        match self.add_street(raw) {
            Ok(street) => Ok(street),
            Err(error) => {
                self.shape_points.truncate(shape_start);
                Err(error)
            }
        }
    }

    fn add_street(&mut self, raw: RawStreet) -> Result<StreetId, MapError> {
        let unknown = || MapError::UnknownTerminal(raw.label.to_owned());
        let from = self.terminal_point(raw.from).ok_or_else(unknown)?;
        let to = self.terminal_point(raw.to).ok_or_else(unknown)?;
        for &bend in raw.bends {
            check_point(raw.label, bend)?;
        }
        let start = self.shape_points.len();
        let fits = start + raw.bends.len() < MAX_POINTS - 2
            && self.street_labels.has_capacity_for(raw.label)
            && self.names.has_capacity_for(raw.name)
            && self.classes.has_capacity_for(raw.class);
        fits.then_some(()).ok_or_else(|| MapError::TooLarge(raw.label.to_owned()))?;
        self.shape_points.push(from);
        self.shape_points.extend_from_slice(raw.bends);
        self.shape_points.push(to);
        let measured = shape_metres(&self.shape_points[start..]);
        let metres = checked_metres(&raw, measured)?;
        let class = class_row(&mut self.classes, raw.class)?;
        let row = self.street_labels.add(raw.label);
        let row = row.ok_or_else(|| MapError::DuplicateStreet(raw.label.to_owned()))?;

        let mut length = Length::metres(metres);
        if raw.written_metres.is_some_and(|written| Length::metres(written) < length) {
            self.repairs.lengthened += 1;
        }
        if length == Length::ZERO {
            self.repairs.zero_length += 1;
            length = Length::UNIT;
        }
        let name = self.names.row_of(raw.name);
        let one_way = raw.one_way;
        self.streets.push(Street { from: raw.from, to: raw.to, length, name, class, one_way });
        self.street_metres.push(metres);
        self.shape_starts.push(self.shape_points.len() as u32);
        Ok(StreetId(row))
    }

    /// Adds a point of interest.
    pub fn poi(&mut self, raw: RawPoi) -> Result<(), MapError> {
        let label = if raw.label.is_empty() { raw.category } else { raw.label };
        check_point(label, raw.point)?;
        let fits = self.pois.len() < MAX_POINTS
            && self.poi_labels.has_capacity_for(raw.label)
            && self.names.has_capacity_for(raw.name)
            && self.categories.has_capacity_for(raw.category);
        fits.then_some(()).ok_or_else(|| MapError::TooLarge(label.to_owned()))?;
        let category = class_row(&mut self.categories, raw.category)?;
        let name = self.names.row_of(raw.name);
        self.pois.push((raw.point, name, category));
        self.poi_labels.push(raw.label);
        Ok(())
    }

    /// Returns the number of terminals added.
    pub fn terminal_count(&self) -> usize {
        self.terminals.len()
    }

    /// Returns the number of streets added.
    pub fn street_count(&self) -> usize {
        self.streets.len()
    }

    /// Returns the unrounded length of all streets added, in metres.
    pub fn total_metres(&self) -> f64 {
        self.street_metres.iter().sum()
    }

    /// Returns the bounding box of all terminals and streets added.
    pub fn bounds(&self) -> Option<Rectangle> {
        Rectangle::around(self.terminals.iter().chain(&self.shape_points).copied())
    }

    /// Builds the map.
    ///
    /// # Errors
    /// [`MapError::NoStreet`] if no street is left.
    pub fn build(mut self, extent: Extent) -> Result<Built, MapError> {
        if self.streets.is_empty() {
            return Err(MapError::NoStreet);
        }
        let dropped = match extent {
            Extent::Whole => Dropped::default(),
            Extent::LargestPart => self.keep_largest_part(),
        };
        if self.streets.is_empty() {
            return Err(MapError::NoStreet);
        }
        let repairs = self.repairs;
        Ok(Built { map: self.finish(), dropped, repairs })
    }

    /// Drops all streets and terminals outside the largest strongly connected component.
    fn keep_largest_part(&mut self) -> Dropped {
        let parts = strongly_connected_parts(self.terminals.len(), &self.streets);
        if parts.count() <= 1 {
            return Dropped::default();
        }
        let before = (self.terminals.len(), self.streets.len(), self.total_metres());
        let largest = parts.largest().expect("a street has terminals, so there is a component");
        self.keep(&parts, largest);
        Dropped {
            terminals: before.0 - self.terminals.len(),
            streets: before.1 - self.streets.len(),
            metres: (before.2 - self.total_metres()).max(0.0),
            parts: parts.count() - 1,
        }
    }

    /// Keeps one component and renumbers its terminals and streets.
    fn keep(&mut self, parts: &Parts, part: u32) {
        let old = std::mem::take(self);
        self.frame = old.frame;
        self.names = old.names;
        self.classes = old.classes;
        self.categories = old.categories;
        self.pois = old.pois;
        self.poi_labels = old.poi_labels;
        self.repairs = old.repairs;
        let (terminal_labels, street_labels) =
            (old.terminal_labels.into_texts(), old.street_labels.into_texts());
        let mut new_ids = vec![None; old.terminals.len()];
        for (row, &point) in old.terminals.iter().enumerate() {
            if parts.of(TerminalId(row as u32)) == part {
                new_ids[row] = self.terminal_labels.add(terminal_labels.get(row)).map(TerminalId);
                self.terminals.push(point);
            }
        }
        for (row, street) in old.streets.iter().enumerate() {
            if let (Some(from), Some(to)) =
                (new_ids[street.from.index()], new_ids[street.to.index()])
            {
                let shape = old.shape_starts[row] as usize..old.shape_starts[row + 1] as usize;
                self.shape_points.extend_from_slice(&old.shape_points[shape]);
                self.shape_starts.push(self.shape_points.len() as u32);
                self.street_labels.add(street_labels.get(row));
                self.street_metres.push(old.street_metres[row]);
                self.streets.push(Street { from, to, ..*street });
            }
        }
    }

    fn finish(self) -> StreetMap {
        let grid = Grid::new(&self.shape_points, &self.shape_starts);
        let tables = Tables {
            terminals: self.terminals,
            terminal_labels: self.terminal_labels.into_texts(),
            streets: self.streets,
            street_labels: self.street_labels.into_texts(),
            street_metres: self.street_metres,
            shape_starts: self.shape_starts,
            shape_points: self.shape_points,
            names: self.names.into_texts(),
            classes: self.classes.into_texts(),
            categories: self.categories.into_texts(),
            pois: Vec::new(),
            poi_labels: Texts::default(),
            frame: self.frame,
            grid,
        };
        let mut map = StreetMap::from_tables(tables).expect("the builder checked every row");
        let pois = self.pois.iter().map(|&(point, name, category)| {
            let snapped = map.snap(point, None);
            let snapped = snapped.expect("a map has a street and the point was checked");
            Poi { point, position: snapped.position, name, category }
        });
        let pois = pois.collect();
        map.tables.pois = pois;
        map.tables.poi_labels = self.poi_labels;
        map
    }
}
