//! Small test maps: written as one line of text, or random from a seed.
//!
//! `A 0,0  B 100,0  C 100,75 | A>B B-C C-A:200 A-B(50,-20;60,0)` has three terminals, a one-way
//! street from A to B, two two-way streets (one with a written length in metres) and one with
//! bends. A street is named by its text up to `:` or `(`; a second one of that name gets `#2`.

use crate::map::{Extent, MapBuilder, Position, RawStreet, StreetId, StreetMap};
use crate::units::{Length, Point};
use std::fmt;

/// A test map and its text.
#[derive(Clone, Debug)]
pub struct Town {
    /// The complete map, including unconnected components.
    pub map: StreetMap,
    text: String,
}

/// Parses a town.
///
/// # Panics
/// If the text is malformed; towns are written in tests and fixtures.
pub fn town(text: &str) -> Town {
    let (terminals, streets) = text.split_once('|').expect("a town has a `|`");
    let mut builder = MapBuilder::new();
    let words: Vec<&str> = terminals.split_whitespace().collect();
    for pair in words.chunks(2) {
        builder.terminal(pair[0], point(pair[1])).expect("a town's terminals are valid");
    }
    for word in streets.split_whitespace() {
        add_street(&mut builder, word);
    }
    let map = builder.build(Extent::Whole).expect("a town has a street").map;
    Town { map, text: text.to_owned() }
}

fn add_street(builder: &mut MapBuilder, word: &str) {
    let (rest, bends) = word.split_once('(').unwrap_or((word, ""));
    let bends: Vec<Point> =
        bends.trim_end_matches(')').split(';').filter(|p| !p.is_empty()).map(point).collect();
    let (name, metres) = rest.split_once(':').unwrap_or((rest, ""));
    let ends = name.split_once('>').or_else(|| name.split_once('-'));
    let (from, to) = ends.expect("a street is written A-B or A>B");
    let find = |label: &str| builder.find_terminal(label).expect("a street joins known terminals");
    let (from, to) = (find(from), find(to));
    for number in 1.. {
        let label = if number == 1 { name.to_owned() } else { format!("{name}#{number}") };
        let raw = RawStreet {
            label: &label,
            from,
            to,
            written_metres: metres.parse().ok(),
            one_way: name.contains('>'),
            bends: &bends,
            name: "",
            class: "",
        };
        if builder.street(raw).is_ok() {
            return;
        }
        assert!(number < 100, "`{word}` is not a valid street");
    }
}

fn point(text: &str) -> Point {
    let (x, y) = text.split_once(',').expect("a point is written x,y");
    let number = |text: &str| text.parse().expect("a coordinate is a number");
    Point::new(number(x), number(y))
}

impl Town {
    /// Returns the street of that name.
    ///
    /// # Panics
    /// If there is none.
    pub fn street(&self, name: &str) -> StreetId {
        let found = self.map.streets().find(|&street| self.map.street_label(street) == name);
        found.expect("the town has a street of that name")
    }

    /// Returns the position `metres` along the street of that name.
    ///
    /// # Panics
    /// If there is no such street.
    pub fn at(&self, street: &str, metres: f64) -> Position {
        Position { street: self.street(street), offset: Length::metres(metres) }
    }
}

impl fmt::Display for Town {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(any(test, feature = "testing"))]
mod random {
    use super::{Town, town};
    use crate::constraint_graph::ConstraintGraph;
    use crate::map::{Position, StreetId};
    use crate::query::{Query, QueryId, UserId};
    use crate::units::{Length, Time};
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64Mcg;
    use std::fmt::Write as _;
    use std::time::Duration;

    impl ConstraintGraph {
        /// Generates a random graph of up to 14 nodes, sparse or dense.
        pub fn random(seed: u64) -> ConstraintGraph {
            let mut random = Town::generator(seed);
            let nodes = random.random_range(1..=2 + seed.min(600) as u32 / 50);
            let density = random.random_range(0.1..0.95);
            let edges: Vec<bool> =
                (0..nodes * nodes).map(|_| random.random_bool(density)).collect();
            ConstraintGraph::from_fn(nodes, |a, b| edges[(a * nodes + b) as usize])
        }

