//! The texts that stand for those who wait: queries and people have numbers in the engine, and
//! names in files. Whoever has left is forgotten, so this grows with the crowd, not with the file.

use super::intake::lasting;
use import::QueryRecord;
use meshcloak::map::Position;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::units::{Speed, Time};
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Who waits, by name.
#[derive(Debug, Default)]
pub struct Roster {
    queries: FxHashMap<QueryId, Box<str>>,
    next_query: u64,
    numbers: HashMap<Arc<str>, UserId>,
    people: FxHashMap<UserId, Person>,
    next_user: u64,
    users: Users,
}

/// How people are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Users {
    /// In the order in which they come; forgotten when they leave.
    #[default]
    InOrder,
    /// By name, so that whoever comes back has the same number.
    Lasting,
}

#[derive(Debug)]
struct Person {
    name: Arc<str>,
    waiting: u32,
}

impl Roster {
    /// Nobody, yet.
    pub fn new(users: Users) -> Roster {
        Roster { users, ..Roster::default() }
    }

    /// Numbers a query and its user, in the order in which they come.
    pub fn admit(&mut self, record: QueryRecord, position: Position) -> Query {
        let id = QueryId(self.next_query);
        self.next_query += 1;
        let user = self.user(&record.user);
        let query = as_query(&record, id, user, position);
        self.queries.insert(id, record.query.into_boxed_str());
        query
    }

    fn user(&mut self, name: &str) -> UserId {
        let user = self.numbers.get(name).copied().unwrap_or_else(|| {
            let user = match self.users {
                Users::InOrder => UserId(self.next_user),
                Users::Lasting => lasting(name),
            };
            self.next_user += 1;
            let name: Arc<str> = name.into();
            self.numbers.insert(Arc::clone(&name), user);
            self.people.insert(user, Person { name, waiting: 0 });
            user
        });
        self.people.entry(user).and_modify(|person| person.waiting += 1);
        user
    }

    /// The name of a query that waits.
    pub fn name(&self, query: QueryId) -> &str {
        self.queries.get(&query).expect("a query is on the roster until it leaves")
    }

    /// Forgets a query, and its user unless another of hers waits.
    pub fn leave(&mut self, query: &Query) {
        self.queries.remove(&query.id);
        let Some(person) = self.people.get_mut(&query.user) else { return };
        person.waiting -= 1;
        if person.waiting == 0 {
            self.numbers.remove(&person.name);
            self.people.remove(&query.user);
        }
    }
}

/// A row as the engine sees it.
pub fn as_query(record: &QueryRecord, id: QueryId, user: UserId, position: Position) -> Query {
    let speed = record.speed.map(|speed| f64::from(speed) / 1000.0);
    Query::builder(user, position)
        .id(id)
        .at(Time::from_millis(record.asked_at))
        .k(record.k)
        .dt(Duration::from_millis(record.temporal_tolerance))
        .dc(record.distance_constraint)
        .speed(speed.map(Speed::metres_per_second))
        .build_unchecked() // the intake has checked k and dc
}

#[cfg(test)]
mod tests {
    use super::*;
    use import::Coordinates;
    use meshcloak::map::StreetId;
    use meshcloak::units::{Length, Point};

    #[test]
    fn a_user_keeps_her_number_while_she_waits_and_nothing_is_kept_after() {
        let mut roster = Roster::default();
        let admit = |query: &str, user: &str, roster: &mut Roster| {
            let record = QueryRecord {
                query: query.into(),
                user: user.into(),
                asked_at: 0,
                coordinates: Coordinates::Metres(Point::new(0.0, 0.0)),
                k: 2,
                temporal_tolerance: 0,
                distance_constraint: Length::UNIT,
                speed: None,
                query_interval: None,
            };
            roster.admit(record, Position { street: StreetId(0), offset: Length::ZERO })
        };
        let first = admit("a", "Jane", &mut roster);
        let second = admit("b", "Jane", &mut roster);
        let other = admit("c", "Joe", &mut roster);
        assert_eq!(first.user, second.user);
        assert_ne!(first.user, other.user);
        assert_eq!((roster.name(first.id), roster.name(other.id)), ("a", "c"));
        roster.leave(&first);
        assert_eq!(admit("d", "Jane", &mut roster).user, second.user);
        roster.leave(&second);
        roster.leave(&other);
        assert_eq!((roster.queries.len(), roster.numbers.len(), roster.people.len()), (1, 1, 1));
    }
}
