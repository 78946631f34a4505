//! Regions (docs/SPEC.md §7): a mesh of streets, or the rectangle or disc of a free-space scheme.
//!
//! Their sizes are compared by the length of street inside.

use crate::map::{Position, StreetId, StreetMap};
use crate::units::{Point, Rectangle};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The region of a disclosure: what the service is asked about.
#[derive(Clone, Debug, PartialEq)]
pub enum Region<'a> {
    /// Whole streets, each once, ascending.
    Mesh(Cow<'a, [StreetId]>),
    /// A rectangle, boundary included.
    Rectangle(Rectangle),
    /// A disc, boundary included.
    Disc(Disc),
}

/// A disc, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Centre.
    pub centre: Point,
    /// Radius.
    pub radius: f64,
}

impl Disc {
    /// Returns the bounding box.
    pub fn bounds(&self) -> Rectangle {
        let Disc { centre: Point { x, y }, radius } = *self;
        Rectangle {
            min: Point::new(x - radius, y - radius),
            max: Point::new(x + radius, y + radius),
        }
    }
}

impl Region<'_> {
    /// Returns a region that owns its streets.
    pub fn into_owned(self) -> Region<'static> {
        match self {
            Region::Mesh(streets) => Region::Mesh(Cow::Owned(streets.into_owned())),
            Region::Rectangle(rectangle) => Region::Rectangle(rectangle),
            Region::Disc(disc) => Region::Disc(disc),
        }
    }

    /// Compares two regions in a total order: meshes lexicographically, then rectangles, then discs.
    pub fn total_cmp(&self, other: &Region<'_>) -> Ordering {
        match (self, other) {
            (Region::Mesh(a), Region::Mesh(b)) => a.cmp(b),
            _ => {
                let pairs = self.sort_key().into_iter().zip(other.sort_key());
                let orders = pairs.map(|(a, b)| a.total_cmp(&b));
                orders.fold(Ordering::Equal, Ordering::then)
            }
        }
    }

    /// Returns the sort key: variant and coordinates.
    fn sort_key(&self) -> [f64; 5] {
        match self {
            Region::Mesh(_) => [0.0; 5],
            Region::Rectangle(Rectangle { min, max }) => [1.0, min.x, min.y, max.x, max.y],
            Region::Disc(Disc { centre, radius }) => [2.0, centre.x, centre.y, *radius, 0.0],
        }
    }

    /// Returns the streets that are at least partly inside, ascending.
    pub fn streets(&self, map: &StreetMap) -> Cow<'_, [StreetId]> {
        match self {
            Region::Mesh(streets) => Cow::Borrowed(&**streets),
            _ => {
                let mut streets = self.candidates(map);
                streets.retain(|&street| self.touches(map.shape(street)));
                Cow::Owned(streets)
            }
        }
    }

    /// Returns the length of street inside, in metres: whole streets of a mesh, otherwise the parts
    /// inside.
    pub fn metres(&self, map: &StreetMap) -> f64 {
        match self {
            Region::Mesh(streets) => streets.iter().map(|&street| map.metres(street)).sum(),
            _ => {
                let parts = self.candidates(map).into_iter().map(|street| {
                    let shape = map.shape(street);
                    let (inside, whole) = self.lengths(shape);
                    // A street whose shape is a point is inside completely or not at all.
                    let point_share = || if self.contains_point(shape[0]) { 1.0 } else { 0.0 };
                    map.metres(street) * if whole > 0.0 { inside / whole } else { point_share() }
                });
                parts.sum()
            }
        }
    }

    /// Returns whether a position is inside.
    pub fn contains(&self, map: &StreetMap, position: Position) -> bool {
        match self {
            Region::Mesh(streets) => streets.binary_search(&position.street).is_ok(),
            _ => self.contains_point(map.point(position)),
        }
    }

    /// Returns the area in square metres; `None` for a mesh.
    pub fn area(&self) -> Option<f64> {
        match self {
            Region::Mesh(_) => None,
            Region::Rectangle(rectangle) => Some(rectangle.width() * rectangle.height()),
            Region::Disc(disc) => Some(std::f64::consts::PI * disc.radius * disc.radius),
        }
    }

    fn contains_point(&self, point: Point) -> bool {
        match self {
            Region::Mesh(_) => false,
            Region::Rectangle(rectangle) => rectangle.nearest(point) == point,
            Region::Disc(Disc { centre, radius }) => centre.distance(point) <= *radius,
        }
    }

    /// Returns the streets that may be partly inside, ascending.
    fn candidates(&self, map: &StreetMap) -> Vec<StreetId> {
        match self {
            Region::Mesh(streets) => streets.to_vec(),
            Region::Rectangle(rectangle) => map.streets_near(*rectangle),
            Region::Disc(disc) => map.streets_near(disc.bounds()),
        }
    }

    fn touches(&self, shape: &[Point]) -> bool {
        shape.windows(2).any(|ends| self.inside(ends[0], ends[1]).is_some())
            || shape.iter().any(|&point| self.contains_point(point))
    }

    /// Returns the length of a polyline inside, and its total length.
    fn lengths(&self, shape: &[Point]) -> (f64, f64) {
        shape.windows(2).fold((0.0, 0.0), |(inside, whole), ends| {
            let length = ends[0].distance(ends[1]);
            let part = self.inside(ends[0], ends[1]).map_or(0.0, |(enter, leave)| leave - enter);
            (inside + length * part, whole + length)
        })
    }

    /// Returns the fractions (0 to 1) between which a segment is inside.
    fn inside(&self, a: Point, b: Point) -> Option<(f64, f64)> {
        match self {
            Region::Mesh(_) => None,
            Region::Rectangle(Rectangle { min, max }) => {
                let (x0, x1) = slab(a.x, b.x, min.x, max.x)?;
                let (y0, y1) = slab(a.y, b.y, min.y, max.y)?;
                let (enter, leave) = (x0.max(y0), x1.min(y1));
                (enter <= leave).then_some((enter, leave))
            }
            Region::Disc(disc) => chord(a, b, *disc),
        }
    }
}