        /// Returns the same graph with each edge stored at its first end in an order that is not
        /// the order of node numbers, as in constraint graphs.
        pub fn reoriented(&self) -> ConstraintGraph {
            let count = self.len() as u32;
            let order = |node: u32| ((node + 1).wrapping_mul(2_654_435_761) >> 16, node);
            let are_adjacent =
                |a: u32, b: u32| self.later(a).contains(&b) || self.later(b).contains(&a);
            ConstraintGraph::from_lists(count, |node| {
                (0..count).filter(move |&other| {
                    // Node 0 stays first: tests search for cliques that contain it.
                    let comes_later = node == 0 || other > 0 && order(node) < order(other);
                    other != node && comes_later && are_adjacent(node, other)
                })
            })
        }
    }

    impl Town {
        /// Returns the random number generator of a seed.
        pub fn generator(seed: u64) -> Pcg64Mcg {
            Pcg64Mcg::seed_from_u64(seed)
        }

        /// Generates a town whose size grows with the seed: one-way streets, loops, parallel streets,
        /// bends, written lengths, dead ends, coincident terminals, unconnected components.
        pub fn random(seed: u64) -> Town {
            let mut random = Town::generator(seed);
            let terminals = 2 + random.random_range(0..=seed.min(600) / 25);
            let streets = 1 + random.random_range(0..=terminals * 2);
            let mut text = String::new();
            let coordinate = |random: &mut Pcg64Mcg| random.random_range(-10..=10_i32) * 50;
            for terminal in 0..terminals {
                let (x, y) = (coordinate(&mut random), coordinate(&mut random));
                write!(text, "T{terminal} {x},{y} ").expect("writing to a String cannot fail");
            }
            text.push('|');
            for _ in 0..streets {
                let from = random.random_range(0..terminals);
                let to = random.random_range(0..terminals);
                let arrow = if random.random_bool(0.35) { '>' } else { '-' };
                write!(text, " T{from}{arrow}T{to}").expect("writing to a String cannot fail");
                if random.random_bool(0.2) {
                    let metres = random.random_range(1..800);
                    write!(text, ":{metres}").expect("writing to a String cannot fail");
                }
                if random.random_bool(0.25) {
                    let (x, y) = (coordinate(&mut random), coordinate(&mut random));
                    write!(text, "({x},{y};{y},{x})").expect("writing to a String cannot fail");
                }
            }
            town(&text)
        }

        /// Generates random queries: equal positions, several queries of one user, small and large
        /// constraints, k from 2 to 6.
        pub fn random_queries(&self, random: &mut Pcg64Mcg, count: usize) -> Vec<Query> {
            let mut queries: Vec<Query> = Vec::new();
            for id in 0..count as u64 {
                let previous = queries.last().map(|query| query.position);
                let position = previous.filter(|_| random.random_bool(0.15));
                let metres = [20.0, 100.0, 300.0, 800.0, 2_000.0][random.random_range(0..5)];
                queries.push(Query {
                    id: QueryId(id),
                    user: UserId(random.random_range(0..1 + count as u64 * 3)),
                    asked_at: Time::from_millis(random.random_range(0..5_000)),
                    position: position.unwrap_or_else(|| self.position(random)),
                    k: random.random_range(2..=6),
                    temporal_tolerance: Duration::from_millis(random.random_range(0..6_000)),
                    distance_constraint: Length::metres_down(
                        metres * random.random_range(0.5..1.0),
                    ),
                    speed: None,
                    asks: true,
                });
            }
            queries
        }

        /// Generates a random position, often at a terminal.
        pub fn position(&self, random: &mut Pcg64Mcg) -> Position {
            let street = StreetId(random.random_range(0..self.map.street_count() as u32));
            let length = self.map.street(street).length.units();
            let units = match random.random_range(0..10) {
                0 => 0,
                1 => length,
                _ => random.random_range(0..=length),
            };
            Position { street, offset: Length::from_units(units) }
        }
    }
}
