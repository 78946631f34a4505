//! Random choice of starts and destinations: uniform over streets or terminals, or weighted towards
//! the centre and points of interest.
//!
//! Weights are integers from basic arithmetic, so draws are identical on all machines.

use crate::avoided_streets::AvoidedStreets;
use crate::profile::{DistanceBand, Places};
use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::units::{Length, Point};
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

/// Weights of streets and points of interest, or of terminals.
#[derive(Clone, Debug)]
pub(crate) struct Popularity {
    /// Cumulative weights: streets, then points of interest; or terminals only.
    cumulative: Vec<u64>,
    is_by_terminal: bool,
}

/// Maximum number of draws for a distance band; then the closest miss is taken.
const MAX_BAND_DRAWS: u32 = 256;
/// Maximum number of draws on avoided streets; then an avoided one is taken.
const MAX_DRAWS: u32 = 64;

impl Popularity {
    pub(crate) fn new(map: &StreetMap, places: Places) -> Popularity {
        let mut sum = 0;
        let mut add = |weight: u64| {
            sum += weight;
            sum
        };
        let cumulative = match places {
            Places::Uniform => map.streets().map(|_| add(1)).collect(),
            Places::Terminals => {
                let joined = |at| !map.leaving(at).is_empty() || !map.arriving(at).is_empty();
                map.terminals().map(|at| add(u64::from(joined(at)))).collect()
            }
            Places::Popular { centre, poi } => {
                let centre_of_map = CityCentre::new(map);
                let streets = map.streets().map(|street| {
                    let metres = map.street(street).length.as_metres();
                    metres * (1.0 + centre * centre_of_map.nearness(midpoint(map, street)))
                });
                let pois = map
                    .pois()
                    .map(|id| poi * (1.0 + centre * centre_of_map.nearness(map.poi(id).point)));
                streets.chain(pois).map(|weight| add(((weight * 32.0) as u64).max(1))).collect()
            }
        };
        Popularity { cumulative, is_by_terminal: places == Places::Terminals }
    }

    /// Draws a position by weight: uniform along a street, or the snapped position of a point of
    /// interest. Avoided streets are rejected, up to [`MAX_DRAWS`] times.
    pub(crate) fn draw(
        &self,
        map: &StreetMap,
        avoided: AvoidedStreets,
        random: &mut Pcg64Mcg,
    ) -> Position {
        let mut position = self.draw_any(map, random);
        for _ in 1..MAX_DRAWS {
            if !avoided.contains(map, position.street) {
                break;
            }
            position = self.draw_any(map, random);
        }
        position
    }

    fn draw_any(&self, map: &StreetMap, random: &mut Pcg64Mcg) -> Position {
        let total = self.cumulative[self.cumulative.len() - 1];
        let drawn = random.random_range(0..total);
        let row = self.cumulative.partition_point(|&sum| sum <= drawn);
        if self.is_by_terminal {
            return at_terminal(map, TerminalId(row as u32));
        }
        if row >= map.street_count() {
            return map.tables().pois[row - map.street_count()].position;
        }
        let street = StreetId(row as u32);
        let length = map.street(street).length.units();
        Position { street, offset: Length::from_units(random.random_range(0..=length)) }
    }

    /// Draws a position by weight inside an annulus; the closest miss after [`MAX_BAND_DRAWS`] draws.
    pub(crate) fn draw_within(
        &self,
        Annulus { origin, band }: Annulus,
        map: &StreetMap,
        avoided: AvoidedStreets,
        random: &mut Pcg64Mcg,
    ) -> Position {
        let mut best = (f64::INFINITY, self.draw(map, avoided, random));
        for _ in 0..MAX_BAND_DRAWS {
            let position = self.draw(map, avoided, random);
            let metres = map.point(position).distance(origin);
            let miss = (band.min - metres).max(metres - band.max).max(0.0);
            if miss < best.0 {
                best = (miss, position);
            }
            if miss == 0.0 {
                break;
            }
        }
        best.1
    }
}

