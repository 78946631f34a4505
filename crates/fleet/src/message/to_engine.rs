//! Messages of frontends to the owner of a shard.

use super::{Seen, WaitingItem};
use meshcloak::map::{Position, StreetId};
use meshcloak::query::UserId;
use meshcloak::units::{Length, Speed};
use serde::{Deserialize, Serialize};

/// Message of a frontend to the owner of a shard.
#[derive(Serialize, Deserialize)]
pub enum ToEngine {
    /// Accepted queries.
    Submit(Submit),
    /// Queries whose users no longer want an answer.
    Cancel(Cancel),
    /// Queries whose users have moved to a cell of another engine. They come back as
    /// [`super::EndCode::Replaced`], and the newer query carries their questions.
    Withdraw(Cancel),
    /// Waiting queries of cells that now belong to this shard, from another engine.
    Adopt(Adopt),
}

/// Accepted queries of a frontend, in order of arrival.
#[derive(Serialize, Deserialize)]
pub struct Submit {
    /// The frontend.
    pub frontend: u64,
    /// Epoch of the owner to which the queries are sent.
    pub epoch: u64,
    /// Records of the city's log that the engine must have read.
    pub seen: Vec<Seen>,
    /// Digest of the frontend's map.
    pub map: u64,
    /// The queries.
    pub queries: Vec<QueryItem>,
}

/// Waiting queries that change their owner with the division of the city.
#[derive(Serialize, Deserialize)]
pub struct Adopt {
    /// Epoch of the owner to which they are sent.
    pub epoch: u64,
    /// Last tick of the earlier division, in city time. They are good for the next one only.
    pub after: u64,
    /// The queries.
    pub queries: Vec<WaitingItem>,
}

/// Cancelled or withdrawn queries of a frontend.
#[derive(Serialize, Deserialize)]
pub struct Cancel {
    /// The frontend.
    pub frontend: u64,
    /// Epoch of the owner to which the queries were sent.
    pub epoch: u64,
    /// Numbers of the queries, as assigned by the frontend.
    pub numbers: Vec<u64>,
}

/// A query.
#[derive(Clone, Serialize, Deserialize)]
pub struct QueryItem {
    /// Number assigned by the frontend.
    pub number: u64,
    /// Keyed hash of account and ticket.
    pub ticket: u64,
    /// Keyed hash of the query: the same ticket with another digest is another query.
    pub digest: u64,
    /// Keyed hash of the user.
    pub user: u64,
    /// Account of the user, by a keyed hash.
    pub account: u32,
    /// Position of the user.
    pub place: Place,
    /// Requested size of the anonymity set.
    pub k: u32,
    /// What is left of the temporal tolerance, in milliseconds.
    pub left_ms: u32,
    /// Time since the user reported the position, in milliseconds.
    pub age_ms: u32,
    /// Distance constraint in units of [`Length`].
    pub dc: u32,
    /// Top speed in metres per second.
    pub speed: Option<f64>,
    /// The question; `None` for a presence report.
    pub question: Option<QuestionItem>,
    /// Earlier questions of the user that the query carries, oldest first.
    pub carried: Vec<CarriedItem>,
}

impl QueryItem {
    /// Numbers of the carried questions and of the query.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        self.carried.iter().map(|carried| carried.number).chain([self.number])
    }

    /// Takes time that has passed from the tolerances, in milliseconds.
    pub fn shorten(&mut self, passed_ms: u32) {
        let carried = self.carried.iter_mut().map(|c| (&mut c.age_ms, &mut c.left_ms));
        for (age_ms, left_ms) in carried.chain([(&mut self.age_ms, &mut self.left_ms)]) {
            *age_ms = age_ms.saturating_add(passed_ms);
            *left_ms = left_ms.saturating_sub(passed_ms);
        }
    }
}

/// A question of an earlier query, which was withdrawn.
#[derive(Clone, Serialize, Deserialize)]
pub struct CarriedItem {
    /// Number assigned by the frontend.
    pub number: u64,
    /// Keyed hash of account and ticket.
    pub ticket: u64,
    /// Keyed hash of the query.
    pub digest: u64,
    /// Requested size of the anonymity set.
    pub k: u32,
    /// What is left of the temporal tolerance, in milliseconds.
    pub left_ms: u32,
    /// Time since the user asked, in milliseconds.
    pub age_ms: u32,
    /// The question.
    pub question: Option<QuestionItem>,
}

/// A position on a street. Has no `Debug`, as all positions.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    street: u32,
    offset: u32,
}

impl From<Position> for Place {
    fn from(position: Position) -> Place {
        Place { street: position.street.0, offset: position.offset.units() }
    }
}

impl From<Place> for Position {
    fn from(place: Place) -> Position {
        Position { street: StreetId(place.street), offset: Length::from_units(place.offset) }
    }
}

impl QueryItem {
    /// The user.
    pub fn user(&self) -> UserId {
        UserId(self.user)
    }

    /// The declared top speed.
    pub fn speed(&self) -> Option<Speed> {
        self.speed.filter(|speed| speed.is_finite()).map(Speed::metres_per_second)
    }
}

/// A question with its exact radius or count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QuestionItem {
    /// Whether the operation is `nearest`.
    pub is_nearest: bool,
    /// Whether distances are in the plane.
    pub in_plane: bool,
    /// Category; `None` for all objects.
    pub category: Option<String>,
    /// Radius in units of [`Length`], or count.
    pub extent: u32,
}
