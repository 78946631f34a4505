//! Vector arithmetic on points, and value noise.
//!
//! Only + − × ÷ and √ are used: IEEE 754 defines their results exactly, so all machines compute
//! the same bits.

use meshcloak::mix::mix64;
use meshcloak::units::Point;

pub(super) fn add(a: Point, b: Point) -> Point {
    Point::new(a.x + b.x, a.y + b.y)
}

pub(super) fn sub(a: Point, b: Point) -> Point {
    Point::new(a.x - b.x, a.y - b.y)
}

pub(super) fn scale(a: Point, factor: f64) -> Point {
    Point::new(a.x * factor, a.y * factor)
}

/// `a + b · factor`.
pub(super) fn along(a: Point, b: Point, factor: f64) -> Point {
    Point::new(a.x + b.x * factor, a.y + b.y * factor)
}

pub(super) fn dot(a: Point, b: Point) -> f64 {
    a.x * b.x + a.y * b.y
}

/// Cross product `a × b`; positive if `b` points to the left of `a`.
pub(super) fn cross(a: Point, b: Point) -> f64 {
    a.x * b.y - a.y * b.x
}

pub(super) fn norm(a: Point) -> f64 {
    dot(a, a).sqrt()
}

/// Returns the unit vector in the direction of `a`; east for the zero vector.
pub(super) fn unit(a: Point) -> Point {
    let length = norm(a);
    if length > 0.0 { scale(a, 1.0 / length) } else { Point::new(1.0, 0.0) }
}

/// Rotates `a` by 90° counter-clockwise.
pub(super) fn left(a: Point) -> Point {
    Point::new(-a.y, a.x)
}

/// Rotates `a` by the angle between east and the unit vector `by`.
pub(super) fn turned(a: Point, by: Point) -> Point {
    Point::new(a.x * by.x - a.y * by.y, a.x * by.y + a.y * by.x)
}

/// Returns the unit vector at an angle of `turns` full turns from east, counter-clockwise.
///
/// Multiples of 1/8 turn are exact; other angles are off by less than 1°.
pub(super) fn direction(turns: f64) -> Point {
    let quarters = turns * 4.0;
    let nearest = quarters.round();
    let t = (quarters - nearest) * (2.0 * (2.0_f64.sqrt() - 1.0));
    let (c, s) = ((1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
    match (nearest as i64).rem_euclid(4) {
        0 => Point::new(c, s),
        1 => Point::new(-s, c),
        2 => Point::new(-c, -s),
        _ => Point::new(s, -c),
    }
}

/// Intersects segment `a`–`b` with segment `c`–`d`; returns the fractions along both.
pub(super) fn meeting(a: Point, b: Point, c: Point, d: Point) -> Option<(f64, f64)> {
    let (u, v, w) = (sub(b, a), sub(d, c), sub(c, a));
    let area = cross(u, v);
    if area == 0.0 {
        return None;
    }
    let (s, t) = (cross(w, v) / area, cross(w, u) / area);
    ((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t)).then_some((s, t))
}

/// Distance from `p` to the segment `a`–`b`.
pub(super) fn distance_to(p: Point, a: Point, b: Point) -> f64 {
    p.distance(a.towards(b, p.nearest_fraction(a, b)))
}

/// Returns whether `d` lies in the open counter-clockwise sector from `b` to `a`.
pub(super) fn between(b: Point, d: Point, a: Point) -> bool {
    if cross(b, a) > 0.0 {
        cross(b, d) > 0.0 && cross(d, a) > 0.0
    } else {
        !(cross(a, d) >= 0.0 && cross(d, b) >= 0.0) || (cross(a, b) == 0.0 && dot(a, b) > 0.0)
    }
}

/// Rounds a point to whole centimetres, which every file format stores exactly.
pub(super) fn to_centimetres(p: Point) -> Point {
    Point::new((p.x * 100.0).round() / 100.0, (p.y * 100.0).round() / 100.0)
}

/// Value noise in −1..1 on a unit lattice, interpolated smoothly. Holds the seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise(pub u64);

impl Noise {
    fn at(self, x: i64, y: i64) -> f64 {
        let bits = mix64(self.0 ^ mix64(x as u64 ^ mix64(y as u64)));
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Samples one-dimensional noise.
    pub(super) fn line(self, x: f64) -> f64 {
        let (cell, t) = (x.floor(), smooth(x - x.floor()));
        let (a, b) = (self.at(cell as i64, 0), self.at(cell as i64 + 1, 0));
        a + (b - a) * t
    }

    /// Samples two-dimensional noise.
    pub(super) fn plane(self, p: Point) -> f64 {
        let (x, y) = (p.x.floor(), p.y.floor());
        let (s, t) = (smooth(p.x - x), smooth(p.y - y));
        let row = |y: i64| {
            let (a, b) = (self.at(x as i64, y), self.at(x as i64 + 1, y));
            a + (b - a) * s
        };
        let (a, b) = (row(y as i64), row(y as i64 + 1));
        a + (b - a) * t
    }
}

fn smooth(t: f64) -> f64 {
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_unit_vectors_and_quarter_turns_are_exact() {
        for step in 0..64 {
            let d = direction(f64::from(step) / 64.0);
            assert!((norm(d) - 1.0).abs() < 1e-12);
        }
        assert_eq!(direction(0.25), Point::new(0.0, 1.0));
        assert_eq!(direction(-0.5), Point::new(-1.0, 0.0));
        assert!(cross(direction(0.12), direction(0.13)) > 0.0);
    }

    #[test]
    fn between_handles_convex_and_reflex_sectors() {
        let [e, n, w, s] = [0.0, 0.25, 0.5, 0.75].map(direction);
        assert!(between(e, direction(0.1), n));
        assert!(!between(e, w, n));
        assert!(between(n, w, e) && between(n, s, e));
        assert!(!between(n, direction(0.1), e));
        assert!(between(e, w, e));
    }
}
