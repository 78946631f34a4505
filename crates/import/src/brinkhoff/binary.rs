//! The binary encoding, big-endian. Node: byte n, n bytes name, i64 id, i32 x, i32 y.
//! Edge: i64 from, i64 to, byte n, n bytes name, i64 id, i32 class.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

use super::collector::{Collector, Edge, Node};
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;
use std::io::{self, Read};

/// Reads all nodes.
pub(super) fn read_nodes(input: &mut Input, collector: &mut Collector) -> Result<(), ImportError> {
    let mut records = Records::new(input);
    while records.begin(1, "node")? {
        let name = usize::from(records.record.first().copied().unwrap_or(0));
        records.take(name.saturating_add(16))?;
        let numbers = records.record.get(name.saturating_add(1)..).unwrap_or_default();
        let node = Node { id: i64_at(numbers, 0), x: i32_at(numbers, 8), y: i32_at(numbers, 12) };
        collector.node(node).map_err(|problem| records.error(problem))?;
    }
    Ok(())
}

/// Reads all edges.
pub(super) fn read_edges(input: &mut Input, collector: &mut Collector) -> Result<(), ImportError> {
    let mut records = Records::new(input);
    while records.begin(17, "edge")? {
        let length = usize::from(records.record.get(16).copied().unwrap_or(0));
        records.take(length.saturating_add(12))?;
        let rest = records.record.get(17..).unwrap_or_default();
        let (name, numbers) = rest.split_at_checked(length).unwrap_or_default();
        let edge = Edge {
            id: i64_at(numbers, 0),
            class: i32_at(numbers, 8),
            from: i64_at(&records.record, 0),
            to: i64_at(&records.record, 8),
            name,
        };
        collector.edge(edge).map_err(|problem| records.error(problem))?;
    }
    Ok(())
}

/// Returns whether these bytes can be the beginning of a file of nodes.
pub(super) fn begins_with_node(start: &[u8]) -> bool {
    all_fit(start, 0, 16, |_, name, numbers| {
        let is_coordinate = |at: usize| i32_at(numbers, at).unsigned_abs() <= 40_000_000;
        is_name(name) && is_id(i64_at(numbers, 0)) && is_coordinate(8) && is_coordinate(12)
    })
}

/// Returns whether these bytes can be the beginning of a file of edges.
pub(super) fn begins_with_edge(start: &[u8]) -> bool {
    all_fit(start, 16, 12, |ends, name, numbers| {
        let ids_fit = [i64_at(ends, 0), i64_at(ends, 8), i64_at(numbers, 0)].into_iter().all(is_id);
        ids_fit && is_name(name) && (0..=6).contains(&i32_at(numbers, 8))
    })
}

/// Returns whether there is a complete record and the first 64 complete records are plausible. A
/// record is `before` bytes, a length-prefixed name, and `after` bytes.
fn all_fit(
    start: &[u8],
    before: usize,
    after: usize,
    fits: impl Fn(&[u8], &[u8], &[u8]) -> bool,
) -> bool {
    let (mut rest, mut count) = (start, 0_u32);
    while count < 64
        && let Some((head, tail)) = rest.split_at_checked(before)
        && let Some((&length, tail)) = tail.split_first()
        && let Some((name, tail)) = tail.split_at_checked(usize::from(length))
        && let Some((numbers, tail)) = tail.split_at_checked(after)
    {
        if !fits(head, name, numbers) {
            return false;
        }
        (rest, count) = (tail, count.saturating_add(1));
    }
    count > 0 && rest.get(before..).is_none_or(begins_with_name)
}

/// Returns whether these bytes are a length-prefixed name, possibly truncated.
fn begins_with_name(bytes: &[u8]) -> bool {
    let Some((&length, rest)) = bytes.split_first() else { return true };
    is_name(rest.get(..usize::from(length)).unwrap_or(rest))
}

fn is_name(name: &[u8]) -> bool {
    name.iter().all(|&byte| byte >= b' ')
}

/// Ids of real maps are far below 2^48; the sixteen equal high bits distinguish them from text and
/// compressed data.
fn is_id(id: i64) -> bool {
    id.unsigned_abs() < 1 << 48
}

/// Reads the records of a file one at a time; a record has at most 284 bytes.
struct Records<'a, 'b> {
    input: &'a mut Input<'b>,
    record: Vec<u8>,
    start: u64,
    kind: &'static str,
}

impl<'a, 'b> Records<'a, 'b> {
    fn new(input: &'a mut Input<'b>) -> Records<'a, 'b> {
        Records { input, record: Vec::with_capacity(512), start: 0, kind: "" }
    }

    /// Reads the first `count` bytes of the next record; false at the end of the file.
    fn begin(&mut self, count: usize, kind: &'static str) -> Result<bool, ImportError> {
        self.start = self.start.saturating_add(self.record.len() as u64);
        self.record.clear();
        self.kind = kind;
        let at_end = self.input.peek_at(self.location())?.is_empty();
        if at_end { Ok(false) } else { self.take(count).map(|()| true) }
    }

    /// Reads `count` more bytes of this record.
    fn take(&mut self, count: usize) -> Result<(), ImportError> {
        let old = self.record.len();
        self.record.resize(old.saturating_add(count), 0);
        let (_, new) = self.record.split_at_mut_checked(old).unwrap_or_default();
        self.input.read_exact(new).map_err(|error| {
            let problem = match error.kind() {
                io::ErrorKind::UnexpectedEof => Problem::Truncated(format!(
                    "in the middle of the {} that begins here",
                    self.kind
                )),
                _ => error.into(),
            };
            self.error(problem)
        })
    }

    /// Returns the error for a problem of this record.
    fn error(&self, problem: Problem) -> ImportError {
        self.input.error(self.location(), problem)
    }

    fn location(&self) -> FileLocation {
        FileLocation::Byte(self.start)
    }
}

/// Decodes the eight bytes at `at`; zero past the end.
fn i64_at(bytes: &[u8], at: usize) -> i64 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk);
    bytes.copied().map_or(0, i64::from_be_bytes)
}

/// Decodes the four bytes at `at`; zero past the end.
fn i32_at(bytes: &[u8], at: usize) -> i32 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk);
    bytes.copied().map_or(0, i32::from_be_bytes)
}
