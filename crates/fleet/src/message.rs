//! Messages between frontends and engines, in a compact binary form behind a version byte.
//!
//! These types hold users and positions. They have no `Debug`, and travel only between the
//! operator's own processes.

use bytes::Bytes;
use cluster::{LogId, NodeId};
use meshcloak::map::{Position, StreetId};
use meshcloak::query::UserId;
use meshcloak::units::{Length, Speed};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Version of the messages. Processes of different versions ignore each other.
const VERSION: u8 = 1;

/// Reason why a message cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// The first byte is another version.
    #[error("a message of version {0}; this process has version {VERSION}")]
    Version(u8),
    /// The bytes do not form a message.
    #[error("a malformed message")]
    Malformed,
}

/// Encodes a message.
pub fn encode(message: &impl Serialize) -> Bytes {
    let bytes = postcard::to_extend(message, vec![VERSION]);
    bytes.expect("a vector grows, and all lengths are known").into()
}

/// Decodes a message.
///
/// # Errors
/// The version differs, or the bytes are malformed or have a rest.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, MessageError> {
    let (&version, body) = bytes.split_first().ok_or(MessageError::Malformed)?;
    if version != VERSION {
        return Err(MessageError::Version(version));
    }
    match postcard::take_from_bytes(body) {
        Ok((message, [])) => Ok(message),
        _ => Err(MessageError::Malformed),
    }
}

/// How much of which log a process has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Number of the log; 0 if none was seen.
    pub log: u64,
    /// Sequence of its last known record.
    pub sequence: u64,
    /// Epoch of that record.
    pub epoch: u64,
}

impl From<Seen> for cluster::Seen {
    fn from(Seen { log, sequence, epoch }: Seen) -> cluster::Seen {
        cluster::Seen { log: LogId(log), sequence, epoch }
    }
}

/// Message of a frontend to the owner of a shard.
#[derive(Serialize, Deserialize)]
pub enum ToEngine {
    /// Accepted queries.
    Submit(Submit),
    /// Queries whose users no longer want an answer.
    Cancel(Cancel),
}

/// Accepted queries of a frontend, in order of arrival.
#[derive(Serialize, Deserialize)]
pub struct Submit {
    /// The frontend.
    pub frontend: u64,
    /// Epoch of the owner to which the queries are sent.
    pub epoch: u64,
    /// What the frontend has seen of the city's log.
    pub seen: Seen,
    /// Digest of the frontend's map.
    pub map: u64,
    /// The queries.
    pub queries: Vec<QueryItem>,
}

/// Cancelled queries of a frontend.
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
    /// Distance constraint in units of [`Length`].
    pub dc: u32,
    /// Top speed in metres per second.
    pub speed: Option<f64>,
    /// Kind of the question; `None` for a presence report.
    pub question: Option<KindItem>,
}

/// A position on a street.
#[derive(Clone, Copy, Serialize, Deserialize)]
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

/// Kind and rounded radius or count of a question. The exact number stays with the frontend.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KindItem {
    /// Whether the operation is `nearest`.
    pub is_nearest: bool,
    /// Whether distances are in the plane.
    pub in_plane: bool,
    /// Category; `None` for all objects.
    pub category: Option<String>,
    /// Index into the ladder of the operation.
    pub rung: u8,
}

/// Message to a frontend.
#[derive(Serialize, Deserialize)]
pub enum ToFrontend {
    /// Result of a tick.
    Part(Part),
    /// Queries that the engine did not take: sent to another epoch, or too many.
    Rejected(Rejected),
    /// Piece of an answer of the service, from another frontend.
    Answer(AnswerPiece),
    /// Another frontend asks for the result of a ticket.
    Fetch(Fetch),
    /// Result of a ticket, from another frontend.
    Fetched(Fetched),
}

/// Batch of a shard.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RoundKey {
    /// Name of the city.
    pub city: String,
    /// Number of the shard.
    pub shard: u16,
    /// Epoch of the owner.
    pub epoch: u64,
    /// Time of the batch, in city time.
    pub at: u64,
}

/// Part of the result of a tick that concerns one frontend. A large result has several parts.
#[derive(Serialize, Deserialize)]
pub struct Part {
    /// The batch.
    pub round: RoundKey,
    /// Number of parts of the batch for this frontend.
    pub parts: u32,
    /// State of the log after the batch.
    pub seen: Seen,
    /// Requests that this frontend sends to the service.
    pub requests: Vec<RequestItem>,
    /// Published sets with a member of this frontend.
    pub sets: Vec<SetItem>,
    /// Queries that ended without a request.
    pub ended: Vec<(u64, EndCode)>,
}

