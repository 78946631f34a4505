//! Effective boundary of a zone for one user on one day: the zone shifted by a random offset and
//! grown by a margin of at least the length of that offset, so that it encloses the true zone.
//!
//! Offset and margin are the sum of a permanent and a daily part, both derived from a secret. An
//! observer can average the daily part out over many days, but not the permanent part.

use super::ZoneShape;
use meshcloak::private::Private;
use meshcloak::units::Point;
use sha2::{Digest as _, Sha256};

/// 256 random bits from which boundaries are derived; they never leave the gateway.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BoundarySecret(pub [u8; 32]);

/// Prints no bits.
impl std::fmt::Debug for BoundarySecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BoundarySecret(…)")
    }
}

/// What the boundary of a zone is derived from, besides the day.
#[derive(Clone, Copy, Debug)]
pub struct BoundaryKey<'a> {
    /// Secret of the gateway.
    pub secret: BoundarySecret,
    /// `account/user` of the zone's user.
    pub owner: Private<&'a str>,
    /// Shape of the zone.
    pub shape: &'a ZoneShape,
}

/// Offset and margin of a zone's boundary, in metres.
#[derive(Clone, Copy, PartialEq)]
pub struct BlurredBoundary {
    offset: Point,
    margin: f64,
}

/// Prints nothing: the true boundary of a zone can be derived from it.
impl std::fmt::Debug for BlurredBoundary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BlurredBoundary(…)")
    }
}

const DAY_MILLIS: u64 = 86_400_000;

impl BlurredBoundary {
    /// Derives the boundary at a Unix time in milliseconds. The offset is at most `blur` metres,
    /// the margin at most twice that. The daily change is at a different hour for each zone.
    ///
    /// The key holds the shape, not the index of the zone: adding or removing another zone does
    /// not change the permanent part of this one.
    pub fn new(key: BoundaryKey<'_>, blur: f64, unix_millis: u64) -> BlurredBoundary {
        let day_start = KeyedRandom::new(key, "day").next() % DAY_MILLIS;
        let day = unix_millis.saturating_add(day_start) / DAY_MILLIS;
        let permanent = KeyedRandom::new(key, "always").boundary(blur / 2.0);
        let daily = KeyedRandom::new(key, &day.to_string()).boundary(blur / 2.0);
        let offset =
            Point::new(permanent.offset.x + daily.offset.x, permanent.offset.y + daily.offset.y);
        BlurredBoundary { offset, margin: permanent.margin + daily.margin }
    }

    /// The true boundary.
    #[cfg(test)]
    pub fn exact() -> BlurredBoundary {
        BlurredBoundary { offset: Point::default(), margin: 0.0 }
    }

    /// Whether a point is inside a zone of this shape with this boundary.
    pub fn contains(&self, shape: &ZoneShape, point: Point) -> bool {
        let shifted = Point::new(point.x - self.offset.x, point.y - self.offset.y);
        // NaN counts as inside, the safe side. The micrometre absorbs rounding errors.
        let outside = shape.distance(shifted) > self.margin + 1e-6;
        !outside
    }
}

/// Pseudo-random numbers that depend on a boundary key and a purpose.
struct KeyedRandom {
    seed: Sha256,
    count: u64,
}

impl KeyedRandom {
    fn new(key: BoundaryKey<'_>, purpose: &str) -> KeyedRandom {
        let mut seed = Sha256::new();
        seed.update(key.secret.0);
        for text in [*key.owner.expose(), purpose] {
            seed.update((text.len() as u64).to_le_bytes());
            seed.update(text.as_bytes());
        }
        for number in key.shape.coordinates() {
            // Millimetres: a zone that is written to the file and read again has the same seed.
            seed.update(((number * 1000.0).round() as i64).to_le_bytes());
        }
        KeyedRandom { seed, count: 0 }
    }

    fn next(&mut self) -> u64 {
        self.count = self.count.wrapping_add(1);
        let digest = self.seed.clone().chain_update(self.count.to_le_bytes()).finalize();
        digest.first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
    }

