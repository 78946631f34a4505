//! Places that matter to one person (home, work): around them she wants to be hidden among more,
//! is willing to wait longer, or wants nothing to leave at all.
//!
//! Where silence begins must not show where the place is, so its edge is another one for every
//! person and every day (`edge`), and never inside the true one.

mod edge;
mod shape;

pub use edge::{Edge, Secret};
pub use shape::Shape;

use meshcloak::units::Point;
use std::time::Duration;

/// A place and what holds there.
#[derive(Clone, PartialEq)]
pub struct Zone {
    /// Where it is, in the plane of the map.
    pub shape: Shape,
    /// What holds there.
    pub rule: Rule,
}

/// Where somebody lives never gets printed.
impl std::fmt::Debug for Zone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Zone(…)")
    }
}

/// What holds at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Nothing leaves.
    Never,
    /// At least this much care is taken.
    Care(Care),
}

/// How much care is taken; the default asks for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Care {
    /// Among at least how many.
    pub k: u32,
    /// With at least that much patience.
    pub dt: Duration,
}

impl Care {
    /// What satisfies both.
    fn and(self, other: Care) -> Care {
        Care { k: self.k.max(other.k), dt: self.dt.max(other.dt) }
    }
}

/// What holds for somebody at any of these points: the strictest of all zones that hold one of
/// them. `edge` tells the edge of a zone.
pub fn strictest(zones: &[Zone], points: [Point; 2], edge: impl Fn(&Zone) -> Edge) -> Rule {
    let mut care = Care::default();
    for zone in zones {
        let edge = edge(zone);
        if points.iter().any(|&point| edge.holds(&zone.shape, point)) {
            match zone.rule {
                Rule::Never => return Rule::Never,
                Rule::Care(more) => care = care.and(more),
            }
        }
    }
    Rule::Care(care)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(x: f64, rule: Rule) -> Zone {
        Zone { shape: Shape::Circle { centre: Point::new(x, 0.0), radius: 100.0 }, rule }
    }

    #[test]
    fn of_several_places_the_strictest_counts_and_never_is_stricter_than_all() {
        let care = |k, seconds| Rule::Care(Care { k, dt: Duration::from_secs(seconds) });
        let zones = [zone(0.0, care(9, 1)), zone(50.0, care(4, 30)), zone(900.0, Rule::Never)];
        let at = |x: f64| strictest(&zones, [Point::new(x, 0.0); 2], |_| Edge::sharp());
        assert_eq!(at(25.0), care(9, 30));
        assert_eq!(at(-80.0), care(9, 1));
        assert_eq!(at(140.0), care(4, 30));
        assert_eq!(at(500.0), Rule::Care(Care::default()));
        assert_eq!(at(900.0), Rule::Never);
        let astray = [Point::new(500.0, 0.0), Point::new(850.0, 0.0)];
        assert_eq!(strictest(&zones, astray, |_| Edge::sharp()), Rule::Never);
    }
}
