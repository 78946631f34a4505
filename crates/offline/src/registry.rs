//! Names of waiting queries and users: the engine uses numbers, files use names. Departed queries are
//! removed, so memory grows with the waiting list, not with the file.

use crate::intake::hashed_user;
use import::QueryRecord;
use meshcloak::map::Position;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::units::{Speed, Time};
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Maps between names and ids of waiting queries and their users.
#[derive(Debug, Default)]
pub struct Registry {
    queries: FxHashMap<QueryId, Box<str>>,
    next_query: u64,
    user_ids: HashMap<Arc<str>, UserId>,
    users: FxHashMap<UserId, User>,
    next_user: u64,
    numbering: UserNumbering,
}

/// How ids are assigned to users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UserNumbering {
    /// Ascending; a returning user gets a new id.
    #[default]
    Sequential,
    /// Hash of the name; a returning user keeps the id.
    Hashed,
}

#[derive(Debug)]
struct User {
    name: Arc<str>,
    /// Number of waiting queries.
    waiting: u32,
}

impl Registry {
    /// Builds an empty registry.
    pub fn new(numbering: UserNumbering) -> Registry {
        Registry { numbering, ..Registry::default() }
    }

    /// Adds a query and its user.
    pub fn insert(&mut self, record: QueryRecord, position: Position) -> Query {
        let id = QueryId(self.next_query);
        self.next_query += 1;
        let user = self.user(&record.user);
        let query = as_query(&record, id, user, position);
        self.queries.insert(id, record.query.into_boxed_str());
        query
    }

    fn user(&mut self, name: &str) -> UserId {
        let user = self.user_ids.get(name).copied().unwrap_or_else(|| {
            let user = match self.numbering {
                UserNumbering::Sequential => UserId(self.next_user),
                UserNumbering::Hashed => hashed_user(name),
            };
            self.next_user += 1;
            let name: Arc<str> = name.into();
            self.user_ids.insert(Arc::clone(&name), user);
            self.users.insert(user, User { name, waiting: 0 });
            user
        });
        self.users.entry(user).and_modify(|user| user.waiting += 1);
        user
    }

    /// Returns the name of a waiting query.
    pub fn name(&self, query: QueryId) -> &str {
        self.queries.get(&query).expect("a waiting query is registered")
    }

    /// Removes a query, and its user with the last of its queries.
    pub fn remove(&mut self, query: &Query) {
        self.queries.remove(&query.id);
        let Some(user) = self.users.get_mut(&query.user) else { return };
        user.waiting -= 1;
        if user.waiting == 0 {
            self.user_ids.remove(&user.name);
            self.users.remove(&query.user);
        }
    }
}

/// Converts a row to a query of the engine.
pub fn as_query(record: &QueryRecord, id: QueryId, user: UserId, position: Position) -> Query {
    let speed = record.speed.map(|speed| f64::from(speed) / 1000.0);
    Query::builder(user, position)
        .id(id)
        .at(Time::from_millis(record.asked_at))
        .k(record.k)
        .dt(Duration::from_millis(record.temporal_tolerance))
        .dc(record.distance_constraint)
        .speed(speed.map(Speed::metres_per_second))
        .asks(record.asks)
        .build_unchecked() // the intake has checked k and dc
}

#[cfg(test)]
mod tests {
    use super::*;
    use import::Coordinates;
    use meshcloak::map::StreetId;
    use meshcloak::units::{Length, Point};

    #[test]
    fn a_user_keeps_its_id_while_a_query_waits_and_departed_queries_are_removed() {
        let mut registry = Registry::default();
        let insert = |query: &str, user: &str, registry: &mut Registry| {
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
                asks: true,
            };
            registry.insert(record, Position { street: StreetId(0), offset: Length::ZERO })
        };
        let first = insert("a", "Jane", &mut registry);
        let second = insert("b", "Jane", &mut registry);
        let other = insert("c", "Joe", &mut registry);
        assert_eq!(first.user, second.user);
        assert_ne!(first.user, other.user);
        assert_eq!((registry.name(first.id), registry.name(other.id)), ("a", "c"));
        registry.remove(&first);
        assert_eq!(insert("d", "Jane", &mut registry).user, second.user);
        registry.remove(&second);
        registry.remove(&other);
        assert_eq!(
            (registry.queries.len(), registry.user_ids.len(), registry.users.len()),
            (1, 1, 1)
        );
    }
}
