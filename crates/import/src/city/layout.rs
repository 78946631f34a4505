//! Large-scale layout: radius of the map, centre, ring roads, avenues, river and motorways.
//! Derived from seed and size alone.
//!
//! City axes: x along the river, y along the main street, perpendicular to the river.

use super::random::RandomStream;
use super::vector::{Noise, add, direction, left, scale};
use meshcloak::units::Point;

/// The layout, in metres around the city centre.
pub(super) struct Layout {
    pub seed: u64,
    pub streets: usize,
    /// Width relative to a city of [`REFERENCE_STREETS`].
    pub size: f64,
    /// Distance from the centre to the edge of the map.
    pub reach: f64,
    /// Radius of the boulevard around the old centre.
    pub boulevard: f64,
    /// Radii of the ring roads, ascending.
    pub rings: Vec<f64>,
    /// Half the width of the river, including quays.
    pub half_river: f64,
    /// Angles of the avenues that begin at the boulevard, in turns from the x axis.
    pub avenues: Vec<f64>,
    /// Avenues that begin at an outer ring.
    pub outer_avenues: Vec<OuterAvenue>,
    /// Signed distance of each motorway from the main street; negative is to the left.
    pub motorways: Vec<f64>,
    east: Point,
}

/// An avenue that begins at an outer ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct OuterAvenue {
    /// Angle in turns from the x axis.
    pub turns: f64,
    /// Index of the ring.
    pub ring: usize,
}

/// Size of the city for which distances below are given; other sizes are scaled.
const REFERENCE_STREETS: f64 = 7000.0;
const REFERENCE_REACH: f64 = 12_600.0;

impl Layout {
    pub(super) fn new(seed: u64, streets: usize) -> Layout {
        let mut random = RandomStream::new(seed, 1);
        let size = (streets as f64 / REFERENCE_STREETS).sqrt();
        let reach = REFERENCE_REACH * size;
        let boulevard = (780.0 * size.sqrt()).min(0.13 * reach);
        let first_ring = (3100.0 * size.sqrt()).min(0.31 * reach);
        let widest = 0.7 * (reach - 3000.0).max(0.5 * reach);
        let rings: Vec<f64> =
            (0..6).map(|n| first_ring * f64::from(1 << n)).take_while(|r| *r < widest).collect();
        let spread = |random: &mut RandomStream, turns: f64| turns + random.uniform(-0.018, 0.018);
        let avenues = [0.112, 0.388, 0.65, 0.85].map(|turns| spread(&mut random, turns));
        let mut outer_avenues = Vec::new();
        for ring in 1..rings.len() {
            // Between the inner avenues, and not along the river.
            let turns: &[f64] =
                if ring == 1 { &[0.18, 0.32, 0.7, 0.8] } else { &[0.07, 0.43, 0.59, 0.91] };
            outer_avenues.extend(
                turns.iter().map(|turns| OuterAvenue { turns: spread(&mut random, *turns), ring }),
            );
        }
        let side = if random.chance(0.5) { 1.0 } else { -1.0 };
        let mut motorways = vec![side * 1.42 * first_ring];
        if rings.len() > 2 {
            motorways.push(-side * 2.9 * first_ring);
        }
        Layout {
            seed,
            streets,
            size,
            reach,
            boulevard,
            rings,
            half_river: (58.0 * size.sqrt()).clamp(38.0, 130.0),
            avenues: avenues.to_vec(),
            outer_avenues,
            motorways,
            east: direction(random.unit()),
        }
    }

    /// Converts city-axis coordinates to map coordinates.
    pub(super) fn at(&self, x: f64, y: f64) -> Point {
        add(scale(self.east, x), scale(left(self.east), y))
    }

    /// Returns the unit vector at an angle of `turns` from the river.
    pub(super) fn way(&self, turns: f64) -> Point {
        let d = direction(turns);
        self.at(d.x, d.y)
    }

    /// Returns the edge of the map, counter-clockwise.
    pub(super) fn outline(&self) -> Vec<Point> {
        let noise = Noise(self.seed ^ 11);
        let corners = 96;
        let corner = |n: i32| {
            let way = self.way(f64::from(n) / f64::from(corners));
            let rough = 0.94 + 0.06 * noise.plane(scale(way, 2.2));
            scale(way, self.reach * rough)
        };
        (0..corners).map(corner).collect()
    }

    /// Radius of the densely built area.
    pub(super) fn city_radius(&self) -> f64 {
        (0.375 * self.reach).max(1.4 * self.rings[0])
    }
}