/// A request to the service.
#[derive(Serialize, Deserialize)]
pub struct RequestItem {
    /// Number of the request in its batch.
    pub number: u32,
    /// Streets of the region, ascending.
    pub region: Vec<u32>,
    /// The question.
    pub question: KindItem,
    /// Frontends that need the answer.
    pub recipients: Vec<u64>,
}

/// A published set.
#[derive(Serialize, Deserialize)]
pub struct SetItem {
    /// Requests of the set, ascending. The answers are released when all have ended.
    pub requests: Vec<u32>,
    /// Number of members, those of other frontends included.
    pub size: u32,
    /// Members of this frontend.
    pub members: Vec<MemberItem>,
}

/// A member of a published set.
#[derive(Serialize, Deserialize)]
pub struct MemberItem {
    /// Number of the query, as assigned by the frontend.
    pub number: u64,
    /// The request that answers it.
    pub request: u32,
    /// Position from which the answer is refined.
    pub place: Place,
    /// Streets of the region.
    pub streets: u32,
    /// Time from the query to its batch, in milliseconds.
    pub delay_ms: u32,
    /// Whether an earlier position of the user was known.
    pub has_past: bool,
}

/// How a query ended without a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndCode {
    /// The temporal tolerance ended.
    Expired,
    /// Cancelled by the client.
    Cancelled,
    /// A presence report that ended.
    Present,
    /// The engine failed.
    Failed,
    /// A newer query of the user arrived through another frontend or engine.
    Replaced,
    /// Refused under `history`: the position contradicts the declared speed.
    FasterThanDeclared,
    /// Refused under `history`: no speed was declared.
    Speed,
    /// Refused under `history`: the user's previous position may be lost. Seconds left.
    HistoryUnknown(u32),
    /// Refused: the query is invalid for the engine.
    Invalid,
    /// The ticket belongs to a different query.
    TicketTaken,
    /// The ticket is known: another frontend holds the query.
    HeldBy(u64),
}

/// Queries that the engine did not take.
#[derive(Serialize, Deserialize)]
pub struct Rejected {
    /// Name of the city.
    pub city: String,
    /// Number of the shard.
    pub shard: u16,
    /// Reason.
    pub reason: RejectReason,
    /// Numbers of the queries.
    pub numbers: Vec<u64>,
}

/// Reason why an engine does not take queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RejectReason {
    /// They were sent to another epoch; this one is current.
    Epoch(u64),
    /// The engine has too many queries.
    Busy,
    /// The frontend has another map.
    Map,
}

/// Piece of an answer.
#[derive(Serialize, Deserialize)]
pub struct AnswerPiece {
    /// The batch.
    pub round: RoundKey,
    /// Number of the request.
    pub request: u32,
    /// Index of the piece.
    pub index: u32,
    /// Number of pieces.
    pub count: u32,
    /// Encoded [`AnswerItem`], cut into pieces.
    pub bytes: Vec<u8>,
}

/// Answer of the service to a request: objects, or the label of an error.
#[derive(Serialize, Deserialize)]
pub enum AnswerItem {
    /// Objects, and whether none is missing.
    Objects(Vec<ObjectItem>, bool),
    /// Index of the error among the labels of service errors.
    Error(u8),
}

/// An object of the service.
#[derive(Serialize, Deserialize)]
pub struct ObjectItem {
    /// Id.
    pub id: String,
    /// Name.
    pub name: String,
    /// Category.
    pub category: String,
    /// Point in the plane of the map.
    pub point: (f64, f64),
    /// Position on a street.
    pub place: Option<Place>,
}

/// Question for the result of a ticket.
#[derive(Serialize, Deserialize)]
pub struct Fetch {
    /// The frontend that asks.
    pub from: u64,
    /// Number of its own query.
    pub number: u64,
    /// Keyed hash of account and ticket.
    pub ticket: u64,
}

/// Result of a ticket.
#[derive(Serialize, Deserialize)]
pub struct Fetched {
    /// Number of the query of the frontend that asked.
    pub number: u64,
    /// Index of the outcome and body; `None` if the ticket is unknown.
    pub result: Option<(u8, Vec<u8>)>,
}

