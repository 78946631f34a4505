//! Binary form of records, version 1, little-endian.
//!
//! ```text
//! record     log u64 | epoch u64 | map u64 | wall_ms u64 | kind u8 | body
//!   kind 1   engine u64 | plan u64                                          Epoch
//!   kind 2   at u64 | accepted: members | left: members                     Tick
//!   kind 3   at u64                                                         Lost
//!   kind 4   after u64 | revision u64 | count u32 | count × start u32       Plan
//! members    form u8 | count u32 | count × entry
//!   form 0   (no count) not said      form 1   user u64
//!   form 2   user u64 | street u32 | offset u32 | at u64 | speed + 1 u32 (0: none)
//! identity   log u64 | since u64 | wall_ms u64 | is_first u8
//! ```
//!
//! The decoder accepts exactly what the encoder writes: every byte is consumed, and a count is
//! compared with the bytes present before memory is allocated.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use crate::names::NodeId;
use crate::record::{Body, Entry, Identity, LogId, Members, Record, Tick};
use meshcloak::map::{Position, StreetId};
use meshcloak::query::UserId;
use meshcloak::units::{Length, Speed, Time};

/// Reason why bytes are no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes end too early.
    #[error("ends too early")]
    Short,
    /// There are bytes after the end.
    #[error("has bytes after its end")]
    Long,
    /// A field has a value that no encoder writes.
    #[error("{field} has an unknown value")]
    Field {
        /// The field.
        field: &'static str,
    },
    /// The checksum does not match.
    #[error("the checksum does not match")]
    Checksum,
}

const EPOCH: u8 = 1;
const TICK: u8 = 2;
const LOST: u8 = 3;
const PLAN: u8 = 4;
const UNSAID: u8 = 0;
const USERS: u8 = 1;
const POSITIONS: u8 = 2;
/// Bytes of a user, and of an entry.
const USER: usize = 8;
const ENTRY: usize = 28;

impl Record {
    /// Returns the binary form.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.size_hint());
        for number in [self.log.0, self.epoch, self.map, self.wall_ms] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        match &self.body {
            Body::Epoch { engine, plan } => {
                out.push(EPOCH);
                out.extend_from_slice(&engine.0.to_le_bytes());
                out.extend_from_slice(&plan.to_le_bytes());
            }
            Body::Tick(Tick { at, accepted, left }) => {
                out.push(TICK);
                out.extend_from_slice(&at.as_millis().to_le_bytes());
                push_members(&mut out, accepted.as_ref());
                push_members(&mut out, left.as_ref());
            }
            Body::Plan { after, revision, starts } => {
                out.push(PLAN);
                out.extend_from_slice(&after.as_millis().to_le_bytes());
                out.extend_from_slice(&revision.to_le_bytes());
                let count = u32::try_from(starts.len()).unwrap_or(u32::MAX);
                out.extend_from_slice(&count.to_le_bytes());
                starts.iter().for_each(|start| out.extend_from_slice(&start.to_le_bytes()));
            }
            Body::Lost { at } => {
                out.push(LOST);
                out.extend_from_slice(&at.as_millis().to_le_bytes());
            }
        }
        out
    }

    fn size_hint(&self) -> usize {
        let Body::Tick(tick) = &self.body else { return 64 };
        let members = tick.accepted.iter().chain(&tick.left);
        members.map(|members| members.len().saturating_mul(ENTRY)).fold(64, usize::saturating_add)
    }

    /// Reads the binary form.
    ///
    /// # Errors
    /// If the bytes are not exactly one record.
    pub fn decode(bytes: &[u8]) -> Result<Record, DecodeError> {
        let mut reader = Reader(bytes);
        let (log, epoch) = (LogId(reader.u64()?), reader.u64()?);
        let (map, wall_ms) = (reader.u64()?, reader.u64()?);
        let body = match reader.u8()? {
            EPOCH => Body::Epoch { engine: NodeId(reader.u64()?), plan: reader.u64()? },
            TICK => Body::Tick(Tick {
                at: Time::from_millis(reader.u64()?),
                accepted: reader.members()?,
                left: reader.members()?,
            }),
            PLAN => Body::Plan {
                after: Time::from_millis(reader.u64()?),
                revision: reader.u64()?,
                starts: reader.starts()?,
            },
            LOST => Body::Lost { at: Time::from_millis(reader.u64()?) },
            _ => return Err(DecodeError::Field { field: "kind" }),
        };
        reader.end(Record { log, epoch, map, wall_ms, body })
    }
}

