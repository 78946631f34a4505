//! The edge of a place, as it is for one person on one day: the place moved aside by some way and
//! grown by at least as much, so that whoever is inside the true one is inside this one.
//!
//! One part of it never changes and another changes every day, both drawn from a secret. Watching
//! for many days wears the second part off; the first stays.

use super::Shape;
use meshcloak::units::Point;
use sha2::{Digest as _, Sha256};

/// What edges are drawn from: 256 random bits that never leave.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret(pub [u8; 32]);

/// It never gets printed.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// By how much a place is moved and grown.
#[derive(Clone, Copy, PartialEq)]
pub struct Edge {
    aside: Point,
    margin: f64,
}

/// The true edge of a place follows from it, so it never gets printed.
impl std::fmt::Debug for Edge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Edge(…)")
    }
}

const DAY: u64 = 86_400_000;

impl Edge {
    /// The edge of a person's place at a time (milliseconds since 1970): at most `blur` metres
    /// aside and at most twice that much farther out. Each person's days begin at an hour of her
    /// own. It is drawn by the place itself, not by its number: whoever adds or removes another
    /// place has the lasting part of this one as it was.
    pub fn of(secret: Secret, whose: (&str, &Shape), blur: f64, unix_millis: u64) -> Edge {
        let begins = Draw::new(secret, whose, "day").number() % DAY;
        let day = (unix_millis + begins) / DAY;
        let lasting = Draw::new(secret, whose, "always").edge(blur / 2.0);
        let passing = Draw::new(secret, whose, &day.to_string()).edge(blur / 2.0);
        let aside =
            Point::new(lasting.aside.x + passing.aside.x, lasting.aside.y + passing.aside.y);
        Edge { aside, margin: lasting.margin + passing.margin }
    }

    /// The true edge.
    #[cfg(test)]
    pub fn sharp() -> Edge {
        Edge { aside: Point::default(), margin: 0.0 }
    }

    /// Whether a point is inside a shape that has this edge.
    pub fn holds(&self, shape: &Shape, point: Point) -> bool {
        let moved = Point::new(point.x - self.aside.x, point.y - self.aside.y);
        // What is not a number is inside: in doubt nothing leaves. A micrometre is left to
        // rounding.
        let outside = shape.distance(moved) > self.margin + 1e-6;
        !outside
    }
}

/// Numbers that depend on a secret and on what they are for.
struct Draw {
    seed: Sha256,
    count: u64,
}

impl Draw {
    fn new(secret: Secret, (person, shape): (&str, &Shape), what: &str) -> Draw {
        let mut seed = Sha256::new();
        seed.update(secret.0);
        for text in [person, what] {
            seed.update((text.len() as u64).to_le_bytes());
            seed.update(text.as_bytes());
        }
        for number in shape.numbers() {
            // In millimetres, so that what is written down and read again is the same place.
            seed.update(((number * 1000.0).round() as i64).to_le_bytes());
        }
        Draw { seed, count: 0 }
    }

    fn number(&mut self) -> u64 {
        self.count += 1;
        let digest = self.seed.clone().chain_update(self.count.to_le_bytes()).finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        u64::from_le_bytes(first)
    }