/// Sign of life of the owner of a shard, after every tick.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Beat {
    /// Name of the city.
    pub city: String,
    /// Number of the shard.
    pub shard: u16,
    /// Number of shards of the city.
    pub shards: u16,
    /// Epoch of the owner.
    pub epoch: u64,
    /// Epoch from which the waiting queries were taken over in an orderly move; 0 if none.
    pub moved_from: u64,
    /// The owner.
    pub engine: u64,
    /// Name of the owner's machine.
    pub name: String,
    /// State of the log.
    pub seen: Seen,
    /// Digest of the map.
    pub map: u64,
    /// Name of the guarantee.
    pub guarantee: String,
    /// City time.
    pub at: u64,
    /// Waiting queries, rounded to tens.
    pub waiting: u64,
    /// Milliseconds from the due time of the tick to its end.
    pub lag_ms: u32,
    /// Seconds for which `history` is refused.
    pub unknown_seconds: u32,
}

/// A step of an orderly move of a shard.
#[derive(Serialize, Deserialize)]
pub struct Handover {
    /// Name of the city.
    pub city: String,
    /// Number of the shard.
    pub shard: u16,
    /// Epoch of the present owner.
    pub epoch: u64,
    /// The step.
    pub step: HandoverStep,
}

/// Step of a move.
#[derive(Serialize, Deserialize)]
pub enum HandoverStep {
    /// The target keeps the messages of frontends from now on. Digest of the map.
    Prepare(u64),
    /// Some of the waiting queries.
    Queries(Vec<WaitingItem>),
    /// The owner leaves. Sequence of its last record.
    Leave(u64),
}

/// A waiting query.
#[derive(Serialize, Deserialize)]
pub struct WaitingItem {
    /// Keyed hash of the user.
    pub user: u64,
    /// Position of the user.
    pub place: Place,
    /// Time of the query, in city time.
    pub asked_at: u64,
    /// Requested size of the anonymity set.
    pub k: u32,
    /// Temporal tolerance in milliseconds.
    pub dt_ms: u32,
    /// Distance constraint in units of [`Length`].
    pub dc: u32,
    /// Top speed in metres per second.
    pub speed: Option<f64>,
    /// Previous position: time, place, and length of the path from there.
    pub previous: Option<(u64, Place, Option<u32>)>,
    /// Questions that the query carries; the last is its own.
    pub pendings: Vec<PendingItem>,
}

/// A question that a waiting query carries.
#[derive(Serialize, Deserialize)]
pub struct PendingItem {
    /// The frontend.
    pub frontend: u64,
    /// Number assigned by the frontend.
    pub number: u64,
    /// Account of the user.
    pub account: u32,
    /// Kind of the question; `None` for a presence report.
    pub question: Option<KindItem>,
    /// Requested size of the anonymity set.
    pub k: u32,
    /// Time of the query, in city time.
    pub asked_at: u64,
    /// End of its temporal tolerance, in city time.
    pub deadline: u64,
}

/// Sign of life of an engine process, every second.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EngineBeat {
    /// The engine.
    pub engine: u64,
    /// Name of its machine.
    pub name: String,
    /// Number of shards that it owns.
    pub owned: u32,
}

/// Sign of life of a frontend, every second.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FrontendBeat {
    /// The frontend.
    pub frontend: u64,
    /// Name of its machine.
    pub name: String,
    /// Address of its client API.
    pub address: String,
    /// What it has seen of the log of each city.
    pub seen: Vec<(String, Seen)>,
    /// Whether it will stop and takes no more requests.
    pub is_stopping: bool,
}

/// Returns the subject of the owner of a shard.
pub fn engine_subject(city: &str, shard: u16) -> String {
    format!("mc.engine.{city}.{shard}")
}

/// Returns the subject of a frontend.
pub fn frontend_subject(frontend: u64) -> String {
    format!("mc.frontend.{}", NodeId(frontend))
}

/// Subject of the signs of life of owners and frontends.
pub const BEATS: &str = "mc.beat.>";

/// Returns the subject of the signs of life of an owner.
pub fn owner_beat_subject(city: &str, shard: u16) -> String {
    format!("mc.beat.engine.{city}.{shard}")
}

/// Returns the subject of the signs of life of an engine process.
pub fn engine_beat_subject(engine: u64) -> String {
    format!("mc.beat.process.{}", NodeId(engine))
}

/// Returns the subject on which an engine takes shards over.
pub fn handover_subject(engine: u64) -> String {
    format!("mc.handover.{}", NodeId(engine))
}

/// Returns the subject of the signs of life of a frontend.
pub fn frontend_beat_subject(frontend: u64) -> String {
    format!("mc.beat.frontend.{}", NodeId(frontend))
}
