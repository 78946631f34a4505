//! A town and the people on it, as a fixture writes them: lines of a town (`meshcloak::town`),
//! lines `person A on A-B at 40 dc 120 k 3` (lengths in metres), and comments after `#`.

use meshcloak::map::{Position, TerminalId};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Point, Time};
use std::time::Duration;

/// Somebody on a town.
pub struct Person {
    pub name: String,
    pub position: Position,
    pub dc: Length,
    pub k: u32,
}

/// A town with people.
pub struct Scene {
    pub town: Town,
    pub people: Vec<Person>,
}

impl Scene {
    /// The scene that a fixture writes; panics if it writes none, for fixtures are our own.
    pub fn read(text: &str) -> Scene {
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let (people, streets): (Vec<&str>, Vec<&str>) =
            lines.partition(|line| line.starts_with("person "));
        let town = town(&streets.join(" "));
        let people = people.into_iter().map(|line| person(&town, line)).collect();
        Scene { town, people }
    }

    /// The person of that name.
    pub fn person(&self, name: &str) -> &Person {
        let found = self.people.iter().find(|person| person.name == name);
        found.unwrap_or_else(|| panic!("nobody is called {name}"))
    }

    /// The terminal of that name.
    pub fn terminal(&self, name: &str) -> TerminalId {
        let map = &self.town.map;
        let found = map.terminals().find(|&terminal| map.terminal_label(terminal) == name);
        found.unwrap_or_else(|| panic!("no terminal is called {name}"))
    }

    /// Where a person is in the plane.
    pub fn point(&self, person: &Person) -> Point {
        self.town.map.point(person.position)
    }

    /// What everyone asks, all at once; ids are places in `people`.
    pub fn queries(&self) -> Vec<Query> {
        let asks = |(place, person): (usize, &Person)| Query {
            id: QueryId(place as u64),
            user: UserId(place as u64),
            asked_at: Time::from_millis(0),
            position: person.position,
            k: person.k,
            temporal_tolerance: Duration::from_secs(3),
            distance_constraint: person.dc,
            speed: None,
        };
        self.people.iter().enumerate().map(asks).collect()
    }
}

fn person(town: &Town, line: &str) -> Person {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["person", name, "on", street, "at", at, "dc", dc, "k", k] = words[..] else {
        panic!("`{line}` is no `person A on A-B at 40 dc 120 k 3`");
    };
    let metres = |word: &str| -> f64 { word.parse().expect("metres are a number") };
    Person {
        name: name.to_owned(),
        position: town.at(street, metres(at)),
        dc: Length::metres_down(metres(dc)),
        k: k.parse().expect("k is a number"),
    }
}