impl Identity {
    /// Returns the binary form.
    pub fn encode(&self) -> Vec<u8> {
        let numbers = [self.log.0, self.since.as_millis(), self.wall_ms];
        let mut out: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        out.push(u8::from(self.is_first));
        out
    }

    /// Reads the binary form.
    ///
    /// # Errors
    /// If the bytes are not exactly one identity.
    pub fn decode(bytes: &[u8]) -> Result<Identity, DecodeError> {
        let mut reader = Reader(bytes);
        let (log, since) = (LogId(reader.u64()?), Time::from_millis(reader.u64()?));
        let wall_ms = reader.u64()?;
        let is_first = match reader.u8()? {
            0 => false,
            1 => true,
            _ => return Err(DecodeError::Field { field: "is_first" }),
        };
        reader.end(Identity { log, since, wall_ms, is_first })
    }
}

fn push_members(out: &mut Vec<u8>, members: Option<&Members>) {
    let (form, count) = match members {
        None => return out.push(UNSAID),
        Some(Members::Users(users)) => (USERS, users.len()),
        Some(Members::Positions(entries)) => (POSITIONS, entries.len()),
    };
    out.push(form);
    // A record of 2³² users does not fit into memory.
    out.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
    match members {
        Some(Members::Users(users)) => {
            users.iter().for_each(|user| out.extend_from_slice(&user.0.to_le_bytes()));
        }
        Some(Members::Positions(entries)) => {
            entries.iter().for_each(|entry| push_entry(out, entry));
        }
        None => {}
    }
}

fn push_entry(out: &mut Vec<u8>, entry: &Entry) {
    out.extend_from_slice(&entry.user.0.to_le_bytes());
    out.extend_from_slice(&entry.position.street.0.to_le_bytes());
    out.extend_from_slice(&entry.position.offset.units().to_le_bytes());
    out.extend_from_slice(&entry.at.as_millis().to_le_bytes());
    let speed = entry.speed.map_or(0, |speed| speed.units().saturating_add(1));
    out.extend_from_slice(&speed.to_le_bytes());
}

/// The bytes that are still to be read.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (head, rest) = self.0.split_first_chunk().ok_or(DecodeError::Short)?;
        self.0 = rest;
        Ok(*head)
    }

    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn starts(&mut self) -> Result<Vec<u32>, DecodeError> {
        let count = usize::try_from(self.u32()?).map_err(|_| DecodeError::Short)?;
        let length = count.checked_mul(size_of::<u32>()).ok_or(DecodeError::Short)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(DecodeError::Short)?;
        self.0 = rest;
        bytes.chunks_exact(size_of::<u32>()).map(|start| Reader(start).u32()).collect()
    }

    fn members(&mut self) -> Result<Option<Members>, DecodeError> {
        let form = self.u8()?;
        let size = match form {
            UNSAID => return Ok(None),
            USERS => USER,
            POSITIONS => ENTRY,
            _ => return Err(DecodeError::Field { field: "form" }),
        };
        let count = usize::try_from(self.u32()?).map_err(|_| DecodeError::Short)?;
        let length = count.checked_mul(size).ok_or(DecodeError::Short)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(DecodeError::Short)?;
        self.0 = rest;
        let items = bytes.chunks_exact(size).map(Reader);
        Ok(Some(match form {
            USERS => Members::Users(
                items.map(|mut item| item.u64().map(UserId)).collect::<Result<_, _>>()?,
            ),
            _ => Members::Positions(items.map(Reader::entry).collect::<Result<_, _>>()?),
        }))
    }

    fn entry(mut self) -> Result<Entry, DecodeError> {
        Ok(Entry {
            user: UserId(self.u64()?),
            position: Position {
                street: StreetId(self.u32()?),
                offset: Length::from_units(self.u32()?),
            },
            at: Time::from_millis(self.u64()?),
            speed: self.u32()?.checked_sub(1).map(Speed::from_units),
        })
    }

    /// Returns the value if all bytes are read.
    pub fn end<T>(&self, value: T) -> Result<T, DecodeError> {
        if self.0.is_empty() { Ok(value) } else { Err(DecodeError::Long) }
    }
}

#[cfg(test)]
mod tests;
