//! Messages to frontends: results of ticks and rejected queries.

use super::{Answers, Fetch, Fetched, Place, QuestionItem, Seen};
use serde::{Deserialize, Serialize};

/// Message to a frontend.
#[derive(Serialize, Deserialize)]
pub enum ToFrontend {
    /// Result of a tick.
    Part(Part),
    /// Queries that the engine did not take: sent to another epoch, or too many.
    Rejected(Rejected),
    /// Refined answers, from the frontend that has asked the service.
    Answers(Answers),
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
    /// Queries that ended without a request and are in no set.
    pub ended: Vec<(u64, EndCode)>,
}

/// A request to the service. A large one is told by several items of the same number.
#[derive(Serialize, Deserialize)]
pub struct RequestItem {
    /// Number of the request in its batch.
    pub number: u32,
    /// Streets of the region, ascending.
    pub region: Vec<u32>,
    /// The question, rounded.
    pub question: QuestionItem,
    /// Frontends with a member in a set that waits for the request, ascending.
    pub recipients: Vec<RecipientItem>,
}

impl RequestItem {
    /// Number of members, at least one for each recipient.
    pub fn member_count(&self) -> usize {
        self.recipients.iter().map(|recipient| recipient.members.len().max(1)).sum()
    }

    /// Moves about half of the members to a second item for the same request.
    pub fn split_off(&mut self) -> RequestItem {
        let half = self.recipients.len() / 2;
        let recipients = match &mut self.recipients[..] {
            [RecipientItem { frontend, members }] => {
                let members = members.split_off(members.len() / 2);
                vec![RecipientItem { frontend: *frontend, members }]
            }
            _ => self.recipients.split_off(half),
        };
        let (region, question) = (self.region.clone(), self.question.clone());
        RequestItem { number: self.number, region, question, recipients }
    }

    /// Takes the members of another item for the same request. Returns whether it is one.
    pub fn merge(&mut self, other: &mut RequestItem) -> bool {
        if other.number != self.number {
            return false;
        }
        for RecipientItem { frontend, members } in std::mem::take(&mut other.recipients) {
            match self.recipients.iter_mut().find(|known| known.frontend == frontend) {
                Some(known) => known.members.extend(members),
                None => self.recipients.push(RecipientItem { frontend, members }),
            }
        }
        true
    }
}

/// A frontend that is told the end of a request.
#[derive(Serialize, Deserialize)]
pub struct RecipientItem {
    /// The frontend.
    pub frontend: u64,
    /// Its members whose questions the request answers.
    pub members: Vec<AskingMember>,
}

/// A member for which the answer of a request is refined.
#[derive(Clone, Serialize, Deserialize)]
pub struct AskingMember {
    /// Number of the query, as assigned by its frontend.
    pub number: u64,
    /// Position from which the answer is refined.
    pub place: Place,
    /// Exact radius or count, as in [`QuestionItem`].
    pub extent: u32,
}

/// A published set.
#[derive(Serialize, Deserialize)]
pub struct SetItem {
    /// Requests of the set, ascending. The answers are released when all have ended.
    pub requests: Vec<u32>,
    /// Number of members, those of other frontends included.
    pub size: u32,
    /// Number of members with a question, those of other frontends included.
    pub asking: u32,
    /// Members of this frontend with a question.
    pub members: Vec<MemberItem>,
    /// Numbers of this frontend's presence reports in the set, released with the answers.
    pub present: Vec<u64>,
}

/// A member of a published set.
#[derive(Serialize, Deserialize)]
pub struct MemberItem {
    /// Number of the query, as assigned by the frontend.
    pub number: u64,
    /// The request that answers it.
    pub request: u32,
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
    /// The user has asked another engine: withdrawn by the frontend, or replaced by a query that
    /// arrived there through another frontend.
    Replaced,
    /// Refused under `history`: the position contradicts the declared speed.
    FasterThanDeclared,
    /// Refused under `history`: no speed was declared.
    Speed,
    /// Refused under `history`: the user's previous position may be lost. Seconds left.
    HistoryUnknown(u32),
    /// Refused under `history`: the user has asked in another city. Seconds left.
    OtherCity(u32),
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
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RejectReason {
    /// They were sent to another epoch; this one is current.
    Epoch(u64),
    /// The engine has too many queries.
    Busy,
    /// The frontend has another map.
    Map,
    /// The cells of the queries belong to another shard. Revision of the division.
    Plan(u64),
    /// The last of the queries is at a junction, and can be accepted at this position on a street of
    /// another shard.
    Street(Place),
}
