//! Pieces of a record: one message each, below the payload limit of the server.
//!
//! ```text
//! piece   magic "MCL" | version u8 | index u16 | is_last u8 | fragment | CRC-32 of all before u32
//! ```
//!
//! A record exists if its last piece does. The pieces of a record follow one another on their
//! subject, because each append names the sequence of the one before; a piece 0 in between means
//! that the writer of the unfinished record was fenced, and drops it.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use crate::record_codec::{DecodeError, Reader};
use bytes::Bytes;

const MAGIC: [u8; 3] = *b"MCL";
const VERSION: u8 = 1;
/// Bytes of a piece beside its fragment.
const OVERHEAD: usize = 11;
/// Smallest fragment; servers with a smaller payload limit are of no use.
const MIN_FRAGMENT: usize = 64;
/// Largest record in bytes; about two million positions.
pub const MAX_RECORD: usize = 64 << 20;

/// Splits a record into pieces of at most `limit` bytes.
///
/// Returns `None` if the record exceeds [`MAX_RECORD`] or would need more than 2¹⁶ pieces.
pub(crate) fn split(record: &[u8], limit: usize) -> Option<Vec<Bytes>> {
    let size = limit.saturating_sub(OVERHEAD).max(MIN_FRAGMENT);
    let count = record.len().div_ceil(size).max(1);
    if record.len() > MAX_RECORD || count > usize::from(u16::MAX) {
        return None;
    }
    let fragments = record.chunks(size).chain(record.is_empty().then_some(record));
    let pieces = fragments.zip(0u16..).map(|(fragment, index)| {
        let is_last = usize::from(index).saturating_add(1) == count;
        encode(fragment, index, is_last)
    });
    Some(pieces.collect())
}

fn encode(fragment: &[u8], index: u16, is_last: bool) -> Bytes {
    let mut out = Vec::with_capacity(fragment.len().saturating_add(OVERHEAD));
    out.extend_from_slice(&MAGIC);
    out.push(VERSION);
    out.extend_from_slice(&index.to_le_bytes());
    out.push(u8::from(is_last));
    out.extend_from_slice(fragment);
    let checksum = crc32fast::hash(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out.into()
}

/// A decoded piece.
struct Piece<'a> {
    index: u16,
    is_last: bool,
    fragment: &'a [u8],
}

fn decode(bytes: &[u8]) -> Result<Piece<'_>, DecodeError> {
    let (content, checksum) = bytes.split_last_chunk().ok_or(DecodeError::Short)?;
    if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
        return Err(DecodeError::Checksum);
    }
    let rest = content.strip_prefix(&MAGIC).ok_or(DecodeError::Field { field: "magic" })?;
    let mut reader = Reader(rest);
    if reader.u8()? != VERSION {
        return Err(DecodeError::Field { field: "version" });
    }
    let index = reader.u16()?;
    let is_last = match reader.u8()? {
        0 => false,
        1 => true,
        _ => return Err(DecodeError::Field { field: "is_last" }),
    };
    Ok(Piece { index, is_last, fragment: reader.0 })
}

/// Joins the pieces of one subject.
#[derive(Default)]
pub(crate) struct Assembler {
    bytes: Vec<u8>,
    /// Index of the piece that continues the record; `None` before the first piece 0.
    next: Option<u16>,
}

impl Assembler {
    /// Adds a piece and returns the record if it is complete.
    ///
    /// Pieces before the first piece 0 are skipped: their record has begun to age out.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, DecodeError> {
        let Piece { index, is_last, fragment } = decode(bytes)?;
        if index == 0 {
            self.bytes.clear();
        } else if self.next.is_none() {
            return Ok(None);
        } else if self.next != Some(index) {
            return Err(DecodeError::Field { field: "index" });
        }
        if self.bytes.len().saturating_add(fragment.len()) > MAX_RECORD {
            return Err(DecodeError::Long);
        }
        self.bytes.extend_from_slice(fragment);
        self.next = Some(if is_last { 0 } else { index.saturating_add(1) });
        Ok(is_last.then(|| std::mem::take(&mut self.bytes)))
    }
}

impl std::fmt::Debug for Assembler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Assembler({} bytes)", self.bytes.len())
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use rand::RngExt as _;
    use rand::SeedableRng as _;
    use rand_pcg::Pcg64;

    #[test]
    fn pieces_join_to_the_record_for_every_limit() {
        for length in [0, 1, 63, 64, 65, 500, 4_096] {
            let record: Vec<u8> = (0..length).map(|byte| byte as u8).collect();
            for limit in [0, 75, 76, 200, 1 << 20] {
                let pieces = split(&record, limit).unwrap();
                assert!(
                    pieces.iter().all(|piece| piece.len() <= limit.max(OVERHEAD + MIN_FRAGMENT))
                );
                let mut assembler = Assembler::default();
                let (last, first) = pieces.split_last().unwrap();
                for piece in first {
                    assert_eq!(assembler.push(piece).unwrap(), None);
                }
                assert_eq!(assembler.push(last).unwrap(), Some(record.clone()));
            }
        }
        assert!(split(&vec![0; MAX_RECORD + 1], 1 << 20).is_none());
        assert!(split(&vec![0; 65_536 * 64], 0).is_none(), "more pieces than an index can number");
    }

    #[test]
    fn an_unfinished_record_is_dropped_and_a_cut_one_is_skipped() {
        let pieces = split(&[7; 300], 100).unwrap();
        let whole = split(b"whole", 100).unwrap();
        let mut assembler = Assembler::default();
        assert_eq!(assembler.push(&pieces[2]).unwrap(), None, "its beginning has aged out");
        assert_eq!(assembler.push(&pieces[0]).unwrap(), None);
        assert_eq!(assembler.push(&whole[0]).unwrap().unwrap(), b"whole");
        assert_eq!(assembler.push(&pieces[0]).unwrap(), None);
        assert_eq!(assembler.push(&pieces[2]), Err(DecodeError::Field { field: "index" }));
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_noticed() {
        let piece = &split(b"a record of some length", 1_000).unwrap()[0];
        let mut random = Pcg64::seed_from_u64(7);
        for place in 0..piece.len() {
            let mut changed = piece.to_vec();
            changed[place] ^= random.random_range(1..=255u8);
            assert!(Assembler::default().push(&changed).is_err(), "byte {place}");
            assert!(Assembler::default().push(&piece[..place]).is_err(), "cut at {place}");
        }
    }
}
