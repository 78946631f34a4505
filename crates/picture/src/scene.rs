//! A town and the people on it, as a fixture writes them: lines of a town (`meshcloak::town`),
//! lines `person A on A-B at 40 dc 120 k 3` (lengths in metres), and comments after `#`. People
//! whose line begins with `later` ask a while after the others; A' is A at that time.

use meshcloak::map::{Position, TerminalId};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Point, Speed, Time};
use std::time::Duration;

/// Somebody on a town.
#[derive(Clone, Debug, PartialEq)]
pub struct Person {
    /// A letter; with a prime if she was there before.
    pub name: String,
    /// Where she is.
    pub position: Position,
    /// How far she can go.
    pub dc: Length,
    /// Among how many she wants to be.
    pub k: u32,
    /// When she asks.
    pub asks: Asks,
}

/// When somebody asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// At time t.
    Now,
    /// At time t + Δt.
    Later,
}

/// Seconds between the two.
const DELTA: u64 = 20;

/// A town with people.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The streets.
    pub town: Town,
    /// In the order of the fixture.
    pub people: Vec<Person>,
}

impl Scene {
    /// The scene that a fixture writes.
    ///
    /// # Panics
    /// If it writes none: fixtures are written by hand, and are our own.
    pub fn read(text: &str) -> Scene {
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let is_person = |line: &&str| line.starts_with("person ") || line.starts_with("later ");
        let (people, streets): (Vec<&str>, Vec<&str>) = lines.partition(is_person);
        let town = town(&streets.join(" "));
        let people = people.into_iter().map(|line| person(&town, line)).collect();
        Scene { town, people }
    }

    /// The person of that name.
    ///
    /// # Panics
    /// If there is none.
    pub fn person(&self, name: &str) -> &Person {
        let found = self.people.iter().find(|person| person.name == name);
        found.unwrap_or_else(|| panic!("nobody is called {name}"))
    }

    /// The terminal of that name.
    ///
    /// # Panics
    /// If there is none.
    pub fn terminal(&self, name: &str) -> TerminalId {
        let map = &self.town.map;
        let found = map.terminals().find(|&terminal| map.terminal_label(terminal) == name);
        found.unwrap_or_else(|| panic!("no terminal is called {name}"))
    }

    /// Where a person is in the plane.
    pub fn point(&self, person: &Person) -> Point {
        self.town.map.point(person.position)
    }

    /// What everyone asks; ids are places in `people`.
    pub fn queries(&self) -> Vec<Query> {
        let plain = |person: &Person| person.name.trim_end_matches('\'').to_owned();
        let user = |person: &Person| {
            let place = self.people.iter().position(|other| plain(other) == plain(person));
            place.unwrap_or(0) as u64
        };
        let asks = |(place, person): (usize, &Person)| {
            Query::builder(UserId(user(person)), person.position)
                .id(QueryId(place as u64))
                .at(match person.asks {
                    Asks::Now => Time::from_millis(0),
                    Asks::Later => Time::from_millis(DELTA * 1000),
                })
                .k(person.k)
                .dt(Duration::from_secs(3))
                .dc(person.dc)
                .speed(Speed::metres_per_second(person.dc.as_metres() / DELTA as f64))
                .build_unchecked()
        };
        self.people.iter().enumerate().map(asks).collect()
    }
}

fn person(town: &Town, line: &str) -> Person {
    let (asks, plain) = match line.strip_prefix("later ") {
        Some(plain) => (Asks::Later, plain),
        None => (Asks::Now, line),
    };
    let words: Vec<&str> = plain.split_whitespace().collect();
    let ["person", name, "on", street, "at", at, "dc", dc, "k", k] = words[..] else {
        panic!("`{line}` is no `person A on A-B at 40 dc 120 k 3`");
    };
    let metres = |word: &str| -> f64 { word.parse().expect("metres are a number") };
    Person {
        name: name.to_owned(),
        position: town.at(street, metres(at)),
        dc: Length::metres_down(metres(dc)),
        k: k.parse().expect("k is a number"),
        asks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_again_later_is_the_same_person() {
        let text = "# two\nA 0,0  B 90,0 |\nA-B\nperson A on A-B at 9 dc 50 k 2\n\
                    person B on A-B at 9 dc 50 k 2\nlater person A' on A-B at 60 dc 50 k 3";
        let scene = Scene::read(text);
        let queries = scene.queries();
        assert_eq!(scene.person("A'").asks, Asks::Later);
        assert!(queries[2].user == queries[0].user && queries[1].user != queries[0].user);
        assert!(queries[2].asked_at > queries[0].asked_at && queries[2].k == 3);
    }
}
