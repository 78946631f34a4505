//! Input and output types of the map builder: raw streets and points of interest, dropped and
//! corrected data, and errors.

use super::{StreetMap, TerminalId};
use crate::units::Point;

/// A street to add to a map.
#[derive(Clone, Copy, Debug)]
pub struct RawStreet<'a> {
    /// Id in the source; unique.
    pub label: &'a str,
    /// First terminal.
    pub from: TerminalId,
    /// Last terminal.
    pub to: TerminalId,
    /// Length in metres given by the source; `None` uses the length of the shape.
    pub written_metres: Option<f64>,
    /// Whether travel is allowed only `from → to`.
    pub one_way: bool,
    /// Points between the two terminals.
    pub bends: &'a [Point],
    /// Name; empty if none.
    pub name: &'a str,
    /// Class in the source; empty if none.
    pub class: &'a str,
}

impl<'a> RawStreet<'a> {
    /// Returns a straight two-way street without name and class. Other values are set with struct
    /// update syntax or with [`RawStreet::one_way`] and [`RawStreet::named`].
    pub fn new(label: &'a str, from: TerminalId, to: TerminalId) -> RawStreet<'a> {
        RawStreet {
            label,
            from,
            to,
            written_metres: None,
            one_way: false,
            bends: &[],
            name: "",
            class: "",
        }
    }

    /// Restricts the street to the direction `from → to`.
    pub fn one_way(self) -> RawStreet<'a> {
        RawStreet { one_way: true, ..self }
    }

    /// Sets the name.
    pub fn named(self, name: &'a str) -> RawStreet<'a> {
        RawStreet { name, ..self }
    }
}

/// A point of interest as a file describes it.
#[derive(Clone, Copy, Debug)]
pub struct RawPoi<'a> {
    /// Id in the source; empty if none.
    pub label: &'a str,
    /// Coordinates.
    pub point: Point,
    /// Category.
    pub category: &'a str,
    /// Name; empty if none.
    pub name: &'a str,
}

/// Part of the added streets that becomes the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The largest strongly connected component: every terminal can reach every other.
    LargestPart,
    /// All streets; the distance between unconnected terminals is infinite.
    Whole,
}

/// Data dropped outside the largest strongly connected component.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dropped {
    /// Number of dropped terminals.
    pub terminals: usize,
    /// Number of dropped streets.
    pub streets: usize,
    /// Unrounded length of the dropped streets.
    pub metres: f64,
    /// Number of other components.
    pub parts: usize,
}

/// Corrected lengths (docs/SPEC.md §1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Streets of zero length, set to one unit.
    pub zero_length: usize,
    /// Streets with a given length below that of the shape, set to the length of the shape.
    pub lengthened: usize,
}

/// A finished map with dropped and corrected data.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The map.
    pub map: StreetMap,
    /// Dropped data.
    pub dropped: Dropped,
    /// Corrected lengths.
    pub repairs: Repairs,
}

/// An error of the map builder.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MapError {
    /// A coordinate is not finite or too large.
    #[error("`{label}` is at {x}, {y}; expected finite metres within ±40,000 km")]
    BadCoordinates {
        /// Label of the terminal, street or point of interest.
        label: String,
        /// Metres to the east.
        x: f64,
        /// Metres to the north.
        y: f64,
    },
    /// Two terminals share an id.
    #[error("duplicate terminal id `{0}`")]
    DuplicateTerminal(String),
    /// Two streets share an id.
    #[error("duplicate street id `{0}`")]
    DuplicateStreet(String),
    /// A street refers to a terminal that was not added.
    #[error("street `{0}` refers to an unknown terminal")]
    UnknownTerminal(String),
    /// A given length is not a positive number.
    #[error("street `{label}` has length {metres}; expected metres above 0")]
    BadLength {
        /// Label of the street.
        label: String,
        /// The given length.
        metres: f64,
    },
    /// A street exceeds the range of a length.
    #[error("street `{label}` is {metres} m long; expected less than 134,000 km")]
    TooLong {
        /// Label of the street.
        label: String,
        /// The given or measured length.
        metres: f64,
    },
    /// Too many distinct classes or categories.
    #[error("too many classes or categories at `{0}`; expected at most 65,535")]
    TooManyClasses(String),
    /// Too many points or too long texts.
    #[error("map too large at `{0}`; expected at most 200 million points and 4 GiB of names")]
    TooLarge(String),
    /// The map has no street.
    #[error("the map has no street")]
    NoStreet,
}