/// Returns the fractions (0 to 1) between which a coordinate from `a` to `b` is within two bounds.
fn slab(a: f64, b: f64, low: f64, high: f64) -> Option<(f64, f64)> {
    if a == b {
        return (low <= a && a <= high).then_some((0.0, 1.0));
    }
    let (at_low, at_high) = ((low - a) / (b - a), (high - a) / (b - a));
    let (enter, leave) = (at_low.min(at_high).max(0.0), at_low.max(at_high).min(1.0));
    (enter <= leave).then_some((enter, leave))
}

/// Returns the fractions (0 to 1) between which a segment is within a disc.
fn chord(a: Point, b: Point, Disc { centre, radius }: Disc) -> Option<(f64, f64)> {
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let (cx, cy) = (a.x - centre.x, a.y - centre.y);
    let squared = dx * dx + dy * dy;
    if squared == 0.0 {
        return (cx * cx + cy * cy <= radius * radius).then_some((0.0, 1.0));
    }
    let middle = -(cx * dx + cy * dy) / squared;
    let discriminant = middle * middle - (cx * cx + cy * cy - radius * radius) / squared;
    let half = (discriminant >= 0.0).then(|| discriminant.sqrt())?;
    let (enter, leave) = ((middle - half).max(0.0), (middle + half).min(1.0));
    (enter <= leave).then_some((enter, leave))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::{Town, town};
    use crate::units::Length;
    use rand::RngExt as _;

    #[test]
    fn a_rectangle_and_a_disc_contain_the_parts_of_streets_inside() {
        //  A ───────── B     300 m, and C 40 m north of the middle of it
        //        C ─── D
        let town = town("A 0,0  B 300,0  C 150,40  D 300,40 | A-B C-D B-D");
        let rectangle = Rectangle { min: Point::new(100.0, -10.0), max: Point::new(200.0, 60.0) };
        let region = Region::Rectangle(rectangle);
        let names = |region: &Region<'_>| -> Vec<String> {
            let streets = region.streets(&town.map);
            streets.iter().map(|&street| town.map.street_label(street).to_owned()).collect()
        };
        assert_eq!(names(&region), ["A-B", "C-D"]);
        assert_eq!(region.metres(&town.map), 150.0);
        assert_eq!(region.area(), Some(7_000.0));
        assert!(region.contains(&town.map, town.at("A-B", 100.0)));
        assert!(!region.contains(&town.map, town.at("A-B", 99.0)));
        let disc = Region::Disc(Disc { centre: Point::new(300.0, 0.0), radius: 40.0 });
        assert_eq!(names(&disc), ["A-B", "C-D", "B-D"]);
        assert_eq!(disc.metres(&town.map), 80.0);
        let mesh = Region::Mesh(vec![town.street("A-B")].into());
        assert_eq!((mesh.metres(&town.map), mesh.area()), (300.0, None));
        assert!(mesh.contains(&town.map, town.at("A-B", 3.0)));
    }

    #[test]
    fn the_length_inside_agrees_with_sampling() {
        for seed in 0..60 {
            let town = Town::random(200 + seed);
            let mut random = Town::generator(seed);
            let mut corner = || town.map.point(town.position(&mut random));
            let (a, b) = (corner(), corner());
            let radius = f64::from(Town::generator(seed).random_range(1..300_i32));
            let around = Rectangle::around([a, b]).expect("two points");
            for region in [Region::Rectangle(around), Region::Disc(Disc { centre: a, radius })] {
                let streets = region.streets(&town.map);
                let mut sampled = 0.0;
                for street in town.map.streets() {
                    let length = town.map.street(street).length.units();
                    let step = (length / 2_000).max(1);
                    let offsets = (0..=length / step).map(|n| Length::from_units(n * step));
                    let inside = offsets
                        .filter(|&offset| region.contains(&town.map, Position { street, offset }))
                        .count() as f64;
                    let share = inside / f64::from(length / step + 1);
                    sampled += share * town.map.metres(street);
                    assert!(inside == 0.0 || streets.contains(&street), "seed {seed}\n{town}");
                }
                let metres = region.metres(&town.map);
                let tolerance = 0.01 * town.map.streets().map(|s| town.map.metres(s)).sum::<f64>();
                assert!((metres - sampled).abs() <= tolerance, "seed {seed}: {metres} {sampled}");
            }
        }
    }
}
