//! Zones of a user (home, work) with rules of their own: a larger k, a longer dt, or no queries.
//!
//! The positions where queries start to be refused must not reveal the zone. Its effective
//! boundary therefore differs for each user and day (`boundary`) and always encloses the zone.

mod boundary;
mod shape;

pub use boundary::{BlurredBoundary, BoundaryKey, BoundarySecret};
pub use shape::ZoneShape;

use meshcloak::units::Point;
use std::time::Duration;

/// A zone and its rule.
#[derive(Clone, PartialEq)]
pub struct Zone {
    /// Shape in map coordinates.
    pub shape: ZoneShape,
    /// Rule inside the zone.
    pub rule: ZoneRule,
}

/// Prints no coordinates.
impl std::fmt::Debug for Zone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Zone(…)")
    }
}

/// Rule of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneRule {
    /// Every query is refused.
    Never,
    /// Queries have at least this k and dt.
    AtLeast(ZoneMinimum),
}

/// Lower bounds on a query's k and dt; the default has no effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZoneMinimum {
    /// Smallest k.
    pub k: u32,
    /// Smallest temporal tolerance.
    pub dt: Duration,
}

impl ZoneMinimum {
    /// Returns the larger bounds of both.
    pub fn max(self, other: ZoneMinimum) -> ZoneMinimum {
        ZoneMinimum { k: self.k.max(other.k), dt: self.dt.max(other.dt) }
    }
}

/// Combines the rules of all zones that contain at least one of the points; `Never` wins.
pub fn strictest_rule(
    zones: &[Zone],
    points: [Point; 2],
    boundary: impl Fn(&Zone) -> BlurredBoundary,
) -> ZoneRule {
    let mut minimum = ZoneMinimum::default();
    for zone in zones {
        let boundary = boundary(zone);
        if points.iter().any(|&point| boundary.contains(&zone.shape, point)) {
            match zone.rule {
                ZoneRule::Never => return ZoneRule::Never,
                ZoneRule::AtLeast(other) => minimum = minimum.max(other),
            }
        }
    }
    ZoneRule::AtLeast(minimum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(x: f64, rule: ZoneRule) -> Zone {
        Zone { shape: ZoneShape::Circle { centre: Point::new(x, 0.0), radius: 100.0 }, rule }
    }

    #[test]
    fn overlapping_zones_combine_to_the_strictest_rule() {
        let at_least =
            |k, seconds| ZoneRule::AtLeast(ZoneMinimum { k, dt: Duration::from_secs(seconds) });
        let zones =
            [zone(0.0, at_least(9, 1)), zone(50.0, at_least(4, 30)), zone(900.0, ZoneRule::Never)];
        let at =
            |x: f64| strictest_rule(&zones, [Point::new(x, 0.0); 2], |_| BlurredBoundary::exact());
        assert_eq!(at(25.0), at_least(9, 30));
        assert_eq!(at(-80.0), at_least(9, 1));
        assert_eq!(at(140.0), at_least(4, 30));
        assert_eq!(at(500.0), ZoneRule::AtLeast(ZoneMinimum::default()));
        assert_eq!(at(900.0), ZoneRule::Never);
        let raw_and_snapped = [Point::new(500.0, 0.0), Point::new(850.0, 0.0)];
        assert_eq!(
            strictest_rule(&zones, raw_and_snapped, |_| BlurredBoundary::exact()),
            ZoneRule::Never
        );
    }
}
