//! Density of blocks per square kilometre, on a raster.
//!
//! High in the old centre, falling towards the suburbs with ridges along the avenues, near zero in
//! the country, high again in villages and towns.

use super::layout::Layout;
use super::random::RandomStream;
use super::river;
use super::vector::{Noise, dot, norm, scale, unit};
use meshcloak::units::Point;

/// Raster cells per row and per column.
const SIDE: usize = 600;

/// A village or town outside the city.
#[derive(Clone, Copy, Debug)]
pub(super) struct Village {
    pub centre: Point,
    pub radius: f64,
    density: f64,
}

/// The density raster: `SIDE × SIDE` square cells centred on the city.
pub(super) struct Density {
    cells: Vec<f32>,
    /// Side of a cell, in metres.
    cell: f64,
    /// Half the side of the raster, in metres.
    half: f64,
    pub villages: Vec<Village>,
}

impl Density {
    pub(super) fn new(layout: &Layout) -> Density {
        let half = layout.reach * 1.02;
        let cell = 2.0 * half / SIDE as f64;
        let mut density =
            Density { cells: vec![0.0; SIDE * SIDE], cell, half, villages: villages(layout) };
        let field = Field::new(layout);
        for index in 0..SIDE * SIDE {
            density.cells[index] = field.at(density.middle(index)) as f32;
        }
        for number in 0..density.villages.len() {
            density.add_village(density.villages[number]);
        }
        density
    }

    fn middle(&self, index: usize) -> Point {
        let metres = |n: usize| (n as f64 + 0.5) * self.cell - self.half;
        Point::new(metres(index % SIDE), metres(index / SIDE))
    }

    fn index(&self, x: f64) -> usize {
        (((x + self.half) / self.cell) as usize).min(SIDE - 1)
    }

    /// Returns the density at `p`, in blocks per square kilometre.
    pub(super) fn at(&self, p: Point) -> f64 {
        f64::from(self.cells[self.index(p.y) * SIDE + self.index(p.x)])
    }

    /// Raises the density within the radius of a village.
    fn add_village(&mut self, village: Village) {
        let Village { centre, radius, density } = village;
        let (west, east) = (self.index(centre.x - radius), self.index(centre.x + radius));
        for row in self.index(centre.y - radius)..=self.index(centre.y + radius) {
            for index in row * SIDE + west..=row * SIDE + east {
                let part = self.middle(index).distance(centre) / radius;
                if part < 1.0 {
                    let here = density * (1.0 - part * part);
                    self.cells[index] = self.cells[index].max(here as f32);
                }
            }
        }
    }
}

/// Density before villages are added.
struct Field<'a> {
    layout: &'a Layout,
    fingers: Vec<Point>,
    noise: Noise,
}

impl Field<'_> {
    fn new(layout: &Layout) -> Field<'_> {
        let axis = [0.25, 0.75];
        let turns = layout.avenues.iter().chain(&axis);
        let fingers = turns.map(|turns| layout.way(*turns)).collect();
        Field { layout, fingers, noise: Noise(layout.seed ^ 31) }
    }

    fn at(&self, p: Point) -> f64 {
        let layout = self.layout;
        let way = unit(p);
        let nearest = self.fingers.iter().map(|finger| dot(*finger, way)).fold(0.0, f64::max);
        let finger = ((nearest - 0.9) / 0.1).clamp(0.0, 1.0);
        let hills = self.noise.plane(scale(p, 1.0 / (0.09 * layout.reach)));
        let rough = 1.0 + 0.28 * hills;
        let (true_r, ring) = (norm(p), layout.rings[0]);
        let stretch = ((true_r - ring) / ring).clamp(0.0, 1.0);
        let r = true_r / (1.0 + stretch * (0.30 * finger + 0.22 * hills - 0.06));
        let city = layout.city_radius();
        let knots = [
            (0.0, 290.0),
            (layout.boulevard, 250.0),
            (1.12 * layout.boulevard, 125.0),
            (ring, 78.0),
            ((ring + city) * 0.5, 44.0),
            (city, 21.0),
            (city * 1.12, 0.29),
            (layout.reach, 0.085),
        ];
        rough * between_knots(&knots, r)
    }
}

/// Interpolates linearly between `(x, y)` knots with ascending `x`.
fn between_knots(knots: &[(f64, f64)], x: f64) -> f64 {
    let pair = knots.windows(2).find(|pair| x < pair[1].0);
    pair.map_or(knots[knots.len() - 1].1, |pair| {
        let t = (x - pair[0].0) / (pair[1].0 - pair[0].0);
        pair[0].1 + (pair[1].1 - pair[0].1) * t
    })
}

/// Places villages at a distance from each other, from the river and from motorways; 40 % of them
/// lie on an avenue.
fn villages(layout: &Layout) -> Vec<Village> {
    let mut random = RandomStream::new(layout.seed, 3);
    let wanted = (layout.streets as f64 / 7000.0 * 19.0).ceil() as usize;
    let mut villages: Vec<Village> = Vec::new();
    let radials: Vec<f64> = layout.avenues.iter().copied().chain([0.25, 0.75]).collect();
    for _ in 0..wanted * 12 {
        if villages.len() == wanted {
            break;
        }
        let turns = if random.chance(0.4) { *random.pick(&radials) } else { random.unit() };
        let out = random.uniform(0.45, 0.9);
        let way = scale(layout.way(turns), layout.reach);
        let centre = scale(way, out.sqrt());
        let radius = random.uniform(0.03, 0.075).min(random.uniform(0.03, 0.09))
            * layout.reach.min(14_000.0);
        let radius = if random.chance(0.18) { radius * 1.7 } else { radius };
        let density =
            if radius > 1000.0 { random.uniform(40.0, 60.0) } else { random.uniform(26.0, 45.0) };
        let near = |other: &Village| other.centre.distance(centre) < 1.5 * (other.radius + radius);
        if !villages.iter().any(near) && is_dry(layout, centre, radius) {
            villages.push(Village { centre, radius, density });
        }
    }
    villages
}

fn is_dry(layout: &Layout, centre: Point, radius: f64) -> bool {
    let (x, y) = (dot(centre, layout.way(0.0)), dot(centre, layout.way(0.25)));
    let wet = (river::height(layout, x) - y).abs() < 0.5 * radius + 2.0 * layout.half_river;
    let at_motorway = layout.motorways.iter().any(|at| (x - at).abs() < 0.8 * radius);
    !wet && !at_motorway
}
