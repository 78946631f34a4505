//! What goes into a map and what comes of it: streets and points as a file describes them, what
//! was left out or put right, and why something is no part of a valid map.

use super::{StreetMap, TerminalId};
use crate::units::Point;

/// A street as a file describes it.
#[derive(Clone, Copy, Debug)]
pub struct RawStreet<'a> {
    /// Its id in the file; unique.
    pub label: &'a str,
    /// Where it begins.
    pub from: TerminalId,
    /// Where it ends.
    pub to: TerminalId,
    /// Its length in metres if the file gives one; otherwise that of the shape.
    pub written_metres: Option<f64>,
    /// Whether it can be travelled only `from → to`.
    pub one_way: bool,
    /// The points between its two terminals.
    pub bends: &'a [Point],
    /// What people call it; empty if nothing.
    pub name: &'a str,
    /// Its class in the file's own words; empty if none.
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
    /// Its id in the file; empty if none.
    pub label: &'a str,
    /// Where it is.
    pub point: Point,
    /// What kind of place it is.
    pub category: &'a str,
    /// What people call it; empty if nothing.
    pub name: &'a str,
}

/// How much of what was read becomes the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The streets of the largest strongly connected part: everyone can reach everything.
    LargestPart,
    /// Everything; a missing way is then infinite distance.
    Whole,
}

/// What was left out, being outside the largest strongly connected part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dropped {
    /// Terminals left out.
    pub terminals: usize,
    /// Streets left out.
    pub streets: usize,
    /// Their length, unrounded.
    pub metres: f64,
    /// How many other parts there were.
    pub parts: usize,
}

/// Lengths that were put right (SPEC §1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Streets whose two ends lie on one point: one unit long now.
    pub zero_length: usize,
    /// Streets whose written length was shorter than their shape: as long as the shape now.
    pub lengthened: usize,
}

/// A finished map and what happened on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The map.
    pub map: StreetMap,
    /// What was left out.
    pub dropped: Dropped,
    /// What was put right.
    pub repairs: Repairs,
}

/// Why something is no part of a valid map.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MapError {
    /// A coordinate is not a number or no place on Earth.
    #[error("`{label}` lies at {x}, {y}; expected finite metres within ±40,000 km")]
    NotAPlace {
        /// Of the terminal, street or point of interest.
        label: String,
        /// As given.
        x: f64,
        /// As given.
        y: f64,
    },
    /// Two terminals share an id.
    #[error("terminal id `{0}` is given twice")]
    DuplicateTerminal(String),
    /// Two streets share an id.
    #[error("street id `{0}` is given twice")]
    DuplicateStreet(String),
    /// A street names a terminal that was never added.
    #[error("street `{0}` begins or ends at a terminal that does not exist")]
    UnknownTerminal(String),
    /// A written length is no length.
    #[error("street `{label}` has the written length {metres}; expected metres above 0")]
    BadLength {
        /// Of the street.
        label: String,
        /// As given.
        metres: f64,
    },
    /// A street passes what a length can hold.
    #[error("street `{label}` is {metres} m long; expected less than 134,000 km")]
    TooLong {
        /// Of the street.
        label: String,
        /// As given or measured.
        metres: f64,
    },
    /// More distinct classes or categories than a map can tell apart.
    #[error("`{0}` is one class or category too many; expected at most 65,535")]
    TooManyClasses(String),
    /// More points, or longer texts, than a map can number.
    #[error("`{0}` is one too many; expected at most 200 million points and 4 GiB of names")]
    TooLarge(String),
    /// Nothing to build a map from.
    #[error("the map has no street")]
    NoStreet,
}