    /// From 0 to 1.
    fn fraction(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Moved aside by up to `most`, anywhere in that circle, and grown by what that needs and up
    /// to `most` more.
    fn edge(&mut self, most: f64) -> Edge {
        let aside = loop {
            let [x, y] = [self.fraction() * 2.0 - 1.0, self.fraction() * 2.0 - 1.0];
            if x * x + y * y <= 1.0 {
                break Point::new(x * most, y * most);
            }
        };
        let margin = aside.distance(Point::default()) + self.fraction() * most;
        Edge { aside, margin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64Mcg;

    const BLUR: f64 = 200.0;

    fn home(number: u32) -> Shape {
        Shape::Circle { centre: Point::new(f64::from(number), 0.0), radius: 50.0 }
    }

    fn shape(random: &mut Pcg64Mcg) -> Shape {
        let mut point = || {
            let [x, y] = [0; 2].map(|_| random.random_range(-500.0..500.0));
            Point::new(x, y)
        };
        let corners: Vec<Point> = (0..5).map(|_| point()).collect();
        if random.random_bool(0.5) {
            return Shape::Polygon(corners.into());
        }
        Shape::Circle { centre: corners[0], radius: random.random_range(1.0..400.0) }
    }

    #[test]
    fn inside_the_true_place_is_inside_whatever_the_edge() {
        for seed in 0..2000 {
            let mut random = Pcg64Mcg::seed_from_u64(seed);
            let shape = shape(&mut random);
            let secret = Secret([seed as u8; 32]);
            let edge = Edge::of(secret, ("jo", &shape), BLUR, random.random_range(0..DAY * 1000));
            let mut inside = 0;
            for _ in 0..200 {
                let [x, y] = [0; 2].map(|_| random.random_range(-900.0..900.0));
                let point = Point::new(x, y);
                if shape.distance(point) == 0.0 {
                    inside += 1;
                    assert!(edge.holds(&shape, point), "seed {seed}");
                } else if shape.distance(point) > 3.0 * BLUR {
                    assert!(!edge.holds(&shape, point), "not without bounds: seed {seed}");
                }
            }
            assert!(inside > 0 || seed % 2 < 2);
        }
    }

    #[test]
    fn the_edge_is_another_one_for_each_person_place_and_day_and_the_same_all_day() {
        let edge =
            |person: &str, zone, time| Edge::of(Secret([7; 32]), (person, &home(zone)), BLUR, time);
        let noon = 20_000 * DAY;
        let jo = edge("jo", 0, noon);
        assert!(jo != edge("joe", 0, noon) && jo != edge("jo", 1, noon));
        assert!(jo != edge("jo", 0, noon + DAY));
        assert!(jo != Edge::of(Secret([8; 32]), ("jo", &home(0)), BLUR, noon));
        let changes: Vec<u64> = (1..=24)
            .filter(|h| {
                edge("jo", 0, noon + h * DAY / 24) != edge("jo", 0, noon + (h - 1) * DAY / 24)
            })
            .collect();
        assert_eq!(changes.len(), 1, "once a day, at an hour of her own");
        let mut hours: Vec<u64> = ["a", "b", "c", "d"]
            .into_iter()
            .flat_map(|who| {
                (1..=24).filter(move |h| {
                    edge(who, 0, noon + h * DAY / 24) != edge(who, 0, noon + (h - 1) * DAY / 24)
                })
            })
            .collect();
        hours.dedup();
        assert!(hours.len() > 1, "not everybody's at once");
    }

    #[test]
    fn whoever_watches_for_years_still_does_not_find_the_true_edge() {
        // What is silent on every day is the place with the lasting part of the edge.
        let shape = Shape::Circle { centre: Point::default(), radius: 50.0 };
        let secret = Secret([3; 32]);
        let edges: Vec<Edge> =
            (0..3650).map(|day| Edge::of(secret, ("jo", &shape), BLUR, day * DAY)).collect();
        let always = |x: f64, y: f64| edges.iter().all(|edge| edge.holds(&shape, Point::new(x, y)));
        let mut sum = (0.0, 0.0, 0.0);
        for x in -40..=40 {
            for y in -40..=40 {
                let (x, y) = (f64::from(x) * 10.0, f64::from(y) * 10.0);
                if always(x, y) {
                    sum = (sum.0 + x, sum.1 + y, sum.2 + 1.0);
                }
            }
        }
        let centre = Point::new(sum.0 / sum.2, sum.1 / sum.2);
        assert!(centre.distance(Point::default()) > 10.0, "its middle is not the true one");
        assert!(sum.2 * 100.0 > 1.2 * 7854.0, "and it is larger than the true one");
    }
}
