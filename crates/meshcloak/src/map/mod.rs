//! The street map G = (V, E) (§III-C): a directed multigraph of terminals and streets, with shapes,
//! points of interest and a geographic frame.
//!
//! A map is built by [`MapBuilder`] or restored from [`Tables`]; both return a valid map or an
//! error. For distances see `distance`.

mod arms;
mod builder;
mod candidates;
mod checks;
mod fit;
mod frame;
mod grid;
mod near;
mod parts;
mod position;
mod rank;
mod raw;
mod snap;
mod street_set;
mod tables;
mod texts;

pub use arms::Arm;
pub use builder::MapBuilder;
pub use fit::FrameError;
pub use frame::Frame;
pub use grid::Grid;
pub use parts::{Parts, strongly_connected_parts};
pub use position::Position;
pub use rank::Rank;
pub use raw::{Built, Dropped, Extent, MapError, RawPoi, RawStreet, Repairs};
pub use snap::Snapped;
pub use street_set::{Layer, StreetSet};
pub use tables::{Tables, TablesError};
pub use texts::Texts;

use crate::units::{Length, Point, Rectangle};
use arms::{Arms, Travel};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the row in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A terminal: a point where streets begin and end.
    TerminalId
);
id!(
    /// A street; ids follow the order of the source file.
    StreetId
);
id!(
    /// A point of interest.
    PoiId
);

/// A street between two terminals; parallel streets and loops exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Street {
    /// The end from which offsets are measured.
    pub from: TerminalId,
    /// The other end.
    pub to: TerminalId,
    /// Length; at least that of the shape, never zero.
    pub length: Length,
    /// Row of [`Tables::names`]; 0 is no name.
    pub name: u32,
    /// Row of [`Tables::classes`]; 0 is no class.
    pub class: u16,
    /// Whether travel is allowed only `from → to`.
    pub one_way: bool,
}

/// A point of interest with its own point and its position on the nearest street (docs/SPEC.md §10).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poi {
    /// Coordinates.
    pub point: Point,
    /// Nearest position on a street.
    pub position: Position,
    /// Row of [`Tables::names`]; 0 is no name.
    pub name: u32,
    /// Row of [`Tables::categories`].
    pub category: u16,
}

/// A valid, immutable street map.
#[derive(Clone, Debug, PartialEq)]
pub struct StreetMap {
    tables: Tables,
    leaving: Arms,
    arriving: Arms,
    ranks: Vec<Rank>,
}

impl StreetMap {
    /// Builds the map of these tables.
    ///
    /// # Errors
    /// [`TablesError`] if the tables are inconsistent.
    pub fn from_tables(tables: Tables) -> Result<StreetMap, TablesError> {
        tables.check()?;
        let group = |travel| Arms::group(tables.terminals.len(), &tables.streets, travel);
        let (leaving, arriving) =
            rayon::join(|| group(Travel::Forward), || group(Travel::Backward));
        let ranks = tables.classes.iter().map(Rank::of_class).collect();
        Ok(StreetMap { tables, leaving, arriving, ranks })
    }

    /// Returns the flat arrays of this map, for storage.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Returns the number of terminals.
    pub fn terminal_count(&self) -> usize {
        self.tables.terminals.len()
    }

    /// Returns the number of streets; at least one.
    pub fn street_count(&self) -> usize {
        self.tables.streets.len()
    }

    /// Iterates over all terminals.
    pub fn terminals(&self) -> impl ExactSizeIterator<Item = TerminalId> + use<> {
        (0..self.terminal_count() as u32).map(TerminalId)
    }

    /// Iterates over all streets.
    pub fn streets(&self) -> impl ExactSizeIterator<Item = StreetId> + use<> {
        (0..self.street_count() as u32).map(StreetId)
    }

    /// Iterates over all points of interest.
    pub fn pois(&self) -> impl ExactSizeIterator<Item = PoiId> + use<> {
        (0..self.tables.pois.len() as u32).map(PoiId)
    }

    /// Returns the coordinates of a terminal.
    pub fn terminal(&self, terminal: TerminalId) -> Point {
        self.tables.terminals[terminal.index()]
    }

    /// Returns the id of a terminal in the source.
    pub fn terminal_label(&self, terminal: TerminalId) -> &str {
        self.tables.terminal_labels.get(terminal.index())
    }

    /// Returns ends, length and direction of a street.
    pub fn street(&self, street: StreetId) -> &Street {
        &self.tables.streets[street.index()]
    }

    /// Returns the id of a street in the source, which outcomes and disclosures use.
    pub fn street_label(&self, street: StreetId) -> &str {
        self.tables.street_labels.get(street.index())
    }

    /// Returns the points of a street, including both terminals.
    pub fn shape(&self, street: StreetId) -> &[Point] {
        self.tables.shape(street)
    }

    /// Returns the unrounded length of a street in metres, for reports.
    pub fn metres(&self, street: StreetId) -> f64 {
        self.tables.street_metres[street.index()]
    }

    /// Returns the name of a street.
    pub fn street_name(&self, street: StreetId) -> Option<&str> {
        some_text(self.tables.names.get(self.street(street).name as usize))
    }

    /// Returns the class of a street in the source.
    pub fn class(&self, street: StreetId) -> Option<&str> {
        some_text(self.tables.classes.get(usize::from(self.street(street).class)))
    }

    /// Returns the importance of a street.
    pub fn rank(&self, street: StreetId) -> Rank {
        self.ranks[usize::from(self.street(street).class)]
    }

    /// Returns a point of interest.
    pub fn poi(&self, poi: PoiId) -> &Poi {
        &self.tables.pois[poi.index()]
    }

    /// Returns the id of a point of interest in the source.
    pub fn poi_label(&self, poi: PoiId) -> Option<&str> {
        some_text(self.tables.poi_labels.get(poi.index()))
    }

    /// Returns the name of a point of interest.
    pub fn poi_name(&self, poi: PoiId) -> Option<&str> {
        some_text(self.tables.names.get(self.poi(poi).name as usize))
    }

    /// Returns the category of a point of interest.
    pub fn category(&self, poi: PoiId) -> &str {
        self.tables.categories.get(usize::from(self.poi(poi).category))
    }

    /// Returns the outgoing streets of a terminal, in street order.
    ///
    /// A two-way loop is listed twice, once per direction.
    pub fn leaving(&self, terminal: TerminalId) -> &[Arm] {
        self.leaving.of(terminal)
    }

    /// Returns the incoming streets of a terminal, in street order.
    pub fn arriving(&self, terminal: TerminalId) -> &[Arm] {
        self.arriving.of(terminal)
    }

    /// Returns the bounding box of all street shapes.
    pub fn bounds(&self) -> Rectangle {
        Rectangle::around(self.tables.shape_points.iter().copied())
            .expect("a valid map has a street and a street has a shape")
    }

    /// Returns the geographic frame, if it is known.
    pub fn frame(&self) -> Option<&Frame> {
        self.tables.frame.as_ref()
    }
}

fn some_text(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