    /// Uniform in 0..1.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An offset uniform in the disc of radius `max`, and a margin of its length plus up to `max`.
    fn boundary(&mut self, max: f64) -> BlurredBoundary {
        let offset = loop {
            let [x, y] = [self.fraction() * 2.0 - 1.0, self.fraction() * 2.0 - 1.0];
            if x * x + y * y <= 1.0 {
                break Point::new(x * max, y * max);
            }
        };
        let margin = offset.distance(Point::default()) + self.fraction() * max;
        BlurredBoundary { offset, margin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64Mcg;

    const BLUR: f64 = 200.0;

    fn key<'a>(secret: u8, owner: &'a str, shape: &'a ZoneShape) -> BoundaryKey<'a> {
        BoundaryKey { secret: BoundarySecret([secret; 32]), owner: Private::new(owner), shape }
    }

    fn home(number: u32) -> ZoneShape {
        ZoneShape::Circle { centre: Point::new(f64::from(number), 0.0), radius: 50.0 }
    }

    fn shape(random: &mut Pcg64Mcg) -> ZoneShape {
        let mut point = || {
            let [x, y] = [0; 2].map(|_| random.random_range(-500.0..500.0));
            Point::new(x, y)
        };
        let corners: Vec<Point> = (0..5).map(|_| point()).collect();
        if random.random_bool(0.5) {
            return ZoneShape::Polygon(corners.into());
        }
        ZoneShape::Circle { centre: corners[0], radius: random.random_range(1.0..400.0) }
    }

    #[test]
    fn the_boundary_encloses_the_true_zone() {
        for seed in 0..2000 {
            let mut random = Pcg64Mcg::seed_from_u64(seed);
            let shape = shape(&mut random);
            let time = random.random_range(0..DAY_MILLIS * 1000);
            let boundary = BlurredBoundary::new(key(seed as u8, "jo", &shape), BLUR, time);
            let mut inside = 0;
            for _ in 0..200 {
                let [x, y] = [0; 2].map(|_| random.random_range(-900.0..900.0));
                let point = Point::new(x, y);
                if shape.distance(point) == 0.0 {
                    inside += 1;
                    assert!(boundary.contains(&shape, point), "seed {seed}");
                } else if shape.distance(point) > 3.0 * BLUR {
                    assert!(!boundary.contains(&shape, point), "margin too large: seed {seed}");
                }
            }
            assert!(inside > 0 || seed % 2 < 2);
        }
    }

    #[test]
    fn the_boundary_depends_on_user_zone_and_day_and_is_constant_within_a_day() {
        let boundary =
            |owner: &str, zone, time| BlurredBoundary::new(key(7, owner, &home(zone)), BLUR, time);
        let noon = 20_000 * DAY_MILLIS;
        let jo = boundary("jo", 0, noon);
        assert!(jo != boundary("joe", 0, noon) && jo != boundary("jo", 1, noon));
        assert!(jo != boundary("jo", 0, noon + DAY_MILLIS));
        assert!(jo != BlurredBoundary::new(key(8, "jo", &home(0)), BLUR, noon));
        let changes: Vec<u64> = (1..=24)
            .filter(|h| {
                boundary("jo", 0, noon + h * DAY_MILLIS / 24)
                    != boundary("jo", 0, noon + (h - 1) * DAY_MILLIS / 24)
            })
            .collect();
        assert_eq!(changes.len(), 1, "one change per day");
        let mut hours: Vec<u64> = ["a", "b", "c", "d"]
            .into_iter()
            .flat_map(|owner| {
                (1..=24).filter(move |h| {
                    boundary(owner, 0, noon + h * DAY_MILLIS / 24)
                        != boundary(owner, 0, noon + (h - 1) * DAY_MILLIS / 24)
                })
            })
            .collect();
        hours.dedup();
        assert!(hours.len() > 1, "different hours for different users");
    }

    #[test]
    fn ten_years_of_boundaries_do_not_reveal_the_true_one() {
        // The intersection over all days is the zone with the permanent part of its boundary.
        let shape = ZoneShape::Circle { centre: Point::default(), radius: 50.0 };
        let boundaries: Vec<BlurredBoundary> = (0..3650)
            .map(|day| BlurredBoundary::new(key(3, "jo", &shape), BLUR, day * DAY_MILLIS))
            .collect();
        let always = |x: f64, y: f64| {
            boundaries.iter().all(|boundary| boundary.contains(&shape, Point::new(x, y)))
        };
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
        assert!(centre.distance(Point::default()) > 10.0, "the centre differs from the true one");
        assert!(sum.2 * 100.0 > 1.2 * 7854.0, "the area is larger than the true one");
    }
}
