//! Lengths, instants, points and rectangles: the arithmetic everything else is written in.
//!
//! A street length is a whole number of units of 1/32 m, so sums are exact and `≤ dc` never
//! flips between two ways of computing the same distance. Geometry (`Point`) stays in `f64`.

mod length;
mod plane;
mod time;

pub use length::{Length, Speed};
pub use plane::{LonLat, Point, Rectangle};
pub use time::Time;
