//! Messages between frontends and engines, in a compact binary form behind a version byte.
//!
//! These types hold users and positions. They have no `Debug`, and travel only between the
//! operator's own processes.

mod answer;
mod beat;
mod byte_field;
mod claim;
mod handover;
mod seen;
mod subjects;
mod to_engine;
mod to_frontend;

pub use answer::{AnswerItem, Answers, Fetch, Fetched, RefinedItem};
pub use beat::{Beat, EngineBeat, FrontendBeat, PlanItem};
pub use claim::{Claim, ClaimReply, Elsewhere};
pub use handover::{Handover, HandoverStep, PendingItem, WaitingItem};
pub use seen::{Seen, SeenLog};
pub use subjects::{
    BEATS, CLAIMS, engine_beat_subject, engine_subject, frontend_beat_subject, frontend_subject,
    handover_subject, owner_beat_subject,
};
pub use to_engine::{Adopt, Cancel, CarriedItem, Place, QueryItem, QuestionItem, Submit, ToEngine};
pub use to_frontend::{
    AskingMember, EndCode, MemberItem, Part, RecipientItem, RejectReason, Rejected, RequestItem,
    RoundKey, SetItem, ToFrontend,
};

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Version of the messages. Processes of different versions ignore each other.
const VERSION: u8 = 3;

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

/// Room for the fields of a message beside its items, in bytes.
const HEADER: usize = 1_024;

/// Largest number of items of a message.
const MAX_ITEMS: usize = 1_000;

/// Divides items into groups whose messages stay below the largest payload. An item that is larger
/// alone is a group of its own.
pub fn groups<T: Serialize>(items: Vec<T>, max_payload: usize) -> Vec<Vec<T>> {
    let room = max_payload.saturating_sub(HEADER);
    let mut groups: Vec<Vec<T>> = Vec::new();
    let mut bytes = 0;
    for item in items {
        let size = encode(&item).len();
        let fits = |group: &Vec<T>| group.len() < MAX_ITEMS && bytes + size <= room;
        match groups.last_mut().filter(|group| fits(group)) {
            Some(group) => {
                bytes += size;
                group.push(item);
            }
            None => {
                bytes = size;
                groups.push(vec![item]);
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_keep_the_order_and_stay_below_the_payload() {
        let items: Vec<String> = (0..5_000).map(|number| "x".repeat(number % 90)).collect();
        for max_payload in [HEADER, HEADER + 100, HEADER + 4_096, 1 << 20] {
            let groups = groups(items.clone(), max_payload);
            assert_eq!(groups.concat(), items);
            let is_small = |group: &Vec<String>| {
                group.len() == 1 || (group.len() <= MAX_ITEMS && encode(group).len() <= max_payload)
            };
            assert!(groups.iter().all(is_small), "{max_payload}");
        }
        assert_eq!(groups(Vec::<u8>::new(), 0), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn another_version_and_malformed_bytes_are_refused() {
        let mut bytes = encode(&Seen::default()).to_vec();
        assert!(decode::<Seen>(&bytes).is_ok());
        bytes.push(0);
        assert_eq!(decode::<Seen>(&bytes), Err(MessageError::Malformed));
        bytes[0] = VERSION + 1;
        assert_eq!(decode::<Seen>(&bytes), Err(MessageError::Version(VERSION + 1)));
        assert_eq!(decode::<Seen>(&[]), Err(MessageError::Malformed));
    }
}