/// The points whose straight-line distance from an origin is in a band.
#[derive(Clone, Copy)]
pub(crate) struct Annulus {
    pub(crate) origin: Point,
    pub(crate) band: DistanceBand,
}

/// Position of a terminal on the first street that leaves or reaches it.
fn at_terminal(map: &StreetMap, terminal: TerminalId) -> Position {
    let arms = map.leaving(terminal).iter().chain(map.arriving(terminal));
    let street = arms.map(|arm| arm.street).next().unwrap_or(StreetId(0));
    let from = map.street(street).from == terminal;
    let offset = if from { Length::ZERO } else { map.street(street).length };
    Position { street, offset }
}

fn midpoint(map: &StreetMap, street: StreetId) -> Point {
    map.point(Position { street, offset: map.street(street).length.part(0.5) })
}

/// Centre of a city: medians of the terminals' coordinates and of their distance from it.
struct CityCentre {
    point: Point,
    radius_squared: f64,
}

impl CityCentre {
    fn new(map: &StreetMap) -> CityCentre {
        let all = || map.terminals().map(|terminal| map.terminal(terminal));
        let point = Point::new(median(all().map(|p| p.x)), median(all().map(|p| p.y)));
        let radius_squared = median(all().map(|p| p.distance_squared(point)));
        CityCentre { point, radius_squared: radius_squared.max(1.0) }
    }

    /// 1 at the centre, 1/4 at the median distance, decreasing to 0.
    fn nearness(&self, point: Point) -> f64 {
        let decay = 1.0 / (1.0 + point.distance_squared(self.point) / self.radius_squared);
        decay * decay
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::generator;
    use meshcloak::town::{Town, town};

    #[test]
    fn central_streets_are_drawn_more_often() {
        //  a cross of short streets in the middle, a long arm to the east
        let town = town(
            "A 0,0  B 200,0  C -200,0  D 0,200  E 0,-200  F 9000,0  G 9200,0 |
             A-B A-C A-D A-E B-F F-G",
        );
        let popular = Places::Popular { centre: 5.0, poi: 0.0 };
        let popularity = Popularity::new(&town.map, popular);
        let mut random = generator(3, 3);
        let mut counts = [0_u32; 6];
        for _ in 0..20_000 {
            counts[popularity.draw(&town.map, ANY, &mut random).street.index()] += 1;
        }
        assert!(counts[1] > 3 * counts[5], "{counts:?}");
    }

    const ANY: AvoidedStreets = AvoidedStreets::NONE;
    const fn annulus(origin: Point, min: f64, max: f64) -> Annulus {
        Annulus { origin, band: DistanceBand { min, max } }
    }

    #[test]
    fn a_drawn_position_lies_on_its_street() {
        for seed in 0..200 {
            let town = Town::random(seed);
            let popularity = Popularity::new(&town.map, Places::Uniform);
            let mut random = generator(seed, 0);
            let from = town.map.point(town.position(&mut random));
            let within =
                popularity.draw_within(annulus(from, 0.0, 1e9), &town.map, ANY, &mut random);
            assert!(within.offset <= town.map.street(within.street).length);
            let far = popularity.draw_within(annulus(from, 1e8, 1e9), &town.map, ANY, &mut random);
            assert!(far.offset <= town.map.street(far.street).length, "seed {seed}\n{town}");
        }
    }

    #[test]
    fn a_drawn_terminal_is_an_end_of_one_of_its_streets() {
        for seed in 0..200 {
            let town = Town::random(seed);
            let popularity = Popularity::new(&town.map, Places::Terminals);
            let mut random = generator(seed, 0);
            for _ in 0..20 {
                let position = popularity.draw(&town.map, ANY, &mut random);
                let street = town.map.street(position.street);
                let ends = [Length::ZERO, street.length];
                assert!(ends.contains(&position.offset), "seed {seed} {position:?}\n{town}");
            }
        }
    }
}
