//! Answers of the service on their way between frontends.

use crate::message::{AnswerItem, AnswerPiece, ObjectItem, RoundKey, ToFrontend, decode, encode};
use bytes::Bytes;
use gateway::service::{Completeness, Object, Objects, ServiceError};
use meshcloak::units::Point;
use std::sync::Arc;

/// Room for the fields of a piece besides its bytes.
const HEADER: usize = 512;

/// Encodes an answer as messages below the largest payload.
pub fn pieces(
    round: &RoundKey,
    request: u32,
    answer: Result<&Objects, &ServiceError>,
    max_payload: usize,
) -> Vec<Bytes> {
    let item = match answer {
        Ok(objects) => {
            let items = objects.objects().iter().map(|object| item(object)).collect();
            AnswerItem::Objects(items, objects.is_complete())
        }
        Err(error) => {
            let label = ServiceError::LABELS.iter().position(|label| *label == error.label());
            AnswerItem::Error(label.unwrap_or(0) as u8)
        }
    };
    let bytes = encode(&item);
    let chunk = max_payload.saturating_sub(HEADER).max(1024);
    let count = bytes.len().div_ceil(chunk) as u32;
    let piece = |(index, bytes): (u32, &[u8])| {
        let round = round.clone();
        let piece = AnswerPiece { round, request, index, count, bytes: bytes.to_vec() };
        encode(&ToFrontend::Answer(piece))
    };
    (0..).zip(bytes.chunks(chunk)).map(piece).collect()
}

fn item(object: &Object) -> ObjectItem {
    ObjectItem {
        id: object.id.clone(),
        name: object.name.clone(),
        category: object.category.clone(),
        point: (object.point.x, object.point.y),
        place: object.position.map(Into::into),
    }
}

/// Pieces of one answer.
#[derive(Default)]
pub struct Assembly {
    pieces: Vec<Option<Vec<u8>>>,
    bytes: usize,
}

/// Largest number of pieces of an answer.
const MAX_PIECES: u32 = 4_096;

impl Assembly {
    /// Adds a piece. Returns the answer when it is complete.
    pub fn push(&mut self, piece: AnswerPiece) -> Option<Result<Objects, ServiceError>> {
        let AnswerPiece { index, count, bytes, .. } = piece;
        if count == 0 || count > MAX_PIECES || index >= count {
            return Some(Err(ServiceError::Internal));
        }
        self.pieces.resize_with(count as usize, || None);
        self.bytes = self.bytes.saturating_add(bytes.len());
        if let Some(place) = self.pieces.get_mut(index as usize) {
            *place = Some(bytes);
        }
        if self.pieces.iter().any(Option::is_none) {
            return None;
        }
        let bytes: Vec<u8> =
            std::mem::take(&mut self.pieces).into_iter().flatten().flatten().collect();
        Some(answer(&bytes))
    }

    /// Size of the pieces in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Decodes an answer.
fn answer(bytes: &[u8]) -> Result<Objects, ServiceError> {
    match decode(bytes) {
        Ok(AnswerItem::Objects(items, is_complete)) => {
            let object = |item: ObjectItem| {
                Arc::new(Object {
                    id: item.id,
                    name: item.name,
                    category: item.category,
                    point: Point::new(item.point.0, item.point.1),
                    position: item.place.map(Into::into),
                })
            };
            let completeness =
                if is_complete { Completeness::Complete } else { Completeness::Partial };
            Ok(Objects::new(items.into_iter().map(object).collect(), completeness))
        }
        Ok(AnswerItem::Error(label)) => Err(error(label)),
        Err(_) => Err(ServiceError::Internal),
    }
}

/// Returns the error with this label. Details stay with the frontend that asked.
fn error(label: u8) -> ServiceError {
    match ServiceError::LABELS.get(usize::from(label)).copied() {
        Some("timed-out") => ServiceError::TimedOut,
        Some("down") => ServiceError::Down,
        Some("resting") => ServiceError::CircuitOpen,
        Some("refused") => {
            ServiceError::Refused { code: "-".into(), meaning: "see the frontend that asked" }
        }
        Some("malformed") => ServiceError::Malformed("see the frontend that asked"),
        Some("not-sent") => ServiceError::Overloaded,
        Some("held") => ServiceError::Held,
        Some("memory" | "endless") => ServiceError::Memory,
        _ => ServiceError::Internal,
    }
}
