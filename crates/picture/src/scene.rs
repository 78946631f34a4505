//! A small town and its users, parsed from a fixture.
//!
//! A fixture holds the lines of a town (`meshcloak::town`), one line
//! `person A on A-B at 40 dc 120 k 3` per user (lengths in metres), and comments after `#`. Users
//! with the prefix `later` ask at the second step; A' is user A at that step.

use meshcloak::map::{Position, TerminalId};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::town::{Town, town};
use meshcloak::units::{Length, Point, Speed, Time};
use std::time::Duration;

/// A user of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneUser {
    /// A letter, with a prime for the second query of a user.
    pub name: String,
    /// Position of the query.
    pub position: Position,
    /// Distance constraint.
    pub dc: Length,
    /// Requested k.
    pub k: u32,
    /// Step of the query.
    pub step: QueryStep,
}

/// Time of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryStep {
    /// At time t.
    Now,
    /// At time t + Δt.
    Later,
}

/// Seconds between the two steps (Δt).
const STEP_SECONDS: u64 = 20;

/// A town and its users.
#[derive(Clone, Debug)]
pub struct TownScene {
    /// Street map.
    pub town: Town,
    /// Users in the order of the fixture.
    pub users: Vec<SceneUser>,
}

impl TownScene {
    /// Parses a fixture.
    ///
    /// # Panics
    /// On a syntax error: fixtures are part of the program.
    pub fn read(text: &str) -> TownScene {
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let is_user = |line: &&str| line.starts_with("person ") || line.starts_with("later ");
        let (users, streets): (Vec<&str>, Vec<&str>) = lines.partition(is_user);
        let town = town(&streets.join(" "));
        let users = users.into_iter().map(|line| parse_user(&town, line)).collect();
        TownScene { town, users }
    }

    /// Returns the user called `name`.
    ///
    /// # Panics
    /// If there is none.
    pub fn user(&self, name: &str) -> &SceneUser {
        let found = self.users.iter().find(|user| user.name == name);
        found.unwrap_or_else(|| panic!("the scene has no user {name}"))
    }

    /// Returns the terminal called `name`.
    ///
    /// # Panics
    /// If there is none.
    pub fn terminal(&self, name: &str) -> TerminalId {
        let map = &self.town.map;
        let found = map.terminals().find(|&terminal| map.terminal_label(terminal) == name);
        found.unwrap_or_else(|| panic!("the scene has no terminal {name}"))
    }

    /// Position of a user in the plane.
    pub fn point(&self, user: &SceneUser) -> Point {
        self.town.map.point(user.position)
    }

    /// Returns the queries of all users; query ids are indices into `users`.
    pub fn queries(&self) -> Vec<Query> {
        let base_name = |user: &SceneUser| user.name.trim_end_matches('\'').to_owned();
        let user_id = |user: &SceneUser| {
            let first = self.users.iter().position(|other| base_name(other) == base_name(user));
            UserId(first.unwrap_or(0) as u64)
        };
        let query = |(index, user): (usize, &SceneUser)| {
            Query::builder(user_id(user), user.position)
                .id(QueryId(index as u64))
                .at(match user.step {
                    QueryStep::Now => Time::from_millis(0),
                    QueryStep::Later => Time::from_millis(STEP_SECONDS * 1000),
                })
                .k(user.k)
                .dt(Duration::from_secs(3))
                .dc(user.dc)
                // The distance constraint is `speed × Δt`.
                .speed(Speed::metres_per_second(user.dc.as_metres() / STEP_SECONDS as f64))
                .build_unchecked()
        };
        self.users.iter().enumerate().map(query).collect()
    }
}

fn parse_user(town: &Town, line: &str) -> SceneUser {
    let (step, plain) = match line.strip_prefix("later ") {
        Some(plain) => (QueryStep::Later, plain),
        None => (QueryStep::Now, line),
    };
    let words: Vec<&str> = plain.split_whitespace().collect();
    let ["person", name, "on", street, "at", at, "dc", dc, "k", k] = words[..] else {
        panic!("`{line}`: expected `person A on A-B at 40 dc 120 k 3`");
    };
    let metres = |word: &str| -> f64 { word.parse().expect("lengths are numbers") };
    SceneUser {
        name: name.to_owned(),
        position: town.at(street, metres(at)),
        dc: Length::metres_down(metres(dc)),
        k: k.parse().expect("k is a number"),
        step,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_query_belongs_to_the_same_user() {
        let text = "# two\nA 0,0  B 90,0 |\nA-B\nperson A on A-B at 9 dc 50 k 2\n\
                    person B on A-B at 9 dc 50 k 2\nlater person A' on A-B at 60 dc 50 k 3";
        let scene = TownScene::read(text);
        let queries = scene.queries();
        assert_eq!(scene.user("A'").step, QueryStep::Later);
        assert!(queries[2].user == queries[0].user && queries[1].user != queries[0].user);
        assert!(queries[2].asked_at > queries[0].asked_at && queries[2].k == 3);
    }
}
