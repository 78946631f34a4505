//! The street map G = (V, E) (§III-C): a directed multigraph of terminals and streets, its shapes,
//! its points of interest, and where on Earth it lies.
//!
//! A map is made by [`MapBuilder`] or read back from [`Tables`]; both either give a valid map or
//! say what is wrong. Distances are not here: see `distance`.

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
            /// The row of its table.
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
    /// A street, in the order of the file it came from.
    StreetId
);
id!(
    /// A point of interest.
    PoiId
);

/// A street between two terminals; parallel streets and loops exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Street {
    /// Where offsets are counted from.
    pub from: TerminalId,
    /// The other end.
    pub to: TerminalId,
    /// Never shorter than the shape, never zero.
    pub length: Length,
    /// Row of [`Tables::names`]; 0 is no name.
    pub name: u32,
    /// Row of [`Tables::classes`]; 0 is no class.
    pub class: u16,
    /// Whether it can be travelled only `from → to`.
    pub one_way: bool,
}

/// A point of interest: it keeps its own point and its place on a street (SPEC §10).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poi {
    /// Where it is.
    pub point: Point,
    /// The nearest place on a street.
    pub position: Position,
    /// Row of [`Tables::names`]; 0 is no name.
    pub name: u32,
    /// Row of [`Tables::categories`].
    pub category: u16,
}

/// A valid street map. Cheap to read, impossible to change.
#[derive(Clone, Debug, PartialEq)]
pub struct StreetMap {
    tables: Tables,
    leaving: Arms,
    arriving: Arms,
    ranks: Vec<Rank>,
}

impl StreetMap {
    /// The map these tables describe, if they fit together.
    pub fn from_tables(tables: Tables) -> Result<StreetMap, TablesError> {
        tables.check()?;
        let group = |travel| Arms::group(tables.terminals.len(), &tables.streets, travel);
        let (leaving, arriving) =
            rayon::join(|| group(Travel::Forward), || group(Travel::Backward));
        let ranks = tables.classes.iter().map(Rank::of_class).collect();
        Ok(StreetMap { tables, leaving, arriving, ranks })
    }

    /// The flat arrays behind this map, for whoever writes them to a file.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// How many terminals there are.
    pub fn terminal_count(&self) -> usize {
        self.tables.terminals.len()
    }

    /// How many streets there are; at least one.
    pub fn street_count(&self) -> usize {
        self.tables.streets.len()
    }

    /// All terminals in order.
    pub fn terminals(&self) -> impl ExactSizeIterator<Item = TerminalId> + use<> {
        (0..self.terminal_count() as u32).map(TerminalId)
    }

    /// All streets in order.
    pub fn streets(&self) -> impl ExactSizeIterator<Item = StreetId> + use<> {
        (0..self.street_count() as u32).map(StreetId)
    }

    /// All points of interest in order.
    pub fn pois(&self) -> impl ExactSizeIterator<Item = PoiId> + use<> {
        (0..self.tables.pois.len() as u32).map(PoiId)
    }

    /// Where a terminal is.
    pub fn terminal(&self, terminal: TerminalId) -> Point {
        self.tables.terminals[terminal.index()]
    }

    /// A terminal's id in the map's own words.
    pub fn terminal_label(&self, terminal: TerminalId) -> &str {
        self.tables.terminal_labels.get(terminal.index())
    }

    /// A street's ends, length and direction.
    pub fn street(&self, street: StreetId) -> &Street {
        &self.tables.streets[street.index()]
    }

    /// A street's id in the map's own words; what outcomes and disclosures name it by.
    pub fn street_label(&self, street: StreetId) -> &str {
        self.tables.street_labels.get(street.index())
    }

    /// The points a street runs through, both terminals included.
    pub fn shape(&self, street: StreetId) -> &[Point] {
        self.tables.shape(street)
    }

    /// A street's length before it was rounded up, in metres; for totals shown to people.
    pub fn metres(&self, street: StreetId) -> f64 {
        self.tables.street_metres[street.index()]
    }

    /// What people call the street.
    pub fn street_name(&self, street: StreetId) -> Option<&str> {
        some_text(self.tables.names.get(self.street(street).name as usize))
    }

    /// The street's class in the map's own words.
    pub fn class(&self, street: StreetId) -> Option<&str> {
        some_text(self.tables.classes.get(usize::from(self.street(street).class)))
    }

    /// How important the street is.
    pub fn rank(&self, street: StreetId) -> Rank {
        self.ranks[usize::from(self.street(street).class)]
    }

    /// A point of interest's places.
    pub fn poi(&self, poi: PoiId) -> &Poi {
        &self.tables.pois[poi.index()]
    }

    /// A point of interest's id in the map's own words.
    pub fn poi_label(&self, poi: PoiId) -> Option<&str> {
        some_text(self.tables.poi_labels.get(poi.index()))
    }

    /// What people call the point of interest.
    pub fn poi_name(&self, poi: PoiId) -> Option<&str> {
        some_text(self.tables.names.get(self.poi(poi).name as usize))
    }

    /// What kind of place it is.
    pub fn category(&self, poi: PoiId) -> &str {
        self.tables.categories.get(usize::from(self.poi(poi).category))
    }

    /// The streets by which one can leave a terminal, in street order.
    ///
    /// A two-way loop is listed twice, once for each way round.
    pub fn leaving(&self, terminal: TerminalId) -> &[Arm] {
        self.leaving.of(terminal)
    }

    /// The streets by which one can arrive at a terminal, in street order.
    pub fn arriving(&self, terminal: TerminalId) -> &[Arm] {
        self.arriving.of(terminal)
    }

    /// The smallest rectangle around all street shapes.
    pub fn bounds(&self) -> Rectangle {
        Rectangle::around(self.tables.shape_points.iter().copied())
            .expect("a valid map has a street, and a street has a shape")
    }

    /// Where on Earth the map lies, if it is known.
    pub fn frame(&self) -> Option<&Frame> {
        self.tables.frame.as_ref()
    }
}

fn some_text(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
