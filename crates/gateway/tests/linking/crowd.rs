//! Users with standing questions who move through the streets.

use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::town::Town;
use meshcloak::units::LonLat;
use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use rand_pcg::Pcg64Mcg;

/// Seconds between two queries of a user.
pub const INTERVAL: u32 = 10;
/// Number of kinds of question; kind n is asked by about 1 / (n + 1) as many as the first.
pub const KINDS: usize = 6;

/// A user.
#[derive(Clone, Debug)]
pub struct User {
    pub street: StreetId,
    /// Metres from the start of the street.
    pub metres: f64,
    /// Metres a second.
    pub speed: f64,
    pub kind: usize,
    /// Second within the interval at which the user asks.
    pub phase: u32,
    pub k: u32,
}

/// All users, and what moves them.
pub struct Crowd<'a> {
    pub users: Vec<User>,
    map: &'a StreetMap,
    random: Pcg64Mcg,
}

impl<'a> Crowd<'a> {
    pub fn new(map: &'a StreetMap, users: usize, seed: u64) -> Crowd<'a> {
        let mut random = Town::generator(seed);
        let weights: Vec<f64> = (1..=KINDS).map(|rank| 1.0 / rank as f64).collect();
        let user = |_| {
            let street = StreetId(random.random_range(0..map.street_count() as u32));
            let mut left = random.random_range(0.0..weights.iter().sum());
            let kind = weights.iter().position(|weight| {
                left -= weight;
                left < 0.0
            });
            User {
                street,
                metres: random.random_range(0.0..1.0) * map.metres(street),
                speed: random.random_range(1.0..14.0),
                kind: kind.unwrap_or(0),
                phase: random.random_range(0..INTERVAL),
                k: random.random_range(2..5),
            }
        };
        let users = (0..users).map(user).collect();
        Crowd { users, map, random }
    }

    /// Moves all users for some seconds, forwards along streets and at random at junctions.
    pub fn advance(&mut self, seconds: u32) {
        let Crowd { users, map, random } = self;
        for user in users {
            user.metres += user.speed * f64::from(seconds);
            while user.metres > map.metres(user.street) {
                user.metres -= map.metres(user.street);
                let end = map.street(user.street).to;
                // Only streets that begin here: users travel in the direction of drawing.
                let begins = |street: &StreetId| map.street(*street).from == end;
                let arms = map.leaving(end).iter().map(|arm| arm.street).filter(begins);
                let arms: Vec<StreetId> = arms.collect();
                match arms.choose(random) {
                    Some(&street) => user.street = street,
                    None => user.metres = 0.0,
                }
            }
        }
    }

    pub fn lon_lat(&self, user: &User) -> LonLat {
        let part = (user.metres / self.map.metres(user.street)).clamp(0.0, 1.0);
        let offset = self.map.street(user.street).length.part(part);
        let position = Position { street: user.street, offset };
        self.map.frame().unwrap().lon_lat(self.map.point(position))
    }
}
