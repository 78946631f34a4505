//! Where the great things lie: how far the city reaches, where its centre, rings, avenues, river
//! and motorways are. All of it follows from seed and size.
//!
//! The city's own axes are the river's course (x) and, square to it, the main street (y).

use super::random::RandomStream;
use super::vector::{Noise, add, direction, left, scale};
use meshcloak::units::Point;

/// The plan of the whole city, in metres around its centre.
pub(super) struct Layout {
    pub seed: u64,
    pub streets: usize,
    /// How many times as wide as a city of the usual size.
    pub size: f64,
    /// From the centre to the edge of the map.
    pub reach: f64,
    /// Radius of the boulevard around the old centre.
    pub boulevard: f64,
    /// Radii of the ring roads, smallest first.
    pub rings: Vec<f64>,
    /// Half the width of the river, quays included.
    pub half_river: f64,
    /// Turns from the x axis at which avenues leave the boulevard.
    pub avenues: Vec<f64>,
    /// Turns and ring from which further avenues leave.
    pub outer_avenues: Vec<(f64, usize)>,
    /// Distance of each motorway from the main street; left of it if negative.
    pub motorways: Vec<f64>,
    east: Point,
}

/// The size for which distances below are stated.
const USUAL_STREETS: f64 = 7000.0;
const USUAL_REACH: f64 = 12_600.0;

impl Layout {
    pub(super) fn new(seed: u64, streets: usize) -> Layout {
        let mut random = RandomStream::new(seed, 1);
        let size = (streets as f64 / USUAL_STREETS).sqrt();
        let reach = USUAL_REACH * size;
        let boulevard = (780.0 * size.sqrt()).min(0.13 * reach);
        let first_ring = (3100.0 * size.sqrt()).min(0.31 * reach);
        let widest = 0.7 * (reach - 3000.0).max(0.5 * reach);
        let rings: Vec<f64> =
            (0..6).map(|n| first_ring * f64::from(1 << n)).take_while(|r| *r < widest).collect();
        let spread = |random: &mut RandomStream, turns: f64| turns + random.uniform(-0.018, 0.018);
        let avenues = [0.112, 0.388, 0.65, 0.85].map(|turns| spread(&mut random, turns));
        let mut outer_avenues = Vec::new();
        for ring in 1..rings.len() {
            // Between those that are already there, and never along the river.
            let turns: &[f64] =
                if ring == 1 { &[0.18, 0.32, 0.7, 0.8] } else { &[0.07, 0.43, 0.59, 0.91] };
            outer_avenues.extend(turns.iter().map(|turns| (spread(&mut random, *turns), ring)));
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

    /// The point at these coordinates along the city's own axes.
    pub(super) fn place(&self, x: f64, y: f64) -> Point {
        add(scale(self.east, x), scale(left(self.east), y))
    }

    /// The unit vector some turns from the river's course.
    pub(super) fn way(&self, turns: f64) -> Point {
        let d = direction(turns);
        self.place(d.x, d.y)
    }

    /// The edge of the map, round to the left.
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

    /// How far out streets stand close together.
    pub(super) fn city_radius(&self) -> f64 {
        (0.375 * self.reach).max(1.4 * self.rings[0])
    }
}
