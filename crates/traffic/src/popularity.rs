//! Where people start and go: every street or terminal alike, or more where the city is.
//!
//! Weights are whole numbers made by plain arithmetic, so draws fall the same on every machine.

use crate::avoided::Avoided;
use crate::profile::Places;
use meshcloak::map::{Position, StreetId, StreetMap, TerminalId};
use meshcloak::units::{Length, Point};
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

/// Streets and points of interest by weight.
#[derive(Clone, Debug)]
pub(crate) struct Popularity {
    /// Sums of weights: first the streets, then the points of interest; or the terminals alone.
    upto: Vec<u64>,
    of_terminals: bool,
}

/// So many draws may miss the wished distance; then the nearest miss is taken.
const TRIES: u32 = 256;
/// So many draws may fall on avoided streets; then one of those is taken.
const DRAWS: u32 = 64;

impl Popularity {
    pub(crate) fn new(map: &StreetMap, places: Places) -> Popularity {
        let mut sum = 0;
        let mut add = |weight: u64| {
            sum += weight;
            sum
        };
        let upto = match places {
            Places::Uniform => map.streets().map(|_| add(1)).collect(),
            Places::Terminals => {
                let joined = |at| !map.leaving(at).is_empty() || !map.arriving(at).is_empty();
                map.terminals().map(|at| add(u64::from(joined(at)))).collect()
            }
            Places::Popular { centre, poi } => {
                let middle = Middle::of(map);
                let streets = map.streets().map(|street| {
                    let metres = map.street(street).length.as_metres();
                    metres * (1.0 + centre * middle.nearness(half_way(map, street)))
                });
                let pois =
                    map.pois().map(|id| poi * (1.0 + centre * middle.nearness(map.poi(id).point)));
                streets.chain(pois).map(|weight| add(((weight * 32.0) as u64).max(1))).collect()
            }
        };
        Popularity { upto, of_terminals: places == Places::Terminals }
    }

    /// A place, by weight; anywhere along a street, at the door of a point of interest. Not on an
    /// avoided street, unless nothing else turns up.
    pub(crate) fn draw(
        &self,
        map: &StreetMap,
        avoided: Avoided,
        random: &mut Pcg64Mcg,
    ) -> Position {
        let mut place = self.draw_any(map, random);
        for _ in 1..DRAWS {
            if !avoided.holds(map, place.street) {
                break;
            }
            place = self.draw_any(map, random);
        }
        place
    }

    fn draw_any(&self, map: &StreetMap, random: &mut Pcg64Mcg) -> Position {
        let total = self.upto[self.upto.len() - 1];
        let at = random.random_range(0..total);
        let row = self.upto.partition_point(|&upto| upto <= at);
        if self.of_terminals {
            return at_terminal(map, TerminalId(row as u32));
        }
        if row >= map.street_count() {
            return map.tables().pois[row - map.street_count()].position;
        }
        let street = StreetId(row as u32);
        let length = map.street(street).length.units();
        Position { street, offset: Length::from_units(random.random_range(0..=length)) }
    }

    /// A place by weight among those whose straight distance from `from` is in `band` (metres);
    /// if none turns up, the one that misses it least.
    pub(crate) fn draw_within(
        &self,
        (from, band): (Point, (f64, f64)),
        map: &StreetMap,
        avoided: Avoided,
        random: &mut Pcg64Mcg,
    ) -> Position {
        let mut best = (f64::INFINITY, self.draw(map, avoided, random));
        for _ in 0..TRIES {
            let place = self.draw(map, avoided, random);
            let metres = map.point(place).distance(from);
            let miss = (band.0 - metres).max(metres - band.1).max(0.0);
            if miss < best.0 {
                best = (miss, place);
            }
            if miss == 0.0 {
                break;
            }
        }
        best.1
    }
}

/// A terminal as a place on the first street that leaves or reaches it.
fn at_terminal(map: &StreetMap, terminal: TerminalId) -> Position {
    let arms = map.leaving(terminal).iter().chain(map.arriving(terminal));
    let street = arms.map(|arm| arm.street).next().unwrap_or(StreetId(0));
    let from = map.street(street).from == terminal;
    let offset = if from { Length::ZERO } else { map.street(street).length };
    Position { street, offset }
}

fn half_way(map: &StreetMap, street: StreetId) -> Point {
    map.point(Position { street, offset: map.street(street).length.part(0.5) })
}

/// The middle of a city: half of its terminals lie on either side of it, and within its radius.
struct Middle {
    point: Point,
    radius_squared: f64,
}

impl Middle {
    fn of(map: &StreetMap) -> Middle {
        let all = || map.terminals().map(|terminal| map.terminal(terminal));
        let point = Point::new(median(all().map(|p| p.x)), median(all().map(|p| p.y)));
        let radius_squared = median(all().map(|p| p.distance_squared(point)));
        Middle { point, radius_squared: radius_squared.max(1.0) }
    }

    /// 1 in the middle, a quarter at the radius, next to nothing far out.
    fn nearness(&self, point: Point) -> f64 {
        let fall = 1.0 / (1.0 + point.distance_squared(self.point) / self.radius_squared);
        fall * fall
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
    use crate::chance::generator;
    use meshcloak::town::{Town, town};

    #[test]
    fn the_centre_draws_more_people_than_the_rim() {
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
            counts[popularity.draw(&town.map, NOTHING, &mut random).street.index()] += 1;
        }
        assert!(counts[1] > 3 * counts[5], "{counts:?}");
    }

    const NOTHING: Avoided = Avoided::NOTHING;

    #[test]
    fn a_drawn_place_lies_on_its_street_and_in_its_band() {
        for seed in 0..200 {
            let town = Town::random(seed);
            let popularity = Popularity::new(&town.map, Places::Uniform);
            let mut random = generator(seed, 0);
            let from = town.map.point(town.position(&mut random));
            let within =
                popularity.draw_within((from, (0.0, 1e9)), &town.map, NOTHING, &mut random);
            assert!(within.offset <= town.map.street(within.street).length);
            let far = popularity.draw_within((from, (1e8, 1e9)), &town.map, NOTHING, &mut random);
            assert!(far.offset <= town.map.street(far.street).length, "seed {seed}\n{town}");
        }
    }

    #[test]
    fn a_terminal_is_a_place_on_one_of_its_streets() {
        for seed in 0..200 {
            let town = Town::random(seed);
            let popularity = Popularity::new(&town.map, Places::Terminals);
            let mut random = generator(seed, 0);
            for _ in 0..20 {
                let place = popularity.draw(&town.map, NOTHING, &mut random);
                let street = town.map.street(place.street);
                let ends = [Length::ZERO, street.length];
                assert!(ends.contains(&place.offset), "seed {seed} {place:?}\n{town}");
            }
        }
    }
}
