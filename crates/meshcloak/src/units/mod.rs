//! Units: lengths, speeds, instants, points and rectangles.
//!
//! Street lengths are integers in units of 1/32 m, so sums are exact and a comparison with `dc` does
//! not depend on the order of additions. Geometry (`Point`) uses `f64`.

mod length;
mod plane;
mod time;

pub use length::{Length, Speed};
pub use plane::{LonLat, Point, Rectangle};
pub use time::Time;
