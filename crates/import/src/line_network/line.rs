//! Lines and points as files hold them.

use meshcloak::units::{LonLat, Point};

/// Unit of the coordinates of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineUnit {
    /// WGS 84 degrees.
    Degrees,
    /// Metres in a plane.
    Metres,
}

/// Coordinates in fixed steps, 10⁻⁷ degrees (1 cm) or millimetres: equal coordinates are the same
/// place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Vertex {
    x: i64,
    y: i64,
}

const STEPS_PER_DEGREE: f64 = 1e7;
const STEPS_PER_METRE: f64 = 1e3;

/// Largest coordinate in metres: the circumference of the Earth.
const MAX_METRES: f64 = 4.1e7;

impl Vertex {
    /// Returns the vertex at these coordinates; `None` if they are not on Earth.
    pub(crate) fn new(unit: LineUnit, x: f64, y: f64) -> Option<Vertex> {
        let steps = match unit {
            LineUnit::Degrees => {
                LonLat::new(x, y)?;
                STEPS_PER_DEGREE
            }
            LineUnit::Metres if x.abs() <= MAX_METRES && y.abs() <= MAX_METRES => STEPS_PER_METRE,
            LineUnit::Metres => return None,
        };
        Some(Vertex { x: (x * steps).round() as i64, y: (y * steps).round() as i64 })
    }

    /// Position of a vertex in degrees.
    pub(super) fn lon_lat(self) -> LonLat {
        let degrees = |steps: i64| steps as f64 / STEPS_PER_DEGREE;
        LonLat { lon: degrees(self.x), lat: degrees(self.y) }
    }

    /// Position of a vertex in metres.
    pub(super) fn metres(self) -> Point {
        Point::new(self.x as f64 / STEPS_PER_METRE, self.y as f64 / STEPS_PER_METRE)
    }
}

/// A line string with its attributes; texts are empty if absent.
#[derive(Debug)]
pub(crate) struct Line {
    /// At least two, no two consecutive ones equal.
    pub vertices: Vec<Vertex>,
    pub id: String,
    pub name: String,
    pub class: String,
    pub is_one_way: bool,
    /// Whether the one-way direction is against the line.
    pub is_reversed: bool,
    /// Number of the feature or record, from 1.
    pub feature: u64,
}

/// A point with a category.
#[derive(Debug)]
pub(crate) struct PointOfInterest {
    pub vertex: Vertex,
    pub id: String,
    pub category: String,
    pub name: String,
    /// Number of the feature, from 1.
    pub feature: u64,
}
