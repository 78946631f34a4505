//! Snapping on maps that are difficult for a grid, compared with the reference.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use meshcloak::map::{Extent, MapBuilder, RawStreet, StreetMap};
use meshcloak::naive;
use meshcloak::units::Point;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

/// Distribution of the points of a map.
#[derive(Clone, Copy, Debug)]
enum Lie {
    /// Short streets and a few across the whole map.
    LongAndShort,
    /// All on one line from west to east.
    Horizontal,
    /// All on one line from south to north.
    Vertical,
    /// All on a slanted line.
    Slanted,
    /// All on one point.
    OnePoint,
    /// At the largest coordinates, where a metre has few bits of precision.
    FarAway,
    /// As wide as the Earth.
    Vast,
}

const LIES: [Lie; 7] = [
    Lie::LongAndShort,
    Lie::Horizontal,
    Lie::Vertical,
    Lie::Slanted,
    Lie::OnePoint,
    Lie::FarAway,
    Lie::Vast,
];

impl Lie {
    fn point(self, random: &mut Pcg64Mcg) -> Point {
        let mut within = |reach: f64| random.random_range(-reach..reach);
        match self {
            Lie::LongAndShort => Point::new(within(5_000.0), within(5_000.0)),
            Lie::Horizontal => Point::new(within(5_000.0), 12.5),
            Lie::Vertical => Point::new(-3.25, within(5_000.0)),
            Lie::Slanted => {
                let x = within(5_000.0);
                Point::new(x, x * 0.5)
            }
            Lie::OnePoint => Point::new(7.0, 7.0),
            Lie::FarAway => Point::new(3.999e7 + within(5_000.0), -3.999e7 + within(5_000.0)),
            Lie::Vast => Point::new(within(2e7), within(2e7)),
        }
    }

    /// Returns the end of a street that begins at `from`.
    fn next(self, from: Point, random: &mut Pcg64Mcg) -> Point {
        if matches!(self, Lie::LongAndShort | Lie::FarAway) && random.random_bool(0.95) {
            let mut step = || random.random_range(-60.0..60.0);
            Point::new(from.x + step(), from.y + step())
        } else {
            self.point(random)
        }
    }

    fn map(self, streets: u32, random: &mut Pcg64Mcg) -> StreetMap {
        let mut builder = MapBuilder::new();
        for number in 0..streets {
            let [start, bend, end] = {
                let start = self.point(random);
                let bend = self.next(start, random);
                [start, bend, self.next(bend, random)]
            };
            let from = builder.terminal(&format!("{number}a"), start).unwrap();
            let to = builder.terminal(&format!("{number}b"), end).unwrap();
            let bends = if number % 3 == 0 { vec![bend] } else { Vec::new() };
            let label = number.to_string();
            let raw = RawStreet {
                label: &label,
                from,
                to,
                written_metres: None,
                one_way: false,
                bends: &bends,
                name: "",
                class: "",
            };
            builder.street(raw).unwrap();
        }
        builder.build(Extent::Whole).unwrap().map
    }
}

/// Returns points on the borders and corners of cells, next to them by one bit, and far outside.
fn awkward_points(map: &StreetMap, random: &mut Pcg64Mcg) -> Vec<Point> {
    let grid = &map.tables().grid;
    let mut border = |corner: f64, cells: u32| {
        let at = corner + f64::from(random.random_range(0..=cells)) * grid.side;
        [at, at.next_up(), at.next_down()][random.random_range(0..3)]
    };
    let on_corner =
        Point::new(border(grid.corner.x, grid.columns), border(grid.corner.y, grid.rows));
    let outside = Point::new(on_corner.x + 9e7, on_corner.y - 3e3);
    let on_border = Point::new(on_corner.x, random.random_range(-6_000.0..6_000.0));
    let shape = &map.tables().shape_points;
    let on_street = shape[random.random_range(0..shape.len())];
    vec![on_corner, on_border, outside, Point::new(-outside.y, outside.x), on_street]
}

#[test]
fn points_on_cell_borders_and_far_outside_snap_as_the_reference() {
    let mut found = 0;
    for lie in LIES {
        for seed in 0..60 {
            let mut random = Pcg64Mcg::seed_from_u64(seed);
            let map = lie.map(1 + 4 * seed as u32, &mut random);
            for _ in 0..10 {
                for point in awkward_points(&map, &mut random) {
                    for limit in [None, Some(0.0), Some(50.0), Some(3_000.0)] {
                        let snapped = map.snap(point, limit);
                        found += usize::from(snapped.is_some());
                        let expected = naive::snap(&map, point, limit);
                        assert_eq!(snapped, expected, "{lie:?}, seed {seed}, {point:?}, {limit:?}");
                    }
                }
            }
        }
    }
    assert!(found > 20_000, "only {found} points were on the map");
}

#[test]
fn long_streets_across_a_long_map_use_little_memory() {
    let mut builder = MapBuilder::new();
    let west = builder.terminal("west", Point::new(0.0, 0.0)).unwrap();
    let east = builder.terminal("east", Point::new(1e6, 0.0)).unwrap();
    for number in 0..20_000 {
        let label = number.to_string();
        let raw = RawStreet {
            label: &label,
            from: west,
            to: east,
            written_metres: None,
            one_way: false,
            bends: &[],
            name: "",
            class: "",
        };
        builder.street(raw).unwrap();
    }
    let map = builder.build(Extent::Whole).unwrap().map;
    let entries = map.tables().grid.segments.len();
    assert!(entries < 20 * 40_000, "{entries} entries for 20,000 segments");
    let snapped = map.snap(Point::new(4e5, 30.0), Some(50.0)).unwrap();
    assert_eq!((snapped.position.street.0, snapped.distance), (0, 30.0));
}
